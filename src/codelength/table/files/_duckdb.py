"""DuckDB kept quiet and offline."""

import contextlib
import glob
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["one_line", "path_literal", "quoted", "session"]


@contextmanager
def session(*, on_disk: bool = False, memory: str | None = None) -> Iterator["DuckDBPyConnection"]:
    """Open a DuckDB that prints nothing and downloads nothing; its files are removed at the end.

    ``memory`` is the most that it may use, such as ``"500MB"``.
    """
    import duckdb

    with tempfile.TemporaryDirectory(prefix="codelength-", ignore_cleanup_errors=True) as directory:
        config: dict[str, str | bool | int | float | list[str]] = {
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": os.path.join(directory, "spill"),
        }
        database = os.path.join(directory, "table.duckdb") if on_disk else ":memory:"
        connection = duckdb.connect(database, config=config)
        try:
            connection.execute("SET enable_progress_bar = false")
            if memory is not None:
                connection.execute(f"SET memory_limit = {quoted(memory)}")
            # Looking for equal expressions takes time with the square of their number: minutes for a table
            # of thousands of columns, none of which has any in common with another.
            connection.execute("SET disabled_optimizers = 'common_subexpressions'")
            with contextlib.suppress(duckdb.Error):  # a build without time zones has none to set
                connection.execute("SET TimeZone = 'UTC'")
            yield connection
        finally:
            connection.close()


def quoted(text: str) -> str:
    """Return ``text`` as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def path_literal(path: Path) -> str:
    """Return a path as an SQL literal in which ``*``, ``?`` and ``[`` stand for themselves."""
    return quoted(glob.escape(str(path.absolute())))


def one_line(error: Exception) -> str:
    """Return the first line of what DuckDB says, without the class of the error."""
    first = (str(error).splitlines() or [type(error).__name__])[0]
    return first.split("Error: ", 1)[-1].strip()
