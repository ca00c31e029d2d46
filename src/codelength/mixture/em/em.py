"""EM for finite mixtures of multinomials: the most probable parameters near a start."""

from dataclasses import dataclass

from ..._threads import n_threads_or_default
from ...table import Schema
from ...typing import CodeArray, FloatArray
from ..clusterings import checked_weights
from ..parameters import MixtureParameters
from ._problem import Problem


@dataclass(frozen=True, eq=False, slots=True)
class EMInfo:
    """How a run of EM went.

    Attributes
    ----------
    log_posteriors : array of shape (n_iter,)
        The objective after each iteration: log-likelihood plus the sum of (pseudocount - 1) log(probability),
        which is the log posterior up to a constant. It never falls, but for rounding.
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
        """Iterations made."""
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
    schema: Schema,
    codes: CodeArray,
    start: MixtureParameters,
    prior: PriorLike = "uniform",
    *,
    sample_weight: FloatArray | None = None,
    max_iter: int = 1000,
    tol: float = 1e-7,
    n_threads: int | None = None,
) -> tuple[MixtureParameters, EMInfo]:
    """Climb from a mixture to the most probable one near it.

    Every iteration shares the rows out over the components by the mixture at hand, and scores it; the
    next one starts from the most probable mixture given those expected counts. The first
    iteration scores ``start`` itself. Where nothing of a distribution is expected, it becomes uniform.

    Parameters
    ----------
    schema : Schema
        The schema of the codes.
    codes : array of shape (n_rows, n_variables)
        The coded rows.
    start : MixtureParameters
        Where to start. A probability of zero stays zero unless its pseudocount is above 1.
    prior : prior or its name
        Pseudocounts, none of them below 1.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows; a weight of 2 counts as two equal rows.
    max_iter : int
        Iterations at most.
    tol : float
        End when an iteration gains less than this, in nats a row; with 0 all iterations are made.
    n_threads : int, optional
        Threads to share rows out with; by default one for each processor. The result is the same for any.

    Returns
    -------
    state : MixtureParameters
    info : EMInfo

    Examples
    --------
    >>> import numpy as np
    >>> from codelength.scores.mixtures import with_components
    >>> schema, codes = with_components(Schema.from_sizes([2]), 1), np.array([[0], [1], [1]], dtype=np.uint8)
    >>> start = MixtureParameters(schema, np.array([1.0]), np.array([[0.5, 0.5, 1.0]]))
    >>> state, info = em(schema, codes, start)
    >>> state.of(0).round(6), info.converged
    (array([[0.333333, 0.666667]]), True)
    """
    weights = checked_weights(sample_weight, len(codes))
    problem = Problem.of(schema, codes, start.n_components, prior, weights)
    state, trace, converged = problem.run(start, max_iter, tol, n_threads_or_default(n_threads))
    return state, EMInfo(trace[0], trace[1], converged)
