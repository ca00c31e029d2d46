"""Work on the partitions of a table in other processes.

Each partition is reduced to a part by the worker that has its rows, and parts are merged in the order of the
partitions. Parts are sent pickled, so that merging never changes an object that somebody else holds: a part
that is requested twice, because a worker was lost, is the same both times.

Order of reading: :func:`part_of` (on a worker, for one partition), :func:`joined` (on a worker, for a few
neighbours), :func:`unpickled` (here, for the whole table). Dask and Spark differ only in how they call these.

A partition does not know how many rows come before it. Its rows are numbered from 0, messages say
``partition 3``, and the position of a row in the table has the number of the partition in its upper bits.
Positions are all different, which is enough to draw a sample: it depends on the partitions, but not on the
number of workers or the order in which they finish.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ...errors import CodelengthError, DataError
from ...table._messages import shortened
from ..batch import Batch, arrow, located, numbered

MAX_JOINED = 8
"""Number of parts that one task merges."""

# Room for the rows of a partition, so that every row has a position of its own.
_POSITION_BITS = 40


class Part(NamedTuple):
    """Result of work on neighbouring partitions.

    Attributes
    ----------
    partition : int
        Number of the first partition.
    n_rows : int
        Number of rows.
    pickled : bytes, optional
        The result; None if there are no rows.
    """

    partition: int
    n_rows: int
    pickled: bytes | None


def part_of(
    batches: Iterable[Batch],
    partition: int,
    work: Callable[[Batch], Any],
    merge: Callable[[Any, Any], Any],
) -> Part:
    """Apply a function to the batches of a partition and merge the results.

    Parameters
    ----------
    batches : iterable of Batch
        The rows of the partition.
    partition : int
        Its number.
    work : callable
        Function of a batch. If it has a method ``pack``, that reduces the result before it is sent.
    merge : callable
        Merges two results, the first of earlier rows.

    Returns
    -------
    Part
        The result.

    Examples
    --------
    >>> from codelength.sources import as_batches
    >>> tables = {"size": [1, 2]}, {"size": [3]}
    >>> streams = [as_batches(table).read(["size"]) for table in tables]
    >>> parts = [part_of(rows, n, lambda batch: batch.n_rows, int.__add__) for n, rows in enumerate(streams)]
    >>> unpickled(joined(parts, int.__add__))
    3
    """
    total, n_rows = None, 0
    for batch in placed(batches, partition):
        found = located(work, batch)
        total = found if total is None else _merged(merge, total, found, batch.where)
        n_rows += batch.n_rows
    pack = getattr(work, "pack", None)
    if pack is not None and total is not None:
        pack(total)
    return Part(partition, n_rows, None if total is None else _pickled(total))


def joined(parts: Sequence[Part], merge: Callable[[Any, Any], Any]) -> Part:
    """Return parts of neighbouring partitions, in order, merged into one.

    Partitions without rows are skipped. A single part is handed on without being unpickled.
    """
    filled = [part for part in parts if part.pickled is not None]
    if len(filled) <= 1:
        return filled[0] if filled else parts[0]
    total = unpickled(filled[0])
    for part in filled[1:]:
        total = _merged(merge, total, unpickled(part), f"partition {part.partition}")
    return Part(filled[0].partition, sum(part.n_rows for part in filled), _pickled(total))


def unpickled(part: Part) -> Any:
    """Return the result in a part; None if there are no rows."""
    return None if part.pickled is None else pickle.loads(part.pickled)


def placed(batches: Iterable[Batch], partition: int) -> Iterator[Batch]:
    """Yield batches of a partition with its name and their positions in the whole table."""
    for batch in batches:
        position = (partition << _POSITION_BITS) + batch.first_row
        yield replace(batch, source=f"partition {partition}", position=position)


def regrouped(record_batches: Iterable[Any], batch_rows: int) -> Iterator[Batch]:
    """Yield record batches of any size as batches of about the requested size.

    Small ones are joined: Spark sends 10,000 rows at a time by default, and each batch has a fixed cost.
    """
    return numbered(_regrouped(record_batches, batch_rows), "")


def failure(kind: str, error: Exception) -> Exception:
    """Return the error about a cluster that fails for a reason of its own; one of this package as it is."""
    if isinstance(error, CodelengthError):
        return error
    reason = shortened(f"{type(error).__name__}: {error}")
    return DataError(
        f"the {kind} data frame cannot be computed ({reason}); mend it, and see that codelength is installed "
        "on all workers"
    )


def _regrouped(record_batches: Iterable[Any], batch_rows: int) -> Iterator[Any]:
    waiting: list[Any] = []
    n_waiting = 0
    for rows in record_batches:
        # Small batches are collected and large ones sliced. Full slices need no copy.
        if n_waiting and n_waiting + rows.num_rows > batch_rows:
            yield _in_one_piece(waiting)
            waiting, n_waiting = [], 0
        for start in range(0, rows.num_rows, batch_rows):
            piece = rows.slice(start, batch_rows)
            if piece.num_rows == batch_rows:
                yield piece
            else:
                waiting.append(piece)
                n_waiting += piece.num_rows
    if waiting:
        yield _in_one_piece(waiting)


def _in_one_piece(record_batches: Sequence[Any]) -> Any:
    if len(record_batches) == 1:
        return record_batches[0]
    return arrow().Table.from_batches(record_batches).combine_chunks().to_batches()[0]


def _merged(merge: Callable[[Any, Any], Any], total: Any, found: Any, where: str) -> Any:
    try:
        return merge(total, found)
    except DataError as error:
        raise type(error)(f"{where}: {error}") from None


def _pickled(total: Any) -> bytes:
    return pickle.dumps(total, protocol=pickle.HIGHEST_PROTOCOL)
