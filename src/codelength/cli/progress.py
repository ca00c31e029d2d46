"""Progress bars on a terminal for work that takes longer than two seconds; nothing elsewhere.

Bars are written to standard error, so that results can be piped.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress

DELAY_SECONDS = 2.0

Report = Callable[[float, float], None]
"""Function called with the work done and the work in all."""


@contextmanager
def working(what: str) -> Iterator[Report]:
    """Show a progress bar while the block runs, after two seconds and on a terminal only.

    Parameters
    ----------
    what : str
        Description of the work, in a few words.

    Yields
    ------
    function
        Call it with the work done and the work in all to show a share and the time left.
    """
    if not _on_terminal():
        yield lambda done, total: None
        return
    from ._compiling import announced

    with ExitStack() as stack:
        bar = _bar()
        task = bar.add_task(what, total=None)
        # Stopped in every case, or the cursor would stay hidden after an error.
        stack.callback(_Delayed(bar).stop)
        stack.enter_context(announced())
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def counting(what: str) -> Iterator[Callable[[int], None]]:
    """Show the number of rows read, and rows per second, for work of unknown size.

    Parameters
    ----------
    what : str
        Description of the work, in a few words.

    Yields
    ------
    function
        Call it with the number of rows read since the last call.
    """
    if not _on_terminal():
        yield lambda n_rows: None
        return
    from ._compiling import announced

    with ExitStack() as stack:
        bar = _bar()
        task = bar.add_task(what, total=None)
        stack.callback(_Delayed(bar).stop)
        stack.enter_context(announced())
        start, n_read = time.perf_counter(), 0

        def told(n_rows: int) -> None:
            nonlocal n_read
            n_read += n_rows
            rate = n_read / max(time.perf_counter() - start, 1e-9)
            bar.update(task, description=f"{what}: {n_read:,} rows, {rate:,.0f} per second")

        yield told


class _Delayed:
    """A bar that appears after a delay, unless it was stopped before."""

    def __init__(self, bar: "Progress") -> None:
        self._bar = bar
        self._lock = threading.Lock()
        self._is_over = False
        # The timer runs in a thread of its own; the lock keeps it from showing a bar that was just stopped.
        self._timer = threading.Timer(DELAY_SECONDS, self._start)
        self._timer.daemon = True
        self._timer.start()

    def _start(self) -> None:
        with self._lock:
            if not self._is_over:
                self._bar.start()

    def stop(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._is_over = True
            self._bar.stop()


def _on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _bar() -> "Progress":
    """Return a progress bar on standard error that disappears when it ends."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    # A spinner of ASCII characters, which every terminal can show.
    columns: list[Any] = [
        SpinnerColumn("line"),
        TextColumn("{task.description}", markup=False),
        BarColumn(24),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    ]
    return Progress(*columns, console=Console(stderr=True), transient=True)
