"""Batches of rows, and what a source of them offers.

A source gives its rows as Arrow record batches, in order, as often as it is asked to. What a cell means is
told by the type of its column, as in memory: a dictionary is a declared domain, text is text. Two marks in
the metadata of a field say otherwise, for columns that Arrow has no type for:

===========  =========================================================================================
mark         meaning
===========  =========================================================================================
``seen``     a dictionary that holds no more than the values that were found; nothing is declared. Polars has
             a mark of its own for its Categorical, which means the same
``json``     a dictionary whose values are text, numbers and truth values, written as JSON
===========  =========================================================================================
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, SchemaMismatch
from ..table._series import declares
from ..typing import BoolArray, IntArray, Scalar

BATCH_ROWS = 1 << 17
"""Rows per batch: enough to be worth a call, few enough to stay in the caches."""

_KEY = b"codelength"

Part = TypeVar("Part")


class UnlistedValue(Exception):
    """A column of text holds a value that it was not known to have."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows of a source.

    Attributes
    ----------
    rows : pyarrow.RecordBatch
        The rows.
    source : str
        What messages call the file, or whatever else the rows come from; empty where it has no name.
    first_row : int
        Number of the first row in that file, counted from 0.
    position : int
        Number of the first row in the whole stream.
    row_numbers : array of int, optional
        Numbers of the rows in the file, where some were left out.
    beside : pyarrow.RecordBatch, optional
        Columns that go along as they stand in the source, where that is not how they are in ``rows``.
    """

    rows: Any
    source: str = ""
    first_row: int = 0
    position: int = 0
    row_numbers: IntArray | None = None
    beside: Any = None

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.rows.num_rows)

    @property
    def where(self) -> str:
        """The rows, for people."""
        last = self.first_row + self.n_rows - 1
        rows = f"rows {self.first_row:,} to {last:,}" if last > self.first_row else f"row {self.first_row:,}"
        return f"{self.source}, {rows}" if self.source else rows

    @property
    def prefix(self) -> str:
        """How a message about one of the rows begins."""
        return f"{self.source}, " if self.source else ""

    def column(self, name: str) -> tuple[Any, Any]:
        """The cells of a column, and the field that says what they are."""
        at = self.rows.schema.get_field_index(name)
        if at < 0:
            raise SchemaMismatch(f"column {name!r} is absent; give all parts of the table the same columns")
        return self.rows.column(at), self.rows.schema.field(at)

    def with_columns(self, names: Sequence[str]) -> "Batch":
        """The batch with some of its columns."""
        return self if list(names) == self.rows.schema.names else replace(self, rows=self.rows.select(names))

    def row_number(self, row: int) -> int:
        """What messages call the row at a position."""
        return self.first_row + row if self.row_numbers is None else int(self.row_numbers[row])

    def take(self, kept: BoolArray) -> "Batch":
        """The batch with some of its rows."""
        numbers = np.arange(self.first_row, self.first_row + self.n_rows)[kept]
        return replace(self, rows=self.rows.filter(arrow().array(kept)), row_numbers=numbers)


@runtime_checkable
class Batches(Protocol):
    """A table as a stream of batches that can be read more than once.

    A source that spreads its rows over other processes may also have a method ``fold(work, columns, merge)``,
    which is then called instead of reading the batches here; see :func:`codelength.counts.stream.fold`. One
    that reads columns of text faster when it knows their values may have ``read_known(columns, domains)``.
    One whose cells lose something when they become values may have ``carry(columns)``: from then on these
    columns go along with every batch, as they stand in the source.

    Attributes
    ----------
    name : str
        What messages call the source; empty where it has no name.
    names : tuple of str
        Names of the columns.
    n_rows : int, optional
        How many rows there are, where that is known beforehand.
    once : bool
        Whether the rows can be read only once.
    """

    name: str
    names: tuple[str, ...]
    n_rows: int | None
    once: bool

    def read(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The rows, in order, with these columns."""

    def close(self) -> None:
        """Remove whatever was kept for reading again."""


def arrow() -> Any:
    """The Arrow library, on which every stream stands."""
    try:
        import pyarrow
    except ImportError:
        raise DataError(
            "reading a table in batches takes pyarrow, which is not installed; "
            'install it with: pip install "codelength[scale]"'
        ) from None
    return pyarrow


def located(work: Callable[[Batch], Part], batch: Batch) -> Part:
    """What some work makes of a batch; an error says which batch it was."""
    try:
        return work(batch)
    except DataError as error:
        text = str(error)
        if batch.source and text.startswith(batch.source):
            raise
        # A message that names a row needs no more than the file.
        where = batch.prefix if ", row " in text.partition(":")[0] else f"{batch.where}: "
        raise type(error)(f"{where}{text}") from None


def numbered(rows: Iterator[Any], source: str, position: int = 0) -> Iterator[Batch]:
    """Record batches of one file, or of one source, with the numbers of their rows."""
    first = 0
    for part in rows:
        if part.num_rows:
            yield Batch(part, source, first, position + first)
            first += part.num_rows


def marked(field: Any, mark: str) -> Any:
    """A field whose cells are to be read in a way that its type does not say."""
    return field.with_metadata({_KEY: mark.encode()})


def mark_of(field: Any) -> str:
    """The mark of a field; empty where there is none, so that a dictionary is one of declared values."""
    metadata = field.metadata or {}
    found: bytes = metadata.get(_KEY, b"" if declares(field) else b"seen")
    return found.decode()


def dictionary_of(values: Sequence[Scalar], *, declared: bool) -> tuple[Any, str]:
    """Values as an Arrow dictionary, and the mark of the field that has it."""
    pa = arrow()
    if all(type(value) is str for value in values):
        try:
            return pa.array(values, pa.string()), "" if declared else "seen"
        except UnicodeEncodeError:  # half of a surrogate pair
            pass
    return pa.array(
        [json.dumps(value) for value in values], pa.string()
    ), "json declared" if declared else "json"


def values_in(dictionary: Any, mark: str) -> list[Any]:
    """The cells of a dictionary, as Python has them."""
    cells: list[Any] = dictionary.to_pylist()
    return [json.loads(cell) for cell in cells] if mark.startswith("json") else cells


def raw_numbers(array: Any) -> NDArray[Any]:
    """The whole numbers of an array as they lie in memory; what stands in a missing cell is anything."""
    kind = array.type.to_pandas_dtype()
    numbers: NDArray[Any] = np.frombuffer(array.buffers()[1], dtype=kind)
    return numbers[array.offset : array.offset + len(array)]


def missing_in(array: Any) -> BoolArray | None:
    """Which cells of an array are missing; None where none is."""
    if not array.null_count:
        return None
    validity = array.buffers()[0]
    if validity is None:  # a type without a mask of its own
        missing: BoolArray = array.is_null().to_numpy(zero_copy_only=False)
        return missing
    end = array.offset + len(array)
    bits = np.unpackbits(np.frombuffer(validity, np.uint8)[: (end + 7) // 8], bitorder="little")
    return np.asarray(bits[array.offset : end] == 0)


def positions_in(array: Any) -> Any:
    """Positions of the cells of a dictionary array in its dictionary; -1 where missing."""
    indices = array.indices
    if not indices.null_count:
        plain = indices.to_numpy(zero_copy_only=False)
        return (
            plain if plain.dtype.kind == "i" else plain.astype(np.int64 if plain.itemsize > 2 else np.int32)
        )
    return indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
