"""EM with random restarts; stops once the best solution has been found often enough.

Order of reading: :func:`fit_mixture` (the loop over rounds of restarts), ``_Runs`` (all runs so far: start
some, continue the promising ones, polish the best), ``_promise`` (which runs are worth continuing), and
:class:`RestartsInfo` (how the runs went).

Depends on ``_problem`` (rows and prior, laid out once for all runs), ``starts`` (first counts) and ``em``
(one run, and its last digits).
"""

import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..._threads import BLOCK_ROWS, mapped, n_threads_or_default
from ...decisions import first_best, is_better, ranked
from ...errors import DataError, Infeasible
from ...naive_bayes import PriorLike, Pseudocounts, pseudocounts
from ...table import Coded, Schema
from ...table._messages import shown
from ...table.checks import (
    check_choice,
    check_random_state,
    check_size,
    check_weights,
    check_whole,
)
from ...typing import BoolArray, FloatArray
from ..cache import Rows
from ..costs import check_components
from ..parameters import MixtureParameters, posterior_mode, with_components
from ..summaries import SearchSummary
from ._problem import EMProblem, Layout
from .em import MAX_STEPS, EMInfo, check_run, refine
from .starts import STARTS, Start, start_counts

REFINED_BELOW = 1e-7
"""Tolerances below this are reached in two stages, the second of them accelerated."""

FIRST_TOL = 1e-6
"""Tolerance of the first stage, which all runs complete, in nats per row."""

N_REFINED = 3
"""Number of runs, those with the highest objective, that are continued to a tighter tolerance."""

SAME = 0.01
"""Ends whose log posteriors differ by at most this, in nats, are the same solution."""

POLISH = 1e-3
"""Share of the tolerance to which the best end is continued: standard errors need more digits."""

CAUTION = 5.0
"""Factor by which the remaining gain of a run may exceed its extrapolation."""

MAX_STARTS = 100
"""Maximum number of starts if the best end has to be found several times."""

MAX_EMPTY = 1000
"""Maximum number of components if there are fewer distinct rows: one per row fits as well as any."""


@dataclass(frozen=True, eq=False, slots=True)
class RestartsInfo:
    """Diagnostics of all runs of EM.

    Attributes
    ----------
    runs : tuple of EMInfo
        Diagnostics of each run.
    states : tuple of MixtureParameters
        End of each run.
    best : int
        The run with the highest log posterior; the first of those that are equal up to rounding.
    reached : int
        Requested number of runs that end at the best solution; 0 if ends were not compared.
    max_init : int
        Maximum number of starts.
    """

    runs: tuple[EMInfo, ...]
    states: tuple[MixtureParameters, ...]
    best: int
    reached: int = 0
    max_init: int = MAX_STARTS

    @property
    def log_posteriors(self) -> FloatArray:
        """The log posterior, up to a constant, at the end of each run."""
        return np.array([run.log_posterior for run in self.runs])

    @property
    def converged(self) -> bool:
        """True if the best run converged."""
        return self.runs[self.best].converged

    @property
    def at_best(self) -> BoolArray:
        """Mask of the runs that ended at the best solution: within :data:`SAME` nats of its log posterior."""
        # By the log posterior, not by the parameters: labels are arbitrary, and flat maxima differ in
        # parameters.
        return np.asarray(self.log_posteriors >= self.runs[self.best].log_posterior - SAME)

    @property
    def n_reached(self) -> int:
        """Number of runs that ended at the best solution."""
        return int(self.at_best.sum())

    @property
    def summary(self) -> SearchSummary:
        """Summary of the runs, which is kept when they are not."""
        best, elsewhere = self.runs[self.best], np.flatnonzero(~self.at_best)
        next_best = None
        if len(elsewhere):
            # The best run that ended elsewhere.
            next_best = self.runs[elsewhere[first_best(self.log_posteriors[elsewhere])]].log_likelihood
        return SearchSummary(
            len(self.runs),
            self.n_reached,
            self.reached,
            self.max_init,
            SAME,
            best.log_likelihood,
            next_best,
            best.n_iter,
            sum(not run.converged for run in self.runs),
            best.converged,
        )


def fit_mixture(
    rows: Rows | Layout,
    n_components: int,
    prior: PriorLike = "uniform",
    *,
    n_init: int = 20,
    reached: int = 0,
    max_init: int = MAX_STARTS,
    init: str = "mixed",
    max_iter: int = 1000,
    tol: float = 1e-11,
    random_state: Any = 0,
    n_threads: int | None = None,
) -> tuple[MixtureParameters, RestartsInfo]:
    """Fit the most probable mixture by EM from several starts.

    Parameters
    ----------
    rows, prior, max_iter
        As in :func:`codelength.mixture.em.em`. To fit several numbers of components to the same rows, pass
        one :class:`Layout`.
    n_components : int
        Number of components; some may end up empty.
    n_init : int
        Number of starts; a single component needs one only.
    reached, max_init : int
        If ``reached`` is above 0, ends are compared, and further starts are added, ``n_init`` at a time,
        until the best solution was found so often or there are ``max_init`` starts. Runs that might still
        get to the best solution are continued until they do or end elsewhere.
    init : str
        Kind of start, one of :data:`codelength.mixture.em.STARTS`.
    tol : float
        Stop when an iteration gains less than this, in nats per row. Below 1e-7 there are two stages: all
        runs are made to 1e-6, and the three that have got furthest are continued to ``tol`` by accelerated
        EM, for at most ``max_iter`` further iterations. With 0 all iterations are made, none accelerated.
    random_state : int, sequence of int, generator or None
        Seed; each start has its own random stream.
    n_threads : int, optional
        Threads to run on; by default one for each processor. The result is the same for any number.

    Returns
    -------
    state : MixtureParameters
        The most probable end.
    info : RestartsInfo
        All ends, and the diagnostics of their runs.

    Raises
    ------
    Infeasible
        If there are thousands of components and fewer distinct rows, or more than memory holds.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2, 2, 2]), [[0, 0, 0], [1, 1, 1]] * 5)
    >>> state, info = fit_mixture(coded, 2, random_state=0)
    >>> state.class_probs.round(3), len(info.runs)
    (array([0.5, 0.5]), 20)
    """
    check_choice("init", init, STARTS)
    tol = check_run(max_iter, tol)
    check_size("n_init", n_init, MAX_STEPS)
    check_whole("reached", reached, 0)
    check_size("max_init", max_init, MAX_STEPS)
    layout, threads = Layout.of(rows), n_threads_or_default(n_threads)
    generator = np.random.default_rng(check_random_state(random_state))
    is_single = n_components == 1
    # Runs are independent, so threads are given to runs first; what is left shares rows out within a run.
    at_once = min(threads, 1 if is_single else n_init)
    schema = _checked(layout, n_components, at_once)
    spread = pseudocounts(prior, schema)
    problem = EMProblem.of(schema, layout.joint, spread)
    runs = _Runs(layout.rows, spread, problem, STARTS[init], max_iter, tol, threads // at_once)
    with ThreadPoolExecutor(at_once) as pool, problem.stopping():
        runs.start(pool, generator.spawn(1 if is_single else n_init))
        while reached and not is_single:
            runs.compare(pool)
            n_more = min(n_init, max_init - len(runs.ends))
            if runs.info.n_reached >= reached or n_more <= 0:
                break
            runs.start(pool, generator.spawn(n_more))
        if reached and tol > 0:
            runs.polish()
    info = replace(runs.info, reached=reached, max_init=max_init)
    if tol > 0 and not info.converged:
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(
            f"EM did not converge in {max_iter} iterations; raise max_iter, or tol if less precision will do",
            ConvergenceWarning,
            stacklevel=2,
        )
    return info.states[info.best], info


@dataclass(eq=False, slots=True)
class _Runs:
    """Runs of EM on one problem, to which further runs can be added.

    ``ends`` holds the current end of each run, and ``settled`` the runs that are not continued.
    """

    rows: Rows
    prior: Pseudocounts
    problem: EMProblem
    kinds: tuple[Start, ...]
    max_iter: int
    tol: float
    n_threads: int
    ends: list[tuple[MixtureParameters, EMInfo]] = field(default_factory=list)
    settled: set[int] = field(default_factory=set)

    @property
    def info(self) -> RestartsInfo:
        """Diagnostics of the runs."""
        states, runs = zip(*self.ends, strict=True)
        return RestartsInfo(runs, states, first_best(self._heights()))

    def start(self, pool: ThreadPoolExecutor, streams: list[np.random.Generator]) -> None:
        """Make further runs, one per stream, and continue those with the highest objective."""
        first = len(self.ends)
        numbers = range(first, first + len(streams))
        self.ends += mapped(pool, self._started, numbers, streams)
        # Runs to a coarse tolerance, or without one, end in the first stage.
        if not 0 < self.tol < REFINED_BELOW:
            self.settled.update(numbers)
        self._continue(pool, self._order()[:N_REFINED])

    def compare(self, pool: ThreadPoolExecutor) -> None:
        """Continue the runs that may reach the best solution, and the next best one."""
        best = max(self._heights())
        # A run within half the tolerance is at the best solution; it need not be brought to its
        # own end.
        goal = best - SAME / 2
        self._continue(pool, [n for n in self._order() if _promise(self.ends[n][1]) >= goal], goal)
        ended: set[int] = set()
        while is_better(max(self._heights()), best) and (leader := self.info.best) not in ended:
            best = max(self._heights())
            # A run that has overtaken the best may have stopped at the goal, short of its own end.
            self.settled.discard(leader)
            self._continue(pool, [leader])
            ended.add(leader)
        heights = self._heights()
        # The next best solution is reported, so it is continued as well.
        self._continue(pool, [n for n in self._order() if heights[n] < max(heights) - SAME][:1])

    def polish(self) -> None:
        """Continue the best run until nothing is gained."""
        best = self.info.best
        self.ends[best] = self._continued(best, np.inf, POLISH * self.tol)

    def _heights(self) -> list[float]:
        return [end.log_posterior for _, end in self.ends]

    def _order(self) -> list[int]:
        """Return the runs by falling objective; those equal up to rounding in the order of their numbers."""
        order: list[int] = ranked(self._heights()).tolist()
        return order

    def _continue(self, pool: ThreadPoolExecutor, numbers: list[int], goal: float = np.inf) -> None:
        numbers = [number for number in numbers if number not in self.settled]
        ends = mapped(pool, lambda number: self._continued(number, goal, self.tol), numbers)
        for number, end in zip(numbers, ends, strict=True):
            self.ends[number] = end
        self.settled.update(numbers)

    def _started(self, number: int, stream: np.random.Generator) -> tuple[MixtureParameters, EMInfo]:
        # Kinds of starts alternate by the number of the run, whichever thread makes it.
        kind, n_components = self.kinds[number % len(self.kinds)], self.problem.schema.n_classes
        start = posterior_mode(start_counts(kind, self.rows, n_components, stream), self.prior)
        first_tol = FIRST_TOL if 0 < self.tol < REFINED_BELOW else self.tol
        state, trace, converged = self.problem.run(start, self.max_iter, first_tol, self.n_threads)
        return state, EMInfo(trace[0], trace[1], converged)

    def _continued(self, number: int, goal: float, tol: float) -> tuple[MixtureParameters, EMInfo]:
        state, before = self.ends[number]
        state, trace, converged = refine(
            self.problem, state, self.max_iter, tol, REFINED_BELOW, self.n_threads, goal
        )
        log_posteriors, log_likelihoods = before.log_posteriors, before.log_likelihoods
        return state, EMInfo(
            np.append(log_posteriors, trace[0]), np.append(log_likelihoods, trace[1]), converged
        )


def _promise(run: EMInfo) -> float:
    """Bound the objective that a run may still reach, from the rate at which its gains shrink."""
    gains = np.diff(run.log_posteriors[-3:])
    if len(gains) < 2 or gains[0] <= 0 or gains[1] <= 0:
        return run.log_posterior
    # Linear convergence: further gains are a geometric series. The cap bounds it if the ratio is near 1.
    factor = min(float(gains[1] / gains[0]), 0.999)
    return run.log_posterior + CAUTION * float(gains[1]) * factor / (1 - factor)


def check_shared_out(layout: Layout, n_components: int) -> None:
    """Raise if there are many more components than rows, before a prior is expanded for them."""
    check_whole("n_components", n_components)
    n_distinct = layout.n_distinct
    most = max(n_distinct, MAX_EMPTY)
    if n_components > most:
        raise Infeasible(
            f"n_components={shown(n_components)}: there are only {n_distinct:,} distinct rows to share out; "
            f"ask for at most {most:,} components"
        )


def _checked(layout: Layout, n_components: int, at_once: int) -> Schema:
    """Check that so many components can be fitted; return the schema with them."""
    rows = layout.rows
    if not rows.n_rows or not rows.schema.n_variables:
        raise DataError(
            f"a mixture cannot be fitted to a table of shape {(rows.n_rows, rows.schema.n_variables)}; give "
            "rows and columns"
        )
    if isinstance(rows, Coded):
        check_weights(rows.weights, rows.n_rows)
    check_shared_out(layout, n_components)
    # A start holds the shares of a block twice, with weights; a run its tables and their products.
    n_joint, n_shared = len(layout.joint.members), min(rows.n_rows, BLOCK_ROWS)
    bytes_each = 8.0 * at_once * (2 * n_shared + 3 * n_joint + 6 * rows.schema.n_cells)
    check_components(n_components, bytes_each, "EM")
    return with_components(rows.schema, n_components)
