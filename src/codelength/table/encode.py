"""From columns to codes, by a schema: the only gate through which data reaches the counting."""

import difflib
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, IgnoredValues, SchemaMismatch, UnknownValue
from ..typing import BoolArray, CodeArray, IntArray, Scalar
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
    """

    codes: CodeArray
    classes: CodeArray

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.codes.shape[0])


def encode(
    schema: Schema,
    table: Any,
    target: Any = None,
    *,
    handle_unknown: HandleUnknown = "ignore",
    training: bool = False,
) -> Coded:
    """The codes of a table under a schema.

    Columns with names are matched by name, others by position.

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
        columns = _matched(schema, as_columns(table))
        codes = np.empty((columns.n_rows, schema.n_variables), dtype=schema.code_type, order="F")
        for i, (variable, column) in enumerate(zip(schema.variables, columns.columns, strict=True)):
            found = _codes(variable, column)
            _settle_unknown(variable, column, found, handle_unknown, training)
            codes[:, i] = found
    return Coded(codes, _class_codes(schema, target, codes.shape[0]))


def _class_codes(schema: Schema, target: Any, n_rows: int) -> CodeArray:
    kind = smallest_code_type(schema.n_classes)
    if target is None or schema.target is None:
        return np.zeros(n_rows, dtype=kind)
    column = target_column(target, schema.target.name)
    ready = _ready_classes(schema.target, column)
    found = _codes(schema.target, column) if ready is None else ready
    if ready is None and (found == _UNKNOWN).any():
        row = int(np.argmax(found == _UNKNOWN))
        raise UnknownValue(
            f"target {schema.target.name!r}, row {row}: class {_cell(column, row)!r} is not in the "
            f"schema {_listed(schema.target.values)}; name all classes before the first rows are counted"
        )
    if len(found) != n_rows:
        raise DataError(
            f"X has {n_rows} rows and y has {len(found)} (inconsistent numbers of samples); "
            "give one class a row"
        )
    return found.astype(kind, copy=False)


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
    for variable, column in zip(schema.variables, table.T, strict=True):
        _check_range(variable, column)
    if table.dtype.kind == "i" and (table.min(initial=0)) < 0:
        table = np.where(table < 0, schema.n_values, table)
    return np.asfortranarray(table, dtype=schema.code_type)


def _check_range(variable: Variable, column: NDArray[Any]) -> None:
    lowest = int(column.min(initial=0)) if column.dtype.kind == "i" else 0
    if int(column.max(initial=0)) > variable.n_values or lowest < -1:
        row = int(np.argmax((column > variable.n_values) | (column < -1)))
        raise UnknownValue(
            f"column {variable.name!r}, row {row}: code {column[row]} is not one of "
            f"0 to {variable.n_values - 1}, nor {variable.n_values} or -1 for missing"
        )


def _matched(schema: Schema, columns: Columns) -> Columns:
    by_name = {column.name: column for column in columns.columns}
    if not columns.named or not (_has_own_names(schema) or by_name.keys() == set(schema.names)):
        _check_width(schema, len(columns.columns))
        return columns
    absent = [name for name in schema.names if name not in by_name]
    if absent:
        near = difflib.get_close_matches(absent[0], by_name, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise SchemaMismatch(
            f"column {absent[0]!r} is absent ({len(absent)} of {schema.n_variables} are); add it, filled "
            f"with missing cells if it is unknown{hint}"
        )
    surplus = [name for name in by_name if name not in set(schema.names)]
    if surplus:
        raise SchemaMismatch(
            f"column {surplus[0]!r} is not in the schema ({len(surplus)} such columns); drop it"
        )
    return Columns(tuple(by_name[name] for name in schema.names), columns.n_rows, True)


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
        places = np.array([*(_place(variable, value) for value in column.values), -1], dtype=np.int64)
        found = places[column.positions]
        found[column.positions < 0] = -1
    found[found == -1] = variable.n_values - 1 if variable.missing_is_value else variable.n_values
    return found


def _place(variable: Variable, value: Scalar) -> int:
    if variable.kind == "interval":
        try:
            number = float(value)
        except ValueError:
            return _UNKNOWN
        return (
            int(assign(np.array([number]), np.array(variable.cuts))[0]) if np.isfinite(number) else _UNKNOWN
        )
    return variable.values.index(value) if value in variable.values else _UNKNOWN


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
    listed = [(value, code) for code, value in enumerate(variable.values) if isinstance(value, (int, float))]
    if not listed:
        return np.full(len(numbers), _UNKNOWN, dtype=np.int64)
    listed.sort()
    values = np.array([value for value, _ in listed])
    codes = np.array([code for _, code in listed], dtype=np.int64)
    at = np.minimum(np.searchsorted(values, numbers), len(values) - 1)
    found: IntArray = np.where(values[at] == numbers, codes[at], _UNKNOWN)
    if variable.kind == "code":
        found[(numbers == variable.n_values) | (numbers == -1)] = -1
    return found


def _settle_unknown(
    variable: Variable, column: Column, found: IntArray, handle_unknown: HandleUnknown, training: bool
) -> None:
    unknown = found == _UNKNOWN
    if not unknown.any():
        return
    row = int(np.argmax(unknown))
    where = f"column {variable.name!r}, row {row}: value {_cell(column, row)!r} is not in the schema "
    where += _listed(variable.values)
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


def _listed(values: tuple[Scalar | None, ...], most: int = 8) -> str:
    shown = ", ".join(repr(value) for value in values[:most])
    return f"({shown}, ... {len(values) - most} more)" if len(values) > most else f"({shown})"
