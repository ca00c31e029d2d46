"""Check of an uploaded file before it is read: its columns, its rows, and its unpacked size.

A few bytes can claim to hold a thousand million rows. The metadata of a file is checked first, then its size
as it is unpacked piece by piece. A file that passes both and is still too large meets the limits of the
operating system; see :mod:`codelength.serve.worker`.

Numbers of rows and columns are needed before the user has chosen a target, and must be cheap: lines of a text
file are counted, not parsed, and of a Parquet file only the metadata is read unless the texts could be too
large.

Order of reading: :func:`suffix_of` (the kind of an upload), :func:`look`, then one function for each kind of
file. Depends on :mod:`codelength.sources` for formats and column names.
"""

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import DataError
from ..sources.files import formats
from ..sources.files._csv import DAMAGED
from ..sources.files._duckdb import one_line, path_literal, session
from ..sources.files.formats import PARQUET
from ..sources.readers import column_names
from .limits import MIB, Limits, sized

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["FORMATS", "look", "suffix_of"]

FORMATS = {
    ending: "gzip" if ending.endswith(".gz") else "parquet" if format_ is PARQUET else "text"
    for format_ in formats.FORMATS
    for ending in format_.endings
    if format_.is_uploaded
}
"""Endings of the names of files that can be uploaded, and the kind of their first bytes."""

_MAGIC = {"parquet": b"PAR1", "gzip": b"\x1f\x8b"}
_HELD = {"text": "text", "gzip": "gzip data", "parquet": "a Parquet table"}
_OTHERS = {b"PK\x03\x04": "a workbook or an archive", b"%PDF": "a PDF file"}
_LENGTHS = {"VARCHAR": "strlen", "BLOB": "octet_length"}
_MAX_HEADER = 16 * MIB
_MAX_NAMES = 2_000_000
_CHUNK = MIB


def suffix_of(name: str, head: bytes) -> str:
    """Return the ending under which an upload is stored, if the first bytes agree with its name.

    Parameters
    ----------
    name : str
        Name given by the user.
    head : bytes
        First bytes of the file.

    Raises
    ------
    DataError
        If the file is of another kind.

    Examples
    --------
    >>> suffix_of("../../My Table.CSV", b"a,b"), suffix_of("x.parquet", b"PAR1")
    ('.csv', '.parquet')
    >>> suffix_of("x.csv", b"PK\\x03\\x04...")
    Traceback (most recent call last):
    codelength.errors.DataError: the file is a workbook or an archive; save the table as CSV or Parquet
    """
    # First, because these files are often renamed or exported by mistake, and deserve a message of their own.
    for magic, kind in _OTHERS.items():
        if head.startswith(magic):
            raise DataError(f"the file is {kind}; save the table as CSV or Parquet")
    found = next((kind for kind, magic in _MAGIC.items() if head.startswith(magic)), "text")
    ending = next((ending for ending in FORMATS if name.lower().endswith(ending)), None)
    if ending is None:
        raise DataError(
            f"the name of the file ends in none of {', '.join(FORMATS)}; save it as CSV or Parquet"
        )
    if FORMATS[ending] != found:
        raise DataError(f"the file is named {ending}, but it holds {_HELD[found]}; give it its proper name")
    return ending


def look(path: Path, limits: Limits) -> tuple[list[str], int]:
    """Return the columns of a file, and its number of rows, if it keeps the limits.

    Parameters
    ----------
    path : Path
        File of one of :data:`FORMATS`; others are read for their columns only.
    limits : Limits
        Limits of size.

    Returns
    -------
    names : list of str
        The columns, in order.
    n_rows : int
        Number of rows; an upper bound for text files, whose cells may hold line breaks. Zero if only reading
        the file would tell.

    Raises
    ------
    DataError
        If the table is too large, or the file is damaged.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = Path(directory) / "table.csv"
    ...     _ = path.write_text("size,colour\\n1,red\\n2,blue\\n")
    ...     look(path, Limits())
    (['size', 'colour'], 2)
    """
    n_rows = 0
    if path.name.lower().endswith(".parquet"):
        n_rows = _parquet_rows(path, limits)
    elif path.name.lower().endswith(tuple(FORMATS)):
        n_rows = _text_rows(path, limits)
    # After the checks above: reading the names of a packed file may unpack much of it.
    names = column_names(path)
    _check("columns", len(names), limits.columns)
    if sum(map(len, names)) > _MAX_NAMES:
        raise DataError(f"the column names are longer than {_MAX_NAMES:,} characters; shorten them")
    _check("rows", n_rows, limits.rows)
    _check("cells", n_rows * len(names), limits.cells)
    return names, n_rows


def _parquet_rows(path: Path, limits: Limits) -> int:
    """Return the number of rows in the metadata of a Parquet file; raise if it claims to be too large."""
    import duckdb

    file = path_literal(path)
    with session() as connection:
        try:
            (n_rows,) = _sums(connection, f"sum(num_rows) FROM parquet_file_metadata({file})")
            _check("rows", n_rows, limits.rows)
            size = "total_uncompressed_size"
            asked = f"sum({size}), sum({size}::HUGEINT * row_group_num_rows), count(DISTINCT column_id)"
            n_bytes, most_bytes, n_columns = _sums(connection, f"{asked} FROM parquet_metadata({file})")
            _check_unpacked(n_bytes, limits)
            _check("columns", n_columns, limits.columns)
            # A dictionary-encoded text counts once in the metadata, but takes its full length in every row
            # once it is read. The bound above assumes the worst; only if that is too large are the texts
            # measured.
            if most_bytes > limits.unpacked_bytes:
                _check_unpacked(_text_bytes(connection, file), limits)
        except duckdb.Error as error:
            raise DataError(
                f"{path}: is not a Parquet file, or is damaged ({one_line(error)}); write it again"
            ) from error
    return n_rows


def _text_bytes(connection: "DuckDBPyConnection", file: str) -> int:
    """Return the bytes of the texts of a Parquet file in all rows; a dictionary stores each of them once."""
    described = connection.execute(f"DESCRIBE SELECT * FROM {file}").fetchall()
    lengths = [
        f"sum({_LENGTHS[kind]}(c{i}))" for i, (_, kind, *_) in enumerate(described) if kind in _LENGTHS
    ]
    if not lengths:
        return 0
    # Columns are renamed, so that no name of a file becomes part of the query.
    names = ", ".join(f"c{i}" for i in range(len(described)))
    return sum(_sums(connection, f"{', '.join(lengths)} FROM read_parquet({file}) AS t({names})"))


def _sums(connection: "DuckDBPyConnection", asked: str) -> list[int]:
    """Return the numbers of the one row that a query gives; 0 for a sum over nothing."""
    return [int(number or 0) for number in connection.execute(f"SELECT {asked}").fetchall()[0]]


def _text_rows(path: Path, limits: Limits) -> int:
    """Return the number of lines after the first one of a text file, which may be compressed."""
    n_bytes, n_lines, first, last = 0, 0, 0, b"\n"
    with (gzip.open if path.name.lower().endswith(".gz") else open)(path, "rb") as file:
        try:
            while chunk := file.read(_CHUNK):
                # A first line without an end would be read into memory as a whole by every parser.
                if not n_lines:
                    first += chunk.find(b"\n") if b"\n" in chunk else len(chunk)
                    if first > _MAX_HEADER:
                        raise DataError(
                            f"{path}, line 1: is longer than {sized(_MAX_HEADER)}; the first line must "
                            "hold the column names"
                        )
                n_bytes += len(chunk)
                n_lines += chunk.count(b"\n")
                last = chunk[-1:]
                _check_unpacked(n_bytes, limits)
                # Inside the loop: a packed file can unpack to a thousand times its size.
                _check("rows", n_lines - 1, limits.rows)
        except DAMAGED as error:
            raise DataError(f"{path}: is damaged, or not a gzip file ({error})") from error
    return max(0, n_lines - (last == b"\n"))


def _check(what: str, number: int, most: int) -> None:
    if number > most:
        raise DataError(f"the table has {number:,} {what}, and at most {most:,} are taken here; take fewer")


def _check_unpacked(n_bytes: int, limits: Limits) -> None:
    if n_bytes > limits.unpacked_bytes:
        raise DataError(
            f"the file is larger than {sized(limits.unpacked_bytes)} once it is unpacked, which is not taken "
            "here; take fewer rows or columns"
        )
