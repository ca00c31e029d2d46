"""Writers of plain tables, batch after batch: CSV, or Parquet through DuckDB or Arrow."""

import codecs
import csv
import gzip
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol, TextIO, cast

from ..._files import atomic_write
from ...errors import DataError, InvalidParameter
from ...table.spelling import parse_number
from ._arrow import arrow_writer
from ._cells import ColumnDict, plain_cells
from ._csv import reject_duplicates
from ._duckdb import utf8_path
from ._parquet import check_batch, check_capitals, parquet_writer
from .formats import WRITTEN

__all__ = ["TableWriter", "inert", "open_writer"]

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
    by_arrow: bool = False,
    for_spreadsheets: bool = False,
) -> Iterator[TableWriter]:
    """Open a table for writing; it appears at its destination only if the block ends without an error.

    Parameters
    ----------
    destination
        A ``.csv``, ``.csv.gz``, ``.tsv`` or ``.parquet`` file, or ``"-"`` for CSV on standard output.
    names
        Names of the columns, in order. Every batch has exactly these.
    by_arrow
        True if batches have Arrow columns, whose types a Parquet file keeps.
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
        check_capitals(names, str(path))
        utf8_path(path)
    with atomic_write(path) as temporary, ExitStack() as stack:
        if suffix == ".parquet":
            if by_arrow:
                yield stack.enter_context(arrow_writer(temporary, names, str(path)))
            else:
                yield stack.enter_context(parquet_writer(temporary, names, str(path)))
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
        check_batch(columns, self._names, self._shown)
        cells = (self._marked(plain_cells(columns[name])) for name in self._names)
        self._rows.writerows(zip(*cells, strict=True))

    def _marked(self, cells: Sequence[Any]) -> Sequence[Any]:
        """Return cells, with apostrophes before formulas if they are for spreadsheets."""
        return [inert(cell) for cell in cells] if self._for_spreadsheets else cells


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
