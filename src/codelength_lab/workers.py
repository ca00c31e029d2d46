"""Processes of this machine that run tasks: those of joblib, which end with the process that started them."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from codelength._threads import n_threads_or_default
from codelength.errors import CodelengthError

WATCH_SECONDS = 0.5
"""Interval at which a process checks that its parent is still running."""

FOR_THE_PARENT = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals that reach all processes of a terminal; only the parent handles them."""


@contextmanager
def processes(n_processes: int) -> Iterator[None]:
    """Run tasks of joblib in processes that end with the block.

    Raises
    ------
    CodelengthError
        If a process ends before it has answered.
    """
    from joblib import parallel_config
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    begin_with = (os.getpid(), max(1, n_threads_or_default(None) // n_processes))
    try:
        with parallel_config("loky", n_jobs=n_processes, initializer=_begin, initargs=begin_with):
            yield
    except TerminatedWorkerError:
        raise CodelengthError(
            "a process of this run was ended from outside, as systems do when memory runs out; "
            "take fewer jobs and repeat the command to resume"
        ) from None
    finally:
        get_reusable_executor(reuse=True).shutdown(kill_workers=True)


@contextmanager
def signals_blocked() -> Iterator[None]:
    """Start processes that leave signals to their parent: they inherit the mask of their starter.

    A signal that arrives meanwhile is delivered at the end of the block.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [getattr(signal, name) for name in FOR_THE_PARENT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _begin(parent: int, n_threads: int) -> None:
    """Prepare a new process for tasks."""
    # joblib limits the threads of other libraries.
    os.environ.setdefault("CODELENGTH_THREADS", str(n_threads))
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End the process when its parent has ended."""
    # The system gives an orphan another parent.
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os._exit(1)
