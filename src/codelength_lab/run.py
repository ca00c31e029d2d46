"""Tasks of a specification over processes or a cluster; an interrupted run is resumed."""

import os
import time
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from codelength._threads import n_threads_or_default
from codelength.errors import DataError, InvalidParameter
from codelength.evaluation.progress import Progress
from codelength.table.checks import check_size

from .spec import AnyTask, Result, Spec
from .store import Store
from .workers import spread

MOST_JOBS = 1024
"""Processes at most."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Results of all tasks, and what they took.

    Attributes
    ----------
    results : dict of str to result
        By the key of the task, in the order of the specification.
    n_tasks, n_run : int
        Tasks in all, and those that were run now; the others were found finished.
    n_items : int
        What was computed in all tasks, in the unit of the paper: predictions for most.
    seconds : float
        Time that the tasks took, added up, those of earlier runs included.
    """

    results: dict[str, Result]
    n_tasks: int
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

    Parameters
    ----------
    spec : Spec
        What to run.
    directory : path
        Where finished tasks are kept, from which an interrupted run is resumed.
    jobs : int, optional
        Processes; by default one per processor. The results do not depend on it.
    dask : str, optional
        Address of a Dask scheduler to run the tasks on, such as ``"tcp://host:8786"``.
    progress : function, optional
        Called after every task.
    """
    if jobs is not None:
        check_size("jobs", jobs, MOST_JOBS)
    with Store(directory, spec) as store:
        pending = [task for task in spec.tasks if task.key not in store.results]
        total = sum(task.work for task in spec.tasks)
        done = total - sum(task.work for task in pending)
        # Long tasks first, so that no worker is left with one at the end.
        pending.sort(key=lambda task: task.work, reverse=True)
        for task, result, seconds in _finished(pending, n_threads_or_default(jobs), dask):
            store.append(task, result, seconds)
            done += task.work
            if progress is not None:
                progress(done, total)
        results = {task.key: store.results[task.key] for task in spec.tasks}
        n_items = sum(task.n_items for task in spec.tasks)
        return Outcome(
            results, len(results), len(pending), n_items, sum(store.seconds[key] for key in results)
        )


def _finished(tasks: list[AnyTask], jobs: int, dask: str | None) -> Iterator[tuple[AnyTask, Result, float]]:
    if not tasks:
        return
    if dask is None and (jobs == 1 or len(tasks) == 1):
        yield from map(_timed, tasks)
        return
    if dask is None:
        with closing(spread(_timed, tasks, min(jobs, len(tasks)))) as results:
            yield from results
        return
    from joblib import Parallel, delayed

    with _cluster(dask):
        # A batch is stored when all of it is finished, so batches of one lose the least.
        parallel = Parallel(n_jobs=-1, return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")
        results = parallel(delayed(_timed)(task) for task in tasks)
        try:
            for result in results:  # noqa: UP028 ("yield from" would close them unheard)
                yield result
        finally:
            with warnings.catch_warnings():
                # Who ends a run knows that tasks are under way.
                warnings.filterwarnings("ignore", message=".*tasks which were still being processed")
                results.close()


def _timed(task: AnyTask) -> tuple[AnyTask, Result, float]:
    start = time.perf_counter()
    result = task.run()
    return task, result, time.perf_counter() - start


@contextmanager
def _cluster(address: str) -> Iterator[None]:
    """joblib on a Dask cluster for the time of the block."""
    try:
        from distributed import Client
    except ImportError:
        raise InvalidParameter('--dask needs Dask; install it with pip install "codelength[dask]"') from None
    from joblib import parallel_config

    client = _client(Client, address)
    try:
        with parallel_config(backend="dask"):
            yield
    finally:
        client.close()


def _client(kind: Any, address: str) -> Any:
    try:
        return kind(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise DataError(
            f"{address}: no Dask scheduler answers ({error}); start one with dask scheduler, and give its "
            "address as tcp://host:port"
        ) from error
