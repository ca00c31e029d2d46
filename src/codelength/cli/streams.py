"""The standard streams, made safe: open, and able to take any text."""

import errno
import io
import os
import sys
from contextlib import suppress


def prepare() -> None:
    """Make the standard streams fit for use.

    A stream that was closed when the process started becomes one that refuses to be read or written. What the
    encoding of a stream lacks (a terminal in ASCII, halves of surrogate pairs) is written as an escape.
    """
    # In this order, so that each takes the number of the stream it stands for.
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.FileIO(os.open(os.devnull, os.O_WRONLY), "r"))
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.FileIO(os.open(os.devnull, os.O_RDONLY), "w"))
    if sys.stderr is None:
        sys.stderr = io.TextIOWrapper(io.FileIO(os.devnull, "w"))
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
