"""EM for finite mixtures of multinomials: the most probable parameters near a start.

If components overlap, EM gains less and less per iteration and may stop hundredths of a nat short of the
maximum. Two iterations give the direction and the rate at which steps shrink, from which :func:`refine`
extrapolates the limit (SQUAREM; Varadhan and Roland 2008, Scand. J. Statist. 35). Zeros stay zeros, and a
probability that would leap below zero shrinks instead. A leap that loses is discarded, so that the objective
never falls.
"""

from dataclasses import dataclass

import numpy as np

from ..._threads import n_threads_or_default
from ...naive_bayes import PriorLike, pseudocounts
from ...table.checks import check_number, check_size
from ...typing import FloatArray
from ..cache import Rows
from ..parameters import MixtureParameters, with_components
from ._problem import EMProblem, Layout

MAX_STEPS = 1_000_000
"""Maximum number of iterations, or of starts."""

ROUNDING = 4.0
"""Gains of at most this many units in the last place are rounding errors."""

SHRINKAGE = 0.1
"""Factor of a probability whose extrapolation is below zero."""


@dataclass(frozen=True, eq=False, slots=True)
class EMInfo:
    """Diagnostics of a run of EM.

    Attributes
    ----------
    log_posteriors : array of shape (n_iter,)
        The objective after each iteration: log-likelihood plus the sum of (pseudocount - 1) log(probability),
        which is the log posterior up to a constant. Within rounding it never falls.
    log_likelihoods : array of shape (n_iter,)
        The log-likelihood after each iteration.
    converged : bool
        Whether the last gain was below the tolerance.
    """

    log_posteriors: FloatArray
    log_likelihoods: FloatArray
    converged: bool

    @property
    def n_iter(self) -> int:
        """Number of iterations."""
        return len(self.log_posteriors)

    @property
    def log_posterior(self) -> float:
        """The objective at the end."""
        return float(self.log_posteriors[-1])

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood at the end."""
        return float(self.log_likelihoods[-1])


def em(
    rows: Rows | Layout,
    start: MixtureParameters,
    prior: PriorLike = "uniform",
    *,
    max_iter: int = 1000,
    tol: float = 1e-7,
    n_threads: int | None = None,
) -> tuple[MixtureParameters, EMInfo]:
    """Climb from a mixture to a local maximum of the posterior.

    Every iteration shares the rows out over the components by the mixture at hand, and scores it; the
    next one starts from the most probable mixture given those expected counts. The first
    iteration scores ``start`` itself. A distribution with no expected counts becomes uniform.

    Parameters
    ----------
    rows : Coded, CachedRows or a layout of them
        The rows; a layout saves merging equal rows again. A weight of 2 counts as two equal rows.
    start : MixtureParameters
        The start. A probability of zero stays zero unless its pseudocount is above 1.
    prior : prior or its name
        Dirichlet pseudocounts, none of them below 1.
    max_iter : int
        Maximum number of iterations.
    tol : float
        Stop when an iteration gains less than this, in nats per row; with 0 all iterations are made.
    n_threads : int, optional
        Threads to share rows out with; by default one per processor. The result is the same for any number.

    Returns
    -------
    state : MixtureParameters
    info : EMInfo

    Examples
    --------
    >>> from codelength.counts import Counts
    >>> from codelength.mixture.parameters import posterior_mode
    >>> from codelength.table import Coded, Schema
    >>> coded = Coded.of(with_components(Schema.from_sizes([2]), 1), [[0], [1], [1]])
    >>> state, info = em(coded, posterior_mode(Counts.empty(coded.schema)))
    >>> state.of(0).round(6), info.converged
    (array([[0.333333, 0.666667]]), True)
    """
    tol = check_run(max_iter, tol)
    layout = Layout.of(rows)
    schema = with_components(layout.rows.schema, start.n_components)
    problem = EMProblem.of(schema, layout.joint, pseudocounts(prior, schema))
    state, trace, converged = problem.run(start, max_iter, tol, n_threads_or_default(n_threads))
    return state, EMInfo(trace[0], trace[1], converged)


def check_run(max_iter: int, tol: float) -> float:
    """Check the options of a run; return the tolerance as a float."""
    check_size("max_iter", max_iter, MAX_STEPS)
    return check_number("tol", tol)


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
    state, trace, converged
        As from :meth:`EMProblem.run`; the first iteration of the trace is the one after ``state``.
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
