"""Writing files so that a reader never meets half of one."""

import errno
import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import DataError

__all__ = ["atomic_write", "sha256_of"]

# What a full or failing disk says, whoever was writing. Other errors inside the block are not ours to reword.
_DISK_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside ``path`` that takes its place once the block has ended well.

    The temporary file ends in the same suffix. When the block raises, it is removed and what stood at
    ``path`` before stays as it was.

    Parameters
    ----------
    path
        The file to write. A symbolic link is followed.

    Yields
    ------
    Path
        Where to write.

    Raises
    ------
    DataError
        When the directory does not exist or cannot be written, or the disk is full.

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
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{secrets.token_hex(6)}.{target.name}")
    try:
        _create(target, temporary)
        try:
            yield temporary
            _move(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        if error.errno in _DISK_ERRORS or str(error.filename) == str(temporary):
            raise DataError(f"{path}: cannot be written: {error.strerror}") from error
        raise


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


def _create(target: Path, temporary: Path) -> None:
    if target.is_dir():
        raise DataError(f"{target}: is a directory; name a file in it")
    if target.exists() and not target.is_file():
        raise DataError(f"{target}: is not a regular file; name a file, or '-' for standard output")
    if not target.parent.is_dir():
        raise DataError(f"{target}: the directory {target.parent} does not exist; create it first")
    # Opened by number rather than with tempfile, so that the file gets the permissions of any new file.
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))


def _move(temporary: Path, target: Path) -> None:
    with open(temporary, "rb+") as file:
        os.fsync(file.fileno())
    os.replace(temporary, target)
