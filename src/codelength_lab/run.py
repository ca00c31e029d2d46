"""Run of the tasks of a specification over processes or a cluster; interrupted runs are resumed.

Processes of this machine are those of joblib. They leave signals to the process that started them, and end
with it. ``run`` comes first, then the processes, and a Dask cluster; results are kept by ``store``.
"""

import asyncio
import os
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, NamedTuple

from codelength._threads import n_threads_or_default
from codelength.errors import CodelengthError, DataError, InvalidParameter
from codelength.evaluation.fits import Progress
from codelength.table.checks import check_size

from .experiment import AnyTask, Result, Spec
from .store import Store

MAX_JOBS = 1024
"""Largest number of processes."""

ANSWERS_WITHIN = "10s"
"""Time in which a Dask scheduler has to answer."""

WATCH_SECONDS = 0.5
"""Interval at which a process checks that its parent is still running."""

FOR_THE_PARENT = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals that reach all processes of a terminal; only the parent handles them."""


class Outcome(NamedTuple):
    """Results of all tasks by key, in the order of the specification, and the number of tasks run now."""

    results: dict[str, Result]
    n_run: int


def run(
    spec: Spec[AnyTask],
    directory: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    dask: str | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run the tasks that are not finished yet.

    A script that takes more than one job makes the call under ``if __name__ == "__main__":``, as Python asks
    of every script that starts processes.
    """
    if jobs is not None:
        check_size("jobs", jobs, MAX_JOBS)
    with Store(directory, spec) as store:
        # Long tasks first, so that no process is left with a long one at the end.
        pending = [task for task in spec.tasks if task.key not in store.results]
        pending.sort(key=lambda task: task.work, reverse=True)
        total = sum(task.work for task in spec.tasks)
        done = total - sum(task.work for task in pending)
        for task, result in _finished(pending, n_threads_or_default(jobs), dask):
            store.append(task, result)
            done += task.work
            if progress is not None:
                progress(done, total)
        return Outcome({task.key: store.results[task.key] for task in spec.tasks}, len(pending))


def _finished(tasks: list[AnyTask], jobs: int, dask: str | None) -> Iterator[tuple[AnyTask, Result]]:
    """Yield tasks with their results, in the order in which they finish."""
    jobs = min(jobs, len(tasks))
    # In this process, which saves the start of another one and keeps tracebacks readable.
    if dask is None and jobs <= 1:
        yield from map(_with_result, tasks)
        return
    from joblib import Parallel, delayed

    with _processes(jobs) if dask is None else _cluster(dask):
        # A batch is stored when all of it is finished: with batches of one, an interruption loses the least.
        parallel = Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")
        with _signals_blocked():
            results = parallel(delayed(_with_result)(task) for task in tasks)
        try:
            for result in results:  # noqa: UP028 ("yield from" would close them unheard)
                yield result
        finally:
            with warnings.catch_warnings():
                # The user has interrupted the run and needs no warning about unfinished tasks.
                warnings.filterwarnings("ignore", message=".*tasks which were still being processed")
                results.close()


def _with_result(task: AnyTask) -> tuple[AnyTask, Result]:
    return task, task.run()


@contextmanager
def _processes(n_processes: int) -> Iterator[None]:
    """Run tasks of joblib in processes that end with the block; raise if one ends before it has answered."""
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
def _signals_blocked() -> Iterator[None]:
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


@contextmanager
def _cluster(address: str) -> Iterator[None]:
    """Run joblib on a Dask cluster for the duration of the block."""
    try:
        from distributed import Client
    except ImportError:
        raise InvalidParameter('--dask needs Dask; install it with pip install "codelength[dask]"') from None
    from joblib import parallel_config

    # A client that finds no scheduler leaves the thread of a loop of its own running.
    with (
        _event_loop() as loop,
        _client(Client, address, loop),
        parallel_config(backend="dask", n_jobs=-1),
    ):
        yield


@contextmanager
def _event_loop() -> Iterator[Any]:
    """Run an event loop in a thread for the duration of the block."""
    from tornado.ioloop import IOLoop

    ready: SimpleQueue[tuple[Any, asyncio.Event]] = SimpleQueue()

    async def serve() -> None:
        ended = asyncio.Event()
        ready.put((IOLoop.current(), ended))
        await ended.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    loop, ended = ready.get()
    try:
        yield loop
    finally:
        loop.add_callback(ended.set)
        thread.join()


def _client(kind: Any, address: str, loop: Any) -> Any:
    """Return a client of the scheduler; raise if it does not answer."""
    client = kind.__new__(kind)
    try:
        client.__init__(address, timeout=ANSWERS_WITHIN, loop=loop)
    except (OSError, ValueError) as error:
        client.close()
        raise DataError(
            f"{address}: no Dask scheduler answers ({error}); start one with dask scheduler, and give its "
            "address as tcp://host:port"
        ) from error
    return client
