"""EM from many starts, of which the most probable end is kept."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._threads import n_threads_or_default
from ...counts import expected_counts
from ...errors import DataError, Infeasible
from ...rules import PriorLike, pseudocounts
from ...table import Coded
from ...table._messages import shown
from ...table.checks import check_choice, check_random_state, check_size, check_weights, check_whole
from ...typing import FloatArray
from ..costs import check_components
from ..parameters import MixtureParameters, posterior_mode, with_components
from ._layout import EMLayout
from ._problem import EMPrior, EMProblem
from ._refine import refine
from .em import MOST_STEPS, EMInfo, check_run
from .starts import STARTS

REFINED_BELOW = 1e-7
"""Tolerances below this are reached in two stages, the second of them accelerated."""

FIRST_TOL = 1e-6
"""Tolerance of the first stage, which all runs go through, in nats per row."""

N_REFINED = 3
"""Runs that are continued to a tighter tolerance: those that have got furthest."""

MOST_EMPTY = 1000
"""Components at most where there are fewer distinct rows: a component per row fits them as well as any."""


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
    rows: Coded | EMLayout,
    n_components: int,
    prior: PriorLike = "uniform",
    *,
    n_init: int = 20,
    init: str = "mixed",
    max_iter: int = 1000,
    tol: float = 1e-11,
    random_state: Any = None,
    n_threads: int | None = None,
) -> tuple[MixtureParameters, RestartsInfo]:
    """The most probable mixture found by EM from several starts.

    Parameters
    ----------
    rows, prior, max_iter
        As in :func:`codelength.mixture.em.em`. Whoever fits several numbers of components to the same rows
        gives them as one :class:`EMLayout`.
    n_components : int
        How many components to fit; some may end up empty.
    n_init : int
        Starts; a single component needs one only, whatever is asked.
    init : str
        Where to start, one of :data:`codelength.mixture.em.STARTS`.
    tol : float
        Stop when an iteration gains less than this, in nats per row. Below 1e-7 there are two stages: all
        runs are made to 1e-6, and the three that have got furthest are continued to ``tol`` by accelerated
        EM, for at most ``max_iter`` further iterations. With 0 all iterations are made, none accelerated.
    random_state : int, sequence of int, generator or None
        Where the randomness comes from; each start has a stream of its own.
    n_threads : int, optional
        Threads to run on; by default one for each processor. The result is the same for any number.

    Returns
    -------
    state : MixtureParameters
        The most probable end.
    info : RestartsInfo
        All ends, and how they were reached.

    Raises
    ------
    DataError
        Where there is nothing to fit.
    Infeasible
        Where there are thousands of components and fewer distinct rows, or more than memory holds.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        If the best run did not converge.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2, 2, 2]), [[0, 0, 0], [1, 1, 1]] * 5)
    >>> state, info = fit_mixture(coded, 2, random_state=0)
    >>> state.class_probs.round(3), len(info.runs)
    (array([0.5, 0.5]), 20)
    """
    check_choice("init", init, STARTS)
    check_run(max_iter, tol)
    check_size("n_init", n_init, MOST_STEPS)
    layout, threads = EMLayout.of(rows), n_threads_or_default(n_threads)
    generator = np.random.default_rng(check_random_state(random_state))
    streams = generator.spawn(1 if n_components == 1 else n_init)
    at_once = min(threads, len(streams))
    coded = _checked(layout, n_components, at_once)
    spread = pseudocounts(prior, coded.schema)
    problem = EMProblem(coded.schema, layout.joint, EMPrior.of(coded.schema, spread))

    kinds = STARTS[init]
    is_refined = 0 < tol < REFINED_BELOW

    def run(number: int) -> tuple[MixtureParameters, EMInfo]:
        shares = kinds[number % len(kinds)](coded, streams[number])
        start = posterior_mode(expected_counts(coded, shares), spread)
        first_tol = FIRST_TOL if is_refined else tol
        state, trace, converged = problem.run(start, max_iter, first_tol, threads // at_once)
        return state, EMInfo(trace[0], trace[1], converged)

    def continued(number: int) -> tuple[MixtureParameters, EMInfo]:
        state, before = ends[number]
        state, trace, converged = refine(problem, state, max_iter, tol, REFINED_BELOW, threads // at_once)
        return state, before.continued(trace, converged)

    with ThreadPoolExecutor(at_once) as pool:
        ends = list(pool.map(run, range(len(streams))))
        if is_refined:
            furthest = np.argsort([-end.log_posterior for _, end in ends], kind="stable")[:N_REFINED].tolist()
            for number, end in zip(furthest, pool.map(continued, furthest), strict=True):
                ends[number] = end
    best = int(np.argmax([end.log_posterior for _, end in ends]))
    info = RestartsInfo(tuple(end for _, end in ends), tuple(state for state, _ in ends), best)
    if tol > 0 and not info.converged:
        _warn(max_iter)
    return ends[best][0], info


def _checked(layout: EMLayout, n_components: int, at_once: int) -> Coded:
    """The rows with so many hidden components, once it is clear that they can be fitted."""
    rows = layout.coded
    if not rows.codes.size:
        raise DataError(
            f"a mixture cannot be fitted to a table of shape {rows.codes.shape}; give rows and columns"
        )
    check_weights(rows.weights, rows.n_rows)
    check_whole("n_components", n_components)
    n_distinct = len(layout.joint.weights)
    if n_components > max(n_distinct, MOST_EMPTY):
        raise Infeasible(
            f"n_components={shown(n_components)}: there are only {n_distinct} distinct rows to share out; "
            f"ask for at most {max(n_distinct, MOST_EMPTY)} components"
        )
    # A start holds its shares twice, with weights; a run its tables and their products.
    n_joint = len(layout.joint.members)
    bytes_each = 8.0 * at_once * (2 * rows.n_rows + 3 * n_joint + 6 * rows.schema.n_cells)
    check_components(n_components, bytes_each, "EM")
    return with_components(rows, n_components)


def _warn(max_iter: int) -> None:
    from sklearn.exceptions import ConvergenceWarning

    warnings.warn(
        f"EM did not converge in {max_iter} iterations; raise max_iter, or tol if less precision will do",
        ConvergenceWarning,
        stacklevel=3,
    )
