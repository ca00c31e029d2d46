"""Tables in memory, and series of frames, as batches."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import DataError, SchemaMismatch
from .._messages import shown
from ..checks import check_distinct
from ..column import Column, Numbers
from ..table import Table, as_table
from ._arrow import ArrowBatches
from .batch import Batch, Batches, arrow, dictionary_of, marked


def open_table(source: Any, batch_rows: int) -> Batches:
    """The batches of whatever is a table in memory."""
    table = as_table(source)
    columns = table.columns if table.target is None else (*table.columns, table.target)
    check_distinct(column.name for column in columns)
    cells = {column.name: cells_of(column) for column in columns}
    if table.weights is not None:
        raise DataError(
            "the table has weights of its own; name the column that holds them, with weights=, for a stream"
        )
    return in_pieces(cells, table.n_rows, batch_rows, table.name)


Cells = tuple[Any, Callable[[slice], Any]]
"""The field of a column, and how some rows of it become an Arrow array."""


def in_pieces(cells: Mapping[str, Cells], n_rows: int, batch_rows: int, name: str = "") -> Batches:
    """Batches made of columns in memory, some rows at a time."""
    pa = arrow()

    def pieces(columns: list[str]) -> Iterator[Any]:
        schema = pa.schema([cells[column][0] for column in columns])
        for start in range(0, n_rows, batch_rows):
            rows = slice(start, min(start + batch_rows, n_rows))
            arrays = [cells[column][1](rows) for column in columns]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    return ArrowBatches(tuple(cells), pieces, n_rows, name=name, batch_rows=batch_rows)


def cells_of(column: Column) -> Cells:
    """A column of a table for Arrow."""
    pa = arrow()
    if isinstance(column, Numbers):
        numbers = column.numbers
        return pa.field(column.name, pa.from_numpy_dtype(numbers.dtype)), lambda rows: pa.array(numbers[rows])
    dictionary, mark = dictionary_of(column.values, declared=column.declared)
    positions = column.positions
    if column.declared and column.values == (False, True) and type(column.values[0]) is bool:
        return (
            pa.field(column.name, pa.bool_()),
            lambda rows: pa.array(positions[rows] > 0, mask=positions[rows] < 0),
        )
    width = np.dtype(np.int32)

    def coded(rows: slice) -> Any:
        part: Any = positions[rows].astype(width)
        return pa.DictionaryArray.from_arrays(pa.array(part, mask=part < 0), dictionary)

    field = pa.field(column.name, pa.dictionary(pa.int32(), pa.string()))
    return (marked(field, mark) if mark else field), coded


class FrameBatches:
    """Frames one after the other, from a list, an iterator or a function that gives one."""

    def __init__(self, frames: Callable[[], Iterator[Any]], batch_rows: int, *, once: bool) -> None:
        self.name, self.once = "", once
        self.n_rows: int | None = None
        self._frames, self._batch_rows = frames, batch_rows
        self._waiting: Iterator[Any] | None = frames()
        self._first = next(self._waiting, None)
        if self._first is None:
            raise DataError("there are no frames, so there is no table; give at least one")
        self.names = self._opened(self._first).names

    def read(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The rows, in order, with these columns."""
        if self._waiting is None and self.once:
            raise DataError(
                "the frames can be read only once, and were; pass a schema= so that one pass is enough, or "
                "a function that gives them again"
            )
        started, self._waiting = self._waiting, None
        position = 0
        for number, frame in enumerate(self._all(started)):
            batches = self._opened(frame)
            if set(columns) - set(batches.names):
                absent = next(name for name in columns if name not in batches.names)
                raise SchemaMismatch(f"frame {number}: has no column {absent!r}, which the first one has")
            for batch in batches.read(columns):
                yield Batch(batch.rows, f"frame {number}", batch.first_row, position + batch.first_row)
                last = batch.first_row + batch.n_rows
            position += last

    def close(self) -> None:
        """Nothing is kept."""

    def _all(self, started: Iterator[Any] | None) -> Iterator[Any]:
        if started is None:
            yield from self._frames()
            return
        yield self._first
        self._first = None
        yield from started

    def _opened(self, frame: Any) -> Batches:
        from .registry import as_batches

        return as_batches(frame, batch_rows=self._batch_rows)


def open_frames(source: Any, batch_rows: int) -> Batches | None:
    """Batches of a list of frames, an iterator over frames, or a function that gives one; else None."""
    if isinstance(source, (list, tuple)) and source and all(map(_is_frame, source)):
        return FrameBatches(lambda: iter(source), batch_rows, once=False)
    if isinstance(source, Iterator):
        return FrameBatches(lambda: source, batch_rows, once=True)
    if callable(source) and not hasattr(source, "__array__") and not hasattr(source, "columns"):

        def called() -> Iterator[Any]:
            try:
                return iter(source())
            except TypeError as error:
                raise DataError(
                    f"{shown(source)}: expected a function without arguments that gives frames ({error})"
                ) from error

        return FrameBatches(called, batch_rows, once=False)
    return None


def _is_frame(source: Any) -> bool:
    if isinstance(source, Mapping):
        # One of cells would be a row.
        return bool(source) and all(isinstance(cells, (list, tuple, np.ndarray)) for cells in source.values())
    return isinstance(source, Table) or (hasattr(source, "columns") and hasattr(source, "shape"))
