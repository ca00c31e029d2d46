"""Formats of files, one object per format, for readers, writers, commands and uploads; and standard input.

The ending of a name decides the format, not the bytes of the file; standard input has no name, so its first
bytes do. Pipes and devices are refused, because readers need more than one pass; standard input is copied.

Order of reading: :class:`Format` and :data:`FORMATS`, :func:`format_of`, :func:`as_file`.
"""

import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ..._scratch import Scratch
from ...errors import DataError
from ...table._messages import shortened
from ...table.checks import check_path
from . import OpenFile
from ._csv import CsvFile
from ._json import open_json
from ._parquet import ParquetFile

Source: TypeAlias = str | os.PathLike[str]
"""Path of a file, or ``"-"`` for standard input."""

_SPOOL = "codelength-standard-input"

Opener: TypeAlias = Callable[[Sequence[Path], Sequence[str], ExitStack], Sequence[OpenFile]]
"""Function of the paths of some files, their names in messages, and a stack that closes what is opened.

It gets all files of a table at once, because a format without headers needs them all to know its columns. It
returns one :class:`~codelength.sources.files.OpenFile` per path, in the same order.
"""


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files.

    Attributes
    ----------
    name : str
        Its name in this library.
    endings : tuple of str
        Endings of the names of files that are read in this format.
    written : tuple of str
        Endings of the names of files that are written in this format.
    has_types : bool
        True if the file has types for its columns. If not, cells are text, and some texts mean missing.
    is_uploaded : bool
        True if the local page accepts such files.
    open : callable, optional
        Function that opens files; None for a format that is read into memory as a whole.
    """

    name: str
    endings: tuple[str, ...]
    written: tuple[str, ...] = ()
    has_types: bool = True
    is_uploaded: bool = False
    open: Opener | None = None

    @property
    def markers(self) -> tuple[str, ...]:
        """Texts that mean missing by default, in addition to an empty cell."""
        return () if self.has_types else USUAL_NA


USUAL_NA = ("NA", "?")
"""Texts that mean missing in files without types."""


def _each(opened: Callable[[Path, str], OpenFile]) -> Opener:
    """Return the opener of a format whose files are opened one by one."""
    return lambda paths, shown, _: [opened(path, name) for path, name in zip(paths, shown, strict=True)]


CSV = Format(
    "csv",
    (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz"),
    written=(".csv", ".csv.gz", ".tsv"),
    has_types=False,
    is_uploaded=True,
    open=_each(CsvFile),
)
PARQUET = Format("parquet", (".parquet",), written=(".parquet",), is_uploaded=True, open=_each(ParquetFile))
ARFF = Format("arff", (".arff",), has_types=False)
JSON = Format("json", (".json", ".jsonl", ".ndjson"), open=open_json)

FORMATS = (CSV, PARQUET, ARFF, JSON)
"""All formats, in the order in which messages list them."""

SUFFIXES = tuple(ending for format_ in FORMATS for ending in format_.endings)
"""Endings of the names of files that can be read."""

WRITTEN = tuple(ending for format_ in FORMATS for ending in format_.written)
"""Endings of the names of files that can be written."""


def format_named(path: str | os.PathLike[str]) -> Format | None:
    """Return the format of a file by the ending of its name; None for an unknown ending.

    Examples
    --------
    >>> format_named("Shirts.CSV.gz").name
    'csv'
    """
    name = Path(path).name.lower()
    return next((format_ for format_ in FORMATS if name.endswith(format_.endings)), None)


def format_of(path: Path, shown: str) -> Format:
    """Return the format of a file; raise if there is no such file, or it cannot be read.

    Parameters
    ----------
    path : Path
        The file.
    shown : str
        Its name in messages.

    Returns
    -------
    Format
        The format by the ending of its name.

    Raises
    ------
    DataError
        If the path is absent, a directory, a pipe or a device, cannot be read, or has an unknown ending.
    """
    if os.path.isdir(path):
        raise DataError(f"{shown}: is a directory; name a file in it")
    if not os.path.exists(path):  # also if the name is too long for one
        raise DataError(f"{shortened(shown)}: no such file; check the path")
    if not os.path.isfile(path):
        raise DataError(
            f"{shown}: is a pipe or a device, which cannot be read twice; write it to a file, or name - and "
            "pass it to standard input"
        )
    format_ = format_named(path)
    if format_ is None:
        raise DataError(
            f"{shown}: {path.suffix or 'a file without extension'} is not known; use one of "
            f"{', '.join(SUFFIXES)}"
        )
    if not os.access(path, os.R_OK):
        raise DataError(f"{shown}: may not be read; change its permissions")
    return format_


@contextmanager
def as_file(source: Source) -> Iterator[Path]:
    """Open a source as a file.

    Parameters
    ----------
    source : str or path
        The file, or ``"-"`` for standard input.

    Yields
    ------
    Path
        The file; for standard input a temporary copy, which can be read more than once.

    Examples
    --------
    >>> with as_file("shirts.csv") as path:
    ...     path.name
    'shirts.csv'
    """
    path = check_path("source", source)
    if os.fspath(source) != "-":
        yield path
        return
    _check_standard_input()
    with Scratch() as directory:
        spool = Path(directory) / _SPOOL
        with open(spool, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        # Readers choose the format by the ending of the name, and standard input has none.
        with open(spool, "rb") as file:
            magic = file.read(4)
        suffix = ".parquet" if magic == b"PAR1" else ".csv.gz" if magic[:2] == b"\x1f\x8b" else ".csv"
        yield spool.rename(spool.with_suffix(suffix))


def _check_standard_input() -> None:
    """Raise if standard input is a device without an end; a terminal and the null device have one."""
    try:
        given, null = os.fstat(sys.stdin.fileno()), os.stat(os.devnull)
    except (OSError, ValueError):  # standard input is not a file
        return
    if stat.S_ISCHR(given.st_mode) and given.st_rdev != null.st_rdev and not sys.stdin.isatty():
        raise DataError("standard input: is a device, not a table; redirect a file or a pipe to it")


def name_of(source: Source) -> str:
    """Return the name of a source in messages; the copy of standard input has the same name."""
    given = os.fspath(source)
    return "standard input" if given == "-" or Path(given).name.startswith(_SPOOL) else given
