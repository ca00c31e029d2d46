"""Dask data frames: partitions are processed by the workers, and only results are sent.

Order of reading: :meth:`DaskBatches.fold` with ``_part`` and ``_joined`` (functions that run on the workers),
:meth:`DaskBatches.map` with ``_mapped``, :meth:`DaskBatches.read` (rows fetched here, for work that has no
distributed form), then ``_opened``, which makes batches of the pandas frame of a partition.

- The work is pickled by cloudpickle, because it may hold functions of the caller's own script, and enters the
  graph once.
- A partition decides nothing about types: it may lack some values of a column. So columns of Python objects
  are always dictionaries of JSON, in which numbers and text can be told apart in any partition.
- Names of columns are replaced by those of this package (text, all different) before any work.

Depends on ``_partitions`` for the order of merging and for errors, and on ``_frames`` for pandas columns.
"""

import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from ...table._arrays import from_series
from ...table.column import Numbers
from ..batch import Batch, Batches, arrow, dictionary_of, located
from ._frames import Cells, cells_of_series, coded_cells, in_pieces
from ._frames import open_batches as open_pandas
from ._partitions import MAX_JOINED, Part, failure, joined, part_of, placed, unpickled


class DaskBatches(Batches):
    """Batches of a Dask data frame, partition after partition.

    Every pass computes the frame again, as far as the columns that it reads need it; nothing is persisted.

    Parameters
    ----------
    source : dask.dataframe.DataFrame
        The frame.
    batch_rows : int
        Largest number of rows per batch, in each partition.
    """

    def __init__(self, source: Any, batch_rows: int) -> None:
        self.name = "the Dask data frame"
        self._source, self._batch_rows = source, batch_rows
        self.names = open_pandas(source._meta, batch_rows).names  # type: ignore[union-attr]

    def read(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows, in order, with these columns; partitions are fetched one after the other."""
        for number, frame in enumerate(self._brought(columns)):
            yield from placed(_opened(frame, columns, self._batch_rows).read(columns), number)

    def fold(
        self,
        work: Callable[[Batch], Any],
        columns: Sequence[str],
        merge: Callable[[Any, Any], Any],
        *,
        progress: Callable[[int], object] | None = None,
    ) -> Any:
        """Apply a function to every batch on the workers; see :func:`codelength.counts.stream.fold`.

        On a cluster ``progress`` is called as soon as a partition is done, in any order; with a local
        scheduler it is called at the end.
        """
        import pandas as pd

        dask, sent = _dask(), _sent((work, merge))
        rest, meta = (sent, list(columns), self._batch_rows), pd.Series(dtype=object)
        try:
            found = self._selected(columns).map_partitions(_part, *rest, meta=meta, enforce_metadata=False)
            parts = found.to_delayed()
            sizes = [dask.delayed(_size)(part) for part in parts] if progress is not None else []
            # A tree of neighbours: each task holds a few parts only, and the order of the rows is kept.
            while len(parts) > 1:
                groups = [parts[i : i + MAX_JOINED] for i in range(0, len(parts), MAX_JOINED)]
                parts = [dask.delayed(_joined)(group, sent) for group in groups]
            return unpickled(_computed(parts[0], sizes, progress))
        except Exception as error:
            raise failure("Dask", error) from error

    def map(self, work: Any, columns: Sequence[str]) -> Any:
        """Return a Dask data frame with the kept columns and the predictions, and the same index.

        Nothing is computed yet. Kept columns are those of the source, never converted.

        Parameters
        ----------
        work : callable
            Function of a batch that returns its predictions as a record batch. It also has ``kept`` (names of
            columns to keep), ``outcomes`` (the Arrow schema of the predictions) and ``outcomes_alone()`` (the
            same function without kept columns).
        columns : sequence of str
            The columns to read, which include the kept ones.
        """
        kept = list(work.kept)
        meta = _with_outcomes(_named(self._selected(kept)._meta, kept), work.outcomes.empty_table())
        return self._selected(columns).map_partitions(
            _mapped, _sent(work), list(columns), kept, self._batch_rows, meta=meta
        )

    def _brought(self, columns: Sequence[str]) -> Iterator[Any]:
        try:
            for partition in self._selected(columns).to_delayed():
                yield _dask().compute(partition)[0]
        except Exception as error:
            raise failure("Dask", error) from error

    def _selected(self, columns: Sequence[str]) -> Any:
        labels = dict(zip(self.names, self._source.columns, strict=True))
        return self._source[[labels[name] for name in columns]]


def open_batches(source: Any, batch_rows: int) -> Batches | None:
    """Return the batches of a data frame; None for other Dask objects."""
    import dask.dataframe as dd

    return DaskBatches(source, batch_rows) if isinstance(source, dd.DataFrame) else None


def _sent(work: Any) -> Any:
    """Return work as one node of the task graph, which each worker fetches once."""
    return _dask().delayed(import_module("cloudpickle").dumps(work))


def _computed(total: Any, sizes: list[Any], progress: Callable[[int], object] | None) -> Part:
    """Return the last part; cancel the tasks on a cluster if the user interrupts.

    Parameters
    ----------
    total : Delayed
        The merged part.
    sizes : list of Delayed
        Numbers of rows of the partitions, for progress.
    progress : callable, optional
        Called with each of them.

    Returns
    -------
    Part
        The part of all partitions.
    """
    dask = _dask()
    # A distributed scheduler is a bound method of its client; local ones are functions.
    client = getattr(dask.base.get_scheduler(collections=[total]), "__self__", None)
    if client is None:
        part, *numbers = dask.compute(total, *sizes)
        if progress is not None:
            for n_rows in numbers:
                progress(n_rows)
        return part  # type: ignore[no-any-return]
    futures = client.compute([total, *sizes])
    try:
        if progress is not None:
            as_completed = import_module("distributed").as_completed
            for _, n_rows in as_completed(futures[1:], with_results=True):
                progress(n_rows)
        return futures[0].result()  # type: ignore[no-any-return]
    # KeyboardInterrupt too: a cluster would go on computing without it.
    except BaseException:
        client.cancel(futures)
        raise


def _part(frame: Any, sent: bytes, columns: list[str], batch_rows: int, partition_info: Any = None) -> Part:
    work, merge = pickle.loads(sent)
    batches = _opened(frame, columns, batch_rows)
    return part_of(batches.read(columns), _number(partition_info), work, merge)


def _joined(parts: list[Part], sent: bytes) -> Part:
    return joined(parts, pickle.loads(sent)[1])


def _size(part: Part) -> int:
    return part.n_rows


def _mapped(
    frame: Any, sent: bytes, columns: list[str], kept: list[str], batch_rows: int, partition_info: Any = None
) -> Any:
    pa, work = arrow(), pickle.loads(sent).outcomes_alone()
    batches = placed(_opened(frame, columns, batch_rows).read(columns), _number(partition_info))
    rows = pa.Table.from_batches([located(work, batch) for batch in batches], work.outcomes)
    return _with_outcomes(_named(frame, columns)[kept], rows)


def _with_outcomes(kept: Any, rows: Any) -> Any:
    import pandas as pd

    return pd.concat([kept, rows.to_pandas().set_axis(kept.index)], axis=1)


def _opened(frame: Any, columns: Sequence[str], batch_rows: int) -> Batches:
    """Return the batches of a partition, with the same types as those of all others."""
    named = _named(frame, columns)
    cells = {
        name: partial(_cells_of_objects if series.dtype == object else cells_of_series, name, series)
        for name, series in named.items()
    }
    return in_pieces(cells, len(named), batch_rows)


def _cells_of_objects(name: str, series: Any) -> Cells:
    """Return a column of Python objects for Arrow, with one type whatever these rows hold."""
    import narwhals.stable.v2 as nw

    pa, column = arrow(), from_series(name, nw.from_native(series, series_only=True))
    if isinstance(column, Numbers):
        encoded = pa.array(column.numbers, from_pandas=True).dictionary_encode()
        values, positions = encoded.dictionary.to_pylist(), encoded.indices
    else:
        values, positions = column.values, pa.array(column.positions, mask=column.positions < 0)
    # As JSON, because another partition may hold numbers and this one text.
    return coded_cells(name, positions, *dictionary_of(values, declared=False, as_json=True))


def _named(frame: Any, columns: Sequence[str]) -> Any:
    return frame.set_axis(list(columns), axis=1)


def _number(partition_info: Any) -> int:
    return 0 if partition_info is None else int(partition_info["number"])


def _dask() -> Any:
    """Return the library as Any; it declares only a few types."""
    return import_module("dask")
