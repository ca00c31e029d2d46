"""The standard streams, made safe: open, able to take any text, and named in errors."""

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


class Named(io.FileIO):
    """A stream whose errors say which it is."""

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
    """Make the standard streams fit for use.

    A stream that was closed when the process started becomes one that refuses to be read or written. What the
    encoding of a stream lacks (a terminal in ASCII, halves of surrogate pairs) is written as an escape.
    """
    # In this order, so that each takes the number of the stream it stands for.
    if sys.stdin is None:
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
    """Write what is still to be written, so that a full disk or a closed pipe is noticed in time."""
    sys.stdout.flush()
    sys.stderr.flush()


def discard() -> None:
    """Lose what could not be written, so that the interpreter does not try again when it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def is_closed_pipe(error: OSError) -> bool:
    """Whether the reader of our output has gone."""
    return isinstance(error, BrokenPipeError) or error.errno == errno.EPIPE


def _writer(number: int, encoding: str) -> io.TextIOWrapper:
    raw = Named(number, "w", "standard output")
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding, line_buffering=raw.isatty())
