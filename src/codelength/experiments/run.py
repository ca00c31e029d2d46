"""Cells of a specification over processes or a cluster, resumed where an earlier run stopped."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .._threads import n_threads_or_default
from ..errors import DataError, InvalidParameter
from .spec import AnyCell, Result, Spec
from .store import Store

Progress = Callable[[float, float], None]
"""Told after every cell: work done and work there is, in the same unit."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Results of all cells, and what they took.

    Attributes
    ----------
    results : dict of str to result
        By the key of the cell, in the order of the specification.
    n_run : int
        Cells that were run now; the others were found finished.
    n_items : int
        What was computed in all cells, in the unit of the paper: predictions for most.
    seconds : float
        Time that the cells took, added up, those of earlier runs included.
    """

    results: dict[str, Result]
    n_run: int
    n_items: int
    seconds: float


def run(
    spec: Spec[AnyCell],
    directory: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    dask: str | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run the cells that are not finished yet.

    Parameters
    ----------
    spec : Spec
        What to run.
    directory : path
        Where finished cells are kept. A run that was stopped goes on from there.
    jobs : int, optional
        Processes; by default one for each processor. The results do not depend on it.
    dask : str, optional
        Address of a Dask scheduler to run the cells on, such as ``"tcp://host:8786"``.
    progress : function, optional
        Called after every cell.
    """
    with Store(directory, spec) as store:
        pending = [cell for cell in spec.cells if cell.key not in store.results]
        total = sum(cell.work for cell in spec.cells)
        done = total - sum(cell.work for cell in pending)
        # Long cells first, so that no worker is left with one at the end.
        pending.sort(key=lambda cell: cell.work, reverse=True)
        for cell, result, seconds in _finished(pending, n_threads_or_default(jobs), dask):
            store.append(cell, result, seconds)
            done += cell.work
            if progress is not None:
                progress(done, total)
        results = {cell.key: store.results[cell.key] for cell in spec.cells}
        n_items = sum(cell.n_items for cell in spec.cells)
        return Outcome(results, len(pending), n_items, sum(store.seconds[key] for key in results))


def _finished(cells: list[AnyCell], jobs: int, dask: str | None) -> Iterator[tuple[AnyCell, Result, float]]:
    if not cells:
        return
    if dask is None and (jobs == 1 or len(cells) == 1):
        yield from map(_timed, cells)
        return
    from joblib import Parallel, delayed

    with _cluster(dask):
        # A batch is stored when all of it is finished, so batches of one lose the least.
        parallel = Parallel(
            n_jobs=-1 if dask else jobs,
            return_as="generator_unordered",
            batch_size=1,
            pre_dispatch="2*n_jobs",
        )
        yield from parallel(delayed(_timed)(cell) for cell in cells)


def _timed(cell: AnyCell) -> tuple[AnyCell, Result, float]:
    start = time.perf_counter()
    result = cell.run()
    return cell, result, time.perf_counter() - start


@contextmanager
def _cluster(address: str | None) -> Iterator[None]:
    """joblib on a Dask cluster for the time of the block; joblib as it is where there is no address."""
    if address is None:
        yield
        return
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
