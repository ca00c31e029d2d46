"""Tables in memory, pandas frames, and sequences of frames, as batches.

Order of reading: :func:`in_pieces` (columns in memory as batches), :func:`cells_of` and
:func:`cells_of_series` (one column), :class:`FrameBatches` (frames one after the other), :func:`open_frames`.

Columns are converted to Arrow when a pass reads them, so that a pass over few columns costs little. A pandas
column goes to Arrow as it is only if its dtype alone decides what its cells mean. Any other column, of Python
objects for instance, is read as a column of a :class:`Table` first and becomes a dictionary of its distinct
values. So the same cells mean the same in ``fit`` and in ``fit_table``.

A sequence of frames is one table: row numbers in messages start again in each frame, and each must have the
columns that are read, in any order and with further ones.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias
from weakref import WeakSet

import numpy as np

from ...errors import DataError, SchemaMismatch
from ...table._arrays import from_series, names_of
from ...table._messages import shown
from ...table.checks import check_distinct
from ...table.column import Column, Numbers
from ...table.table import Table, table_of
from ..batch import Batch, Batches, arrow, dictionary_of, marked
from . import is_lazy
from ._arrow import ArrowBatches

Opener: TypeAlias = Callable[[Any], Batches]
"""Function that opens a frame of any kind."""

_Opened: TypeAlias = tuple[int, Batches, bool]
"""The number of a frame, its batches, and True if they were opened here."""


def open_table(source: Any, batch_rows: int) -> Batches:
    """Return the batches of any table in memory.

    The class of a :class:`Table` is a column of the stream. Its weights have no name to be a column under, so
    a table with weights is refused.
    """
    table = table_of(source)
    columns = table.columns if table.target is None else (*table.columns, table.target)
    check_distinct(column.name for column in columns)
    if table.weights is not None:
        raise DataError(
            "the table has weights of its own; name the column that holds them, with weights=, for a stream"
        )
    cells = {column.name: partial(cells_of, column) for column in columns}
    return in_pieces(cells, table.n_rows, batch_rows, table.name)


Cells: TypeAlias = tuple[Any, Any]
"""The field and the Arrow array of a column."""


def in_pieces(
    columns: Mapping[str, Callable[[], Cells]], n_rows: int, batch_rows: int, name: str = ""
) -> Batches:
    """Return batches of columns in memory, which are converted when they are read.

    Parameters
    ----------
    columns : mapping of str to callable
        Functions that return the field and the array of a column.
    n_rows : int
        Number of rows.
    batch_rows : int
        Largest number of rows per batch.
    name : str
        Name of the table in messages.

    Examples
    --------
    >>> import pyarrow as pa
    >>> sizes = pa.field("size", pa.int64()), pa.array([1, 2, 3])
    >>> batches = in_pieces({"size": lambda: sizes}, 3, batch_rows=2)
    >>> batches.n_rows, [batch.n_rows for batch in batches.read(["size"])]
    (3, [2, 1])
    """
    pa = arrow()

    def pieces(names: list[str]) -> Iterator[Any]:
        fields, arrays = zip(*(columns[column]() for column in names), strict=True)
        table = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
        for start in range(0, n_rows, batch_rows):
            yield from table.slice(start, batch_rows).combine_chunks().to_batches()

    return ArrowBatches(tuple(columns), pieces, n_rows, name=name, batch_rows=batch_rows)


def cells_of(column: Column) -> Cells:
    """Return a column of a table for Arrow: numbers and truth values by type, all else as a dictionary.

    Examples
    --------
    >>> field, array = cells_of(table_of({"colour": ["red", None, "red"]}).columns[0])
    >>> array.dictionary.to_pylist(), array.indices.to_pylist()
    (['red'], [0, None, 0])
    """
    pa, name = arrow(), column.name
    if isinstance(column, Numbers):
        return pa.field(name, pa.from_numpy_dtype(column.numbers.dtype)), pa.array(column.numbers)
    positions = column.positions
    if column.declared and column.values == (False, True) and type(column.values[0]) is bool:
        return pa.field(name, pa.bool_()), pa.array(positions > 0, mask=positions < 0)
    dictionary, mark = dictionary_of(column.values, declared=column.declared)
    return coded_cells(name, pa.array(positions.astype(np.int32), mask=positions < 0), dictionary, mark)


def coded_cells(name: str, positions: Any, dictionary: Any, mark: str) -> Cells:
    """Return a column of positions in a dictionary; without a mark the dictionary is a declared domain."""
    pa = arrow()
    field = pa.field(name, pa.dictionary(pa.int32(), pa.string()))
    array = pa.DictionaryArray.from_arrays(positions.cast(pa.int32()), dictionary)
    return (marked(field, mark) if mark else field), array


def open_batches(source: Any, batch_rows: int) -> Batches | None:
    """Return the batches of a frame; None for a series or an index."""
    if not hasattr(source, "columns") or not hasattr(source, "iloc"):
        return None
    names, _ = names_of(list(source.columns))
    cells = {name: partial(cells_of_series, name, source.iloc[:, i]) for i, name in enumerate(names)}
    return in_pieces(cells, len(source), batch_rows)


def cells_of_series(name: str, series: Any) -> Cells:
    """Return a column for Arrow: as it is if Arrow has its type, else by its distinct values."""
    pa, dtype = arrow(), series.dtype
    # Types whose cells mean the same in Arrow, whatever the other cells are.
    is_plain = (
        dtype.kind in "biufM" and dtype.itemsize <= 8
        if isinstance(dtype, np.dtype)
        else hasattr(dtype, "numpy_dtype")
        or getattr(dtype, "tz", None) is not None
        or dtype.name in ("str", "string")
    )
    if is_plain:
        with suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
            # The type of no rows, because that inferred from rows could differ between frames.
            type_ = pa.Array.from_pandas(series.iloc[:0]).type
            return pa.field(name, type_), pa.Array.from_pandas(series, type=type_)
    import narwhals.stable.v2 as nw

    return cells_of(from_series(name, nw.from_native(series, series_only=True)))


class FrameBatches(Batches):
    """Batches of frames one after the other, from a list, an iterator or a function that returns one.

    The first frame is opened at once, for the names of the columns. The others are opened when they are
    reached and closed after they were read, so that frames of an iterator need not fit into memory together.

    Parameters
    ----------
    frames : callable
        Returns an iterator over the frames.
    open_frame : callable
        Opens a frame, which may be any source of :func:`codelength.sources.as_batches`.
    once : bool
        True if the frames can be read only once.
    """

    def __init__(self, frames: Callable[[], Iterator[Any]], open_frame: Opener, *, once: bool) -> None:
        self.once = once
        self._frames, self._open_frame = frames, open_frame
        # Weak, so that frames of a long iterator can be freed once they were read.
        self._spent: WeakSet[Any] = WeakSet()
        self._waiting: Iterator[_Opened] | None = self._opened()
        first = next(self._waiting, None)
        if first is None:
            raise DataError("there are no frames, so there is no table; give at least one")
        # Opened once: of an iterator over frames that would take the first one away.
        self._first: _Opened | None = first
        self.names = first[1].names

    def read(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows, in order, with these columns."""
        if self._waiting is None and self.once:
            raise DataError(
                "the frames can be read only once, and were; pass a schema= so that one pass is enough, or "
                "a function that gives them again"
            )
        position = 0
        for number, batches, is_own in self._all():
            absent = [name for name in columns if name not in batches.names]
            if absent:
                raise SchemaMismatch(
                    f"frame {number}: has no column {absent[0]!r}, which the first one has; add it, or drop "
                    "it from all"
                )
            n_rows = 0
            try:
                for batch in batches.read(columns):
                    n_rows = batch.position + batch.n_rows
                    source = f"frame {number}, {batch.source}" if batch.source else f"frame {number}"
                    yield replace(batch, source=source, position=position + batch.position)
            finally:
                if is_own:
                    batches.close()
            position += n_rows

    def close(self) -> None:
        """Close the frame that was opened for its names, if it was not read."""
        if self._first is not None and self._first[2]:
            self._first[1].close()

    def _all(self) -> Iterator[_Opened]:
        first, waiting = self._first, self._waiting
        self._first = self._waiting = None
        if first is not None:
            yield first
        yield from self._opened() if waiting is None else waiting

    def _opened(self) -> Iterator[_Opened]:
        for number, frame in enumerate(self._frames()):
            batches = self._open_frame(frame)
            # A function may return the same exhausted reader again, which would look like a table without
            # rows.
            if batches.once:
                if frame in self._spent:
                    raise DataError(
                        f"frame {number}: its rows can be read only once, and were; pass a schema= so that "
                        "one pass is enough, or a function that gives a new one"
                    )
                with suppress(TypeError):  # an iterator over a list, which has nothing left to open
                    self._spent.add(frame)
            yield number, batches, batches is not frame


def open_frames(source: Any, open_frame: Opener) -> Batches | None:
    """Return batches of a list of frames, an iterator over frames, or a function that returns one; else None.

    ``open_frame`` opens one of them. A list is one of frames if its first item is a frame; a mapping is a
    frame if all its members are lists, tuples or arrays, and a row otherwise.
    """
    if isinstance(source, (list, tuple)) and source and _is_frame(source[0]):
        strange = next((i for i, frame in enumerate(source) if not _is_frame(frame)), None)
        if strange is not None and isinstance(source[0], Mapping):
            return None  # rows, some of whose cells are lists
        if strange is not None:
            raise DataError(
                f"frame {strange}: {shown(source[strange])} is not a frame, as the first one is; leave it out"
            )
        return FrameBatches(lambda: iter(source), open_frame, once=any(map(_is_once, source)))
    if isinstance(source, Iterator):
        return FrameBatches(lambda: source, open_frame, once=True)
    if callable(source) and not hasattr(source, "__array__") and not hasattr(source, "columns"):

        def called() -> Iterator[Any]:
            try:
                return iter(source())
            except TypeError as error:
                raise DataError(
                    f"{shown(source)}: expected a function without arguments that gives frames ({error})"
                ) from error

        return FrameBatches(called, open_frame, once=False)
    return None


def _is_frame(source: Any) -> bool:
    if isinstance(source, Mapping):
        # One of cells would be a row.
        return bool(source) and all(isinstance(cells, (list, tuple, np.ndarray)) for cells in source.values())
    return (
        is_lazy(source)
        or isinstance(source, Table)
        or (hasattr(source, "columns") and hasattr(source, "shape"))
    )


def _is_once(source: Any) -> bool:
    """Return True if the rows of a frame can be read only once."""
    return isinstance(source, Iterator) or type(source).__name__ in ("RecordBatchReader", "Scanner")
