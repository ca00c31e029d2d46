"""Columns of Arrow: their cells in the form that text files have, and Parquet files with their own types."""

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

_GROUP_ROWS = 1 << 17
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
        """How many cells there are."""
        return len(self.array)

    def tolist(self) -> list[Any]:
        """The cells as text, numbers and truth values; times in ISO form, in UTC where they have zones."""
        return _values(self.array)


@contextmanager
def arrow_writer(path: Path, names: Sequence[str], shown: str) -> Iterator["ArrowWriter"]:
    """Give a writer of Parquet whose columns have the types that they have in Arrow."""
    writer = ArrowWriter(path, names, shown)
    try:
        yield writer
        writer.flush()
    finally:
        writer.close()


class ArrowWriter:
    """Writes batches of Arrow columns, and other columns beside them, to a Parquet file."""

    def __init__(self, path: Path, names: Sequence[str], shown: str) -> None:
        self._path, self._names, self._shown = path, tuple(names), shown
        self._file: Any = None
        self._schema: Any = None
        self._kept: list[Any] = []
        self._n_rows = 0

    def write(self, columns: ColumnDict) -> None:
        """Append rows."""
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
        """Write the rows that are kept until there are enough of them."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        if self._schema is None:
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
        """End the file; it is whole only if everything was written."""
        if self._file is not None:
            self._file.close()

    def _cast(self, field: Any, array: Any) -> Any:
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
    """An array of a type that Parquet has."""
    import pyarrow as pa

    if not isinstance(cells, ArrowCells):
        return pa.array(cells.tolist() if isinstance(cells, Cells) else cells)
    array = cells.array
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    return pa.array(_values(array), pa.string()) if pa.types.is_interval(array.type) else array


def _values(array: Any) -> list[Any]:
    import pyarrow as pa

    types, kind = pa.types, array.type
    if types.is_dictionary(kind):
        return _values(array.dictionary_decode())
    if isinstance(kind, pa.BaseExtensionType):
        return _values(array.storage)
    if types.is_floating(kind):
        numbers = array.to_numpy(zero_copy_only=False)
        if numbers.itemsize < 8:  # as the shortest text that means this number among those of its width
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
    # Cells of the other types are what Python has for them, or hold such.
    return (
        [_value(cell) for cell in array.to_pylist()] if _may_hold_others(types, kind) else array.to_pylist()
    )


def _each(array: Any, convert: Callable[[Any], str]) -> list[Any]:
    return [None if cell is None else convert(cell) for cell in array.to_pylist()]


def _may_hold_others(types: Any, kind: Any) -> bool:
    return bool(types.is_nested(kind) or types.is_interval(kind) or _is_binary(types, kind))


def _is_binary(types: Any, kind: Any) -> bool:
    return bool(
        types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_fixed_size_binary(kind)
        or types.is_binary_view(kind)
    )


def _value(cell: Any) -> Any:
    """A cell, or what is inside one, as text, numbers and truth values."""
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
    """An interval in the form of ISO 8601.

    Examples
    --------
    >>> _interval(1, 2, 1_500_000_000), _interval(0, 1, 0), _interval(0, 0, 0)
    ('P1M2DT1.5S', 'P1D', 'PT0S')
    """
    seconds = seconds_as_text(nanoseconds, 9).removesuffix(" s")
    calendar = "".join(f"{count}{unit}" for count, unit in ((months, "M"), (days, "D")) if count)
    return f"P{calendar}" + (f"T{seconds}S" if nanoseconds or not calendar else "")
