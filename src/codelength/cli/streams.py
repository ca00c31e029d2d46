"""Standard streams made safe: always open, able to write any text, and named in errors."""

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


class Named(io.FileIO):
    """Stream whose errors name it.

    Parameters
    ----------
    number : int
        File descriptor, which stays open.
    mode : str
        ``"r"`` or ``"w"``.
    called : str
        Name in errors, such as ``"standard output"``.
    """

    def __init__(self, number: int, mode: str, called: str) -> None:
        super().__init__(number, mode, closefd=False)
        self._called = called

    def readinto(self, buffer: Any, /) -> int:
        """Read some bytes."""
        with self._naming():
            return super().readinto(buffer)

    def write(self, content: Any, /) -> int:
        """Write some bytes."""
        with self._naming():
            return super().write(content)

    @contextmanager
    def _naming(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            error.filename = self._called
            raise


def prepare() -> None:
    """Make the standard streams safe.

    A stream that was closed when the process started is replaced by one that raises on reading or writing.
    Characters that the encoding of a stream lacks (a terminal in ASCII, lone surrogates) are written as
    escapes.
    """
    # In this order, because the system gives the lowest free descriptor: 0, then 1, then 2.
    if sys.stdin is None:
        # Opened the wrong way round on purpose, so that reading raises instead of returning an empty table.
        number = os.open(os.devnull, os.O_WRONLY)
        sys.stdin = io.TextIOWrapper(io.BufferedReader(Named(number, "r", "standard input")))
    if sys.stdout is None:
        sys.stdout = _writer(os.open(os.devnull, os.O_RDONLY), "utf-8")
    elif sys.__stdout__ is not None and sys.stdout is sys.__stdout__:
        sys.stdout.flush()
        sys.stdout = _writer(sys.stdout.fileno(), sys.stdout.encoding)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def flush() -> None:
    """Write all buffered output, so that a full disk or a closed pipe raises here."""
    sys.stdout.flush()
    sys.stderr.flush()


def discard() -> None:
    """Drop output that could not be written, so that the interpreter does not try again at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                # The buffer cannot be emptied, but its destination can be replaced.
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def is_closed_pipe(error: OSError) -> bool:
    """Return whether an error means that the reader of our output has ended."""
    return isinstance(error, BrokenPipeError) or error.errno == errno.EPIPE


def _writer(number: int, encoding: str) -> io.TextIOWrapper:
    raw = Named(number, "w", "standard output")
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding, line_buffering=raw.isatty())
