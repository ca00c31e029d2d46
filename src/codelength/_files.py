"""Atomic writes that never overwrite an input file."""

import errno
import hashlib
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import DataError, InvalidParameter

__all__ = ["atomic_write", "check_not_input", "sha256_of"]

# Errors of a full or failing disk, whoever was writing. Other errors raised inside the block keep their text.
_DISK_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}

_TEMPORARY = re.compile(r"\..+\.codelength-[0-9a-f]{8}\.tmp(\.[^.]*)?")
_STALE_SECONDS = 3600
_MAX_NAME = 255


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path next to ``path`` that replaces it if the block ends without an error.

    The temporary file ends in the same suffix. If the block raises, it is removed and the file at ``path``
    stays as it was. A file that is replaced keeps its permissions, and a symbolic link is followed. If the
    file has other names (hard links), these keep the former content: writing through them could leave half a
    file. Temporary files that a killed process left in the directory more than an hour ago are removed.

    Parameters
    ----------
    path
        The file to write.

    Yields
    ------
    Path
        Path of the temporary file.

    Raises
    ------
    DataError
        When the directory does not exist or cannot be written, the file is read-only, or the disk is full.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "greeting.txt"
    >>> with atomic_write(target) as temporary:
    ...     _ = temporary.write_text("hello")
    ...     target.exists()
    False
    >>> target.read_text()
    'hello'
    """
    try:
        # Resolved first, so that the file behind a symbolic link is replaced and not the link.
        target = Path(os.path.realpath(path))
        before = _checked(target, str(path))
        _remove_stale(target.parent)
        temporary = _created(target, before)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}") from error
    try:
        try:
            yield temporary
            _take_place(temporary, target, before)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        if error.errno in _DISK_ERRORS or str(error.filename) == str(temporary):
            raise DataError(f"{path}: cannot be written: {error.strerror}") from error
        raise


def check_not_input(output: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Raise if an output is one of the input files, by whatever path or link.

    Parameters
    ----------
    output : path
        File to be written; ``"-"`` is standard output.
    inputs : iterable of paths
        Files that are read; ``"-"`` is standard input.

    Raises
    ------
    InvalidParameter
        If writing the output would destroy an input.

    Examples
    --------
    >>> check_not_input("table.csv", ["./table.csv"])
    Traceback (most recent call last):
    codelength.errors.InvalidParameter: table.csv: would write over ./table.csv; name another file
    """
    if os.fspath(output) == "-":
        return
    for source in inputs:
        if _is_same(output, source):
            shown = "standard input" if os.fspath(source) == "-" else os.fspath(source)
            raise InvalidParameter(f"{os.fspath(output)}: would write over {shown}; name another file")


def sha256_of(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 digest of a file as 64 hexadecimal digits.

    Examples
    --------
    >>> import os
    >>> sha256_of(os.devnull)[:16]
    'e3b0c44298fc1c14'
    """
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_same(output: str | os.PathLike[str], source: str | os.PathLike[str]) -> bool:
    """Return whether two paths, or standard input, are the same file."""
    try:
        if os.fspath(source) == "-":
            return sys.stdin is not None and os.path.samestat(os.stat(output), os.fstat(sys.stdin.fileno()))
        return os.path.samefile(output, source)
    except (OSError, ValueError):
        # One of them does not exist yet, or standard input is not a file.
        return os.fspath(source) != "-" and os.path.realpath(output) == os.path.realpath(source)


def _checked(target: Path, shown: str) -> os.stat_result | None:
    """Return the status of the file to be replaced, None for a new file; raise if it cannot be replaced."""
    try:
        before = target.lstat()
    # A missing directory is named here; os.open would name the temporary file instead.
    except FileNotFoundError:
        if not target.parent.is_dir():
            raise DataError(
                f"{shown}: the directory {target.parent} does not exist; create it first"
            ) from None
        return None
    if stat.S_ISDIR(before.st_mode):
        raise DataError(f"{shown}: is a directory; name a file in it")
    if stat.S_ISLNK(before.st_mode):
        raise DataError(f"{shown}: is a link that leads back to itself; name another file")
    if not stat.S_ISREG(before.st_mode):
        raise DataError(f"{shown}: is not a regular file; name one")
    # The superuser may write to any file, but one without a single such permission is meant to stay.
    if not before.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise DataError(f"{shown}: is read-only; change its permissions, or name another file")
    return before


def _remove_stale(directory: Path) -> None:
    """Remove temporary files that killed processes left behind."""
    oldest = time.time() - _STALE_SECONDS
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if _TEMPORARY.fullmatch(entry.name) and entry.stat(follow_symlinks=False).st_mtime < oldest:
                with suppress(OSError):
                    os.unlink(entry.path)


def _created(target: Path, before: os.stat_result | None) -> Path:
    """Create an empty temporary file next to the target, with its suffix and as much of its name as fits."""
    # Some writers choose the format by the suffix of the file they are given.
    suffix = target.suffix if len(os.fsencode(target.suffix)) <= 16 else ""
    ending = f".codelength-{secrets.token_hex(4)}.tmp{suffix}"
    name = target.name
    # File systems limit names in bytes, not in characters; only the temporary name is cut.
    while len(os.fsencode(name)) > _MAX_NAME - 1 - len(os.fsencode(ending)):
        name = name[:-1]
    temporary = target.with_name(f".{name}{ending}")
    # Opened by number rather than with tempfile, so that a new file gets the permissions of any new file.
    # The content of a private file is private from the start.
    mode = 0o666 if before is None else 0o600
    number = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
    try:
        os.close(number)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _take_place(temporary: Path, target: Path, before: os.stat_result | None) -> None:
    """Move a temporary file to its target, with the owner and the permissions of the file it replaces."""
    # Without this, a power failure shortly after the rename can leave an empty file under the final name.
    with open(temporary, "rb+") as file:
        os.fsync(file.fileno())
    if before is not None:
        with suppress(PermissionError, AttributeError):  # not on every system
            os.chown(temporary, before.st_uid, before.st_gid)
        # After chown, which clears the bits of set-user-id.
        os.chmod(temporary, stat.S_IMODE(before.st_mode))
    os.replace(temporary, target)
