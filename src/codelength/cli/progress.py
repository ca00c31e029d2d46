"""Progress bars on a terminal for work that takes longer than two seconds; nothing elsewhere.

Bars are written to standard error, so that results can be piped.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

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
    with _bar(what) as update:
        yield lambda done, total: update(completed=done, total=total)


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
    with _bar(what) as update:
        start, n_read = time.perf_counter(), 0

        def count(n_rows: int) -> None:
            nonlocal n_read
            n_read += n_rows
            rate = n_read / max(time.perf_counter() - start, 1e-9)
            update(description=f"{what}: {n_read:,} rows, {rate:,.0f} per second")

        yield count


@contextmanager
def _bar(what: str) -> Iterator[Callable[..., None]]:
    """Show a bar that disappears when the block ends, and yield the function that changes it."""
    if not _on_terminal():
        yield lambda **_: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from ._compiling import announced

    bar = Progress(
        # A spinner of ASCII characters, which every terminal can show.
        SpinnerColumn("line"),
        TextColumn("{task.description}", markup=False),
        BarColumn(24),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(what, total=None)
    timer = threading.Timer(DELAY_SECONDS, bar.start)
    timer.daemon = True
    timer.start()
    try:
        with announced():
            yield partial(bar.update, task)
    finally:
        timer.cancel()
        # A timer that has fired may still be showing the bar.
        timer.join()
        # Stopped in every case, or the cursor would stay hidden after an error.
        bar.stop()


def _on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
