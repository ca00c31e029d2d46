"""Cells as text, and writers of plain tables, batch after batch: CSV and Parquet.

Order of reading: :data:`ColumnDict` (a batch), :func:`values_of` and :func:`plain_cells` (its cells as Python
values, and as text), then :func:`open_writer` with ``_CsvWriter`` and ``_ParquetWriter``. Depends on
``formats`` (which suffixes are written), on ``_csv`` and on :mod:`codelength.table.spelling`.
"""

import codecs
import csv
import gzip
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, TextIO, TypeAlias, cast

import numpy as np

from ..._files import atomic_write
from ...errors import DataError, InvalidParameter
from ...table._messages import shortened
from ...table.spelling import parse_number
from ...table.values import trimmed, widened
from ._csv import reject_duplicates
from ._duckdb import utf8_path
from .formats import WRITTEN

ColumnDict: TypeAlias = Mapping[str, Any]
"""Columns by name; the cells of each are a list, a numpy array or an Arrow array."""

# Small batches are collected: every row group of a Parquet file has dictionaries and statistics of its own.
_GROUP_ROWS = 1 << 17

# Texts that start with one of these are formulas in spreadsheets.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")

# Digits after the point of a second, by the unit of a duration.
_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


def values_of(cells: Any) -> list[Any]:
    """Return cells as text, numbers and truth values; None if missing, times in ISO form (in UTC if aware).

    Examples
    --------
    >>> import pyarrow as pa
    >>> values_of(pa.array([1577836800, None], pa.timestamp("s", "Europe/Helsinki")))
    ['2020-01-01T00:00:00+00:00', None]
    """
    import pyarrow as pa

    if isinstance(cells, np.ndarray) and cells.dtype.kind != "O":
        cells = pa.array(cells)
    if not isinstance(cells, pa.Array):
        return [_value(cell) for cell in cells]
    types, kind = pa.types, cells.type
    if types.is_dictionary(kind):
        return values_of(cells.dictionary_decode())
    if isinstance(kind, pa.BaseExtensionType):
        return values_of(cells.storage)
    if types.is_floating(kind):
        numbers = widened(cells.to_numpy(zero_copy_only=False)).tolist()
        return [None if number != number else number for number in numbers]
    if types.is_duration(kind):
        n_digits = _DIGITS[kind.unit]
        return _each(cells.cast(pa.int64()), lambda count: _seconds_as_text(count, n_digits))
    if types.is_date(kind):
        return list(cells.cast(pa.date32()).cast(pa.string()).to_pylist())
    if types.is_timestamp(kind):
        zone = "" if kind.tz is None else "+00:00"
        texts = cells.cast(pa.timestamp(kind.unit)).cast(pa.string())
        return _each(texts, lambda text: trimmed(text.replace(" ", "T")) + zone)
    if types.is_time(kind):
        return _each(cells.cast(pa.string()), trimmed)
    return [_value(cell) for cell in cells.to_pylist()]


def plain_cells(cells: Any) -> list[Any]:
    """Return cells as a text file has them: text and numbers; truth values, decimals, lists, dicts as text.

    Examples
    --------
    >>> plain_cells([True, None, 0.5, [1]])
    ['true', None, 0.5, '[1]']
    """
    return [
        json_text(value)
        if isinstance(value, (bool, list, dict))
        else f"{value:f}"
        if isinstance(value, Decimal)
        else value
        for value in values_of(cells)
    ]


def json_text(value: Any) -> str:
    """Return a value as JSON; numbers that JSON lacks (infinities, NaN) become null.

    Examples
    --------
    >>> print(json_text({"price": Decimal("1.50"), "sizes": [1, float("inf")]}))
    {"price": 1.50, "sizes": [1, null]}
    """
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else "null"
    if isinstance(value, Decimal):
        return f"{value:f}" if value.is_finite() else "null"
    if isinstance(value, dict):
        members = (f"{json.dumps(str(key))}: {json_text(own)}" for key, own in value.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(json_text, value))}]"
    return json.dumps(value)


def _value(cell: Any) -> Any:
    """Return a Python object for a cell, or a member of one: None for NaN, times and bytes as text."""
    value = cell.item() if isinstance(cell, np.generic) else cell
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if value is None or isinstance(value, (str, int, Decimal)):
        return value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {key: _value(own) for key, own in value.items()}
    if isinstance(value, timedelta):
        return _seconds_as_text(value // timedelta(microseconds=1), 6)
    if hasattr(value, "nanoseconds") and hasattr(value, "months"):  # an interval, in the form of ISO 8601
        seconds = _seconds_as_text(value.nanoseconds, 9).removesuffix(" s")
        calendar = "".join(
            f"{count}{unit}" for count, unit in ((value.months, "M"), (value.days, "D")) if count
        )
        return f"P{calendar}" + (f"T{seconds}S" if value.nanoseconds or not calendar else "")
    if isinstance(value, (list, tuple)):
        return [_value(own) for own in value]
    return value.isoformat() if isinstance(value, (date, datetime, time)) else str(value)


def _each(array: Any, convert: Callable[[Any], str]) -> list[Any]:
    """Apply a function to every cell that is not missing."""
    return [None if cell is None else convert(cell) for cell in array.to_pylist()]


def _seconds_as_text(count: int, n_digits: int) -> str:
    """Return a duration, in units of ``10 ** -n_digits`` seconds, as text.

    Examples
    --------
    >>> _seconds_as_text(-250, 3)
    '-0.25 s'
    """
    # Of the absolute value, because divmod rounds down: -0.25 s would be written as -1.75.
    whole, fraction = divmod(abs(count), 10**n_digits)
    return f"{'-' if count < 0 else ''}{trimmed(f'{whole}.{fraction:0{n_digits}}')} s"


@contextmanager
def open_writer(
    destination: str | os.PathLike[str],
    names: Sequence[str],
    *,
    for_spreadsheets: bool = False,
) -> Iterator["_CsvWriter | _ParquetWriter"]:
    """Open a table for writing; it appears at its destination only if the block ends without an error.

    Parameters
    ----------
    destination
        A ``.csv``, ``.csv.gz``, ``.tsv`` or ``.parquet`` file, or ``"-"`` for CSV on standard output.
    names
        Names of the columns, in order. Every batch has exactly these.
    for_spreadsheets
        True to put an apostrophe before text in a CSV file that a spreadsheet would run as a formula.

    Yields
    ------
    writer
        Its method ``write`` appends a batch: a dict of equally long columns, by name. Missing cells (None,
        NaN) become empty fields of a CSV file, so empty text and missing text look the same there. The
        types of a Parquet file are those of the first batch.

    Raises
    ------
    DataError
        If the destination cannot be written, its extension is unknown, or a batch does not fit.

    Examples
    --------
    >>> import numpy as np
    >>> with open_writer("-", ["label", "p"]) as writer:
    ...     writer.write({"label": np.array(["a", None], dtype=object), "p": np.array([0.25, np.nan])})
    label,p
    a,0.25
    ,
    """
    names = tuple(names)
    if not names:
        raise InvalidParameter("names is empty; a table has at least one column")
    reject_duplicates(names, str(destination))
    if os.fspath(destination) == "-":
        with _standard_output() as stream:
            yield _CsvWriter(stream, names, ",", "standard output", for_spreadsheets=for_spreadsheets)
        return
    path = Path(destination)
    suffix = next((suffix for suffix in WRITTEN if path.name.lower().endswith(suffix)), None)
    if suffix is None:
        raise DataError(f"{path}: cannot be written; use one of the extensions {', '.join(WRITTEN)}")
    if suffix == ".parquet":
        utf8_path(path)
    with atomic_write(path) as temporary, ExitStack() as stack:
        if suffix == ".parquet":
            parquet = _ParquetWriter(temporary, names, str(path))
            stack.callback(parquet.close)
            yield parquet
            parquet.flush()
        else:
            stream = stack.enter_context(_text_file(temporary, compressed=suffix == ".csv.gz"))
            delimiter = "\t" if suffix == ".tsv" else ","
            yield _CsvWriter(stream, names, delimiter, str(path), for_spreadsheets=for_spreadsheets)


def inert(cell: Any) -> Any:
    """Return a cell with an apostrophe before it if a spreadsheet would run it as a formula.

    Text that spells a number, or any other cell, stays as it is.

    Examples
    --------
    >>> [inert(cell) for cell in ("=1+1", "@SUM(A1)", "-5", "a=b", -5, None)]
    ["'=1+1", "'@SUM(A1)", '-5', 'a=b', -5, None]
    """
    if not isinstance(cell, str) or not cell.startswith(_FORMULAS):
        return cell
    return f"'{cell}" if isinstance(parse_number(cell), str) else cell


class _CsvWriter:
    """Writer of CSV; the header is written at once."""

    def __init__(
        self, stream: TextIO, names: Sequence[str], delimiter: str, shown: str, *, for_spreadsheets: bool
    ) -> None:
        self._names, self._shown, self._for_spreadsheets = names, shown, for_spreadsheets
        # With this line end the csv module quotes fields that contain either of its two characters.
        self._rows = csv.writer(_LineFeeds(stream), delimiter=delimiter, lineterminator="\r\n")
        self._rows.writerow(self._marked(names))

    def write(self, columns: ColumnDict) -> None:
        """Append rows."""
        _check_batch(columns, self._names, self._shown)
        cells = (self._marked(plain_cells(columns[name])) for name in self._names)
        self._rows.writerows(zip(*cells, strict=True))

    def _marked(self, cells: Sequence[Any]) -> Sequence[Any]:
        """Return cells, with apostrophes before formulas if they are for spreadsheets."""
        return [inert(cell) for cell in cells] if self._for_spreadsheets else cells


def _check_batch(columns: ColumnDict, names: Sequence[str], shown: str) -> None:
    """Raise unless a batch has the columns of the table, all of one length."""
    if set(columns) != set(names):
        raise DataError(f"{shown}: a batch has columns {sorted(columns)}, but the table has {sorted(names)}")
    lengths = {len(columns[name]) for name in names}
    if len(lengths) > 1:
        raise DataError(f"{shown}: the columns of a batch have different lengths {sorted(lengths)}")


class _ParquetWriter:
    """Writer of Parquet; the first batch decides the types of the columns."""

    def __init__(self, path: Path, names: Sequence[str], shown: str) -> None:
        self._path, self._names, self._shown = path, tuple(names), shown
        self._file: Any = None
        self._schema: Any = None
        self._kept: list[Any] = []
        self._n_rows = 0

    def write(self, columns: ColumnDict) -> None:
        """Append rows."""
        import pyarrow as pa

        _check_batch(columns, self._names, self._shown)
        arrays = [_storable(columns[name]) for name in self._names]
        if self._schema is None:
            # A column without any cell so far is text.
            types = [pa.string() if pa.types.is_null(array.type) else array.type for array in arrays]
            self._schema = pa.schema(list(zip(self._names, types, strict=True)))
        arrays = [self._cast(column, array) for column, array in zip(self._schema, arrays, strict=True)]
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
            raise DataError(f"{self._shown}: cannot be written ({shortened(str(error))})") from error
        self._kept, self._n_rows = [], 0

    def close(self) -> None:
        """Close the file; it is complete only if everything was flushed."""
        if self._file is not None:
            self._file.close()

    def _cast(self, column: Any, array: Any) -> Any:
        """Return an array as the type of its column in the first batch; raise if that loses something."""
        import pyarrow as pa

        if array.type == column.type:
            return array
        types = pa.types
        if types.is_string(column.type):
            return _as_text(array)
        try:
            # Arrow would also make truth values of numbers, and numbers of text.
            changes_kind = types.is_boolean(array.type) or types.is_boolean(column.type)
            if types.is_null(array.type) or not (changes_kind or types.is_string(array.type)):
                is_whole = types.is_floating(array.type) and types.is_integer(column.type)
                # Whole numbers with gaps are floats in numpy.
                return (pa.array(array.to_numpy(), from_pandas=True) if is_whole else array).cast(column.type)
        except pa.ArrowException:
            pass
        raise DataError(
            f"{self._shown}, column {column.name!r}: was {column.type} in the first batch, now {array.type}"
        )


def _storable(cells: Any) -> Any:
    """Return cells as an Arrow array of a type that Parquet has; objects as truth values, or as text."""
    import pyarrow as pa

    if isinstance(cells, pa.Array):
        # Batches may have different dictionaries, and an interval has no counterpart in Parquet.
        array = cells.dictionary_decode() if pa.types.is_dictionary(cells.type) else cells
        return pa.array(values_of(array), pa.string()) if pa.types.is_interval(array.type) else array
    if isinstance(cells, np.ndarray) and cells.dtype.kind != "O":
        return pa.array(cells)
    present = [cell for cell in cells if cell is not None]
    if all(isinstance(cell, (bool, np.bool_)) for cell in present):
        return pa.array(cells, pa.bool_() if present else pa.null())
    return _as_text(cells)


def _as_text(cells: Any) -> Any:
    """Return cells as an Arrow array of the text that a text file has."""
    import pyarrow as pa

    return pa.array([None if text is None else str(text) for text in plain_cells(cells)], pa.string())


class _LineFeeds:
    """Stream that ends rows with a plain line feed."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, row: str) -> None:
        """Write a row."""
        self._stream.write(row[:-2] + "\n")


@contextmanager
def _text_file(path: Path, *, compressed: bool) -> Iterator[TextIO]:
    """Open a file for text in UTF-8."""
    opener = gzip.open if compressed else open
    with opener(path, "wt", encoding="utf-8", newline="") as stream:
        yield stream


@contextmanager
def _standard_output() -> Iterator[TextIO]:
    """Yield standard output as UTF-8, with line ends unchanged, if it has bytes underneath."""
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        yield sys.stdout
        return
    # Not a TextIOWrapper: one that cannot be flushed cannot be detached either, and tries again when it goes.
    stream = codecs.getwriter("utf-8")(buffer)
    yield cast("TextIO", stream)
    stream.flush()
