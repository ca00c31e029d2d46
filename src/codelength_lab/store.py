"""Store of finished tasks: one SQLite database per run, which survives kills and full disks.

SQLite locks the file, undoes incomplete writes and waits for the disk.
"""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from codelength._version import __version__
from codelength.errors import DataError

from .experiment import AnyTask, Result, Spec

FILE_NAME = "tasks.sqlite"

TABLES = """
    CREATE TABLE IF NOT EXISTS header (document TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS task (key TEXT PRIMARY KEY, result TEXT NOT NULL);
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
    """

    def __init__(self, directory: str | os.PathLike[str], spec: Spec[AnyTask]) -> None:
        self.path = Path(directory) / FILE_NAME
        self.results: dict[str, Result] = {}
        with self._explained():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Statements are committed one by one.
            self._database = sqlite3.connect(self.path, isolation_level=None, timeout=0.0)
        try:
            with self._explained():
                self._read(spec)
        except BaseException:
            self._database.close()
            raise

    def append(self, task: AnyTask, result: Result) -> None:
        """Store the result of a task; it is on disk when this returns."""
        with self._explained():
            row = (task.key, json.dumps(result, separators=(",", ":")))
            self._database.execute("INSERT INTO task VALUES (?, ?)", row)
        self.results[task.key] = result

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        # This releases the lock.
        self._database.close()

    def _read(self, spec: Spec[AnyTask]) -> None:
        """Lock the file and read finished tasks, or write the header of a new file."""
        # Held until the connection is closed; the system frees it when the process is killed.
        self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._database.executescript(f"BEGIN EXCLUSIVE; {TABLES} COMMIT;")
        # Results of another version may differ, so that the version is part of the header.
        header = {"codelength": __version__} | spec.to_json()
        row = self._database.execute("SELECT document FROM header").fetchone()
        if row is None:
            self._database.execute("INSERT INTO header VALUES (?)", (json.dumps(header),))
        elif (found := json.loads(row[0])) != header:
            name = next((name for name in header if found.get(name) != header[name]), "tasks_sha256")
            contrast = f"{name} is {found.get(name)!r} there and {header.get(name)!r} here"
            raise DataError(
                f"{self.path.parent}: holds the results of another run "
                f"({'with other tasks' if name == 'tasks_sha256' else contrast}); "
                "choose another directory, or delete this one"
            )
        rows = self._database.execute("SELECT key, result FROM task")
        self.results.update((key, json.loads(result)) for key, result in rows)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Raise errors of the disk and of SQLite as errors of the library that name the file."""
        reason: str | None
        try:
            yield
            return
        except OSError as error:
            reason = error.strerror
        except sqlite3.Error as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise DataError(
                    f"{self.path.parent}: another run is writing here; wait for it, or choose another "
                    "directory"
                ) from None
            if error.sqlite_errorcode in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                raise DataError(f"{self.path}: is damaged; delete the file to start afresh") from error
            reason = str(error)
        raise DataError(
            f"{self.path}: cannot be written: {reason}; finished tasks are kept: repeat the command to resume"
        )
