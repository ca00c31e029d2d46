"""From columns to codes, by a schema: the only gate through which data reaches the counting."""

import difflib
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, IgnoredValues, SchemaMismatch, UnknownValue
from ..typing import BoolArray, CodeArray, IntArray, Scalar
from ._arrays import LARGEST_EXACT
from ._messages import listed, shown
from .column import Column, Numbers
from .columns import Columns, as_columns
from .cuts import assign
from .infer import check_choice
from .schema import Schema, Variable, smallest_code_type
from .target import target_column

HandleUnknown = Literal["ignore", "error"]

_UNKNOWN = -2


@dataclass(frozen=True, slots=True)
class Coded:
    """A table as codes.

    Attributes
    ----------
    codes : array of shape (n_rows, n_variables)
        Codes of the cells, column by column in memory; ``n_values`` of the variable where missing.
    classes : array of shape (n_rows,)
        Codes of the classes; all zero where the table has no class.
    schema : Schema, optional
        The schema that the codes are known to fit, so that nobody needs to look at them again.
    """

    codes: CodeArray
    classes: CodeArray
    schema: Schema | None = None

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.codes.shape[0])

    def take(self, rows: Any) -> "Coded":
        """The table at some rows."""
        return Coded(np.asfortranarray(self.codes[rows]), self.classes[rows], self.schema)


def encode(
    schema: Schema,
    table: Any,
    target: Any = None,
    *,
    handle_unknown: HandleUnknown = "ignore",
    training: bool = False,
    by_name: bool | None = None,
) -> Coded:
    """The codes of a table under a schema.

    Parameters
    ----------
    schema : Schema
        What the table may hold.
    table : data frame, array, or mapping of names to columns
        The rows.
    target : series or array, optional
        The class of each row.
    handle_unknown : {"ignore", "error"}
        Whether a value that the schema does not list is marginalised like a missing cell, or refused.
    training : bool
        Whether these rows will be counted: then ignored values are worth a warning.
    by_name : bool, optional
        Whether columns are matched by name or by position. By default by name where both sides have names;
        ``x0, x1, ...`` in a schema do not count as names.

    Examples
    --------
    >>> from codelength.table import Schema, Variable
    >>> schema = Schema([Variable("colour", ("blue", "red")), Variable("size", (1, 2, 3))])
    >>> encode(schema, {"size": [3, 1], "colour": ["red", None]}).codes
    array([[1, 2],
           [2, 0]], dtype=uint8)
    """
    check_choice("handle_unknown", handle_unknown, HandleUnknown)
    codes = _ready_codes(schema, table)
    if codes is None:
        columns = _matched(schema, as_columns(table), by_name)
        codes = np.empty((columns.n_rows, schema.n_variables), dtype=schema.code_type, order="F")
        for i, (variable, column) in enumerate(zip(schema.variables, columns.columns, strict=True)):
            found = _codes(variable, column)
            _settle_unknown(variable, column, found, handle_unknown, training)
            codes[:, i] = found
    return Coded(codes, _class_codes(schema, target, codes.shape[0]), schema)


def check_same_rows(n_rows: int, n_classes: int) -> None:
    """Refuse a target that does not go with its table."""
    if n_classes != n_rows:
        raise DataError(
            f"X has {n_rows} rows and y has {n_classes} (inconsistent numbers of samples); "
            "give one class a row"
        )


def _class_codes(schema: Schema, target: Any, n_rows: int) -> CodeArray:
    kind = smallest_code_type(schema.n_classes)
    if target is None or schema.target is None:
        return np.zeros(n_rows, dtype=kind)
    column = target_column(target, schema.target.name)
    check_same_rows(n_rows, len(column.missing))
    ready = _ready_classes(schema.target, column)
    if ready is not None:
        return ready.astype(kind, copy=False)
    found = _codes(schema.target, column)
    # A class is never missing, so the code of a missing cell is out of range too.
    unknown = (found == _UNKNOWN) | (found >= schema.n_classes)
    if unknown.any():
        row = int(np.argmax(unknown))
        raise UnknownValue(
            f"target {schema.target.name!r}, row {row}: class {shown(_cell(column, row))} is not in the "
            f"schema {listed(schema.target.values)}; name all classes before the first rows are counted"
        )
    return found.astype(kind)


def _ready_classes(target: Variable, column: Column) -> NDArray[Any] | None:
    """Unsigned class codes under a target of codes need no look-up either."""
    if target.kind != "code" or not isinstance(column, Numbers) or column.numbers.dtype.kind != "u":
        return None
    return column.numbers if column.numbers.max(initial=0) < target.n_values else None


def _ready_codes(schema: Schema, table: Any) -> CodeArray | None:
    """An integer array under a schema of codes needs no look-up, only a check of its range."""
    if not isinstance(table, np.ndarray) or table.ndim != 2 or table.dtype.kind not in "iu":
        return None
    if not all(variable.kind == "code" for variable in schema.variables):
        return None
    _check_width(schema, table.shape[1])
    if not all(_in_range(v, column) for v, column in zip(schema.variables, table.T, strict=True)):
        return None
    if table.dtype.kind == "i" and table.min(initial=0) < 0:
        table = np.where(table < 0, schema.n_values, table)
    return np.asfortranarray(table, dtype=schema.code_type)


def _in_range(variable: Variable, column: NDArray[Any]) -> bool:
    lowest = int(column.min(initial=0)) if column.dtype.kind == "i" else 0
    return lowest >= -1 and int(column.max(initial=0)) <= variable.n_values


def _matched(schema: Schema, columns: Columns, by_name: bool | None) -> Columns:
    names = {column.name: column for column in columns.columns}
    if by_name is None:
        by_name = columns.named and (_has_own_names(schema) or names.keys() == set(schema.names))
    if not by_name:
        _check_width(schema, len(columns.columns))
        return columns
    absent = [name for name in schema.names if name not in names]
    if absent:
        near = difflib.get_close_matches(absent[0], names, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise SchemaMismatch(
            f"column {shown(absent[0])} is absent ({len(absent)} of {schema.n_variables} are); add it, "
            f"filled with missing cells if it is unknown{hint}"
        )
    known = set(schema.names)
    surplus = [name for name in names if name not in known]
    if surplus:
        raise SchemaMismatch(
            f"column {shown(surplus[0])} is not in the schema ({len(surplus)} such columns); drop it"
        )
    return Columns(tuple(names[name] for name in schema.names), columns.n_rows, True)


def _has_own_names(schema: Schema) -> bool:
    return any(variable.name != f"x{i}" for i, variable in enumerate(schema.variables))


def _check_width(schema: Schema, n_columns: int) -> None:
    if n_columns != schema.n_variables:
        raise SchemaMismatch(
            f"X has {n_columns} features, but Schema is expecting {schema.n_variables} features as "
            "input; give one column a variable, in the order of the schema"
        )


def _codes(variable: Variable, column: Column) -> IntArray:
    if isinstance(column, Numbers):
        found = _codes_of_numbers(variable, column.numbers)
    else:
        places = np.array([*_places(variable, column.values), -1], dtype=np.int64)
        found = places[column.positions]
    found[found == -1] = variable.n_values - 1 if variable.missing_is_value else variable.n_values
    return found


def _places(variable: Variable, values: tuple[Scalar, ...]) -> list[int]:
    """Codes of some distinct values."""
    if variable.kind == "interval":
        return [_interval_of(variable, value) for value in values]
    codes: dict[Any, int] = {value: code for code, value in enumerate(variable.values)}
    if variable.kind == "code":
        codes |= {variable.n_values: -1, -1: -1}
    return [codes.get(value, _UNKNOWN) for value in values]


def _interval_of(variable: Variable, value: Scalar) -> int:
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return _UNKNOWN
    if not np.isfinite(number):
        return _UNKNOWN
    return int(assign(np.array([number]), np.array(variable.cuts))[0])


def _codes_of_numbers(variable: Variable, numbers: NDArray[Any]) -> IntArray:
    missing: BoolArray | None = np.isnan(numbers) if numbers.dtype.kind == "f" else None
    if variable.kind == "interval":
        found = assign(numbers.astype(np.float64), np.array(variable.cuts)).astype(np.int64)
    else:
        found = _look_up(variable, numbers)
    if missing is not None:
        found[missing] = -1
    return found


def _look_up(variable: Variable, numbers: NDArray[Any]) -> IntArray:
    listed_numbers = [value for value in variable.values if isinstance(value, (int, float))]
    largest = max((abs(value) for value in listed_numbers), default=0)
    if numbers.dtype == np.uint64 or largest > LARGEST_EXACT or variable.kind == "code":
        # One by one over the distinct numbers: no common type of array would keep them all apart.
        distinct, positions = np.unique(numbers, return_inverse=True)
        places = np.array(_places(variable, tuple(distinct.tolist())) or [0], dtype=np.int64)
        return places[positions.ravel()]
    if not listed_numbers:
        return np.full(len(numbers), _UNKNOWN, dtype=np.int64)
    values = np.sort(np.array(listed_numbers, dtype=np.float64))
    codes = np.array(_places(variable, tuple(values.tolist())), dtype=np.int64)
    at = np.minimum(np.searchsorted(values, numbers), len(values) - 1)
    found: IntArray = np.where(values[at] == numbers, codes[at], _UNKNOWN)
    return found


def _settle_unknown(
    variable: Variable, column: Column, found: IntArray, handle_unknown: HandleUnknown, training: bool
) -> None:
    unknown = found == _UNKNOWN
    if not unknown.any():
        return
    row = int(np.argmax(unknown))
    value = shown(_cell(column, row))
    where = (
        f"column {variable.name!r}, row {row}: value {value} is not in the schema {listed(variable.values)}"
    )
    if handle_unknown == "error":
        raise UnknownValue(f'{where}; add it to the schema or pass handle_unknown="ignore"')
    if training or _is_other_type(variable, column):
        remedy = "declare its values with schema=" if training else "give it the type it had in training"
        warnings.warn(
            f"{where}; {np.count_nonzero(unknown)} such cells treated as missing; {remedy}",
            IgnoredValues,
            stacklevel=5,
        )
    found[unknown] = variable.n_values


def _is_other_type(variable: Variable, column: Column) -> bool:
    """Whether a column holds text where the schema has numbers, or the other way round."""
    is_text = {isinstance(value, str) for value in variable.values if value is not None}
    if isinstance(column, Numbers):
        return is_text == {True} and variable.kind == "category"
    return {isinstance(value, str) for value in column.values}.isdisjoint(
        is_text if variable.kind == "category" else {False}
    )


def _cell(column: Column, row: int) -> Any:
    if isinstance(column, Numbers):
        return column.numbers[row].item()
    return column.values[column.positions[row]]
