"""Work done batch by batch, in threads, and added up in order."""

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from typing import NamedTuple, TypeVar

from .._threads import n_threads_or_default
from ..errors import DataError
from ..sources import Batch, Batches
from ..sources.batch import UnlistedValue, located

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
    """What some work makes of every batch, added up in the order of the rows.

    Batches are read here, and worked on in other threads. A source that has a method ``fold`` of its own,
    because its rows are spread over other processes, is asked to do it all: ``work`` and its results can be
    pickled.

    Parameters
    ----------
    work : callable
        Makes something of a batch.
    batches : Batches
        The stream.
    columns : sequence of str
        The columns to read.
    merge : callable
        Adds what was made of later rows to what was made of earlier ones.
    n_threads : int, optional
        Threads to work with; by default one for each processor.
    progress : callable, optional
        Called with the number of rows of each batch.

    Returns
    -------
    The sum; None where there are no rows.
    """
    own = getattr(batches, "fold", None)
    if own is not None:
        found: Part | None = own(work, columns, merge, progress=progress)
        return found
    threads = n_threads_or_default(n_threads)
    domains, read_known = getattr(work, "domains", None), getattr(batches, "read_known", None)
    if domains and read_known is not None:
        with suppress(UnlistedValue):
            return _sum(_results(work, read_known(columns, domains), threads), merge, progress)
    return _sum(_results(work, batches.read(columns), threads), merge, progress)


def _sum(
    results: "Generator[tuple[Part, _Place]]",
    merge: Callable[[Part, Part], Part],
    progress: Progress | None,
) -> Part | None:
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
    """What some work makes of every batch, in the order of the rows, as it is asked for.

    Parameters are those of :func:`fold`.
    """
    with closing(_results(work, batches.read(columns), n_threads_or_default(n_threads))) as results:
        for part, _ in results:
            yield part


class _Place(NamedTuple):
    """What is remembered of a batch once it was worked on."""

    n_rows: int
    where: str


def _results(
    work: Callable[[Batch], Part], batches: Iterator[Batch], n_threads: int
) -> Generator[tuple[Part, _Place]]:
    """The results of some work, in order, a few batches ahead."""
    if n_threads == 1:
        for batch in batches:
            yield located(work, batch), _Place(batch.n_rows, batch.where)
        return
    ahead: deque[tuple[Future[Part], _Place]] = deque()
    pool = ThreadPoolExecutor(n_threads, thread_name_prefix="codelength")
    try:
        for batch in batches:
            ahead.append((pool.submit(located, work, batch), _Place(batch.n_rows, batch.where)))
            if len(ahead) > _AHEAD * n_threads:
                future, place = ahead.popleft()
                yield future.result(), place
        while ahead:
            future, place = ahead.popleft()
            yield future.result(), place
    finally:
        # Also where a batch failed, or the user has had enough.
        pool.shutdown(wait=True, cancel_futures=True)
        close = getattr(batches, "close", None)
        if close is not None:
            close()
