"""Any table, seen column by column in one of two forms: numbers, or a factor.

Frames of any library come in through narwhals; arrays, lists and plain mappings of columns are
taken as they are. Nothing is decided here about what a column means, only what it holds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, SchemaMismatch
from ..typing import BoolArray, IntArray, Scalar


@dataclass(frozen=True, slots=True)
class Numbers:
    """A numeric column: integers, or floats with NaN for missing."""

    name: str
    numbers: NDArray[Any]

    @property
    def missing(self) -> BoolArray:
        """Which cells are missing."""
        if self.numbers.dtype.kind == "f":
            return np.asarray(np.isnan(self.numbers))
        return np.zeros(len(self.numbers), dtype=bool)

    def take(self, rows: BoolArray) -> "Numbers":
        """The column at some rows."""
        return Numbers(self.name, self.numbers[rows])


@dataclass(frozen=True, slots=True)
class Factor:
    """A column of values: the distinct ones, and for each cell which (-1 for missing)."""

    name: str
    positions: IntArray
    values: tuple[Scalar, ...]
    declared: bool = False

    @property
    def missing(self) -> BoolArray:
        """Which cells are missing."""
        missing: BoolArray = self.positions < 0
        return missing

    def take(self, rows: BoolArray) -> "Factor":
        """The column at some rows; values that no longer occur are dropped unless they were declared."""
        positions = self.positions[rows]
        if self.declared:
            return Factor(self.name, positions, self.values, True)
        kept, positions = np.unique(positions, return_inverse=True)
        has_missing = bool(len(kept)) and kept[0] < 0
        values = tuple(self.values[position] for position in kept[int(has_missing) :])
        return Factor(self.name, positions.astype(np.int64) - int(has_missing), values)


Column: TypeAlias = Numbers | Factor


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
    if hasattr(table, "tocsr"):
        raise DataError("a sparse matrix is not a categorical table; pass X.toarray() or a data frame")
    if isinstance(table, Mapping):
        return _from_mapping(table)
    frame = nw.from_native(table, pass_through=True, allow_series=True)
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
    series = nw.from_native(cells, pass_through=True, series_only=True)
    if isinstance(series, nw.Series):
        return _from_series(name, series)
    array = cells if isinstance(cells, np.ndarray) else _as_array(cells)
    if array.ndim != 1:
        raise DataError(f"column {name!r}: expected one cell a row, got an array of shape {array.shape}")
    return _from_cells(name, array)


def _as_array(table: Any) -> NDArray[Any]:
    try:
        array: NDArray[Any] = np.asanyarray(table)
    except ValueError as error:
        raise DataError(
            f"the rows have different lengths ({error}); give every row one cell a column"
        ) from None
    if array.dtype.kind in "US" and not isinstance(table, np.ndarray):
        # numpy turns a list that mixes text and numbers into text; the cells keep their own types instead.
        array = np.array(table, dtype=object)
    return array


def _from_array(array: NDArray[Any]) -> Columns:
    if array.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data: "
            "X.reshape(-1, 1) for one column, X.reshape(1, -1) for one row"
        )
    columns = tuple(_from_cells(f"x{i}", array[:, i]) for i in range(array.shape[1]))
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
    native = frame.to_native()
    labels = list(getattr(native, "columns", frame.columns)) if hasattr(native, "columns") else frame.columns
    names = [label if isinstance(label, str) else None for label in _labels(labels, frame)]
    named = all(name is not None for name in names) and len(names) > 0
    twice = sorted({name for name in names if name is not None and names.count(name) > 1})
    if twice:
        raise SchemaMismatch(f"duplicate column names {twice}: rename the columns so that each is distinct")
    columns = tuple(
        _from_series(name if named and name is not None else f"x{i}", frame[:, i])
        for i, name in enumerate(names)
    )
    return Columns(columns, frame.shape[0], named)


def _labels(labels: Sequence[Any], frame: nw.DataFrame[Any]) -> Sequence[Any]:
    # pyarrow's .columns are the data, not the names.
    return labels if frame.implementation.is_pandas_like() else frame.columns


def _from_series(name: str, series: nw.Series[Any]) -> Column:
    dtype = series.dtype
    if dtype in (nw.Categorical, nw.Enum):
        return _from_categorical(name, series)
    if dtype == nw.Boolean or dtype.is_numeric():
        return _from_cells(name, _numeric_cells(series))
    if dtype == nw.String:
        return _from_text(name, series)
    if dtype.is_temporal():
        return _from_text(name, series.cast(nw.String))
    if dtype == nw.Object or series.implementation.is_pandas_like():
        return _from_cells(name, np.asarray(series.to_native(), dtype=object))
    raise DataError(
        f"column {name!r}: cells of type {dtype} are not categorical; convert them to text or numbers"
    )


def _numeric_cells(series: nw.Series[Any]) -> NDArray[Any]:
    has_missing = series.null_count() > 0
    if series.dtype == nw.Boolean:
        return np.array(series.to_list(), dtype=object) if has_missing else series.to_numpy().astype(bool)
    if has_missing or series.dtype.is_decimal():
        return series.cast(nw.Float64).to_numpy().astype(np.float64)
    return np.asarray(series.to_numpy())


def _from_categorical(name: str, series: nw.Series[Any]) -> Column:
    native = series.to_native()
    implementation = series.implementation
    if implementation.is_pandas_like():
        values = native.cat.categories.tolist()
        return Factor(name, native.cat.codes.to_numpy().astype(np.int64), _scalars(name, values), True)
    if implementation.is_pyarrow():
        encoded = _arrow_dictionary(native)
        return Factor(name, encoded[0], _scalars(name, encoded[1]), True)
    if series.dtype == nw.Enum:
        positions = native.to_physical().cast(int).fill_null(-1).to_numpy()
        return Factor(name, positions.astype(np.int64), tuple(native.dtype.categories.to_list()), True)
    return _from_text(name, series.cast(nw.String))


def _from_text(name: str, series: nw.Series[Any]) -> Column:
    """Distinct texts and positions, by the hash table of the frame's own library."""
    native = series.to_native()
    if series.implementation.is_polars():
        import polars as pl

        values = native.drop_nulls().unique()
        positions = native.cast(pl.Enum(values)).to_physical().cast(pl.Int64).fill_null(-1)
        return Factor(name, positions.to_numpy(), tuple(values.to_list()))
    if series.implementation.is_pandas_like():
        positions, uniques = native.factorize()
        return Factor(name, np.asarray(positions, dtype=np.int64), _scalars(name, uniques.tolist()))
    if series.implementation.is_pyarrow():
        positions, values = _arrow_dictionary(native)
        return Factor(name, positions, _scalars(name, values))
    return _from_objects(name, np.array(series.to_list(), dtype=object))


def _arrow_dictionary(native: Any) -> tuple[IntArray, list[Any]]:
    combined = native.combine_chunks() if hasattr(native, "combine_chunks") else native
    chunk = combined.chunk(0) if hasattr(combined, "chunk") and combined.num_chunks else combined
    encoded = chunk.dictionary_encode() if not hasattr(chunk, "dictionary") else chunk
    positions = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return positions, encoded.dictionary.to_pylist()


def _from_cells(name: str, cells: NDArray[Any]) -> Column:
    if isinstance(cells, np.ma.MaskedArray):
        cells = _with_none(cells.data, np.ma.getmaskarray(cells))
    kind = cells.dtype.kind
    if kind in "iu":
        return Numbers(name, cells)
    if kind == "f":
        return _finite(Numbers(name, cells))
    if kind == "b":
        return Factor(name, cells.astype(np.int64), (False, True), declared=True)
    if kind == "c":
        raise DataError(f"column {name!r}: Complex data not supported; pass categories or real numbers")
    if kind in "mM":
        cells = _with_none(cells.astype(str), np.isnat(cells))
    elif kind in "US":
        values, positions = np.unique(cells.astype(str), return_inverse=True)
        return Factor(name, positions.astype(np.int64).ravel(), tuple(values.tolist()))
    return _from_objects(name, cells.astype(object))


def _from_objects(name: str, cells: NDArray[Any]) -> Column:
    seen: dict[Any, int] = {}
    try:
        positions = np.fromiter((seen.setdefault(cell, len(seen)) for cell in cells), np.int64, len(cells))
    except TypeError:
        row = next(row for row, cell in enumerate(cells) if not _is_hashable(cell))
        raise DataError(
            f"column {name!r}, row {row}: a cell of type {type(cells[row]).__name__} is not a value; "
            "argument must be a string or a number"
        ) from None
    present = [value for value in seen if not _is_missing(value)]
    place = {value: position for position, value in enumerate(present)}
    renumbered = np.array(
        [-1 if _is_missing(value) else place[value] for value in seen] or [0], dtype=np.int64
    )
    positions = renumbered[positions]
    if present and all(_is_number(value) for value in present):
        numbers = np.array([*present, np.nan], dtype=np.float64)[positions]
        return _finite(Numbers(name, numbers))
    return Factor(name, positions, _scalars(name, present))


def _with_none(cells: NDArray[Any], missing: BoolArray) -> NDArray[Any]:
    objects = cells.astype(object)
    objects[missing] = None
    return objects


def _finite(column: Numbers) -> Numbers:
    infinite = np.isinf(column.numbers)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise DataError(
            f"column {column.name!r}, row {row}: the value is infinite (infinity); replace it by a number, or "
            "by NaN if it is missing"
        )
    return column


def _scalars(name: str, values: Sequence[Any]) -> tuple[Scalar, ...]:
    return tuple(_scalar(name, value) for value in values)


def _scalar(name: str, value: Any) -> Scalar:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, (str, bool, int)):
        return plain
    if isinstance(plain, float):
        return int(plain) if plain.is_integer() else plain
    if isinstance(plain, bytes):
        raise DataError(f"column {name!r}: the value {plain!r} is bytes; decode it to text")
    if hasattr(plain, "isoformat"):
        return str(plain.isoformat())
    try:
        return _scalar(name, float(plain))
    except (TypeError, ValueError):
        raise DataError(
            f"column {name!r}: the value {plain!r} of type {type(plain).__name__} is not a category; "
            "convert it to text or a number"
        ) from None


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(
        value, (bool, np.bool_)
    )


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
