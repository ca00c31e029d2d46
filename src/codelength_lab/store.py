"""Store of finished tasks: one SQLite database per run, which survives kills and full disks.

SQLite locks the file, undoes incomplete writes and waits for the disk.
"""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from codelength._version import __version__
from codelength.errors import DataError

from .spec import AnyTask, Result, Spec

FILE_NAME = "tasks.sqlite"

TABLES = """
    CREATE TABLE IF NOT EXISTS header (document TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS task (key TEXT PRIMARY KEY, seconds REAL NOT NULL, result TEXT NOT NULL);
"""


class Store:
    """The finished tasks of one specification, in a directory of their own.

    Parameters
    ----------
    directory : path
        Directory of the file; created if it does not exist.
    spec : Spec
        Specification of the tasks. A directory with tasks of another one is rejected.

    Attributes
    ----------
    results : dict of str to result
        Results of finished tasks, by the key of the task.
    seconds : dict of str to float
        Their times.
    """

    def __init__(self, directory: str | os.PathLike[str], spec: Spec[AnyTask]) -> None:
        self.path = Path(directory) / FILE_NAME
        self.results: dict[str, Result] = {}
        self.seconds: dict[str, float] = {}
        with self._explained():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Statements are committed one by one.
            self._database = sqlite3.connect(self.path, isolation_level=None, timeout=0.0)
        try:
            with self._explained():
                self._read(spec)
        except BaseException:
            self.close()
            raise

    def append(self, task: AnyTask, result: Result, seconds: float) -> None:
        """Store the result of a task; it is on disk when this returns."""
        with self._explained():
            row = (task.key, seconds, json.dumps(result, separators=(",", ":")))
            self._database.execute("INSERT INTO task VALUES (?, ?, ?)", row)
        self.results[task.key] = result
        self.seconds[task.key] = seconds

    def close(self) -> None:
        """Close the file, which releases its lock."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self, spec: Spec[AnyTask]) -> None:
        """Lock the file and read finished tasks, or write the header of a new file."""
        # Held until the connection is closed; the system frees it when the process is killed.
        self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._database.executescript(f"BEGIN EXCLUSIVE; {TABLES} COMMIT;")
        # Results of another version may differ, so that the version is part of the header.
        header = {"codelength": __version__} | spec.to_json()
        found = self._database.execute("SELECT document FROM header").fetchone()
        if found is None:
            self._database.execute("INSERT INTO header VALUES (?)", (json.dumps(header),))
            return
        self._check(json.loads(found[0]), header)
        for key, seconds, result in self._database.execute("SELECT key, seconds, result FROM task"):
            self.results[key] = json.loads(result)
            self.seconds[key] = seconds

    def _check(self, found: dict[str, Any], header: dict[str, Any]) -> None:
        """Raise if the file belongs to another specification."""
        if found == header:
            return
        other = [name for name in header if found.get(name) != header[name]]
        raise DataError(
            f"{self.path.parent}: holds the results of another run ({_contrast(found, header, other)}); "
            "choose another directory, or delete this one"
        )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Raise errors of the disk and of SQLite as errors of the library that name the file."""
        try:
            yield
        except OSError as error:
            raise self._unwritable(error.strerror) from error
        except sqlite3.Error as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                where = self.path.parent
                raise DataError(
                    f"{where}: another run is writing here; wait for it, or choose another directory"
                ) from None
            if error.sqlite_errorcode in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                raise DataError(f"{self.path}: is damaged; delete the file to start afresh") from error
            raise self._unwritable(str(error)) from error

    def _unwritable(self, reason: str | None) -> DataError:
        return DataError(
            f"{self.path}: cannot be written: {reason}; finished tasks are kept: repeat the command to resume"
        )


def _contrast(found: dict[str, Any], header: dict[str, Any], names: list[str]) -> str:
    """Describe the first difference between two headers."""
    name = names[0]
    if name == "settings" and isinstance(found.get(name), dict):
        differing = [key for key in header[name] if found[name].get(key) != header[name][key]]
        if differing:
            key = differing[0]
            return f"{key} is {found[name].get(key)!r} there and {header[name][key]!r} here"
    if name == "tasks_sha256":
        return "with other tasks"
    return f"{name} is {found.get(name)!r} there and {header[name]!r} here"
