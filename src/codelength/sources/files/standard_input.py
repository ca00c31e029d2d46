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
"""Path of a file, or ``"-"`` for standard input."""

_SPOOL = "codelength-standard-input"


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
