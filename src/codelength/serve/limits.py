"""Limits of a server and of its worker processes."""

import os
from dataclasses import dataclass

from ..errors import CodelengthError

__all__ = ["GIB", "MIB", "Limits", "Refused", "ReadLimits", "sized"]

MIB, GIB = 1 << 20, 1 << 30

# Limits of address space, which must be generous: libraries reserve more than they use.
_LOOK_MEMORY, _LEAST_MEMORY = 2 * GIB, 4 * GIB


class Refused(CodelengthError):
    """Refusal of a request.

    Parameters
    ----------
    status : int
        HTTP status of the response.
    message : str
        Problem and remedy, shown to the user.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def _memory() -> int:
    """Return three quarters of the memory of this machine; the need of one report if that is unknown."""
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return _LEAST_MEMORY
    return 3 * physical // 4


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Limits of a process that reads one file.

    Attributes
    ----------
    unpacked_bytes : int
        Unpacked size of a file.
    rows, columns, cells : int
        Size of the table.
    memory_bytes : int
        Address space of the process.
    look_seconds, work_seconds : int
        Processor time for a look at the file, and for a report.
    file_bytes : int
        Size of each file that the process writes.
    """

    unpacked_bytes: int = 2 * GIB
    rows: int = 10_000_000
    columns: int = 20_000
    cells: int = 200_000_000
    memory_bytes: int = _LEAST_MEMORY
    look_seconds: int = 120
    work_seconds: int = 3600
    file_bytes: int = GIB


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a server.

    Attributes
    ----------
    upload_bytes : int
        Size of one file.
    looking, working : int
        Looks at files, and reports, that run at a time.
    stall_seconds : float
        Longest pause of an upload, and longest delay behind its minimum speed.
    bytes_per_second : float
        Minimum speed of an upload.
    look_memory_bytes : int
        Address space of a process that looks at a file.
    read : ReadLimits
        Limits of a process that reads one file.
    """

    upload_bytes: int = 200 * MIB
    looking: int = 2
    working: int = 1
    stall_seconds: float = 30.0
    bytes_per_second: float = 64 * 1024
    look_memory_bytes: int = _LOOK_MEMORY
    read: ReadLimits = ReadLimits()

    @classmethod
    def of_this_machine(cls, upload_bytes: int) -> "Limits":
        """Return the usual limits, with memory for uploads of a size.

        All processes together may use three quarters of the memory. As many looks at files and reports run at
        a time as fit into it, but always one of each.

        Parameters
        ----------
        upload_bytes : int
            Largest upload.

        Examples
        --------
        >>> limits = Limits.of_this_machine(10 * MIB)
        >>> limits.upload_bytes, limits.read.unpacked_bytes // GIB
        (10485760, 2)
        """
        memory = _memory()
        looking = 2 if memory >= 2 * _LOOK_MEMORY + _LEAST_MEMORY else 1
        memory = max(_LEAST_MEMORY, memory - looking * _LOOK_MEMORY)
        # A report itself uses several threads, so that more processes than half the processors would only
        # compete.
        working = max(1, min((os.cpu_count() or 1) // 2, memory // _LEAST_MEMORY))
        # Text files often shrink to a quarter when they are packed.
        unpacked_bytes = max(2 * GIB, 4 * upload_bytes)
        return cls(
            upload_bytes=upload_bytes,
            looking=looking,
            working=working,
            read=ReadLimits(unpacked_bytes=unpacked_bytes, memory_bytes=memory // working),
        )


def sized(n_bytes: float) -> str:
    """Return a number of bytes with a unit.

    Examples
    --------
    >>> sized(3), sized(1536), sized(200 * MIB), sized(2.5 * GIB)
    ('3 bytes', '1.5 kB', '200 MB', '2.5 GB')
    """
    if n_bytes < 1024:
        return f"{n_bytes:.0f} bytes"
    for unit in ("kB", "MB", "GB"):
        n_bytes /= 1024
        if n_bytes < 1024 or unit == "GB":
            break
    text = f"{n_bytes:.1f}".removesuffix(".0")
    return f"{text} {unit}"
