"""Cells of a specification over processes or a cluster, resumed where an earlier run stopped."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .. import datasets
from .._threads import n_threads_or_default
from ..errors import DataError, InvalidParameter
from .protocols import Result, run_cell
from .spec import TRAIN_SHARE, Cell, Spec
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
    n_predictions : int
        Class distributions that were predicted and scored, in all cells.
    seconds : float
        Time that the cells took, added up, those of earlier runs included.
    """

    results: dict[str, Result]
    n_run: int
    n_predictions: int
    seconds: float


def run(
    spec: Spec,
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
        total = sum(_work(cell) for cell in spec.cells)
        done = total - sum(_work(cell) for cell in pending)
        # Long cells first, so that no worker is left with one at the end.
        pending.sort(key=_work, reverse=True)
        for cell, result, seconds in _finished(pending, n_threads_or_default(jobs), dask):
            store.append(cell, result, seconds)
            done += _work(cell)
            if progress is not None:
                progress(done, total)
        results = {cell.key: store.results[cell.key] for cell in spec.cells}
        n_predictions = sum(_n_predictions(cell) for cell in spec.cells)
        return Outcome(results, len(pending), n_predictions, sum(store.seconds[key] for key in results))


def _finished(cells: list[Cell], jobs: int, dask: str | None) -> Iterator[tuple[Cell, Result, float]]:
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


def _timed(cell: Cell) -> tuple[Cell, Result, float]:
    start = time.perf_counter()
    result = run_cell(cell)
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


def _work(cell: Cell) -> float:
    """What a cell costs, roughly."""
    if cell.protocol == "learning-curve":
        return float(_n_predictions(cell))
    # Every fold has a fixed cost besides that of its rows.
    attributes = datasets.describe(cell.source.name).attributes
    return (cell.last - cell.first) * 3000.0 * max(cell.folds, 1) + _n_predictions(cell) * attributes


def _n_predictions(cell: Cell) -> int:
    n_rows, n_repeats = datasets.describe(cell.source.name).rows, cell.last - cell.first
    if cell.protocol == "learning-curve":
        n_train = round(TRAIN_SHARE * n_rows)
        return n_repeats * n_train * (n_rows - n_train) * len(cell.models)
    return n_repeats * n_rows * len(cell.models)
