"""A table in memory: columns, declared domains, class, weights and name.

This module only finds out what a column holds, never what it means. A domain that the source declares stays
with its column.

Order of reading: :class:`Table`; :func:`table_of`, whose ``_in_memory`` finds out which container it was
given; then one function per container. Depends on ``_arrays``, which makes columns of cells and
on narwhals for frames.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from .._display import Shown, counted, first_rows
from ..blocks import Block
from ..errors import CollectedRows, DataError, SchemaMismatch
from ..typing import BoolArray, FloatArray, IntArray
from ._arrays import declares, from_arrow, from_cells, from_distinct, from_objects, from_series, names_of
from ._messages import IN_BATCHES, check_in_one, no_table, shortened, shown, suggestion, tell
from .checks import as_array, check_distinct, check_names, check_rows, check_same_rows, check_weights
from .column import Column
from .values import joined


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Table(Shown):
    """Columns of a table, in order, with classes and weights of the rows.

    Attributes
    ----------
    columns : tuple of Column
        The variables.
    n_rows : int
        Number of rows.
    named : bool
        True if the columns have names of their own; otherwise they are called ``x0, x1, ...``.
    target : Column, optional
        The class of each row.
    weights : array of shape (n_rows,), optional
        How many rows each row stands for.
    name : str
        Name of the table in messages and titles.
    array : array, optional
        The array that the columns are views of, if the table is one array of whole numbers.
    row_numbers : array of shape (n_rows,), optional
        Row numbers in messages, if the table is part of a longer one; positions by default.
    """

    columns: tuple[Column, ...]
    n_rows: int
    named: bool = True
    target: Column | None = None
    weights: FloatArray | None = None
    name: str = ""
    array: NDArray[Any] | None = None
    row_numbers: IntArray | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def n_columns(self) -> int:
        """Number of columns, the target not counted."""
        return len(self.columns)

    def column(self, name: str) -> Column:
        """Return the column of a name, which may be the target's.

        Examples
        --------
        >>> table_of({"size": [1, 2]}).column("sise")
        Traceback (most recent call last):
        codelength.errors.SchemaMismatch: the table has no column 'sise'; did you mean 'size'?
        """
        everything = self.columns if self.target is None else (*self.columns, self.target)
        for column in everything:
            # The type first: an array, compared with a name, has no single truth value.
            if isinstance(name, str) and column.name == name:
                return column
        raise SchemaMismatch(f"{self._where}has no column {shown(name)}{suggestion(name, self.names)}")

    def take(self, rows: BoolArray | IntArray) -> "Table":
        """Return the table at some rows (positions or a mask). Messages name rows by their old numbers.

        Examples
        --------
        >>> part = table_of({"size": [1, 2, 3]}).take([2, 0])
        >>> part.columns[0].numbers, part.row_number(0)
        (array([3, 1]), 2)
        """
        rows = check_rows(rows, self.n_rows)
        kept = tuple(column.take(rows) for column in self.columns)
        numbers = (np.arange(self.n_rows) if self.row_numbers is None else self.row_numbers)[rows]
        return Table(
            kept,
            len(numbers),
            self.named,
            None if self.target is None else self.target.take(rows),
            None if self.weights is None else self.weights[rows],
            self.name,
            None if self.array is None else self.array[rows],
            numbers,
        )

    def counted(self) -> "Table":
        """Return the table without rows of weight zero; their values and classes do not count as seen."""
        return self if self.weights is None or self.weights.all() else self.take(self.weights > 0)

    def row_number(self, row: int) -> int:
        """Return the number of the row at a position, for messages."""
        return row if self.row_numbers is None else int(self.row_numbers[row])

    def drop(self, names: Iterable[str]) -> "Table":
        """Return the table without some of its columns; the target may be one of them.

        Examples
        --------
        >>> table_of({"size": [1, 2], "id": [7, 8]}).drop(["id"]).names
        ('size',)
        """
        own = () if self.target is None else (self.target.name,)
        gone = self._present(names, "drop", (*self.names, *own))
        target = None if self.target is not None and self.target.name in gone else self.target
        kept = tuple(column for column in self.columns if column.name not in gone)
        # The array has all columns, so it no longer is this table.
        return replace(self, columns=kept, target=target, array=None)

    def keep(self, names: Sequence[str]) -> "Table":
        """Return the table with some of its columns, in this order."""
        by_name = {column.name: column for column in self.columns}
        kept = dict.fromkeys(self._present(names, "keep", self.names))
        return replace(self, columns=tuple(by_name[name] for name in kept), array=None)

    def with_target(self, target: Any) -> "Table":
        """Return the table with a class to predict: one of its columns by name, or a series of its own.

        If a column is named, the former target becomes the last column; a series replaces it.

        Examples
        --------
        >>> table_of({"size": [1, 2], "ripe": ["no", "yes"]}, "ripe").with_target("size").names
        ('ripe',)
        """
        # Not at the top of the module: target imports this one.
        from .target import column_named, target_column

        target = column_named(target)
        if isinstance(target, str):
            try:
                column = self.column(target)
            except SchemaMismatch as error:
                raise SchemaMismatch(f"{error}; the target is one class per row, or a name") from None
            if column is self.target:
                return replace(self, target=target_column(column))
            former = () if self.target is None else (self.target,)
            rest = (*(other for other in self.columns if other is not column), *former)
            check_distinct(other.name for other in rest)
            return replace(self, columns=rest, target=target_column(column), array=None)
        column = target_column(target)
        n_rows = len(column.missing)
        if self.columns or self.n_rows:  # a mapping of no columns does not say how many rows it has
            check_same_rows(self.n_rows, n_rows)
        return replace(self, target=column, n_rows=n_rows)

    def with_weights(self, sample_weight: Any) -> "Table":
        """Return the table with weights for its rows."""
        return replace(self, weights=check_weights(sample_weight, self.n_rows))

    @property
    def _where(self) -> str:
        return f"{self.name}: " if self.name else "the table "

    def _present(self, names: Iterable[str], purpose: str, known: Sequence[str]) -> tuple[str, ...]:
        """Return names of columns; raise if one is not among those known."""
        given = check_names(purpose, names)
        for name in given:
            if name not in known:
                raise SchemaMismatch(
                    f"{self._where}has no column {shown(name)} to {purpose}{suggestion(name, known)}"
                )
        return given

    def _title(self) -> str:
        weighted = "" if self.weights is None else f" that stand for {self.weights.sum():g}"
        target = "" if self.target is None else f", target {shown(self.target.name)}"
        name = f"Table {shown(self.name)}" if self.name else "Table"
        return f"{name}: {counted(self.n_rows, 'row')}{weighted}, {counted(self.n_columns, 'column')}{target}"

    def _blocks(self) -> list[Block]:
        """Return a grid of the first rows."""
        last = [] if self.target is None else [(self.target.name, _cells_of(self.target))]
        if (weights := self.weights) is not None:
            last.append(("weight", lambda row: f"{weights[row]:g}"))
        columns = [(column.name, _cells_of(column)) for column in self.columns]
        return [first_rows([*columns, *last], self.n_rows, len(last))]


def table_of(data: Any, target: Any = None, sample_weight: Any = None) -> Table:
    """Return a table that is in memory, or in a lazy frame, as a Table.

    Parameters are those of :func:`codelength.sources.as_table`, which also opens files and DuckDB relations.

    Parameters
    ----------
    data : Table, data frame, array, list of rows, or mapping of names to columns
        The rows.
    target : series, array or name of a column, optional
        The class of each row; by default that of the table.
    sample_weight : array of shape (n_rows,), optional
        How many rows each row stands for; by default the weights of the table.

    Returns
    -------
    Table
        The same rows. See :func:`codelength.sources.as_table`, which also opens files and DuckDB relations.

    Examples
    --------
    >>> table_of([["a", 1.5], ["b", 2.5]]).columns[1].numbers
    array([1.5, 2.5])
    """
    table = data if isinstance(data, Table) else _in_memory(data)
    if target is not None:
        table = table.with_target(target)
    return table if sample_weight is None else table.with_weights(sample_weight)


def check_not_empty(table: Table) -> None:
    """Raise DataError for a table without rows or without columns."""
    # Both messages begin as in scikit-learn, whose check_estimator looks for these words.
    if not table.columns:
        raise DataError(
            f"0 feature(s) (shape=({table.n_rows}, 0)) while a minimum of 1 is required; add a column, or "
            "declare that there is none with schema="
        )
    if not table.n_rows:
        raise DataError(
            "Found array with 0 sample(s) while a minimum of 1 is required; the table has no rows, or none "
            "of weight above 0: add some, or declare the variables with schema="
        )


def as_column(name: str, cells: Any) -> Column:
    """Return one column from a series, an array or a sequence of cells."""
    if isinstance(cells, (list, tuple)):
        return from_objects(name, cells)
    if hasattr(cells, "categories") and hasattr(cells, "codes"):
        # A pd.Categorical outside a series.
        return from_distinct(name, list(cells.categories), np.asarray(cells.codes), declared=True)
    if type(cells).__module__.startswith("pyarrow") and hasattr(cells, "null_count"):
        # narwhals passes over an array in one piece, and numpy would make floats of whole numbers with gaps.
        return from_arrow(name, cells)
    series = nw.from_native(cells, pass_through=True, series_only=True)
    if isinstance(series, nw.Series):
        return from_series(name, series)
    array = cells if isinstance(cells, np.ndarray) else np.asarray(cells)
    if array.ndim != 1:
        raise DataError(f"column {name!r}: expected one cell per row, got an array of shape {array.shape}")
    return from_cells(name, array)


def _in_memory(data: Any) -> Table:
    # Plain containers come before frames: narwhals passes them over, and numpy would make one object of a
    # mapping.
    if isinstance(data, np.ndarray):
        # np.asarray makes plain arrays of matrices, but it would drop the mask of a masked array.
        return _from_array(data if isinstance(data, np.ma.MaskedArray) else np.asarray(data))
    if type(data).__module__.startswith("scipy.sparse"):
        raise DataError("a sparse matrix is not a categorical table; pass X.toarray() or a data frame")
    if isinstance(data, Mapping):
        return _from_mapping(data)
    if isinstance(data, (list, tuple)) and data and all(isinstance(row, Mapping) for row in data):
        # Columns are in the order in which names first occur; absent cells are missing.
        names = dict.fromkeys(name for row in data for name in row)
        return _from_mapping({name: [row.get(name) for row in data] for name in names})
    data = _checked_frame(data)
    check_in_one(data)
    frame = collected(nw.from_native(data, pass_through=True, allow_series=True))
    if isinstance(frame, nw.DataFrame):
        return _from_frame(frame)
    if isinstance(frame, nw.Series):
        raise DataError(
            "Expected 2D array, got 1D array instead: pass a data frame with one column, "
            "series.to_frame(). Reshape your data if it is a single row."
        )
    if hasattr(data, "__array__") and (array := as_array(data)).shape != (0, 0, 0):
        return _from_array(array)
    if isinstance(data, (list, tuple)) and data:
        return _from_rows(data)
    raise no_table(data)


def collected(frame: Any) -> Any:
    """Return a lazy frame of narwhals with its rows; anything else as it is."""
    return _computed(frame.collect) if isinstance(frame, nw.LazyFrame) else frame


def _computed(compute: Callable[[], Any]) -> Any:
    """Return rows that are not in memory yet; warn, because all of them are read into it."""
    tell(f"the rows of a table that is not in memory are read into it; {IN_BATCHES}", CollectedRows)
    try:
        return compute()
    except Exception as error:  # that of whatever library the rows come from
        reason = shortened(f"{type(error).__name__}: {error}")
        raise DataError(f"the lazy table cannot be computed ({reason}); pass its rows") from error


def _cells_of(column: Column) -> Callable[[int], str]:
    def cell(row: int) -> str:
        return "" if column.missing[row] else str(column.take(np.array([row])).cells[0])

    return cell


def _checked_frame(table: Any) -> Any:
    if type(table).__module__.startswith("pandas") and hasattr(table, "columns"):
        # narwhals would refuse them in words of its own.
        check_distinct(list(table.columns))
    if type(table).__module__.startswith("pyarrow"):
        import pyarrow as pa

        # A scanner has a projected schema only. Arrays have neither.
        schema = getattr(table, "schema", getattr(table, "projected_schema", None))
        if schema is None:
            return table
        check_distinct(schema.names)
        if isinstance(table, pa.RecordBatch):
            return pa.Table.from_batches([table])
        read = getattr(table, "read_all", None) or getattr(table, "to_table", None)
        return table if read is None else _computed(read)
    return table


def _from_array(array: NDArray[Any]) -> Table:
    if array.ndim != 2:
        raise _not_a_table(array.ndim)
    columns = tuple(from_cells(f"x{i}", cells) for i, cells in enumerate(array.T))
    # Only whole numbers without gaps can be codes as they stand; see ``_ready_codes`` in encode.
    is_whole = array.dtype.kind in "iu" and not isinstance(array, np.ma.MaskedArray)
    return Table(columns, array.shape[0], named=False, array=array if is_whole else None)


def _not_a_table(n_dimensions: int) -> DataError:
    return DataError(
        f"Expected 2D array, got {n_dimensions}D array instead. Reshape your data: "
        "X.reshape(-1, 1) for one column, X.reshape(1, -1) for one row"
    )


def _from_rows(rows: Sequence[Any]) -> Table:
    """Return a table of rows, each a sequence of cells that keep their own types."""
    if isinstance(rows[0], str) or not hasattr(rows[0], "__len__"):
        raise _not_a_table(1)
    try:
        columns = list(zip(*rows, strict=True))
    except (TypeError, ValueError):
        raise DataError("the rows have different lengths; give every row one cell per column") from None
    named = tuple(from_objects(f"x{i}", cells) for i, cells in enumerate(columns))
    return Table(named, len(rows), named=False)


def _from_mapping(table: Mapping[Any, Any]) -> Table:
    columns = tuple(as_column(joined(str(name)), cells) for name, cells in table.items())
    check_distinct(column.name for column in columns)
    lengths = {len(column.missing) for column in columns}
    if len(lengths) > 1:
        raise DataError(
            f"the columns have different lengths {sorted(lengths)}; give every column one cell per row"
        )
    return Table(columns, lengths.pop() if lengths else 0)


def _from_frame(frame: nw.DataFrame[Any]) -> Table:
    # narwhals makes text of names that are none, and loses the metadata of Arrow.
    native = frame.to_native()
    names, named = names_of(list(native.columns) if frame.implementation.is_pandas_like() else frame.columns)
    if frame.implementation.is_pyarrow():
        columns = tuple(
            from_arrow(name, native.column(i), declared=declares(native.schema.field(i)))
            for i, name in enumerate(names)
        )
    else:
        columns = tuple(from_series(name, frame[:, i]) for i, name in enumerate(names))
    return Table(columns, frame.shape[0], named)
