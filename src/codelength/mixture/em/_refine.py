"""Accelerated EM for the last digits of a maximum.

If components overlap, EM gains less and less per iteration and may stop hundredths of a nat short of the
maximum. Two iterations give the direction and the rate at which steps shrink, from which the limit is
extrapolated (SQUAREM; Varadhan and Roland 2008, Scand. J. Statist. 35). Zeros stay zeros, and a probability
that would leap below zero shrinks instead. A leap that loses is discarded, so that the objective never falls.
"""

import numpy as np

from ...typing import FloatArray
from ..parameters import MixtureParameters
from ._problem import EMProblem

ROUNDING = 4.0
"""Gains of at most this many units in the last place are rounding errors."""

SHRINKAGE = 0.1
"""Factor of a probability whose extrapolation is below zero."""


def refine(
    problem: EMProblem,
    state: MixtureParameters,
    max_iter: int,
    tol: float,
    enough: float,
    n_threads: int,
    goal: float = np.inf,
) -> tuple[MixtureParameters, FloatArray, bool]:
    """Continue a run by accelerated EM.

    Parameters
    ----------
    problem : EMProblem
        Rows and prior.
    state : MixtureParameters
        The end of a run.
    max_iter : int
        Maximum number of further iterations.
    tol : float
        Least gain of an iteration of plain EM per row, in nats.
    enough : float
        Tolerance that suffices if the iterations are used up on a ridge that hardly rises, or if the
        objective has reached ``goal``.
    n_threads : int
        Threads to share rows out with.
    goal : float
        Objective from which on the tolerance ``enough`` applies.

    Returns
    -------
    state : MixtureParameters
        The end.
    trace : array of shape (2, n_iter)
        Objective and log-likelihood after each iteration from ``state`` on.
    converged : bool
        Whether the last iteration of plain EM gained less than the tolerance.
    """
    n_rows = problem.joint.total_weight
    least_gain, gain = tol * n_rows, np.inf
    parts: list[FloatArray] = []
    for _ in range(max(1, max_iter // 3)):
        # A run of two iterations scores its start and one plain step from it.
        first, of_first, _ = problem.run(state, 2, 0.0, n_threads)
        second, of_second, _ = problem.run(first, 2, 0.0, n_threads)
        parts += [of_first[:, 1:], of_second[:, 1:]]
        gain = float(of_second[0, 1] - of_second[0, 0])
        # A gain within the rounding of the objective is not a gain.
        least_gain = max(least_gain, ROUNDING * float(np.spacing(abs(of_second[0, 1]))))
        if gain < least_gain or (of_second[0, 1] >= goal and gain < enough * n_rows):
            return second, np.concatenate(parts, axis=1), True
        after, of_leap, _ = problem.run(_leap(state, first, second), 2, 0.0, n_threads)
        state = second
        # Compared after a plain step from the leap, which repairs most of what an extrapolation spoils.
        if of_leap[0, 1] >= of_second[0, 1]:
            state = after
            parts.append(of_leap[:, 1:])
    return state, np.concatenate(parts, axis=1), gain < enough * n_rows


def _leap(state: MixtureParameters, first: MixtureParameters, second: MixtureParameters) -> MixtureParameters:
    """Extrapolate three mixtures, each one iteration of EM after the last."""
    tables = [np.vstack((mixture.class_probs, mixture.value_probs.T)) for mixture in (state, first, second)]
    step, bend = tables[1] - tables[0], tables[2] - 2 * tables[1] + tables[0]
    bends = float((bend**2).sum())
    # Step length -|r|/|v| of SQUAREM (scheme S3), at least that of two plain steps, which is also the answer
    # if there is nothing to extrapolate.
    stretch = max(1.0, float(np.sqrt((step**2).sum() / bends))) if bends > 0 else 1.0
    ahead = tables[0] + 2 * stretch * step + stretch**2 * bend
    probs = np.where(ahead > 0, ahead, SHRINKAGE * tables[2])
    offsets, values = state.schema.offsets, probs[1:].T.copy()
    for i in range(state.schema.n_variables):
        own = values[:, offsets[i] : offsets[i + 1] - 1]
        own /= own.sum(axis=1, keepdims=True)
    return MixtureParameters(state.schema, probs[0] / probs[0].sum(), values)
