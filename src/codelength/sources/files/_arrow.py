"""Arrow arrays as columns to write: cells in the form that text files have, and typed Parquet files."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from ...errors import DataError
from ...table._messages import shortened
from ...table.values import seconds_as_text, trimmed
from ._cells import Cells, ColumnDict

__all__ = ["ArrowCells", "ArrowWriter", "arrow_writer"]

# Small batches are collected: every row group of a Parquet file has dictionaries and statistics of its own.
_GROUP_ROWS = 1 << 17
# Digits after the point of a second, by the unit of a duration.
_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


@dataclass(frozen=True, eq=False)
class ArrowCells:
    """An Arrow array as a column to write.

    Examples
    --------
    >>> import pyarrow as pa
    >>> ArrowCells(pa.array([1577836800, None], pa.timestamp("s", "Europe/Helsinki"))).tolist()
    ['2020-01-01T00:00:00+00:00', None]
    """

    array: Any

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.array)

    def tolist(self) -> list[Any]:
        """Return the cells as text, numbers and truth values; times in ISO form, in UTC if aware."""
        return _values(self.array)


@contextmanager
def arrow_writer(path: Path, names: Sequence[str], shown: str) -> Iterator["ArrowWriter"]:
    """Open a writer of Parquet files whose columns keep their Arrow types.

    Parameters
    ----------
    path : Path
        The file to write.
    names : sequence of str
        Names of the columns, in order.
    shown : str
        Name of the file in messages.

    Yields
    ------
    ArrowWriter
        The file is complete once the block has ended without an error.
    """
    writer = ArrowWriter(path, names, shown)
    try:
        yield writer
        writer.flush()
    finally:
        writer.close()


class ArrowWriter:
    """Writer of batches of Arrow columns, and of other columns, to a Parquet file.

    Parameters
    ----------
    path : Path
        The file to write.
    names : sequence of str
        Names of the columns, in order.
    shown : str
        Name of the file in messages.
    """

    def __init__(self, path: Path, names: Sequence[str], shown: str) -> None:
        self._path, self._names, self._shown = path, tuple(names), shown
        self._file: Any = None
        self._schema: Any = None
        self._kept: list[Any] = []
        self._n_rows = 0

    def write(self, columns: ColumnDict) -> None:
        """Append rows; the first batch decides the types of the columns."""
        import pyarrow as pa

        arrays = [_storable(columns[name]) for name in self._names]
        if self._schema is None:
            self._schema = pa.schema(
                [pa.field(name, array.type) for name, array in zip(self._names, arrays, strict=True)]
            )
        for i, (field, array) in enumerate(zip(self._schema, arrays, strict=True)):
            if array.type != field.type:
                arrays[i] = self._cast(field, array)
        self._kept.append(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        self._n_rows += len(arrays[0])
        if self._n_rows >= _GROUP_ROWS:
            self.flush()

    def flush(self) -> None:
        """Write the rows that were collected for the next row group."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        if self._schema is None:
            # A table without rows still has a file, with its columns.
            self._schema = pa.schema([pa.field(name, pa.string()) for name in self._names])
        try:
            if self._file is None:
                self._file = pq.ParquetWriter(self._path, self._schema, compression="zstd")
            if self._kept:
                self._file.write_table(pa.Table.from_batches(self._kept, self._schema))
        except pa.ArrowException as error:
            raise self._refusal(error) from error
        self._kept, self._n_rows = [], 0

    def close(self) -> None:
        """Close the file; it is complete only if everything was flushed."""
        if self._file is not None:
            self._file.close()

    def _cast(self, field: Any, array: Any) -> Any:
        """Return an array as the type of its column in the first batch; raise if that loses something."""
        import pyarrow as pa

        try:
            return array.cast(field.type)
        except pa.ArrowException as error:
            raise DataError(
                f"{self._shown}, column {field.name!r}: was {field.type} in the first batch, now {array.type}"
            ) from error

    def _refusal(self, error: Exception) -> DataError:
        return DataError(f"{self._shown}: cannot be written ({shortened(str(error))})")


def _storable(cells: Any) -> Any:
    """Return cells as an array of a type that Parquet has."""
    import pyarrow as pa

    if not isinstance(cells, ArrowCells):
        return pa.array(cells.tolist() if isinstance(cells, Cells) else cells)
    array = cells.array
    # Batches may have different dictionaries, and an interval has no counterpart in Parquet.
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    return pa.array(_values(array), pa.string()) if pa.types.is_interval(array.type) else array


def _values(array: Any) -> list[Any]:
    """Return the cells of an array of any type as text, numbers and truth values."""
    import pyarrow as pa

    types, kind = pa.types, array.type
    if types.is_dictionary(kind):
        return _values(array.dictionary_decode())
    if isinstance(kind, pa.BaseExtensionType):
        return _values(array.storage)
    if types.is_floating(kind):
        numbers = array.to_numpy(zero_copy_only=False)
        if numbers.itemsize < 8:
            # By the shortest text that means this float32: 0.1 and not 0.10000000149011612.
            numbers = numbers.astype(str).astype(float)
        return [None if number != number else number for number in numbers.tolist()]
    if types.is_duration(kind):
        n_digits = _DIGITS[kind.unit]
        return _each(array.cast(pa.int64()), lambda count: seconds_as_text(count, n_digits))
    if types.is_date(kind):
        return list(array.cast(pa.date32()).cast(pa.string()).to_pylist())
    if types.is_timestamp(kind):
        zone = "" if kind.tz is None else "+00:00"
        texts = array.cast(pa.timestamp(kind.unit)).cast(pa.string())
        return _each(texts, lambda text: trimmed(text.replace(" ", "T")) + zone)
    if types.is_time(kind):
        return _each(array.cast(pa.string()), trimmed)
    # Cells of all other types are Python objects already; only nested ones may hold times or bytes inside.
    return (
        [_value(cell) for cell in array.to_pylist()] if _may_hold_others(types, kind) else array.to_pylist()
    )


def _each(array: Any, convert: Callable[[Any], str]) -> list[Any]:
    """Apply a function to every cell that is not missing."""
    return [None if cell is None else convert(cell) for cell in array.to_pylist()]


def _may_hold_others(types: Any, kind: Any) -> bool:
    """Return True if cells of a type are, or contain, objects that are neither text nor numbers."""
    return bool(types.is_nested(kind) or types.is_interval(kind) or _is_binary(types, kind))


def _is_binary(types: Any, kind: Any) -> bool:
    """Return True for all types of bytes; pyarrow has no single test for them."""
    return bool(
        types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_fixed_size_binary(kind)
        or types.is_binary_view(kind)
    )


def _value(cell: Any) -> Any:
    """Return a cell, or a member of one, as text, numbers and truth values."""
    if isinstance(cell, bytes):
        return cell.hex()
    if isinstance(cell, dict):
        return {key: _value(own) for key, own in cell.items()}
    if hasattr(cell, "nanoseconds") and hasattr(cell, "months"):
        return _interval(cell.months, cell.days, cell.nanoseconds)
    if isinstance(cell, (list, tuple)):
        return [_value(own) for own in cell]
    if isinstance(cell, timedelta):
        return seconds_as_text(cell // timedelta(microseconds=1), 6)
    return cell.isoformat() if isinstance(cell, (date, datetime, time)) else cell


def _interval(months: int, days: int, nanoseconds: int) -> str:
    """Return an interval in the form of ISO 8601.

    Examples
    --------
    >>> _interval(1, 2, 1_500_000_000), _interval(0, 1, 0), _interval(0, 0, 0)
    ('P1M2DT1.5S', 'P1D', 'PT0S')
    """
    seconds = seconds_as_text(nanoseconds, 9).removesuffix(" s")
    calendar = "".join(f"{count}{unit}" for count, unit in ((months, "M"), (days, "D")) if count)
    return f"P{calendar}" + (f"T{seconds}S" if nanoseconds or not calendar else "")
