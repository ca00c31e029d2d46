"""How much one server takes from its users."""

import os
from dataclasses import dataclass

from ..errors import CodelengthError

__all__ = ["GIB", "MIB", "Limits", "Refused", "ReadLimits", "sized"]

MIB, GIB = 1 << 20, 1 << 30

# Address space: libraries reserve more than they use.
_LOOK_MEMORY, _LEAST_MEMORY = 2 * GIB, 4 * GIB


class Refused(CodelengthError):
    """A request that the server does not fulfil.

    Parameters
    ----------
    status : int
        The status of the answer in HTTP.
    message : str
        What is wrong and what to do about it, for people.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def _memory() -> int:
    """Three quarters of the memory of this machine; what one report needs if that is not known."""
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return _LEAST_MEMORY
    return 3 * physical // 4


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What a process may take from one file.

    Attributes
    ----------
    unpacked_bytes : int
        Size of a file once it is unpacked.
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
    """What a server allows.

    Attributes
    ----------
    upload_bytes : int
        Size of one file.
    disk_bytes : int
        Size of everything that all users keep here.
    receiving, looking, working, waiting : int
        Uploads, looks at files and reports at a time, and how many of the latter two may wait in line.
    sessions, tables, reports : int
        Users, and what each of them may keep.
    under_way : int
        Reports of one user that are worked on or wait, so that others have their turn.
    idle_seconds : float
        How long a session lasts without a request.
    stall_seconds : float
        How long an upload may pause, and how far it may fall behind its least speed.
    bytes_per_second : float
        Least speed of an upload.
    look_memory_bytes : int
        Address space of a process that looks at a file.
    read : ReadLimits
        What a process may take from one file.
    """

    upload_bytes: int = 200 * MIB
    disk_bytes: int = 4 * GIB
    receiving: int = 4
    looking: int = 2
    working: int = 1
    waiting: int = 8
    sessions: int = 16
    tables: int = 20
    reports: int = 50
    under_way: int = 4
    idle_seconds: float = 8 * 3600.0
    stall_seconds: float = 30.0
    bytes_per_second: float = 64 * 1024
    look_memory_bytes: int = _LOOK_MEMORY
    read: ReadLimits = ReadLimits()

    @classmethod
    def of_this_machine(cls, upload_bytes: int) -> "Limits":
        """The usual limits, with room on disk and in memory for uploads of a size.

        All processes together may take three quarters of the memory: at a time there are as many looks at
        files and reports as can have the least that they need, but always one of each.

        Examples
        --------
        >>> limits = Limits.of_this_machine(10 * MIB)
        >>> limits.upload_bytes, limits.disk_bytes // GIB
        (10485760, 4)
        """
        memory = _memory()
        looking = 2 if memory >= 2 * _LOOK_MEMORY + _LEAST_MEMORY else 1
        memory = max(_LEAST_MEMORY, memory - looking * _LOOK_MEMORY)
        working = max(1, min((os.cpu_count() or 1) // 2, memory // _LEAST_MEMORY))
        unpacked_bytes = max(2 * GIB, 4 * upload_bytes)
        return cls(
            upload_bytes=upload_bytes,
            disk_bytes=max(4 * GIB, 8 * upload_bytes),
            looking=looking,
            working=working,
            read=ReadLimits(unpacked_bytes=unpacked_bytes, memory_bytes=memory // working),
        )


def sized(n_bytes: float) -> str:
    """A number of bytes for people.

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
