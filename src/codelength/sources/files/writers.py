"""Writers of plain tables, batch after batch: CSV and Parquet."""

import codecs
import csv
import gzip
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol, TextIO, cast

import numpy as np

from ..._files import atomic_write
from ...errors import DataError, InvalidParameter
from ...table._messages import shortened
from ...table.spelling import parse_number
from ._cells import ArrowCells, ColumnDict, plain_cells
from ._csv import reject_duplicates
from ._duckdb import utf8_path
from .formats import WRITTEN

__all__ = ["ArrowCells", "TableWriter", "inert", "open_writer"]

# Small batches are collected: every row group of a Parquet file has dictionaries and statistics of its own.
_GROUP_ROWS = 1 << 17

# Texts that start with one of these are formulas in spreadsheets.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


class TableWriter(Protocol):
    """Writer of batches, which :func:`open_writer` opens."""

    def write(self, columns: ColumnDict) -> None:
        """Append rows."""


@contextmanager
def open_writer(
    destination: str | os.PathLike[str],
    names: Sequence[str],
    *,
    for_spreadsheets: bool = False,
) -> Iterator[TableWriter]:
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
    TableWriter
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
            yield stack.enter_context(_parquet_writer(temporary, names, str(path)))
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


@contextmanager
def _parquet_writer(path: Path, names: Sequence[str], shown: str) -> Iterator["_ParquetWriter"]:
    """Open a writer of Parquet files; the file is complete once the block has ended without an error."""
    writer = _ParquetWriter(path, names, shown)
    try:
        yield writer
        writer.flush()
    finally:
        writer.close()


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
            texts = plain_cells(ArrowCells(array))
            return pa.array([None if text is None else str(text) for text in texts], pa.string())
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

    if isinstance(cells, ArrowCells):
        array = cells.array
        # Batches may have different dictionaries, and an interval has no counterpart in Parquet.
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        return pa.array(cells.tolist(), pa.string()) if pa.types.is_interval(array.type) else array
    if cells.dtype.kind in "iufbU":
        return pa.array(cells)
    present = [cell for cell in cells if cell is not None]
    if all(isinstance(cell, (bool, np.bool_)) for cell in present):
        return pa.array(cells, pa.bool_() if present else pa.null())
    texts = plain_cells(cells)
    return pa.array([None if text is None else str(text) for text in texts], pa.string())


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
