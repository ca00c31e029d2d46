"""From what a training table holds to what a table may hold: settling the schema.

The rule for a column of numbers under ``numeric="auto"``: when all its cells are whole numbers and
at most 20 of them are distinct, each number is a category; otherwise the column is cut into five
intervals of about equal frequency. ``"category"`` and ``"discretize"`` force one or the other,
``"error"`` refuses numbers. What was decided is kept as the ``origin`` of each variable.
"""

from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, InvalidParameter
from ..typing import FloatArray, IntArray, Scalar
from .column import Column, Factor, Numbers
from .columns import Columns, as_columns
from .cuts import cut_points
from .schema import Schema, Variable, interval_variable
from .target import target_column

Missing = Literal["ignore", "value"]
Numeric = Literal["auto", "discretize", "category", "error"]

MAX_NUMBER_CATEGORIES = 20
"""With more distinct whole numbers than this, ``numeric="auto"`` cuts a column into intervals."""

MAX_VALUES = 65_535
"""More distinct values than this are taken for identifiers, unless the column declares its domain."""

N_INTERVALS = 5


def infer_schema(
    table: Any,
    target: Any = None,
    *,
    missing: Missing = "ignore",
    numeric: Numeric = "auto",
    sample_weight: FloatArray | None = None,
) -> Schema:
    """The schema of a training table.

    Parameters
    ----------
    table : data frame, array, or mapping of names to columns
        The training rows.
    target : series or array, optional
        The class of each row.
    missing : {"ignore", "value"}
        Whether missing cells are marginalised, or make a value of their own in the variables that
        have missing cells here.
    numeric : {"auto", "discretize", "category", "error"}
        What becomes of columns of numbers; see the module.
    sample_weight : array, optional
        Weights of the rows, which move the cut points of intervals.

    Examples
    --------
    >>> table = {"colour": ["red", "blue", "red"], "size": [1.5, 2.5, 7.0]}
    >>> schema = infer_schema(table, ["yes", "no", "no"])
    >>> schema.variables[0].values, schema.variables[1].kind, schema.classes
    (('blue', 'red'), 'interval', ('no', 'yes'))
    """
    check_choice("missing", missing, Missing)
    check_choice("numeric", numeric, Numeric)
    columns = as_columns(table)
    variables = tuple(_variable(column, missing, numeric, sample_weight) for column in columns.columns)
    return Schema(variables, None if target is None else _target_variable(target_column(target)))


def relearn_intervals(schema: Schema, columns: Columns, rows: IntArray) -> Schema:
    """The schema with the intervals of its numeric variables learned from some rows alone.

    Returned as it is where it has no intervals.
    """
    if all(variable.kind != "interval" for variable in schema.variables):
        return schema
    chosen = np.zeros(columns.n_rows, dtype=bool)
    chosen[rows] = True
    variables = [
        _intervals(column.take(chosen), variable.missing_is_value, None)
        if variable.kind == "interval" and isinstance(column, Numbers)
        else variable
        for variable, column in zip(schema.variables, columns.columns, strict=True)
    ]
    return replace(schema, variables=tuple(variables))


def check_choice(name: str, value: Any, choices: Any) -> None:
    """Refuse an option that is not among the ones there are."""
    if not isinstance(value, str) or value not in get_args(choices):
        raise InvalidParameter(f"{name}={value!r}: expected one of {', '.join(map(repr, get_args(choices)))}")


def _variable(
    column: Column, missing: Missing, numeric: Numeric, sample_weight: FloatArray | None
) -> Variable:
    is_missing = column.missing
    if is_missing.all() and not (isinstance(column, Factor) and column.declared):
        raise DataError(
            f"column {column.name!r}: every cell is missing; drop the column, or declare its values "
            "with schema="
        )
    missing_is_value = missing == "value" and bool(is_missing.any())
    if isinstance(column, Factor):
        return _factor_variable(column, missing_is_value)
    return _number_variable(column, numeric, missing_is_value, sample_weight)


def _factor_variable(column: Factor, missing_is_value: bool) -> Variable:
    values = column.values if column.declared else sorted_values(column.values)
    if not column.declared:
        _check_size(column.name, len(values))
    origin = "declared domain" if column.declared else "values seen"
    return _category(column.name, values, missing_is_value, origin)


def _number_variable(
    column: Numbers, numeric: Numeric, missing_is_value: bool, sample_weight: FloatArray | None
) -> Variable:
    name = column.name
    if numeric == "error":
        raise DataError(
            f"column {name!r}: holds numbers; convert it to text, declare it with schema=, or pass "
            'numeric="auto", "discretize" or "category"'
        )
    present = column.numbers[~column.missing]
    whole = None if numeric == "discretize" else _few_whole_numbers(present)
    if numeric == "auto" and whole is not None:
        values = tuple(int(number) for number in whole)
        origin = "whole numbers, kept as categories"
        return _category(name, values, missing_is_value, origin)
    if numeric == "category":
        distinct = np.unique(present)
        _check_size(name, len(distinct))
        origin = "numbers, kept as categories"
        return _category(name, tuple(_plain(number) for number in distinct), missing_is_value, origin)
    return _intervals(column, missing_is_value, sample_weight)


def _intervals(column: Numbers, missing_is_value: bool, sample_weight: FloatArray | None) -> Variable:
    cuts = cut_points(
        column.numbers.astype(np.float64), "frequency", N_INTERVALS, sample_weight=sample_weight
    )
    origin = "numbers, cut at about equal frequency"
    return interval_variable(column.name, cuts, missing_is_value=missing_is_value, origin=origin)


def _category(name: str, values: tuple[Scalar, ...], missing_is_value: bool, origin: str) -> Variable:
    return Variable(name, (*values, None) if missing_is_value else values, "category", origin=origin)


def _few_whole_numbers(present: NDArray[Any]) -> NDArray[Any] | None:
    """The distinct numbers where all are whole and they are few, else None."""
    sample = present[:1000]
    if sample.dtype.kind == "f" and not (np.floor(sample) == sample).all():
        return None
    if len(np.unique(sample)) > MAX_NUMBER_CATEGORIES:
        return None
    if present.dtype.kind == "f" and not (np.floor(present) == present).all():
        return None
    distinct = _distinct(present)
    return distinct if len(distinct) <= MAX_NUMBER_CATEGORIES else None


def _distinct(present: NDArray[Any]) -> NDArray[Any]:
    if present.dtype.kind in "iu":
        low, high = int(present.min()), int(present.max())
        if high - low < 256 and high < 2**63:
            # Marking is many times faster than sorting, and small codes are the common case.
            seen = np.zeros(high - low + 1, dtype=bool)
            seen[present.astype(np.int64) - low] = True
            return np.flatnonzero(seen) + low
    return np.unique(present)


def _target_variable(column: Column) -> Variable:
    if isinstance(column, Factor):
        if column.declared and not all(isinstance(value, bool) for value in column.values):
            return Variable(column.name, column.values, origin="declared domain")
        seen = np.unique(column.positions)
        values = sorted_values(tuple(column.values[position] for position in seen))
        return Variable(column.name, values, origin="classes seen")
    distinct = np.unique(column.numbers)
    return Variable(column.name, tuple(number.item() for number in distinct), origin="classes seen")


def sorted_values(values: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    """Values in a fixed order: truth values and numbers by size, then text.

    Examples
    --------
    >>> sorted_values(("b", 10, "a", 9))
    (9, 10, 'a', 'b')
    """
    return tuple(sorted(values, key=lambda value: (isinstance(value, str), value)))


def _plain(number: Any) -> Scalar:
    plain: float = number.item()
    return int(plain) if float(plain).is_integer() else plain


def _check_size(name: str, n_values: int) -> None:
    if n_values > MAX_VALUES:
        raise DataError(
            f"column {name!r}: {n_values:,} distinct values, more than {MAX_VALUES:,}; it looks like an "
            "identifier: drop the column, group its values, or declare its domain with schema="
        )
