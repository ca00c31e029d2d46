"""The last digits of a maximum: EM that looks ahead.

Where components overlap, EM gains less and less per iteration and may stop hundredths of a nat short of the
maximum. Two iterations show the direction and how fast the steps shrink, from which the rest of the way is
extrapolated (SQUAREM; Varadhan and Roland 2008, Scand. J. Statist. 35). Zeros stay zeros, and a probability
that would leap below zero shrinks instead. A leap that loses is not taken, so that the objective never falls.
"""

import numpy as np

from ...typing import FloatArray
from ..parameters import MixtureParameters
from ._problem import EMProblem

ROUNDING = 4.0
"""Gains of so many units in the last place are rounding."""

SHRINKAGE = 0.1
"""What is left of a probability that would leap below zero."""


def refine(
    problem: EMProblem,
    state: MixtureParameters,
    max_iter: int,
    tol: float,
    enough: float,
    n_threads: int,
    goal: float = np.inf,
) -> tuple[MixtureParameters, FloatArray, bool]:
    """Climb on from the end of a run.

    Returns the end, the objective and log-likelihood after each iteration from ``state`` on, and whether the
    last iteration of plain EM gained less than the tolerance; ``enough`` of a tolerance will do where the
    iterations are used up on a ridge that hardly rises, or where the objective has reached ``goal``.
    """
    n_rows = problem.joint.total_weight
    least_gain, gain = tol * n_rows, np.inf
    parts: list[FloatArray] = []
    for _ in range(max(1, max_iter // 3)):
        first, of_first, _ = problem.run(state, 2, 0.0, n_threads)
        second, of_second, _ = problem.run(first, 2, 0.0, n_threads)
        parts += [of_first[:, 1:], of_second[:, 1:]]
        gain = float(of_second[0, 1] - of_second[0, 0])
        # A gain within rounding of the objective is none.
        least_gain = max(least_gain, ROUNDING * float(np.spacing(abs(of_second[0, 1]))))
        if gain < least_gain or (of_second[0, 1] >= goal and gain < enough * n_rows):
            return second, np.concatenate(parts, axis=1), True
        after, of_leap, _ = problem.run(_leap(state, first, second), 2, 0.0, n_threads)
        state = second
        if of_leap[0, 1] >= of_second[0, 1]:
            state = after
            parts.append(of_leap[:, 1:])
    return state, np.concatenate(parts, axis=1), gain < enough * n_rows


def _leap(state: MixtureParameters, first: MixtureParameters, second: MixtureParameters) -> MixtureParameters:
    """Where three mixtures, each one iteration of EM after the last, are heading."""
    tables = [np.vstack((mixture.class_probs, mixture.value_probs.T)) for mixture in (state, first, second)]
    step, bend = tables[1] - tables[0], tables[2] - 2 * tables[1] + tables[0]
    bends = float((bend**2).sum())
    # Two plain steps where there is no bend to extrapolate.
    stretch = max(1.0, float(np.sqrt((step**2).sum() / bends))) if bends > 0 else 1.0
    ahead = tables[0] + 2 * stretch * step + stretch**2 * bend
    probs = np.where(ahead > 0, ahead, SHRINKAGE * tables[2])
    offsets, values = state.schema.offsets, probs[1:].T.copy()
    for i in range(state.schema.n_variables):
        own = values[:, offsets[i] : offsets[i + 1] - 1]
        own /= own.sum(axis=1, keepdims=True)
    return MixtureParameters(state.schema, probs[0] / probs[0].sum(), values)
