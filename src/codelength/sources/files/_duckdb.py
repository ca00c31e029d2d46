"""Sessions of DuckDB without output and downloads, literals of SQL, and errors about memory and disks.

All code that needs a DuckDB of its own opens it here. :func:`without_room` and :func:`without_memory` serve
readers of every format: they recognise in an error of another library that a disk is full or memory ran out,
and return the error to raise instead, or None.
"""

import contextlib
import glob
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._scratch import PREFIX, Scratch
from ...errors import DataError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_NO_MEMORY = re.compile("failed to allocate|allocation failure|bad alloc|out of memory", re.IGNORECASE)
_NO_ROOM = re.compile("write|create|offload|no space|too large", re.IGNORECASE)

MEMORY = "512MB"
"""Memory that DuckDB may use for a query or a file; the rest goes to disk."""


@contextmanager
def connected(*, on_disk: bool = False, memory: str | None = None) -> Iterator["DuckDBPyConnection"]:
    """Open a DuckDB that prints nothing and downloads nothing; its files are removed at the end.

    Parameters
    ----------
    on_disk : bool
        True to keep tables in a temporary file, for data that may not fit into memory.
    memory : str, optional
        Largest amount of memory that it may use, such as ``"500MB"``.
    """
    import duckdb

    with Scratch() as directory:
        config: dict[str, Any] = {
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": os.path.join(utf8_path(directory), "spill"),
            **({} if memory is None else {"memory_limit": memory}),
        }
        database = os.path.join(directory, "table.duckdb") if on_disk else ":memory:"
        with duckdb.connect(database, config=config) as connection:
            connection.execute("SET enable_progress_bar = false")
            yield connection


@contextmanager
def session(*, on_disk: bool = False, memory: str | None = None) -> Iterator["DuckDBPyConnection"]:
    """Open a DuckDB as :func:`connected` does, in UTC and for wide tables; raise if a disk is full."""
    import duckdb

    try:
        with connected(on_disk=on_disk, memory=memory) as connection:
            # Looking for equal expressions takes time with the square of their number: minutes for a table
            # of thousands of columns, none of which has any in common with another.
            connection.execute("SET disabled_optimizers = 'common_subexpressions'")
            with contextlib.suppress(duckdb.Error):  # a build without time zones has none to set
                connection.execute("SET TimeZone = 'UTC'")
            yield connection
    except (duckdb.Error, DataError) as error:
        if lacking := without_room(error):
            raise lacking from error
        raise


def without_room(error: BaseException) -> DataError | None:
    """Return a readable error if DuckDB has no room on disk for its own files; None for other errors.

    Examples
    --------
    >>> import duckdb
    >>> full = duckdb.IOException('Could not write file "/tmp/codelength-1/table.duckdb": File too large')
    >>> print(without_room(full))
    /tmp: has no room for temporary files (File too large); set TMPDIR to a directory with more room
    >>> without_room(duckdb.IOException('Could not read file "sales.csv"')) is None
    True
    """
    import duckdb

    # DuckDB has no class of its own for a full disk: the message must name one of the session's own files.
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, duckdb.Error):
        cause = cause.__cause__
    own = re.search(rf'"([^"]*)[\\/]{PREFIX}[^"\\/]*[\\/](?:table\.duckdb|spill)[^"]*"(.*)', str(cause))
    if cause is None or own is None or not _NO_ROOM.search(str(cause)):
        return None
    reason = own[2].strip(" :.\n") or "it cannot be written"
    return DataError(
        f"{own[1]}: has no room for temporary files ({reason}); set TMPDIR to a directory with more room"
    )


def without_memory(error: BaseException, shown: str) -> DataError | None:
    """Return a readable error if memory ran out; None for other errors.

    Examples
    --------
    >>> print(without_memory(MemoryError("realloc of size 600 failed"), "sales.csv"))
    sales.csv: not enough memory (realloc of size 600 failed); read fewer columns, or shorten long cells
    """
    # numpy loses the MemoryError of an array that cannot grow.
    causes = (error, error.__cause__, error.__context__)
    if not any(isinstance(each, MemoryError) for each in causes) and not _NO_MEMORY.search(str(error)):
        return None
    return DataError(
        f"{shown}: not enough memory ({one_line(error)}); read fewer columns, or shorten long cells"
    )


def quoted(text: str) -> str:
    """Return ``text`` as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def path_literal(path: Path) -> str:
    """Return a path as an SQL literal in which ``*``, ``?`` and ``[`` stand for themselves."""
    return quoted(glob.escape(utf8_path(path)))


def utf8_path(path: str | os.PathLike[str]) -> str:
    """Return the absolute path of a file; raise if it is not UTF-8, which DuckDB requires."""
    text = str(Path(path).absolute())
    try:
        text.encode()
    except UnicodeEncodeError:
        escaped = text.encode(errors="backslashreplace").decode()
        raise DataError(
            f"{escaped}: the path is not UTF-8; rename the file, or the folder that is not"
        ) from None
    return text


def one_line(error: BaseException) -> str:
    """Return the first line of DuckDB's message, without the class of the error."""
    first = (str(error).splitlines() or [type(error).__name__])[0]
    return first.split("Error: ", 1)[-1].strip()
