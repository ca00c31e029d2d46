"""EM from many starts, of which the most probable end is kept."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._threads import n_threads_or_default
from ...counts.soft import expected_counts
from ...errors import DataError, InvalidParameter
from ...table import Schema
from ...typing import CodeArray, FloatArray
from ..clusterings import checked_weights
from ..parameters import MixtureParameters, posterior_mode
from ._problem import Problem
from .em import EMInfo
from .starts import STARTS, StartName


@dataclass(frozen=True, eq=False, slots=True)
class RestartsInfo:
    """How all runs of EM went.

    Attributes
    ----------
    runs : tuple of EMInfo
        How each run went.
    states : tuple of MixtureParameters
        Where each run ended.
    best : int
        The run with the highest log posterior; the first of equal ones.
    """

    runs: tuple[EMInfo, ...]
    states: tuple[MixtureParameters, ...]
    best: int

    @property
    def log_posteriors(self) -> FloatArray:
        """The log posterior, up to a constant, at the end of each run."""
        return np.array([run.log_posterior for run in self.runs])

    @property
    def converged(self) -> bool:
        """Whether the best run converged."""
        return self.runs[self.best].converged


def fit_mixture(
    schema: Schema,
    codes: CodeArray,
    n_components: int,
    prior: PriorLike = "uniform",
    *,
    n_init: int = 20,
    init: StartName = "random",
    max_iter: int = 1000,
    tol: float = 1e-7,
    sample_weight: FloatArray | None = None,
    random_state: Any = None,
    n_threads: int | None = None,
) -> tuple[MixtureParameters, RestartsInfo]:
    """The most probable mixture found by EM from several starts.

    Parameters
    ----------
    schema : Schema
        The schema of the codes.
    codes : array of shape (n_rows, n_variables)
        The coded rows.
    n_components : int
        How many components to fit; some may end up empty.
    prior : prior or its name
        Pseudocounts, none of them below 1.
    n_init : int
        Starts; a single component needs one only, whatever is asked.
    init : {"random", "kmeans", "kmodes"}
        Where to start; see :mod:`codelength.fitting.starts`.
    max_iter, tol
        As in :func:`codelength.fitting.em`.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows.
    random_state : int, generator or None
        Where the randomness comes from; each start has a stream of its own.
    n_threads : int, optional
        Threads to run on; by default one for each processor. The result is the same for any number.

    Returns
    -------
    state : MixtureParameters
        The most probable end.
    info : RestartsInfo
        All ends, and how they were reached.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        If the best run did not converge.

    Examples
    --------
    >>> schema, codes = Schema.from_sizes([2, 2, 2]), np.array([[0, 0, 0], [1, 1, 1]] * 5, dtype=np.uint8)
    >>> state, info = fit_mixture(schema, codes, 2, random_state=0)
    >>> state.class_probs.round(3), len(info.runs)
    (array([0.5, 0.5]), 20)
    """
    weights, threads = checked_weights(sample_weight, len(codes)), n_threads_or_default(n_threads)
    _check(codes, weights, n_init, init)
    problem = Problem.of(schema, codes, n_components, prior, weights)
    full, spread = problem.schema, pseudocounts(prior, problem.schema)
    generators = np.random.default_rng(random_state).spawn(1 if n_components == 1 else n_init)
    at_once = min(threads, len(generators))

    def run(generator: np.random.Generator) -> tuple[MixtureParameters, EMInfo]:
        shares = STARTS[init](full, codes, weights, generator)
        start = posterior_mode(expected_counts(full, codes, shares, weights), spread)
        state, trace, converged = problem.run(start, max_iter, tol, threads // at_once)
        return state, EMInfo(trace[0], trace[1], converged)

    with ThreadPoolExecutor(at_once) as pool:
        ends = list(pool.map(run, generators))
    best = int(np.argmax([end.log_posterior for _, end in ends]))
    info = RestartsInfo(tuple(end for _, end in ends), tuple(state for state, _ in ends), best)
    if tol > 0 and not info.converged:
        _warn(max_iter)
    return ends[best][0], info


def _check(codes: CodeArray, weights: FloatArray | None, n_init: int, init: str) -> None:
    if n_init < 1:
        raise InvalidParameter(f"n_init={n_init}: expected at least 1")
    if init not in STARTS:
        raise InvalidParameter(f"init={init!r}: expected one of {', '.join(map(repr, STARTS))}")
    if not codes.size:
        raise DataError(
            f"a mixture cannot be fitted to a table of shape {codes.shape}; give rows and columns"
        )
    if weights is not None and not weights.any():
        raise DataError("sample_weight: all weights are zero, so there are no rows to fit a mixture to")


def _warn(max_iter: int) -> None:
    from sklearn.exceptions import ConvergenceWarning

    warnings.warn(
        f"EM did not converge in {max_iter} iterations; raise max_iter, or tol if less precision will do",
        ConvergenceWarning,
        stacklevel=3,
    )
