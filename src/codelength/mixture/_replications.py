"""Repeated work: a random stream per replication, any number of threads, a report of progress."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._threads import in_threads
from ..decisions import first_best, ranked
from ..table.checks import check_random_state
from .em._problem import EMProblem, JointRows
from .em.em import refine
from .em.restarts import FIRST_TOL
from .parameters import MixtureParameters

T = TypeVar("T")

Progress: TypeAlias = Callable[[float, float], None]
"""Function that is called with the work done and the total work."""

N_REFINED = 2
"""Number of runs that are continued to the full tolerance."""

SPREAD_ROWS = 0.5
"""Rows that are spread evenly over the values of each distribution before EM is restarted."""


def repeat(
    work: Callable[[np.random.Generator], T],
    n_replications: int,
    random_state: Any,
    n_threads: int | None,
    progress: Progress | None,
) -> list[T]:
    """Run ``work`` once per replication, each with its own random stream.

    The streams are spawned from ``random_state``, and results are in their order: they are the same for any
    number of threads. After each run ``progress`` is called with the runs done and the total.
    """
    streams = np.random.default_rng(check_random_state(random_state)).spawn(n_replications)
    found: list[T] = []
    # Streams are spawned before any work starts, and results arrive in their order: threads change nothing.
    for result in in_threads(work, streams, n_threads):
        found.append(result)
        if progress is not None:
            progress(len(found), n_replications)
    return found


def reweighted(joint: JointRows, weights: NDArray[Any]) -> JointRows:
    """Return the same distinct rows with other weights; rows of weight zero are dropped."""
    kept = np.flatnonzero(weights)
    keys, own = np.ascontiguousarray(joint.keys[:, kept]), weights[kept].astype(np.float64)
    return JointRows(keys, own, joint.members)


def softened(mixture: MixtureParameters, n_rows: float) -> MixtureParameters:
    """Return a mixture to start from, without zeros: EM never raises a probability from zero."""
    schema, sizes = mixture.schema, n_rows * mixture.class_probs
    class_probs = (sizes + SPREAD_ROWS) / (sizes + SPREAD_ROWS).sum()
    value_probs = np.ones_like(mixture.value_probs)
    for i in range(schema.n_variables):
        own = schema.cells(i)
        raised = sizes[:, None] * mixture.value_probs[:, own] + SPREAD_ROWS / schema.n_values[i]
        value_probs[:, own] = raised / raised.sum(axis=1, keepdims=True)
    return replace(mixture, class_probs=class_probs, value_probs=value_probs)


def climb(
    problem: EMProblem, starts: Sequence[MixtureParameters], max_iter: int, tol: float
) -> tuple[MixtureParameters, float, bool]:
    """Run EM from several starts on one thread, and accelerate those that got furthest.

    Returns the best end, its log-likelihood, and whether its last gain was below the tolerance, which is that
    of :func:`codelength.mixture.em.em`.
    """
    # One thread per run: replications are run on several threads already.
    ends = [problem.run(start, max_iter, max(tol, FIRST_TOL), 1) for start in starts]
    if tol < FIRST_TOL:
        furthest = ranked([trace[0, -1] for _, trace, _ in ends])[:N_REFINED]
        ends = [refine(problem, ends[n][0], max_iter, tol, FIRST_TOL, 1) for n in furthest]
    state, trace, converged = ends[first_best([trace[0, -1] for _, trace, _ in ends])]
    return state, float(trace[1, -1]), converged
