"""Parallel map and fold over the batches of a stream, with results in row order."""

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import NamedTuple, TypeVar

from .._threads import n_threads_or_default
from ..errors import DataError
from ..sources import Batch, Batches
from ..sources.batch import located

Part = TypeVar("Part")
Progress = Callable[[int], object]
"""Called with the number of rows of each batch that was read."""

_AHEAD = 2


def fold(
    work: Callable[[Batch], Part],
    batches: Batches,
    columns: Sequence[str],
    merge: Callable[[Part, Part], Part],
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Part | None:
    """Apply a function to every batch and merge the results in row order.

    Batches are read in this thread and processed in others. If a source has a method ``fold`` of its own,
    because its rows are distributed over other processes, that method is called instead; ``work`` and its
    results can be pickled.

    Parameters
    ----------
    work : callable
        Function of a batch.
    batches : Batches
        The stream.
    columns : sequence of str
        Columns to read.
    merge : callable
        Function that adds the result of later rows to that of earlier ones.
    n_threads : int, optional
        Number of threads; by default one for each processor.
    progress : callable, optional
        Called with the number of rows of each batch.

    Returns
    -------
    The merged result; None if there are no rows.
    """
    own = getattr(batches, "fold", None)
    if own is not None:
        found: Part | None = own(work, columns, merge, progress=progress)
        return found
    return _sum(_results(work, batches.read(columns), n_threads_or_default(n_threads)), merge, progress)


def _sum(
    results: "Generator[tuple[Part, _Place]]",
    merge: Callable[[Part, Part], Part],
    progress: Progress | None,
) -> Part | None:
    """Merge results in order, and report progress; errors name the batch."""
    total: Part | None = None
    with closing(results):
        for part, place in results:
            try:
                total = part if total is None else merge(total, part)
            except DataError as error:
                raise type(error)(f"{place.where}: {error}") from None
            if progress is not None:
                progress(place.n_rows)
    return total


def map_batches(
    work: Callable[[Batch], Part], batches: Batches, columns: Sequence[str], *, n_threads: int | None = None
) -> Generator[Part]:
    """Yield the result of a function for every batch, lazily and in row order.

    Parameters are those of :func:`fold`.
    """
    with closing(_results(work, batches.read(columns), n_threads_or_default(n_threads))) as results:
        for part, _ in results:
            yield part


class _Place(NamedTuple):
    """Size and position of a batch, kept after the batch itself is released."""

    n_rows: int
    where: str


def _results(
    work: Callable[[Batch], Part], batches: Iterator[Batch], n_threads: int
) -> Generator[tuple[Part, _Place]]:
    """Yield the results of ``work`` in order, computed a few batches ahead."""
    if n_threads == 1:
        for batch in batches:
            yield located(work, batch), _Place(batch.n_rows, batch.where)
        return
    ahead: deque[tuple[Future[Part], _Place]] = deque()
    pool = ThreadPoolExecutor(n_threads, thread_name_prefix="codelength")
    try:
        for batch in batches:
            ahead.append((pool.submit(located, work, batch), _Place(batch.n_rows, batch.where)))
            # A bounded queue: enough batches to keep all threads busy, without reading the whole stream into
            # memory.
            if len(ahead) > _AHEAD * n_threads:
                future, place = ahead.popleft()
                yield future.result(), place
        while ahead:
            future, place = ahead.popleft()
            yield future.result(), place
    finally:
        # Also if a batch failed or the consumer stopped early.
        pool.shutdown(wait=True, cancel_futures=True)
        close = getattr(batches, "close", None)
        if close is not None:
            close()
