"""Standard streams made safe: always open, able to write any text, and named in errors.

A process may start without standard streams, write to a pipe whose reader has ended, or print names that the
terminal cannot encode. Each of these would otherwise end in a traceback, or in an exit code of 0 without any
output. :func:`prepare` runs first, :func:`flush` when a command has ended, :func:`discard` in every case.
"""

import errno
import io
import os
import sys
from contextlib import suppress
from typing import Any


class _Output(io.FileIO):
    """Standard output, whose errors name it."""

    def write(self, content: Any, /) -> int:
        """Write some bytes."""
        try:
            return super().write(content)
        except OSError as error:
            error.filename = "standard output"
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
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(number, "r", closefd=False)))
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
    raw = _Output(number, "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding, line_buffering=raw.isatty())
