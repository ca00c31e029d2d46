"""Headers of CSV files, quick counts of their rows, and readable errors for files that DuckDB rejects.

Order of reading: :func:`read_header` (column names and delimiter); :func:`count`, :func:`those_in` and
:func:`first_rows` (quick passes over the bytes); :func:`first_fault` and :func:`explain` (why DuckDB cannot
read a file, in one line that names the place).

Depends on the csv module and on :mod:`codelength.table.spelling`. Rows themselves are read by DuckDB, see
``_relations`` and ``_stage``.
"""

import codecs
import csv
import gzip
import io
import re
import sys
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError
from ...table.spelling import SPACES
from ...typing import IntArray
from ._duckdb import one_line, without_memory

__all__ = [
    "DAMAGED",
    "Header",
    "count",
    "explain",
    "first_fault",
    "first_rows",
    "invalid_utf8",
    "is_gzip",
    "read_header",
    "reject_duplicates",
    "those_in",
]

DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error)
"""Exceptions of a damaged gzip file."""

_DELIMITERS = (",", ";", "\t", "|")
# A file without a line end, or with a quote left open, must not be read into memory as one header.
_LONGEST_HEADER = 1 << 26
_CHUNK = 1 << 18
_LINE_FEED, _RETURN, _QUOTE = b'\n\r"'
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
        Length of the header.
    broken : bool
        True if a name contains a line feed while lines end in ``\\r\\n``; DuckDB then needs the line end.
    """

    names: tuple[str, ...]
    delimiter: str
    n_bytes: int
    broken: bool = False


class Tally(NamedTuple):
    """Quick counts over the bytes of a CSV file; exact if quotes enclose whole fields.

    Attributes
    ----------
    rows : int
        Number of rows, the header included.
    delimiters : int
        Number of delimiters outside quotes.
    stray_quote : bool
        True if a quote is left open, or does not open at the start of a field.
    """

    rows: int
    delimiters: int
    stray_quote: bool


def is_gzip(path: Path) -> bool:
    """Return True if the name of a file says that it is compressed."""
    return path.suffix.lower() == ".gz"


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
    """
    record = _first_record(path, shown)
    text = record.rstrip("\r\n")
    if not text.strip():
        raise DataError(f"{shown}, line 1: is blank; the first line must hold the column names")
    try:
        delimiter = _delimiter(path, text)
        with _fields_of_any_length():
            names = next(csv.reader([text], delimiter=delimiter, strict=True))
    except DAMAGED as error:
        raise _damaged(error, shown) from error
    except csv.Error as error:
        raise DataError(f"{shown}, line 1: the header cannot be read: {error}; mend its quotes") from error
    for position, name in enumerate(names, start=1):
        if not name:
            raise DataError(f"{shown}, line 1: column {position} has no name; name it, or remove it")
    reject_duplicates(names, f"{shown}, line 1")
    broken = "\n" in text and record.endswith("\r\n")
    return Header(tuple(names), delimiter, len(text.encode()), broken)


def _delimiter(path: Path, header: str) -> str:
    """Return the most common of ``, ; tab |`` that the header and the next record have equally often.

    If there is none, return the most common one in the header. Names may contain other delimiters:
    ``size (m; cm; mm),colour``.
    """
    names = _QUOTED.sub("", header)
    possible = sorted(filter(names.count, _DELIMITERS), key=names.count, reverse=True)
    if len(possible) < 2:
        return possible[0] if possible else _DELIMITERS[0]
    rows = _QUOTED.sub("", first_rows(path).decode("utf-8-sig", "replace")[len(header) :])
    row = next(filter(None, re.split(r"[\r\n]+", rows)), "")
    return next((each for each in possible if row.count(each) == names.count(each)), possible[0])


def reject_duplicates(names: list[str] | tuple[str, ...], where: str) -> None:
    """Raise a DataError with the first column name that occurs twice."""
    first: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if first.setdefault(name, position) != position:
            raise DataError(
                f"{where}: columns {first[name]} and {position} are both named {name!r}; rename one"
            )


def count(path: Path, header: Header) -> Tally:
    """Count rows, the header included, and delimiters outside quotes.

    Blank lines are rows only if there is one column.

    Parameters
    ----------
    path : Path
        The file.
    header : Header
        Its header.

    Returns
    -------
    Tally
        Counts to compare with those of DuckDB.
    """
    n_rows, n_delimiters, within, stray = 0, 0, 0, False
    with _open_bytes(path) as file:
        # Chunks of whole lines, so that a line end and the byte before it are in the same chunk.
        while chunk := file.read(_CHUNK) + file.readline():
            codes = np.frombuffer(chunk, dtype=np.uint8)
            delimiters, line_ends = codes == ord(header.delimiter), codes == _LINE_FEED
            if within or b'"' in chunk:
                is_quote = codes == _QUOTE
                # The parity of the quotes so far; in uint8 the sum may wrap around, but its parity is right.
                inside = (np.cumsum(is_quote, dtype=np.uint8) + np.uint8(within)) & 1
                within = int(inside[-1])
                delimiters &= inside == 0
                line_ends &= inside == 0
                opened = np.flatnonzero(is_quote & (inside == 1))
                before = codes[opened[opened > 0] - 1]
                stray |= not np.isin(before, [ord(header.delimiter), _LINE_FEED, _RETURN, _QUOTE]).all()
            ends = np.flatnonzero(line_ends)
            if chunk[-1] != _LINE_FEED:
                ends = np.append(ends, len(codes))
            n_delimiters += int(np.count_nonzero(delimiters))
            n_rows += len(ends) - (_n_blank(codes, ends) if len(header.names) > 1 else 0)
    return Tally(n_rows, n_delimiters, bool(within) or stray)


def those_in(path: Path, texts: Sequence[str]) -> tuple[str, ...]:
    """Return those of some texts that occur anywhere in a file.

    Looking for a text in a file takes far less time than comparing all its cells with it.

    Parameters
    ----------
    path : Path
        The file.
    texts : sequence of str
        The texts, such as markers of missing cells.

    Returns
    -------
    tuple of str
        Texts that occur, and those that the bytes cannot exclude: empty texts, texts with a quote, and all
        texts if the file is compressed.
    """
    sought = {text: text.strip(SPACES).encode() for text in texts}
    found = {text for text, part in sought.items() if not part or b'"' in part}
    if is_gzip(path):
        return tuple(texts)
    overlap = max(map(len, sought.values()), default=1) - 1
    with _open_bytes(path) as file:
        before = b""
        while len(found) < len(sought) and (chunk := file.read(_CHUNK)):
            # A text may begin in one chunk and end in the next.
            seam = before + chunk[:overlap]
            # One byte is found, or not, many times faster than several.
            found |= {
                text for text, part in sought.items() if (part[:1] in chunk and part in chunk) or part in seam
            }
            before = chunk[-overlap:] if overlap else b""
    return tuple(text for text in texts if text in found)


def _n_blank(codes: NDArray[np.uint8], ends: IntArray) -> int:
    """Return the number of blank lines among lines with these ends."""
    lengths = np.diff(ends, prepend=-1) - 1
    if not len(ends) or lengths.min() > 1:
        return 0
    return int(np.count_nonzero((lengths == 0) | ((lengths == 1) & (codes[ends - 1] == _RETURN))))


def first_fault(path: Path, header: Header, n_read: int, shown: str) -> DataError | None:
    """Look field by field for faults that DuckDB ignores.

    These are a row with a wrong number of fields, a quote left open at the end, and rows that were not read.

    Parameters
    ----------
    path : Path
        The file.
    header : Header
        Its header.
    n_read : int
        Number of rows that DuckDB has read.
    shown : str
        Name of the file in messages.

    Returns
    -------
    DataError or None
        The first fault.
    """
    try:
        return _fault(path, header, n_read, shown, strict=True)
    except csv.Error:
        # The csv module rejects, for example, text after a closing quote. DuckDB accepts it.
        return _fault(path, header, n_read, shown, strict=False)
    except UnicodeDecodeError:
        return invalid_utf8(path, shown)


def _fault(path: Path, header: Header, n_read: int, shown: str, *, strict: bool) -> DataError | None:
    """Return the first fault of a file; raise csv.Error if it is one of the csv module alone."""
    expected, line, n_rows = len(header.names), 1, -1
    with _open_bytes(path) as file, _fields_of_any_length():
        text = io.TextIOWrapper(file, "utf-8-sig", newline="")
        rows = csv.reader(text, delimiter=header.delimiter, skipinitialspace=True, strict=strict)
        try:
            for row in rows:
                if row and len(row) != expected:
                    return _wrong_number(f"{shown}, line {line}", expected, len(row))
                n_rows += bool(row) or expected == 1
                line = rows.line_num + 1
        except csv.Error as error:
            if "end of data" in str(error):
                return _open_quote(f"{shown}, line {line}")
            raise
    if n_rows == n_read:
        return None
    return DataError(
        f"{shown}: can be read in two ways, as {n_rows:,} or as {n_read:,} rows; put quotes only around "
        "whole fields, and double them inside"
    )


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


def explain(error: Exception, path: Path, shown: str, line_bytes: int) -> DataError:
    """Return an error of one line that says why DuckDB could not read a CSV file.

    Parameters
    ----------
    error : Exception
        The error of DuckDB.
    path : Path
        The file.
    shown : str
        Its name in messages.
    line_bytes : int
        Largest length of a line.

    Returns
    -------
    DataError
        The reason, and the line if DuckDB gives it.
    """
    try:
        return _explained(error, path, shown, line_bytes)
    except DAMAGED as damage:
        return _damaged(damage, shown)


def _explained(error: Exception, path: Path, shown: str, line_bytes: int) -> DataError:
    """Return the error of DuckDB in other words; its messages are matched by their text."""
    message = str(error)
    if "unicode" in message.lower() or "utf-8 encoded" in message.lower():
        return invalid_utf8(path, shown)
    where, n_bytes = shown, 0
    if line := re.search(r"CSV Error on Line: (\d+)", message):
        number, n_bytes = _line_of(path, int(line[1]))
        where = f"{shown}, line {number}"
    # DuckDB says other things about lines that are longer than its buffers.
    if n_bytes > line_bytes or "Maximum line size" in message:
        return DataError(
            f"{where}: is longer than {line_bytes:,} bytes; close a quote that is open, or save the table as "
            "Parquet"
        )
    if fields := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message):
        return _wrong_number(where, int(fields[1]), int(fields[2]))
    if "unterminated quote" in message:
        return _open_quote(where)
    if "invalid state" in message:
        return DataError(
            f"{where}: mixes kinds of line ends, or is not RFC 4180; save it with one kind of line end"
        )
    damaged = DataError(f"{where}: is damaged, or cannot be read as CSV ({one_line(error)})")
    return without_memory(error, where) or damaged


def invalid_utf8(path: Path, shown: str) -> DataError:
    """Return an error with the byte and the line at which a text file stops being UTF-8."""
    try:
        return _first_invalid(path, shown)
    except DAMAGED as damage:
        return _damaged(damage, shown)


def _first_invalid(path: Path, shown: str) -> DataError:
    """Decode a file chunk by chunk up to the first invalid byte."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset, line = 0, 1
    with _open_bytes(path) as file:
        while True:
            chunk = file.read(_CHUNK)
            # Bytes of a character that the last chunk began; positions in the error count from them.
            pending = len(decoder.getstate()[0])
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                line += chunk[: max(error.start - pending, 0)].count(b"\n")
                at = offset - pending + error.start
                return DataError(f"{shown}, line {line}: byte {at} is not UTF-8; save it as UTF-8")
            if not chunk:
                return DataError(f"{shown}: is not UTF-8; save it as UTF-8")
            offset += len(chunk)
            line += chunk.count(b"\n")


def _damaged(error: Exception, shown: str) -> DataError:
    return DataError(f"{shown}: is damaged, or not a gzip file ({error})")


def _wrong_number(where: str, expected: int, found: int) -> DataError:
    return DataError(
        f"{where}: expected {expected} fields, found {found}; mend the row, or quote its delimiters"
    )


def _open_quote(where: str) -> DataError:
    return DataError(f'{where}: a quoted field is not closed properly; double the quotes inside it ("")')


def _line_of(path: Path, record: int) -> tuple[int, int]:
    """Return the line on which a record starts, and its length in bytes; DuckDB counts records."""
    quotes = 0
    with _open_bytes(path) as file:
        for number, line in enumerate(file, start=1):
            record -= quotes % 2 == 0
            if not record:
                return number, len(line)
            quotes += line.count(b'"')
    return record, 0


def first_rows(path: Path, n_bytes: int = _CHUNK) -> bytes:
    """Return the first lines of a CSV file as bytes; the last of them is complete."""
    with _open_bytes(path) as file:
        return bytes(file.read(n_bytes) + file.readline())


def _first_record(path: Path, shown: str) -> str:
    """Read lines until every quote is closed."""
    try:
        with _open_bytes(path) as file:
            record = file.readline(_LONGEST_HEADER)
            # Lines that end in a return alone, as on old Macs: readline has read many of them.
            if b"\r" in record.rstrip(b"\r\n"):
                record = record.split(b"\r")[0]
            while record.count(b'"') % 2:
                more = file.readline(_LONGEST_HEADER)
                if not more or len(record) > _LONGEST_HEADER:
                    raise DataError(f"{shown}, line 1: a quote in the header is not closed; close it")
                record += more
    except DAMAGED as error:
        raise _damaged(error, shown) from error
    if not record:
        raise DataError(f"{shown}: is empty; the first line must hold the column names")
    try:
        return record.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise invalid_utf8(path, shown) from error


def _open_bytes(path: Path) -> gzip.GzipFile | io.BufferedReader:
    return gzip.open(path, "rb") if is_gzip(path) else open(path, "rb")
