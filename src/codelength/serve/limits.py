"""Limits of a server and of its worker processes.

Limits of three kinds protect the machine: those of an upload are checked while it arrives, those of a table
before it is read, and those of a process by the operating system, which holds for whatever the others
overlook.
"""

import os
from dataclasses import dataclass

from ..errors import CodelengthError

__all__ = ["GIB", "MIB", "Limits", "Refused", "sized"]

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


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a server, and of each process that reads a file for it.

    Attributes
    ----------
    upload_bytes, unpacked_bytes : int
        Size of one file, as it is sent and unpacked.
    stall_seconds : float
        Longest pause of an upload, and longest delay behind its minimum speed.
    bytes_per_second : float
        Minimum speed of an upload.
    looking, working : int
        Looks at files, and reports, that run at a time.
    look_bytes, work_bytes : int
        Address space of a process that looks at a file, and of one that makes a report.
    look_seconds, work_seconds : int
        Processor time of these processes.
    rows, columns, cells : int
        Size of a table.
    file_bytes : int
        Size of each file that a process writes.
    """

    upload_bytes: int = 200 * MIB
    unpacked_bytes: int = 2 * GIB
    stall_seconds: float = 30.0
    bytes_per_second: float = 64 * 1024
    looking: int = 2
    working: int = 1
    look_bytes: int = _LOOK_MEMORY
    work_bytes: int = _LEAST_MEMORY
    look_seconds: int = 120
    work_seconds: int = 3600
    rows: int = 10_000_000
    columns: int = 20_000
    cells: int = 200_000_000
    file_bytes: int = GIB

    @classmethod
    def of_this_machine(cls, upload_bytes: int) -> "Limits":
        """Return the usual limits for uploads of a size, with the memory of this machine.

        All processes together may use three quarters of the memory. As many looks at files and reports run at
        a time as fit into it, but always one of each.

        Examples
        --------
        >>> limits = Limits.of_this_machine(10 * MIB)
        >>> limits.upload_bytes, limits.unpacked_bytes // GIB
        (10485760, 2)
        """
        memory = _memory()
        looking = 2 if memory >= 2 * _LOOK_MEMORY + _LEAST_MEMORY else 1
        memory = max(_LEAST_MEMORY, memory - looking * _LOOK_MEMORY)
        # A report itself uses several threads, so that more processes than half the processors would only
        # compete.
        working = max(1, min((os.cpu_count() or 1) // 2, memory // _LEAST_MEMORY))
        return cls(
            upload_bytes=upload_bytes,
            # Text files often shrink to a quarter when they are packed.
            unpacked_bytes=max(2 * GIB, 4 * upload_bytes),
            looking=looking,
            working=working,
            work_bytes=memory // working,
        )


def _memory() -> int:
    """Return three quarters of the memory of this machine; the need of one report if that is unknown."""
    try:
        return 3 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
    except (AttributeError, OSError, ValueError):
        return _LEAST_MEMORY


def sized(n_bytes: float) -> str:
    """Return a number of bytes with a unit.

    Examples
    --------
    >>> sized(3), sized(1536), sized(200 * MIB), sized(2.5 * GIB)
    ('3 bytes', '1.5 kB', '200 MB', '2.5 GB')
    """
    unit = next((unit for unit in (GIB, MIB, 1024) if n_bytes >= unit), 1)
    name = {GIB: "GB", MIB: "MB", 1024: "kB", 1: "bytes"}[unit]
    return f"{n_bytes / unit:.1f}".removesuffix(".0") + f" {name}"
