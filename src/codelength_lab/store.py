"""Store of finished tasks: one line of JSON each, appended and synced one by one.

The first line identifies the specification of the tasks. Whenever the program is killed, every line before
the last is complete; an incomplete last line is removed when the file is opened again. Every line has a
checksum, so that a result that was edited is not mistaken for a computed one.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from codelength._version import __version__
from codelength.errors import DataError

from .spec import AnyTask, Result, Spec

FILE_NAME = "tasks.jsonl"


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
        # Results of another version may differ, so that the version is part of the header.
        header = {"codelength": __version__} | spec.to_json()
        with _told(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Unbuffered, so that a line reaches the system at once; in append mode, which never overwrites
            # earlier lines.
            self._file = open(self.path, "ab+", buffering=0)  # noqa: SIM115 (closed by close)
        try:
            with _told(self.path):
                _lock(self._file, self.path)
                self._read(header)
        except BaseException:
            self.close()
            raise

    def append(self, task: AnyTask, result: Result, seconds: float) -> None:
        """Store the result of a task; it is on disk when this returns.

        Parameters
        ----------
        task : task
            Finished task.
        result : dict
            Its result, of JSON types.
        seconds : float
            Its time.
        """
        line = {"key": task.key, "seconds": round(seconds, 3), "result": result}
        self._write({**line, "checksum": _checksum(line)})
        self.results[task.key] = result
        self.seconds[task.key] = seconds

    def close(self) -> None:
        """Close the file, which releases its lock."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self, header: dict[str, Any]) -> None:
        """Read finished tasks, or write the header of a new file."""
        self._file.seek(0)
        content = self._file.read()
        whole = content[: content.rfind(b"\n") + 1]
        # A line without an end was being written when the process was killed.
        if len(whole) < len(content):
            self._file.truncate(len(whole))
        lines = whole.split(b"\n")[:-1]
        if not lines:
            self._write(header)
            return
        found = _parsed(lines[0])
        if found is None:
            raise DataError(f"{self.path}, line 1: is damaged; delete the file to start afresh")
        self._check(found, header)
        for number, line in enumerate(lines[1:], 2):
            document = _parsed(line)
            if document is None or not _is_intact(document):
                raise DataError(
                    f"{self.path}, line {number}: is damaged, or was changed after it was written; "
                    "delete the line, and the task is run again"
                )
            self.results[document["key"]] = document["result"]
            self.seconds[document["key"]] = document["seconds"]

    def _check(self, found: dict[str, Any], header: dict[str, Any]) -> None:
        """Raise if the file belongs to another specification."""
        if found == header:
            return
        other = [name for name in header if found.get(name) != header[name]]
        raise DataError(
            f"{self.path.parent}: holds the results of another run ({_contrast(found, header, other)}); "
            "choose another directory, or delete this one"
        )

    def _write(self, document: dict[str, Any]) -> None:
        """Append one line and wait until it is on disk."""
        line = json.dumps(document, separators=(",", ":")).encode() + b"\n"
        with _told(self.path):
            written = 0
            # Unbuffered writes may be partial.
            while written < len(line):
                written += self._file.write(line[written:])
            os.fsync(self._file.fileno())


def _parsed(line: bytes) -> dict[str, Any] | None:
    """Return the document of a line; None if it is damaged."""
    with suppress(ValueError, RecursionError):
        document = json.loads(line)
        if isinstance(document, dict):
            return document
    return None


def _is_intact(line: dict[str, Any]) -> bool:
    """Return whether a line was written by a finished task and not changed since."""
    checksum = line.pop("checksum", None)
    key, seconds, result = (line.get(name) for name in ("key", "seconds", "result"))
    is_timed = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    return isinstance(key, str) and is_timed and isinstance(result, dict) and checksum == _checksum(line)


def _checksum(line: dict[str, Any]) -> str:
    """Return a short digest of a line in canonical form."""
    canonical = json.dumps(line, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


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


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Raise errors of the disk as errors of the library that name the file."""
    try:
        yield
    except OSError as error:
        raise DataError(
            f"{path}: cannot be written: {error.strerror}; finished tasks are kept: repeat "
            "the command to resume"
        ) from error


def _lock(file: Any, path: Path) -> None:
    """Raise if another run writes to the same directory; the system frees the lock when the process ends."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise DataError(
            f"{path.parent}: another run is writing here; wait for it, or choose another directory"
        ) from None
