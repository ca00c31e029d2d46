"""Repeated work: a random stream per replication, any number of threads, a report of progress."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._threads import MAX_BLOCKS, in_threads
from ..naive_bayes import Pseudocounts
from ..table import Schema
from ..table.checks import check_random_state
from .em._layout import BLOCK_ROWS, JointRows
from .em._problem import EMPrior, EMProblem
from .em._refine import refine
from .parameters import MixtureParameters

T = TypeVar("T")

Progress: TypeAlias = Callable[[float, float], None]
"""Function that is called with the work done and the total work."""

FIRST_TOL = 1e-6
"""Tolerance of plain EM, in nats per row, before acceleration."""

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

    Parameters
    ----------
    work : callable
        From a random generator to a result.
    n_replications : int
        Number of runs.
    random_state : int, sequence of int, generator or None
        Seed; the streams are spawned from it.
    n_threads : int, optional
        Threads to run on; the results are the same for any number.
    progress : callable, optional
        Called with the runs done and the total after each run.

    Returns
    -------
    list
        The results in the order of the streams.
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
    # Blocks are those that the rows would have by themselves, so that sums are as in a fit of that table.
    block = max(BLOCK_ROWS, -(-len(kept) // MAX_BLOCKS))
    bounds = np.append(np.arange(0, len(kept), block), len(kept)).astype(np.int64)
    own = weights[kept].astype(np.float64)
    return JointRows(np.ascontiguousarray(joint.keys[:, kept]), own, joint.members, bounds)


def softened(mixture: MixtureParameters, n_rows: float) -> MixtureParameters:
    """Return a mixture to start from, without zeros: EM never raises a probability from zero."""
    schema, sizes = mixture.schema, n_rows * mixture.class_probs
    class_probs = (sizes + SPREAD_ROWS) / (sizes + SPREAD_ROWS).sum()
    value_probs = np.ones_like(mixture.value_probs)
    for i in range(schema.n_variables):
        own = np.s_[schema.offsets[i] : schema.offsets[i + 1] - 1]
        raised = sizes[:, None] * mixture.value_probs[:, own] + SPREAD_ROWS / schema.n_values[i]
        value_probs[:, own] = raised / raised.sum(axis=1, keepdims=True)
    return replace(mixture, class_probs=class_probs, value_probs=value_probs)


def climb(
    schema: Schema,
    joint: JointRows,
    prior: Pseudocounts,
    start: MixtureParameters,
    max_iter: int,
    tol: float,
) -> tuple[MixtureParameters, float, bool]:
    """Run EM from one start on one thread.

    Parameters
    ----------
    schema : Schema
        The schema, with the component as target.
    joint : JointRows
        The rows.
    prior : Pseudocounts
        Dirichlet pseudocounts.
    start : MixtureParameters
        The start.
    max_iter, tol
        As in :func:`codelength.mixture.em.em`.

    Returns
    -------
    state : MixtureParameters
        The end.
    log_likelihood : float
        Log-likelihood at the end.
    converged : bool
        Whether the last gain was below the tolerance.
    """
    problem = EMProblem(schema, joint, EMPrior.of(schema, prior))
    # One thread per run: replications are run on several threads already.
    state, trace, converged = problem.run(start, max_iter, max(tol, FIRST_TOL), 1)
    if tol < FIRST_TOL:
        state, trace, converged = refine(problem, state, max_iter, tol, FIRST_TOL, 1)
    return state, float(trace[1, -1]), converged
