"""EM for finite mixtures of multinomials: the most probable parameters near a start."""

from dataclasses import dataclass

import numpy as np

from ..._threads import n_threads_or_default
from ...naive_bayes import PriorLike, pseudocounts
from ...table.checks import check_number, check_size
from ...typing import FloatArray
from ..cache import Rows
from ..parameters import MixtureParameters, with_components
from ._layout import Layout
from ._problem import EMProblem

MAX_STEPS = 1_000_000
"""Maximum number of iterations, or of starts."""


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

    def continued(self, trace: FloatArray, converged: bool) -> "EMInfo":
        """Return the same run with further iterations."""
        log_posteriors = np.concatenate((self.log_posteriors, trace[0]))
        return EMInfo(log_posteriors, np.concatenate((self.log_likelihoods, trace[1])), converged)

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
