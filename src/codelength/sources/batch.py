"""Batches of rows, the base class of their sources, and a temporary copy of rows that can be read only once.

Order of reading: :class:`Batch` (some rows and their place), :class:`Batches` (the interface of a source),
:class:`Spool` (rows on disk), then small functions of Arrow fields and arrays. Depends on ``_scratch`` (the
folder of temporary files) and on pyarrow, imported when it is needed; all other sources build on this module.

A source yields its rows as Arrow record batches, in order, as often as they are read. The type of a column
decides what its cells mean, as in memory: a dictionary is a declared domain, text is text. Two marks in the
metadata of a field change that, for columns that Arrow has no type for:

===========  =========================================================================================
mark         meaning
===========  =========================================================================================
``seen``     a dictionary of the values that were found; nothing is declared. Polars has a mark of its own
             for its Categorical, which means the same
``json``     a dictionary whose values are text, numbers and truth values, written as JSON
===========  =========================================================================================

Batches of one stream may differ in the width of numbers and in their dictionaries, but not in the kind of a
column. A batch in which all cells of a column are missing may have any type there.
"""

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._scratch import Scratch
from ..errors import DataError, SchemaMismatch
from ..table._arrays import declares
from ..typing import BoolArray, IntArray, Scalar

BATCH_ROWS = 1 << 17
"""Rows per batch: enough to be worth a call, few enough to stay in the caches."""

_KEY = b"codelength"

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive rows of a source.

    Attributes
    ----------
    rows : pyarrow.RecordBatch
        The rows.
    source : str
        Name of the file or other source in messages; empty if it has no name.
    first_row : int
        Number of the first row in that file, counted from 0.
    position : int
        Number of the first row in the whole stream.
    row_numbers : array of int, optional
        Numbers of the rows in the file, if some were dropped.
    carried : pyarrow.RecordBatch, optional
        Further columns in the form that they have in the source.
    """

    rows: Any
    source: str = ""
    first_row: int = 0
    position: int = 0
    row_numbers: IntArray | None = None
    carried: Any = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.rows.num_rows)

    @property
    def where(self) -> str:
        """Range of the rows, for messages."""
        last = self.first_row + self.n_rows - 1
        rows = f"rows {self.first_row:,} to {last:,}" if last > self.first_row else f"row {self.first_row:,}"
        return f"{self.source}, {rows}" if self.source else rows

    @property
    def prefix(self) -> str:
        """Start of a message about one of the rows."""
        return f"{self.source}, " if self.source else ""

    def column(self, name: str) -> tuple[Any, Any]:
        """Return the cells of a column, and its Arrow field."""
        at = self.rows.schema.get_field_index(name)
        if at < 0:
            raise SchemaMismatch(f"column {name!r} is absent; give all parts of the table the same columns")
        return self.rows.column(at), self.rows.schema.field(at)

    def with_columns(self, names: Sequence[str]) -> "Batch":
        """Return the batch with some of its columns."""
        return self if list(names) == self.rows.schema.names else replace(self, rows=self.rows.select(names))

    def row_number(self, row: int) -> int:
        """Return the number of the row at a position, for messages."""
        return self.first_row + row if self.row_numbers is None else int(self.row_numbers[row])

    def take(self, kept: BoolArray) -> "Batch":
        """Return the batch with some of its rows."""
        numbers = np.arange(self.first_row, self.first_row + self.n_rows)[kept]
        return replace(self, rows=self.rows.filter(arrow().array(kept)), row_numbers=numbers)


class Batches:
    """A table as a stream of batches that can be read more than once; the base class of all sources.

    A caller looks at ``names``, calls :meth:`carry` before the first pass if it copies columns to an output,
    reads one or more passes, and closes the stream. Every pass yields the same rows in the same order. One
    thread reads, and others work on the batches, which therefore are never changed. Classes and weights are
    columns like all others here; :class:`~codelength.sources.roles.Roles` tells them apart.

    Attributes
    ----------
    name : str
        Name of the source in messages; empty if it has none.
    names : tuple of str
        Names of the columns.
    n_rows : int, optional
        Number of rows, if it is known beforehand.
    once : bool
        True if the rows can be read only once.
    fold : callable, optional
        Replaces the loop over batches if the rows are in other processes; see
        :func:`codelength.counts.stream.fold`. It pickles the function of a batch and the merge of results,
        merges in the order of the rows, and returns None if there are none.
    map : callable, optional
        Predicts such rows where they are, and returns a lazy frame of the same library.
    """

    name: str = ""
    names: tuple[str, ...]
    n_rows: int | None = None
    once: bool = False
    fold: Callable[..., Any] | None = None
    map: Callable[..., Any] | None = None

    def read(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows, in order, with these columns.

        Parameters
        ----------
        columns : sequence of str
            Some of ``names``; at least one, because a batch without columns has no rows.
        """
        raise NotImplementedError

    def carry(self, columns: Sequence[str]) -> bool:
        """Add columns in their own form to every batch; return False if that is impossible.

        Without it columns are read as values, which may lose something: the spelling of a number, for
        instance, or the type of a column.
        """
        return False

    def close(self) -> None:
        """Remove temporary files."""


class CountedBatches(Batches):
    """Batches of a source, whose missing cells are counted, and whose ``names`` can be restricted.

    Attributes
    ----------
    n_missing : int
        Number of missing cells that were read.
    """

    def __init__(self, batches: Batches) -> None:
        self.name, self.names, self.n_rows, self.once = (
            batches.name,
            batches.names,
            batches.n_rows,
            batches.once,
        )
        self._batches, self.n_missing = batches, 0

    def read(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows, in order, with these columns."""
        for batch in self._batches.read(columns):
            self.n_missing += sum(cells.null_count for cells in batch.rows.columns)
            yield batch

    def carry(self, columns: Sequence[str]) -> bool:
        """Add columns in their own form to every batch; return False if that is impossible."""
        return self._batches.carry(columns)

    def close(self) -> None:
        """Remove temporary files."""
        self._batches.close()


class Spool(Batches):
    """A stream whose rows are written to a temporary file during the first pass.

    Later passes read the file and give the same batches, with the same places in messages.

    Parameters
    ----------
    batches : Batches
        The stream.
    columns : sequence of str
        The columns to keep; others cannot be read.
    """

    def __init__(self, batches: Batches, columns: Sequence[str]) -> None:
        self.name, self.names, self.n_rows = batches.name, tuple(columns), batches.n_rows
        self._batches = batches
        self._directory = Scratch()
        # An Arrow file has no room for the place of a batch in its source, which messages need.
        self._places: list[tuple[str, int, int]] = []
        self._is_complete = False

    def read(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows, in order, with these columns."""
        return self._from_file(list(columns)) if self._is_complete else self._from_source(list(columns))

    def close(self) -> None:
        """Remove the file, and close the stream."""
        self._directory.cleanup()
        self._batches.close()

    @property
    def _path(self) -> Path:
        return Path(self._directory.name) / "rows.arrow"

    def _from_source(self, columns: list[str]) -> Iterator[Batch]:
        pa = arrow()
        writer: Any = None
        written: Any = None
        try:
            with open(self._path, "wb") as file:
                for batch in self._batches.read(self.names):
                    # An Arrow stream has one schema. Batches may differ in theirs, in the width of an index
                    # for instance, so that the file is a sequence of streams.
                    if written is not None and batch.rows.schema != written:
                        writer.close()
                        writer = None
                    if writer is None:
                        written = batch.rows.schema
                        options = pa.ipc.IpcWriteOptions(compression="lz4", unify_dictionaries=False)
                        writer = pa.ipc.new_stream(file, written, options=options)
                    writer.write_batch(batch.rows)
                    self._places.append((batch.source, batch.first_row, batch.position))
                    yield batch.with_columns(columns)
                if writer is not None:
                    writer.close()
        except OSError as error:
            raise DataError(
                f"{tempfile.gettempdir()}: has no room for rows that can be read only once ({error}); set "
                "TMPDIR to a directory with more room, or pass a schema= so that one pass is enough"
            ) from error
        # Only after the last row: a first pass that was interrupted is started again from the source.
        self._is_complete = True

    def _from_file(self, columns: list[str]) -> Iterator[Batch]:
        pa, places = arrow(), iter(self._places)
        with open(self._path, "rb") as file:
            size = self._path.stat().st_size
            while file.tell() < size:
                # A reader stops behind the end mark of its stream, which is where the next stream begins.
                reader: Any = pa.ipc.open_stream(file)
                for rows in reader:
                    source, first_row, position = next(places)
                    yield Batch(rows.select(columns), source, first_row, position)


def arrow() -> Any:
    """Return the pyarrow library, which is imported only when rows are read."""
    import pyarrow

    return pyarrow


def located(work: Callable[[Batch], Part], batch: Batch) -> Part:
    """Apply a function to a batch; add the place of the batch to errors.

    Parameters
    ----------
    work : callable
        The function.
    batch : Batch
        Its argument.

    Returns
    -------
    object
        The result of the function.
    """
    try:
        return work(batch)
    except DataError as error:
        text = str(error)
        # An inner call has named the place already.
        if batch.source and text.startswith(batch.source):
            raise
        # A message that names a row needs no more than the file.
        where = batch.prefix if ", row " in text.partition(":")[0] else f"{batch.where}: "
        raise type(error)(f"{where}{text}") from None


def numbered(rows: Iterator[Any], source: str, position: int = 0) -> Iterator[Batch]:
    """Yield record batches of one source as batches with row numbers; empty ones are dropped."""
    first = 0
    for part in rows:
        if part.num_rows:
            yield Batch(part, source, first, position + first)
            first += part.num_rows


def marked(field: Any, mark: str) -> Any:
    """Return a field with a mark, see the module."""
    return field.with_metadata({_KEY: mark.encode()})


def mark_of(field: Any) -> str:
    """Return the mark of a field; empty if there is none, so that a dictionary is a declared domain."""
    metadata = field.metadata or {}
    found: bytes = metadata.get(_KEY, b"" if declares(field) else b"seen")
    return found.decode()


def dictionary_of(values: Sequence[Scalar], *, declared: bool, as_json: bool = False) -> tuple[Any, str]:
    """Return values as an Arrow dictionary, and the mark of its field.

    Parameters
    ----------
    values : sequence of str, int, float or bool
        The values.
    declared : bool
        True if they are a declared domain.
    as_json : bool
        True to write text as JSON, too.

    Returns
    -------
    dictionary : pyarrow.Array
        The values as text, or as JSON if not all of them are text.
    mark : str
        The mark of the field.
    """
    pa = arrow()
    if not as_json and all(type(value) is str for value in values):
        try:
            return pa.array(values, pa.string()), "" if declared else "seen"
        except UnicodeEncodeError:  # half of a surrogate pair
            pass
    return pa.array(
        [json.dumps(value) for value in values], pa.string()
    ), "json declared" if declared else "json"


def values_in(dictionary: Any, mark: str) -> list[Any]:
    """Return the cells of a dictionary as Python objects."""
    cells: list[Any] = dictionary.to_pylist()
    return [json.loads(cell) for cell in cells] if mark.startswith("json") else cells


def raw_numbers(array: Any) -> NDArray[Any]:
    """Return the whole numbers of an array as they are in memory; those of missing cells are arbitrary."""
    # A view of the buffer: to_numpy would make floats of whole numbers with gaps.
    kind = array.type.to_pandas_dtype()
    # An array without cells may have no buffer at all.
    if not len(array):
        return np.empty(0, dtype=kind)
    numbers: NDArray[Any] = np.frombuffer(array.buffers()[1], dtype=kind)
    return numbers[array.offset : array.offset + len(array)]


def missing_in(array: Any) -> BoolArray | None:
    """Return a mask of the missing cells of an array; None if there are none."""
    if not array.null_count:
        return None
    validity = array.buffers()[0]
    if validity is None:  # a type without a mask of its own
        missing: BoolArray = array.is_null().to_numpy(zero_copy_only=False)
        return missing
    end = array.offset + len(array)
    # The validity bits themselves, unpacked in one call. An array may start inside a byte of a longer buffer.
    bits = np.unpackbits(np.frombuffer(validity, np.uint8)[: (end + 7) // 8], bitorder="little")
    return np.asarray(bits[array.offset : end] == 0)


def positions_in(array: Any) -> Any:
    """Return positions of the cells of a dictionary array in its dictionary; -1 if missing."""
    positions, missing = raw_numbers(array.indices), missing_in(array.indices)
    if positions.dtype.kind == "u":  # positions are signed everywhere, because -1 means missing
        positions = positions.astype(np.int64 if positions.itemsize > 2 else np.int32)
    return positions if missing is None else np.where(missing, -1, positions)
