"""Any table, seen column by column.

Frames of any library come in through narwhals; arrays, lists and plain mappings of columns are
taken as they are. Nothing is decided here about what a column means, only what it holds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, SchemaMismatch
from ..typing import BoolArray
from ._arrays import from_cells, from_objects, scalars
from ._messages import repeated
from ._series import from_series
from .column import Column, Factor


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table, in order."""

    columns: tuple[Column, ...]
    n_rows: int
    named: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns; ``x0, x1, ...`` where the table has none."""
        return tuple(column.name for column in self.columns)

    def take(self, rows: BoolArray) -> "Columns":
        """The table at some rows."""
        kept = tuple(column.take(rows) for column in self.columns)
        return Columns(kept, int(np.count_nonzero(rows)), self.named)


def as_columns(table: Any) -> Columns:
    """The columns of a data frame, a 2-d array, a list of rows, or a mapping of names to columns.

    Examples
    --------
    >>> as_columns({"size": [1, 2], "colour": ["red", None]}).names
    ('size', 'colour')
    >>> as_columns([["a", 1.5], ["b", 2.5]]).columns[1].numbers
    array([1.5, 2.5])
    """
    if isinstance(table, Columns):
        return table
    if type(table).__module__.startswith("scipy.sparse"):
        raise DataError("a sparse matrix is not a categorical table; pass X.toarray() or a data frame")
    if isinstance(table, Mapping):
        return _from_mapping(table)
    frame = nw.from_native(_checked_frame(table), pass_through=True, allow_series=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, nw.DataFrame):
        return _from_frame(frame)
    if isinstance(frame, nw.Series):
        raise DataError(
            "Expected 2D array, got 1D array instead: pass a data frame with one column, "
            "series.to_frame(). Reshape your data if it is a single row."
        )
    return _from_array(_as_array(table))


def as_column(name: str, cells: Any) -> Column:
    """One column from a series, an array or a sequence of cells."""
    if isinstance(cells, (list, tuple)):
        return from_objects(name, _objects(cells))
    if hasattr(cells, "categories") and hasattr(cells, "codes"):
        # A pd.Categorical outside a series.
        values = scalars(name, list(cells.categories))
        return Factor(name, np.asarray(cells.codes, dtype=np.int64), values, declared=True)
    series = nw.from_native(cells, pass_through=True, series_only=True)
    if isinstance(series, nw.Series):
        return from_series(name, series)
    array = cells if isinstance(cells, np.ndarray) else np.asarray(cells)
    if array.ndim != 1:
        raise DataError(f"column {name!r}: expected one cell a row, got an array of shape {array.shape}")
    return from_cells(name, array)


def _objects(cells: Sequence[Any]) -> NDArray[Any]:
    """Cells as they are; numpy would turn text and numbers together into text."""
    objects = np.empty(len(cells), dtype=object)
    for row, cell in enumerate(cells):
        objects[row] = cell
    return objects


def _checked_frame(table: Any) -> Any:
    if type(table).__module__.startswith("pandas") and hasattr(table, "columns"):
        # narwhals would refuse them in words of its own.
        _refuse_repeated(list(table.columns))
    if type(table).__name__ == "RecordBatch" and type(table).__module__.startswith("pyarrow"):
        import pyarrow as pa

        return pa.Table.from_batches([table])
    return table


def _refuse_repeated(names: Sequence[Any]) -> None:
    twice = repeated(names)
    if twice:
        raise SchemaMismatch(f"duplicate column names {twice}: rename the columns so that each is distinct")


def _as_array(table: Any) -> NDArray[Any]:
    if isinstance(table, np.ndarray):
        return table if isinstance(table, np.ma.MaskedArray) else np.asarray(table)
    try:
        array: NDArray[Any] = np.asarray(table)
    except ValueError as error:
        raise DataError(
            f"the rows have different lengths ({error}); give every row one cell a column"
        ) from None
    if array.dtype.kind in "US":
        # numpy turns a list that mixes text and numbers into text; the cells keep their own types instead.
        array = np.array(table, dtype=object)
    return array


def _from_array(array: NDArray[Any]) -> Columns:
    if array.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data: "
            "X.reshape(-1, 1) for one column, X.reshape(1, -1) for one row"
        )
    columns = tuple(from_cells(f"x{i}", array[:, i]) for i in range(array.shape[1]))
    return Columns(columns, array.shape[0], named=False)


def _from_mapping(table: Mapping[Any, Any]) -> Columns:
    columns = tuple(as_column(str(name), cells) for name, cells in table.items())
    lengths = {len(column.missing) for column in columns}
    if len(lengths) > 1:
        raise DataError(
            f"the columns have different lengths {sorted(lengths)}; give every column one cell a row"
        )
    return Columns(columns, lengths.pop() if lengths else 0, named=True)


def _from_frame(frame: nw.DataFrame[Any]) -> Columns:
    # narwhals makes text of names that are none.
    is_pandas = frame.implementation.is_pandas_like()
    labels = list(frame.to_native().columns) if is_pandas else frame.columns
    named = bool(labels) and all(isinstance(label, str) for label in labels)
    _refuse_repeated(labels)
    columns = tuple(from_series(label if named else f"x{i}", frame[:, i]) for i, label in enumerate(labels))
    return Columns(columns, frame.shape[0], named)
