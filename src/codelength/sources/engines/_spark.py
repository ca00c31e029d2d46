"""Spark data frames: partitions are processed by the workers, and only results are sent.

Order of reading: :meth:`SparkBatches.fold` (two stages on the workers and one here),
:meth:`SparkBatches.map`, :meth:`SparkBatches.read`, then the functions that pack a part or an error as a row.

- A fold profiles or counts each partition in ``mapInArrow``, merges the parts of 32 neighbours in
  ``applyInArrow``, and merges those few here. A part is one row, whose cells are its number and its bytes.
- An error of this package is a result, too: Spark would run a task that raises several times before it gives
  up. The error of the earliest partition is raised here.
- Columns are called ``c0``, ``c1``, … in Spark's plan, because it ignores the case of names and gives dots in
  them a meaning. Workers see the names of the source.

Depends on ``_partitions`` for the order of merging and for errors.
"""

import pickle
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from typing import Any

from ...errors import CodelengthError
from ...table.checks import check_distinct
from ..batch import Batch, Batches, arrow, located
from ._partitions import Part, failure, joined, part_of, placed, regrouped, unpickled

# Partitions whose parts one worker merges before they are sent here.
_JOINED_AT_ONCE = 32
_PARTS = "position int, first int, n_rows long, part binary, failure binary"


class SparkBatches(Batches):
    """Batches of a Spark data frame, partition after partition.

    Every pass computes the frame again unless the caller has cached it.

    Parameters
    ----------
    source : pyspark.sql.DataFrame
        The frame.
    batch_rows : int
        Largest number of rows per batch; smaller messages of Spark are joined.
    """

    def __init__(self, source: Any, batch_rows: int) -> None:
        self.name, self.names = "the Spark data frame", tuple(source.columns)
        check_distinct(self.names)
        self._source, self._batch_rows = source, batch_rows

    def read(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows, in order, with these columns; partitions are fetched one after the other."""
        # Rows are sent as Arrow messages in a column of bytes: as plain rows, Spark would make Python objects
        # of every cell.
        names, pa, first = list(columns), arrow(), dict[int, int]()

        def written(record_batches: Iterator[Any]) -> Iterator[Any]:
            number = _partition()
            for rows in record_batches:
                yield _record_batch({"partition": (number, "int32"), "rows": (_as_bytes(rows), "binary")})

        try:
            found = self._selected(names).mapInArrow(written, "partition int, rows binary")
            for partition, message in found.toLocalIterator():
                whole = pa.ipc.open_stream(bytes(message)).read_next_batch().rename_columns(names)
                for batch in regrouped([whole], self._batch_rows):
                    batch = replace(batch, first_row=first.get(partition, 0))
                    first[partition] = batch.first_row + batch.n_rows
                    yield from placed([batch], partition)
        except Exception as error:
            raise failure("Spark", error) from error

    def fold(
        self,
        work: Callable[[Batch], Any],
        columns: Sequence[str],
        merge: Callable[[Any, Any], Any],
        *,
        progress: Callable[[int], object] | None = None,
    ) -> Any:
        """Apply a function to every batch on the workers; see :func:`codelength.counts.stream.fold`.

        ``progress`` is called when all partitions are done, once for each group of parts that were merged.
        """
        sent, names, batch_rows = _sent((work, merge)), list(columns), self._batch_rows

        def looked_at(record_batches: Iterator[Any]) -> Iterator[Any]:
            number = _partition()
            batches = regrouped((rows.rename_columns(names) for rows in record_batches), batch_rows)
            yield _row(number, _attempt(lambda: part_of(batches, number, *pickle.loads(sent))))

        def brought_together(rows: Any) -> Any:
            merging = pickle.loads(sent)[1]
            # A shuffle has no order, so parts are sorted by partition again.
            found = sorted(rows.to_pylist(), key=lambda row: row["first"])
            failed = next((row for row in found if row["failure"] is not None), None)
            if failed is not None:
                return arrow().Table.from_pylist([failed], schema=rows.schema)
            parts = [Part(row["first"], row["n_rows"], row["part"]) for row in found]
            whole = _row(found[0]["first"], _attempt(lambda: joined(parts, merging)))
            return arrow().Table.from_batches([whole])

        try:
            parts = self._selected(names).mapInArrow(looked_at, _PARTS)
            whole = parts.groupBy("position").applyInArrow(brought_together, _PARTS)
            with _cancelled_with_us(self._source.sparkSession):
                found = whole.collect()
        except Exception as error:
            raise failure("Spark", error) from error
        return _whole(sorted(found, key=lambda row: row["position"]), merge, progress)

    def map(self, work: Any, columns: Sequence[str]) -> Any:
        """Return a Spark data frame with the kept columns and the predictions.

        Nothing is computed yet. ``work`` is as for :meth:`codelength.sources.engines._dask.DaskBatches.map`;
        kept columns have the types that they have in the source.
        """
        from pyspark.sql.pandas.types import from_arrow_schema
        from pyspark.sql.types import StructField, StructType

        sent, names, batch_rows = _sent(work), list(columns), self._batch_rows
        types = dict(zip(self.names, self._source.schema.fields, strict=True))
        kept = [StructField(name, types[name].dataType, types[name].nullable) for name in work.kept]
        fields = StructType([*kept, *from_arrow_schema(work.outcomes).fields])

        def predicted(record_batches: Iterator[Any]) -> Iterator[Any]:
            predicting = pickle.loads(sent)
            batches = regrouped((rows.rename_columns(names) for rows in record_batches), batch_rows)
            for batch in placed(batches, _partition()):
                yield located(predicting, batch)

        return self._selected(names).mapInArrow(predicted, fields)

    def _selected(self, columns: Sequence[str]) -> Any:
        """Return some columns under names that need no quotes and do not differ in case alone."""
        plain = [f"c{i}" for i in range(len(self.names))]
        return self._source.toDF(*plain).select([plain[self.names.index(name)] for name in columns])


def open_batches(source: Any, batch_rows: int) -> Batches | None:
    """Return the batches of a data frame; None for other Spark objects."""
    return SparkBatches(source, batch_rows) if hasattr(source, "mapInArrow") else None


@contextmanager
def _cancelled_with_us(session: Any) -> Iterator[None]:
    """Cancel Spark jobs on Ctrl-C; Spark's own handler fails while waiting for a reply."""
    tag = f"codelength-{uuid.uuid4()}"
    session.addTag(tag)
    try:
        yield
    except KeyboardInterrupt:
        with suppress(Exception):
            session.interruptTag(tag)
        raise
    finally:
        with suppress(Exception):
            session.removeTag(tag)


def _sent(work: Any) -> bytes:
    pickled: bytes = import_module("pyspark.cloudpickle").dumps(work)
    return pickled


def _partition() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else int(context.partitionId())


def _attempt(work: Callable[[], Part]) -> Part | Exception:
    """Return a part, or an error of this package, which Spark must not retry."""
    try:
        return work()
    except CodelengthError as error:
        return error


def _row(partition: int, found: Part | Exception) -> Any:
    """Return a part, or an error, as a record batch of one row."""
    part = found if isinstance(found, Part) else Part(partition, 0, None)
    failure = None if isinstance(found, Part) else pickle.dumps(found)
    return _record_batch(
        {
            "position": (partition // _JOINED_AT_ONCE, "int32"),
            "first": (part.partition, "int32"),
            "n_rows": (part.n_rows, "int64"),
            "part": (part.pickled, "binary"),
            "failure": (failure, "binary"),
        }
    )


def _record_batch(cells: dict[str, tuple[Any, str]]) -> Any:
    """Return one row of cells, each with its type."""
    pa = arrow()
    arrays = [pa.array([cell], pa.type_for_alias(type_)) for cell, type_ in cells.values()]
    return pa.RecordBatch.from_arrays(arrays, names=list(cells))


def _as_bytes(rows: Any) -> bytes:
    pa = arrow()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_batch(rows)
    written: bytes = sink.getvalue().to_pybytes()
    return written


def _whole(
    rows: Sequence[Any], merge: Callable[[Any, Any], Any], progress: Callable[[int], object] | None
) -> Any:
    parts = []
    for row in rows:
        if row["failure"] is not None:
            raise pickle.loads(row["failure"])
        parts.append(Part(row["first"], row["n_rows"], row["part"]))
        if progress is not None:
            progress(row["n_rows"])
    return unpickled(joined(parts, merge)) if parts else None
