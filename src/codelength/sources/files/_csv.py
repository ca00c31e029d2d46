"""CSV files: names and delimiter from the header, rows by pyarrow, and faults named by line.

Order of reading: :func:`read_header`, :class:`CsvFile` (record batches of text, or of numbers if that is
asked for), ``_records`` (the rows as Python's own parser reads them). Depends on the interface ``OpenFile``
of this folder, on ``_text`` (how columns are read) and on pyarrow, which is imported when rows are read.

Two parsers may read a file. That of pyarrow is fast, but it accepts quotes that are out of place, and its
errors have no line. That of Python is slow and strict. So the quotes of a file are checked once, on its bytes
(``_has_plain_quotes``): if all parsers agree about them, pyarrow reads the file itself; if not, it reads a
copy that Python has parsed and quoted again. If pyarrow fails, Python reads the file once more, to find the
line of the fault.

A row has a largest length (:attr:`Header.line_bytes`), because a quote that is never closed would otherwise
make one cell of the rest of the file.
"""

import csv
import gzip
import io
import re
import sys
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..._scratch import Scratch
from ...errors import DataError
from ...table._messages import shortened
from ...table.spelling import SPACES
from . import OpenFile
from ._duckdb import without_memory
from ._text import Reading

DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error)
"""Exceptions of a damaged gzip file."""

_DELIMITERS = (",", ";", "\t", "|")
# A file without a line end, or with a quote left open, must not be read into memory as one header.
_MAX_HEADER = 1 << 26
_CHUNK = 1 << 18
_LINE_BYTES = 1 << 22
# The limit on the length of fields is global in the csv module.
_LIMIT = threading.Lock()
_QUOTED = re.compile(r'"[^"]*"')


@dataclass(frozen=True)
class Header:
    """Header of a CSV file.

    Attributes
    ----------
    names : tuple of str
        Names of the columns.
    delimiter : str
        The character between fields.
    n_bytes : int
        Length of the header, with its line end.
    n_lines : int
        Number of lines, as names may hold line ends.
    """

    names: tuple[str, ...]
    delimiter: str
    n_bytes: int
    n_lines: int = 1

    @property
    def line_bytes(self) -> int:
        """Largest length of a row in bytes; tables of very many columns have long lines."""
        return max(_LINE_BYTES, 16 * self.n_bytes)


def read_header(path: Path, shown: str) -> Header:
    """Read the first record of a CSV file, and find its delimiter.

    Parameters
    ----------
    path : Path
        The file.
    shown : str
        Its name in messages.

    Returns
    -------
    Header
        The column names, all different and none empty.

    Raises
    ------
    DataError
        If the file is empty, damaged or not UTF-8, its first line is blank, a quote is not closed, or a name
        is empty or occurs twice.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "shirts.csv")
    ...     _ = path.write_text("size (m; cm),colour\\n1,red\\n")
    ...     header = read_header(path, "shirts.csv")
    >>> header.names, header.delimiter
    (('size (m; cm)', 'colour'), ',')
    """
    record = _first_record(path, shown)
    try:
        text = record.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise invalid_utf8(path, shown) from error
    if not text.strip():
        raise DataError(f"{shown}, line 1: is blank; the first line must hold the column names")
    delimiter = _delimiter(path, text, shown)
    try:
        with _fields_of_any_length():
            names = next(csv.reader([text], delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise DataError(f"{shown}, line 1: the header cannot be read: {error}; mend its quotes") from error
    for position, name in enumerate(names, start=1):
        if not name:
            raise DataError(f"{shown}, line 1: column {position} has no name; name it, or remove it")
    reject_duplicates(names, f"{shown}, line 1")
    return Header(tuple(names), delimiter, len(record), 1 + text.count("\n"))


def _delimiter(path: Path, header: str, shown: str) -> str:
    """Return the most common of ``, ; tab |`` that the header and the next record have equally often.

    If there is none, return the most common one in the header. Names may contain other delimiters:
    ``size (m; cm; mm),colour``.
    """
    names = _QUOTED.sub("", header)
    possible = sorted(filter(names.count, _DELIMITERS), key=names.count, reverse=True)
    if len(possible) < 2:
        return possible[0] if possible else _DELIMITERS[0]
    with _opened(path, shown) as file:
        head = file.read(_CHUNK) + file.readline()
    rows = _QUOTED.sub("", head.decode("utf-8-sig", "replace")[len(header) :])
    row = next(filter(None, re.split(r"[\r\n]+", rows)), "")
    return next((each for each in possible if row.count(each) == names.count(each)), possible[0])


def reject_duplicates(names: Sequence[str], where: str) -> None:
    """Raise a DataError with the first column name that occurs twice."""
    first: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if first.setdefault(name, position) != position:
            raise DataError(
                f"{where}: columns {first[name]} and {position} are both named {name!r}; rename one"
            )


class CsvFile(OpenFile):
    """A CSV file as record batches, all of whose rows have one field per column.

    Parameters
    ----------
    path : Path
        The file.
    shown : str
        Its name in messages.
    """

    def __init__(self, path: Path, shown: str) -> None:
        self.path, self.shown, self.header = path, shown, read_header(path, shown)
        self.names = self.header.names
        self.readings = dict.fromkeys(self.names, Reading())
        self._is_plain: bool | None = None

    def rows(self, columns: Mapping[str, Any], batch_rows: int, markers: Sequence[str] = ()) -> Iterator[Any]:
        """Yield record batches of some columns."""
        if self._is_plain is None:
            self._is_plain = _has_plain_quotes(self.path, self.header, self.shown)
        if self._is_plain:
            yield from self._parsed(self.path, self.header.n_bytes, columns, markers)
            return
        # Python's own parser reads any quotes, and writes them in a form of which there is one reading.
        with Scratch() as directory:
            clean = Path(directory) / "clean.csv"
            with open(clean, "w", encoding="utf-8", newline="") as file:
                csv.writer(file, delimiter=self.header.delimiter, quoting=csv.QUOTE_ALL).writerows(
                    _records(self.path, self.header, self.shown)
                )
            yield from self._parsed(clean, 0, columns, markers)

    def _parsed(
        self, path: Path, n_skipped: int, columns: Mapping[str, Any], markers: Sequence[str]
    ) -> Iterator[Any]:
        import pyarrow as pa

        try:
            with _opened(path, self.shown) as file:
                file.seek(n_skipped)
                if not file.read(1):
                    return
                file.seek(n_skipped)
                yield from _arrow_reader(file, self.header, columns, markers)
        except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
            if isinstance(error, DataError):
                raise
            raise self._explained(error) from error

    def _explained(self, error: Exception) -> DataError:
        """Return an error that names the line, which pyarrow does not know."""
        if lacking := without_memory(error, self.shown):
            return lacking
        if "UTF8" in str(error):
            return invalid_utf8(self.path, self.shown)
        for _ in _records(self.path, self.header, self.shown):
            pass
        return DataError(
            f"{self.shown}: is damaged, or cannot be read as CSV ({shortened(str(error))}); write it again"
        )


def _arrow_reader(
    file: Any, header: Header, columns: Mapping[str, Any], markers: Sequence[str]
) -> Iterator[Any]:
    import pyarrow.csv as pc

    reader = pc.open_csv(
        file,
        # A row may straddle two blocks, and not three.
        read_options=pc.ReadOptions(column_names=header.names, block_size=header.line_bytes),
        parse_options=pc.ParseOptions(
            delimiter=header.delimiter, newlines_in_values=True, ignore_empty_lines=len(header.names) > 1
        ),
        convert_options=pc.ConvertOptions(
            include_columns=list(columns),
            column_types=dict(columns),
            null_values=["", *(marker.strip(SPACES) for marker in markers)],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    )
    with reader:
        yield from reader


def _has_plain_quotes(path: Path, header: Header, shown: str) -> bool:
    """Return True if each quote opens a field, closes one or is doubled inside one, and all are closed.

    Then every parser reads the file in the same way.
    """
    around = np.frombuffer(f'{header.delimiter}\r\n"'.encode(), dtype=np.uint8)
    inside, last = 0, b"\n"
    with _opened(path, shown) as file:
        file.seek(header.n_bytes)
        chunk = file.read(_CHUNK)
        while chunk:
            following = file.read(_CHUNK)
            if b'"' in chunk:
                # One byte more on both sides: the neighbours of quotes at the ends.
                codes = np.frombuffer(last + chunk + (following[:1] or b"\n"), dtype=np.uint8)
                at = np.flatnonzero(codes[1:-1] == ord('"')) + 1
                opens = (np.arange(len(at)) + inside) % 2 == 0
                inside = (inside + len(at)) % 2
                neighbours = np.where(opens, codes[at - 1], codes[at + 1])
                if not np.isin(neighbours, around).all():
                    return False
            last, chunk = chunk[-1:], following
    return not inside


def _records(path: Path, header: Header, shown: str) -> Iterator[list[str]]:
    """Yield the rows of a file as Python's own parser reads them; raise at the first fault."""
    around = re.escape(header.delimiter) + "\r\n"
    after, before = re.compile(rf'" +(?=[{around}]|$)'), re.compile(rf'(^|[{around}]) +"')
    expected = len(header.names)
    with _opened(path, shown) as file, _fields_of_any_length():
        file.seek(header.n_bytes)
        text = io.TextIOWrapper(file, "utf-8", newline="")
        # Spaces between quotes and delimiters say nothing.
        lines = (before.sub(r'\1"', after.sub('"', line)) for line in text)
        rows = csv.reader(lines, delimiter=header.delimiter, strict=True)
        line = header.n_lines + 1
        try:
            for row in rows:
                # A blank line is a row of one missing cell if there is one column, else none.
                if not row and expected == 1:
                    row = [""]
                if row and len(row) != expected:
                    raise DataError(
                        f"{shown}, line {line}: expected {expected} fields, found {len(row)}; mend the row, "
                        "or quote its delimiters"
                    )
                if sum(len(cell.encode()) for cell in row) > header.line_bytes:
                    raise DataError(
                        f"{shown}, line {line}: is longer than {header.line_bytes:,} bytes; close a quote "
                        "that is open, or save the table as Parquet"
                    )
                if row:
                    yield row
                line = header.n_lines + rows.line_num + 1
        except csv.Error as error:
            raise DataError(
                f"{shown}, line {line}: a quoted field is not closed properly; double the quotes inside it "
                '("")'
            ) from error
        except UnicodeDecodeError as error:
            raise invalid_utf8(path, shown) from error


@contextmanager
def _fields_of_any_length() -> Iterator[None]:
    """Let the csv module read fields longer than its global limit.

    Readers take turns, so that none restores the limit while another still reads.
    """
    with _LIMIT:
        before = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
        try:
            yield
        finally:
            csv.field_size_limit(before)


def invalid_utf8(path: Path, shown: str) -> DataError:
    """Return an error with the byte and the line at which a text file stops being UTF-8."""
    offset = 0
    with _opened(path, shown) as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                at = offset + error.start
                return DataError(f"{shown}, line {number}: byte {at} is not UTF-8; save it as UTF-8")
            offset += len(line)
    return DataError(f"{shown}: is not UTF-8; save it as UTF-8")


def _first_record(path: Path, shown: str) -> bytes:
    """Read lines until every quote is closed."""
    with _opened(path, shown) as file:
        record = file.readline(_MAX_HEADER)
        # Lines that end in a return alone, as on old Macs: readline has read many of them.
        if b"\r" in record.rstrip(b"\r\n"):
            record = record.split(b"\r")[0] + b"\r"
        while record.count(b'"') % 2:
            more = file.readline(_MAX_HEADER)
            if not more or len(record) > _MAX_HEADER:
                raise DataError(f"{shown}, line 1: a quote in the header is not closed; close it")
            record += more
    if not record:
        raise DataError(f"{shown}: is empty; the first line must hold the column names")
    return record


@contextmanager
def _opened(path: Path, shown: str) -> Iterator[gzip.GzipFile | io.BufferedReader]:
    """Open a file for its bytes, unpacked; raise DataError if it is damaged."""
    try:
        with gzip.open(path, "rb") if path.suffix.lower() == ".gz" else open(path, "rb") as file:
            yield file
    except DAMAGED as error:
        raise DataError(f"{shown}: is damaged, or not a gzip file ({error})") from error
