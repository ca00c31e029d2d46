"""A look at an uploaded file before it is read: how large is it once it is unpacked?

A few bytes can claim to be a thousand million rows. What the head of a file says is checked first, then what
unpacking it piece by piece shows; a process that is misled by both still meets the limits that the system
keeps, see :mod:`codelength.serve.worker`.
"""

import gzip
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import DataError
from ..sources.files import formats
from ..sources.files._csv import DAMAGED
from ..sources.files._duckdb import one_line, path_literal, session
from ..sources.files.formats import PARQUET
from ..sources.files.readers import column_names
from .limits import MIB, ReadLimits, sized

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["FORMATS", "Look", "look", "suffix_of"]

FORMATS = {
    ending: "gzip" if ending.endswith(".gz") else "parquet" if format_ is PARQUET else "text"
    for format_ in formats.FORMATS
    for ending in format_.endings
    if format_.is_uploaded
}
"""Endings of the names of files that can be uploaded, and how their bytes begin."""

_MAGIC = {"parquet": b"PAR1", "gzip": b"\x1f\x8b"}
_OTHERS = {b"PK\x03\x04": "a workbook or an archive", b"%PDF": "a PDF file"}
_LENGTHS = {"VARCHAR": "strlen", "BLOB": "octet_length"}
_LONGEST_HEADER = 16 * MIB
_LONGEST_NAMES = 2_000_000
_CHUNK = MIB


@dataclass(frozen=True, slots=True)
class Look:
    """What a file says about its table.

    Attributes
    ----------
    names : sequence of str
        The columns, in order.
    n_rows : int
        How many rows there are; for a text file at most so many, because a cell may hold line breaks. Zero
        where only reading the file would tell.
    """

    names: Sequence[str]
    n_rows: int


def suffix_of(name: str, head: bytes) -> str:
    """The ending under which an upload is kept: one of ours, if the first bytes agree with its name.

    Raises
    ------
    DataError
        When the file is of another kind.

    Examples
    --------
    >>> suffix_of("../../My Table.CSV", b"a,b"), suffix_of("x.parquet", b"PAR1")
    ('.csv', '.parquet')
    >>> suffix_of("x.csv", b"PK\\x03\\x04...")
    Traceback (most recent call last):
    codelength.errors.DataError: the file is a workbook or an archive; save the table as CSV or Parquet
    """
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


_HELD = {"text": "text", "gzip": "gzip data", "parquet": "a Parquet table"}


def look(path: Path, limits: ReadLimits) -> Look:
    """The columns of a file and how many rows it has, if it keeps the limits.

    Raises
    ------
    DataError
        When the table is too large, or the file is damaged.
    """
    n_rows = 0
    if path.name.lower().endswith(".parquet"):
        n_rows = _parquet_rows(path, limits)
    elif path.name.lower().endswith(tuple(FORMATS)):
        n_rows = _text_rows(path, limits)
    names = column_names(path)
    _check("columns", len(names), limits.columns)
    if sum(map(len, names)) > _LONGEST_NAMES:
        raise DataError(f"the column names are longer than {_LONGEST_NAMES:,} characters; shorten them")
    _check("rows", n_rows, limits.rows)
    _check("cells", n_rows * len(names), limits.cells)
    return Look(names, n_rows)


def _parquet_rows(path: Path, limits: ReadLimits) -> int:
    """How many rows a Parquet file claims to have; refused where it claims to be large."""
    import duckdb

    file = path_literal(path)
    with session() as connection:
        try:
            sizes = connection.execute(f"SELECT sum(num_rows) FROM parquet_file_metadata({file})").fetchall()
            n_rows = int(sizes[0][0] or 0)
            _check("rows", n_rows, limits.rows)
            size = "total_uncompressed_size"
            asked = f"sum({size}), sum({size}::HUGEINT * row_group_num_rows), count(DISTINCT column_id)"
            metadata = connection.execute(f"SELECT {asked} FROM parquet_metadata({file})").fetchall()
            n_bytes, most_bytes, n_columns = (int(number or 0) for number in metadata[0])
            _check_unpacked(n_bytes, limits)
            _check("columns", n_columns, limits.columns)
            if most_bytes > limits.unpacked_bytes:
                _check_unpacked(_text_bytes(connection, file), limits)
        except duckdb.Error as error:
            raise DataError(
                f"{path}: is not a Parquet file, or is damaged ({one_line(error)}); write it again"
            ) from error
    return n_rows


def _text_bytes(connection: "DuckDBPyConnection", file: str) -> int:
    """How many bytes the texts of a Parquet file have, row by row: a dictionary holds each of them once."""
    described = connection.execute(f"DESCRIBE SELECT * FROM {file}").fetchall()
    lengths = [
        f"sum({_LENGTHS[kind]}(c{i}))" for i, (_, kind, *_) in enumerate(described) if kind in _LENGTHS
    ]
    if not lengths:
        return 0
    names = ", ".join(f"c{i}" for i in range(len(described)))
    asked = f"SELECT {', '.join(lengths)} FROM read_parquet({file}) AS t({names})"
    return sum(int(n_bytes or 0) for n_bytes in connection.execute(asked).fetchall()[0])


def _text_rows(path: Path, limits: ReadLimits) -> int:
    """How many lines follow the first one of a text file, which may be packed."""
    n_bytes, n_lines, first, last = 0, 0, 0, b"\n"
    with _opened(path) as file:
        try:
            while chunk := file.read(_CHUNK):
                if not n_lines:
                    first += chunk.find(b"\n") if b"\n" in chunk else len(chunk)
                    if first > _LONGEST_HEADER:
                        raise DataError(
                            f"{path}, line 1: is longer than {sized(_LONGEST_HEADER)}; the first line must "
                            "hold the column names"
                        )
                n_bytes += len(chunk)
                n_lines += chunk.count(b"\n")
                last = chunk[-1:]
                _check_unpacked(n_bytes, limits)
                _check("rows", n_lines - 1, limits.rows)
        except DAMAGED as error:
            raise DataError(f"{path}: is damaged, or not a gzip file ({error})") from error
    return max(0, n_lines - (last == b"\n"))


def _opened(path: Path) -> gzip.GzipFile | io.BufferedReader:
    return gzip.open(path, "rb") if path.name.lower().endswith(".gz") else open(path, "rb")


def _check(what: str, number: int, most: int) -> None:
    if number > most:
        raise DataError(f"the table has {number:,} {what}, and at most {most:,} are taken here; take fewer")


def _check_unpacked(n_bytes: int, limits: ReadLimits) -> None:
    if n_bytes > limits.unpacked_bytes:
        raise DataError(
            f"the file is larger than {sized(limits.unpacked_bytes)} once it is unpacked, which is not taken "
            "here; take fewer rows or columns"
        )
