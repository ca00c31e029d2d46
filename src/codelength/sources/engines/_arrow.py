"""Tables of pyarrow and Polars as batches: in memory, datasets, readers and lazy frames.

A lazy frame is computed in batches, never as a whole.

Order of reading: :class:`ArrowBatches` (any function that yields record batches; most engines use it),
:class:`DatasetBatches` (files, one after the other), :func:`open_batches`, then the functions that cut record
batches to size and explain errors.

- The fragments of a dataset are scanned one by one, so that a message has the path of a file and the number
  of a row in it. All are read with the types of the dataset.
- The categories of a Polars ``Categorical`` are those that were seen, so they get the mark ``seen``; those of
  an ``Enum`` are a declared domain.
- An error of pyarrow or Polars in the middle of a pass becomes a DataError with the number of rows read
  before it. If a pass ends early, the reader below is closed, because its threads would read on.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from ...errors import CodelengthWarning, DataError
from ...table._arrays import with_decimals
from ...table._messages import shortened, shown, tell
from ...table.checks import check_distinct
from ..batch import Batch, Batches, arrow, marked, numbered
from . import library_of

_FAULTS = (OSError, ValueError, RuntimeError)
"""Exceptions of pyarrow about rows that it cannot read."""


class ArrowBatches(Batches):
    """Batches of a source that yields Arrow record batches.

    Parameters
    ----------
    names : sequence of str
        Names of the columns.
    read : callable
        Takes a list of columns and yields record batches of any size, which are cut to ``batch_rows``. It is
        called once per pass, when the first batch of the pass is asked for.
    n_rows : int, optional
        Number of rows.
    name : str
        Name of the source in messages.
    once : bool
        True if the rows can be read only once.
    batch_rows : int
        Largest number of rows per batch.

    Examples
    --------
    >>> import pyarrow as pa
    >>> rows = pa.record_batch({"size": [1, 2, 3]})
    >>> batches = ArrowBatches(["size"], lambda columns: iter([rows.select(columns)]), batch_rows=2)
    >>> [(batch.first_row, batch.rows["size"].to_pylist()) for batch in batches.read(["size"])]
    [(0, [1, 2]), (2, [3])]
    """

    def __init__(
        self,
        names: Sequence[str],
        read: Callable[[list[str]], Iterator[Any]],
        n_rows: int | None = None,
        *,
        name: str = "",
        once: bool = False,
        batch_rows: int,
    ) -> None:
        check_distinct(names)
        self.name, self.names, self.n_rows, self.once = name, tuple(names), n_rows, once
        self._read, self._batch_rows, self._was_read = read, batch_rows, False

    def read(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows, in order, with these columns; raise if they can be read only once, and were."""
        if self.once and self._was_read:
            raise DataError(
                f"{self.name or 'the source'}: its rows can be read only once, and were; pass a schema= so "
                "that one pass is enough, or a source that can be read again"
            )
        self._was_read = True
        pieces = _in_pieces(lambda: self._read(list(columns)), self._batch_rows, self.name)
        return numbered(self._watched(pieces) if self.once else pieces, self.name)

    def _watched(self, pieces: Iterator[Any]) -> Iterator[Any]:
        """Yield rows that can be read only once; warn if there are none: they may have been read before."""
        n_rows = 0
        for piece in pieces:
            n_rows += piece.num_rows
            yield piece
        if not n_rows:
            tell(
                f"{self.name or 'the source'}: gave no rows, and a reader gives them only once; pass a new "
                "one if it was read before",
                CodelengthWarning,
            )


class DatasetBatches(Batches):
    """Batches of a dataset, one file after the other.

    Row numbers start again in each file, positions do not. A dataset with a filter is read as one source,
    because it does not list its files.

    Parameters
    ----------
    dataset : pyarrow.dataset.Dataset
        The dataset.
    batch_rows : int
        Largest number of rows per batch.
    """

    def __init__(self, dataset: Any, batch_rows: int) -> None:
        check_distinct(dataset.schema.names)
        self.names = tuple(dataset.schema.names)
        self._dataset, self._batch_rows = dataset, batch_rows

    def read(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows, in order, with these columns."""
        position = 0
        for part in self._parts():
            path: str = getattr(part, "path", "")
            rows = _in_pieces(partial(self._scanned, part, columns), self._batch_rows, path)
            n_rows = 0
            for batch in numbered(rows, path, position):
                yield batch
                n_rows += batch.n_rows
            position += n_rows

    def _parts(self) -> Iterator[Any]:
        """Return the files; the dataset itself if it is filtered and does not list them."""
        try:
            return iter(self._dataset.get_fragments())
        except ValueError:
            return iter((self._dataset,))

    def _scanned(self, part: Any, columns: Sequence[str]) -> Iterator[Any]:
        # One fragment and few batches ahead: the defaults of pyarrow read 16 of each into memory. A file
        # alone is read with the schema of the dataset, so that all files have the same types.
        own = {"fragment_readahead": 1} if part is self._dataset else {"schema": self._dataset.schema}
        try:
            yield from part.scanner(
                columns=list(columns), batch_size=self._batch_rows, batch_readahead=4, **own
            ).to_batches()
        except _FAULTS:
            if part is not self._dataset:
                _check_types(part, self._dataset.schema, columns)
            raise


def open_batches(source: Any, batch_rows: int) -> Batches | None:
    """Return the batches of a table, a frame, a dataset, a scanner or a reader; None for anything else.

    Scanners and readers can be read only once. Scanners and datasets, of which there are several types, are
    recognised by their methods.
    """
    if library_of(source) == "polars":
        return _open_polars(source, batch_rows)
    pa = arrow()
    if isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    if isinstance(source, pa.Table):
        return ArrowBatches(
            source.schema.names,
            lambda columns: iter(source.select(columns).to_batches()),
            source.num_rows,
            batch_rows=batch_rows,
        )
    if isinstance(source, pa.RecordBatchReader):
        return ArrowBatches(source.schema.names, _selecting(lambda: source), once=True, batch_rows=batch_rows)
    if hasattr(source, "projected_schema") and hasattr(source, "to_batches"):
        names = source.projected_schema.names
        return ArrowBatches(names, _selecting(source.to_batches), once=True, batch_rows=batch_rows)
    if hasattr(source, "scanner") and hasattr(source, "schema"):
        return DatasetBatches(source, batch_rows)
    return None


def _open_polars(source: Any, batch_rows: int) -> Batches | None:
    """Return the batches of a frame; None for anything else."""
    import polars as pl

    if isinstance(source, pl.DataFrame):
        return ArrowBatches(
            source.columns,
            lambda columns: iter(_as_arrow(source.select(columns))),
            source.height,
            batch_rows=batch_rows,
        )
    if not isinstance(source, pl.LazyFrame):
        return None

    def computed(columns: list[str]) -> Iterator[Any]:
        n_rows = 0
        try:
            # Order is maintained at some cost in speed: row numbers and ties depend on it.
            for frame in source.select(columns).collect_batches(
                chunk_size=batch_rows, maintain_order=True, lazy=True
            ):
                yield from _as_arrow(frame)
                n_rows += frame.height
        except Exception as error:  # that of Polars, of the system, or of a function in the query
            raise _not_computed(error, n_rows) from error

    try:
        names = source.collect_schema().names()
    except Exception as error:
        raise _not_computed(error) from error
    return ArrowBatches(names, computed, batch_rows=batch_rows)


def _as_arrow(frame: Any) -> list[Any]:
    """Return the rows of an eager frame as record batches; only an Enum declares its values.

    The metadata of Polars is removed from fields, and categoricals get a mark of this package instead.
    """
    import polars as pl

    pa, table = arrow(), with_decimals(frame).to_arrow()
    fields = [
        marked(field, "seen") if dtype == pl.Categorical else field.remove_metadata()
        for field, dtype in zip(table.schema, frame.dtypes, strict=True)
    ]
    # One batch, because the rows of a frame may be in many small pieces.
    whole = table.combine_chunks().cast(pa.schema(fields))
    return list(whole.to_batches())


def _not_computed(error: Exception, n_rows: int | None = None) -> DataError:
    where = "" if n_rows is None else f" after row {n_rows:,}"
    reason = shortened(f"{type(error).__name__}: {error}")
    return DataError(
        f"the lazy table cannot be computed{where} ({reason}); mend the query, or the files that it reads "
        "(pass their paths instead of it to be told which)"
    )


def _selecting(read: Callable[[], Any]) -> Callable[[list[str]], Iterator[Any]]:
    """Return a function that reads some columns of record batches that have all of them."""

    def selected(columns: list[str]) -> Iterator[Any]:
        for part in read():
            yield part.select(columns)

    return selected


def _in_pieces(read: Callable[[], Iterator[Any]], batch_rows: int, name: str) -> Iterator[Any]:
    """Yield record batches cut to a size; add the number of rows read to errors."""
    n_rows = 0
    rows = read()
    try:
        for part in rows:
            for start in range(0, part.num_rows, batch_rows):
                yield part.slice(start, batch_rows)
            n_rows += part.num_rows
    except _FAULTS as error:
        if isinstance(error, DataError):
            raise
        reason = shortened(f"{type(error).__name__}: {error}")
        raise DataError(
            f"{name or 'the source'}: cannot be read after row {n_rows:,} ({reason}); mend it"
        ) from error
    finally:
        # Also if the consumer stops early: otherwise pyarrow's threads would read on.
        close = getattr(rows, "close", None)
        if close is not None:
            close()


def _check_types(fragment: Any, schema: Any, columns: Sequence[str]) -> None:
    """Raise, with the name of the column, if a file cannot be converted to the types of the dataset."""
    try:
        own = fragment.physical_schema
    except _FAULTS:  # the file is damaged, as is said anyway
        return
    for name in columns:
        at = own.get_field_index(name)
        if at < 0 or own.field(at).type == schema.field(name).type:
            continue
        try:
            # Arrow's own message does not name the column, so each is tried alone.
            for _ in fragment.scanner(schema=schema, columns=[name]).to_batches():
                pass
        except _FAULTS as error:
            path: str = getattr(fragment, "path", "")
            reason = shortened(str(error))
            raise DataError(
                f"{path or 'the source'}, column {shown(name)}: holds {own.field(at).type} here and "
                f"{schema.field(name).type} in the dataset ({reason}); convert it to one"
            ) from error
