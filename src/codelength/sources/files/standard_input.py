"""Standard input as a file that can be read more than once, and names of sources in messages."""

import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from ..._scratch import Scratch
from ...errors import DataError
from ...table.checks import check_path

Source: TypeAlias = str | os.PathLike[str]

_SPOOL = "codelength-standard-input"


@contextmanager
def as_file(source: Source) -> Iterator[Path]:
    """Give the path of a source; for ``"-"`` a temporary copy of standard input, to be read more than once.

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
        with open(spool, "rb") as file:
            magic = file.read(4)
        suffix = ".parquet" if magic == b"PAR1" else ".csv.gz" if magic[:2] == b"\x1f\x8b" else ".csv"
        yield spool.rename(spool.with_suffix(suffix))


def _check_standard_input() -> None:
    """Refuse a device without an end; a terminal and the null device have one."""
    try:
        given, null = os.fstat(sys.stdin.fileno()), os.stat(os.devnull)
    except (OSError, ValueError):  # standard input is no file
        return
    if stat.S_ISCHR(given.st_mode) and given.st_rdev != null.st_rdev and not sys.stdin.isatty():
        raise DataError("standard input: is a device, not a table; redirect a file or a pipe to it")


def name_of(source: Source) -> str:
    """Return what messages call a source; the copy of standard input goes by that name too."""
    given = os.fspath(source)
    return "standard input" if given == "-" or Path(given).name.startswith(_SPOOL) else given
