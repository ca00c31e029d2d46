"""Message on the terminal while kernels are compiled.

The first call of a kernel after an installation compiles it, which takes seconds. Users would take that for
the time of every run, or for a command that hangs. Only the events of numba show that it compiles.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
from numba.core import event

events: Any = event

SECONDS = 1.0
MESSAGE = "compiling kernels, once per installation ..."


@contextmanager
def announced() -> Iterator[None]:
    """Print a message, once, if the compilations inside the block take more than a second in all."""
    listener = Announcement()
    events.register("numba:compile", listener)
    try:
        yield
    finally:
        events.unregister("numba:compile", listener)
        listener.timer.cancel()


class Announcement(events.Listener):
    """Listener to the compilations of numba, which can be nested."""

    is_made = False

    def __init__(self) -> None:
        self._depth, self._start, self._left = 0, 0.0, SECONDS
        self.timer = threading.Timer(0, self._make)

    def on_start(self, event: Any) -> None:
        """Start the timer if a compilation begins; only the outermost is timed."""
        self._depth += 1
        if self._depth == 1:
            self._start = time.monotonic()
            # Time of earlier compilations counts: many short ones are as long a wait as one long one.
            self.timer = threading.Timer(max(self._left, 0.0), self._make)
            self.timer.daemon = True
            self.timer.start()

    def on_end(self, event: Any) -> None:
        """Stop the timer if the outermost compilation has ended."""
        self._depth -= 1
        if self._depth == 0:
            self._left -= time.monotonic() - self._start
            self.timer.cancel()

    def _make(self) -> None:
        # A flag of the class, because a command may compile in several blocks.
        if not Announcement.is_made:
            Announcement.is_made = True
            click.echo(MESSAGE, err=True)
