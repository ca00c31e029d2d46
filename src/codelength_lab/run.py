"""Run of the tasks of a specification over processes or a cluster; interrupted runs are resumed."""

import asyncio
import os
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import Any

from codelength._threads import n_threads_or_default
from codelength.errors import DataError, InvalidParameter
from codelength.evaluation.progress import Progress
from codelength.table.checks import check_size

from .spec import AnyTask, Result, Spec
from .store import Store
from .workers import processes, signals_blocked

MAX_JOBS = 1024
"""Largest number of processes."""

ANSWERS_WITHIN = "10s"
"""Time in which a Dask scheduler has to answer."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Results of all tasks, and their times.

    Attributes
    ----------
    results : dict of str to result
        Results by the key of the task, in the order of the specification.
    n_run : int
        Tasks that were run now; the others were finished before.
    n_items : int
        Items computed in all tasks, in the unit of the paper: predictions for most.
    seconds : float
        Sum of the times of the tasks, those of earlier runs included.
    """

    results: dict[str, Result]
    n_run: int
    n_items: int
    seconds: float


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
        pending = [task for task in spec.tasks if task.key not in store.results]
        total = sum(task.work for task in spec.tasks)
        done = total - sum(task.work for task in pending)
        # Long tasks first, so that no process is left with a long one at the end.
        pending.sort(key=lambda task: task.work, reverse=True)
        for task, result, seconds in _finished(pending, n_threads_or_default(jobs), dask):
            store.append(task, result, seconds)
            done += task.work
            if progress is not None:
                progress(done, total)
        results = {task.key: store.results[task.key] for task in spec.tasks}
        n_items = sum(task.n_items for task in spec.tasks)
        return Outcome(results, len(pending), n_items, sum(store.seconds[key] for key in results))


def _finished(tasks: list[AnyTask], jobs: int, dask: str | None) -> Iterator[tuple[AnyTask, Result, float]]:
    """Yield tasks with their results and times, in the order in which they finish."""
    jobs = min(jobs, len(tasks))
    # In this process, which saves the start of another one and keeps tracebacks readable.
    if dask is None and jobs <= 1:
        yield from map(_timed, tasks)
        return
    from joblib import Parallel, delayed

    with processes(jobs) if dask is None else _cluster(dask):
        # A batch is stored when all of it is finished: with batches of one, an interruption loses the least.
        parallel = Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")
        with signals_blocked():
            results = parallel(delayed(_timed)(task) for task in tasks)
        try:
            for result in results:  # noqa: UP028 ("yield from" would close them unheard)
                yield result
        finally:
            with warnings.catch_warnings():
                # The user has interrupted the run and needs no warning about unfinished tasks.
                warnings.filterwarnings("ignore", message=".*tasks which were still being processed")
                results.close()


def _timed(task: AnyTask) -> tuple[AnyTask, Result, float]:
    """Run a task, and return it with its result and time."""
    start = time.perf_counter()
    result = task.run()
    return task, result, time.perf_counter() - start


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

    thread = Thread(target=asyncio.run, args=(serve(),), daemon=True)
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
