"""Private temporary directories; those of killed processes are removed by later ones."""

import os
import shutil
import tempfile
import time
import weakref
from contextlib import suppress
from functools import cache
from pathlib import Path

__all__ = ["PREFIX", "Scratch", "remove_abandoned"]

PREFIX = "codelength-"
"""Prefix of the names of these directories."""

_LOCK = ".codelength-lock"
_NEW_SECONDS = 60


class Scratch(tempfile.TemporaryDirectory[str]):
    """A directory that only this user can enter, removed when it is closed.

    A file in it is locked for as long as the process runs. A directory whose lock is free was left behind by
    a killed process; the first directory that a process makes removes all of them.

    Examples
    --------
    >>> with Scratch() as directory:
    ...     os.path.isdir(directory)
    True
    >>> os.path.exists(directory)
    False
    """

    def __init__(self) -> None:
        _remove_abandoned_once(tempfile.gettempdir())
        super().__init__(prefix=PREFIX, ignore_cleanup_errors=True)
        number = os.open(os.path.join(self.name, _LOCK), os.O_CREAT | os.O_WRONLY, 0o600)
        # The lock lives as long as the descriptor is open, so that the system frees it even if the process is
        # killed.
        self._unlock = weakref.finalize(self, os.close, number)
        _locked(number)

    def cleanup(self) -> None:
        """Remove the directory."""
        self._unlock()
        super().cleanup()


def remove_abandoned(place: str) -> None:
    """Remove the directories of killed processes.

    Parameters
    ----------
    place : str
        Directory that holds them, usually that of the system for temporary files.
    """
    for directory in Path(place).glob(f"{PREFIX}*"):
        with suppress(OSError):
            status = directory.lstat()
            # On a shared machine the directories of other users match the pattern too.
            is_own = not hasattr(os, "getuid") or status.st_uid == os.getuid()
            # One that was made just now may not be locked yet.
            if is_own and time.time() - status.st_mtime > _NEW_SECONDS and _is_free(directory / _LOCK):
                shutil.rmtree(directory, ignore_errors=True)


# Cached by directory: once per process is enough, and a look at a large /tmp takes time.
_remove_abandoned_once = cache(remove_abandoned)


def _is_free(lock: Path) -> bool:
    with open(lock, "r+b") as file:
        return _locked(file.fileno())


def _locked(number: int) -> bool:
    """Lock a file for as long as it is open; return False if it is taken, or the system has no locks."""
    try:
        import fcntl
    except ImportError:  # Windows
        return False
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
