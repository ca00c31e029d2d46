"""From what a training table holds to what a table may hold: settling the schema.

The rule for a column of numbers under ``numeric="auto"``: when all its cells are whole numbers and
at most 20 of them are distinct, each number is a category; otherwise the column is cut into five
intervals of about equal frequency. ``"category"`` and ``"discretize"`` force one or the other,
``"error"`` refuses numbers. What was decided is kept as the ``origin`` of each variable.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..typing import BoolArray, FloatArray, IntArray, Scalar
from .checks import check_choice, check_whole
from .coded import Coded
from .column import Column, Factor, Numbers
from .intervals.cuts import Strategy, assign, cut_points
from .schema import Schema, Variable, interval_variable
from .table import Table, as_table
from .values import sorted_values

Missing = Literal["ignore", "value"]
Numeric = Literal["auto", "discretize", "category", "error"]

MAX_NUMBER_CATEGORIES = 20
"""With more distinct whole numbers than this, ``numeric="auto"`` cuts a column into intervals."""

MAX_VALUES = 65_535
"""More distinct values than this are taken for identifiers, unless the column declares its domain."""


@dataclass(frozen=True, slots=True)
class Cutting:
    """How columns of numbers are cut into intervals.

    Attributes
    ----------
    strategy : {"frequency", "width", "kmeans"}
        See :func:`codelength.table.intervals.cut_points`.
    n_bins : int
        Most intervals per column.
    """

    strategy: Strategy = "frequency"
    n_bins: int = 5

    def variable(
        self, name: str, numbers: FloatArray, missing_is_value: bool, weights: FloatArray | None = None
    ) -> Variable:
        """The variable that some numbers are cut into."""
        cuts = cut_points(numbers, self.strategy, self.n_bins, sample_weight=weights)
        origin = _ORIGINS.get(self.strategy, "numbers, cut into intervals")
        return interval_variable(name, cuts, missing_is_value=missing_is_value, origin=origin)


_ORIGINS: dict[str, str] = {
    "frequency": "numbers, cut at about equal frequency",
    "width": "numbers, cut at equal width",
    "kmeans": "numbers, cut between clusters of k-means",
}


def infer_schema(
    data: Any,
    target: Any = None,
    *,
    missing: Missing = "ignore",
    numeric: Numeric = "auto",
    sample_weight: Any = None,
    cutting: Cutting | None = None,
    categories: Collection[str] = (),
) -> Schema:
    """The schema of a training table.

    Parameters
    ----------
    data : Table, data frame, array, or mapping of names to columns
        The training rows.
    target : series, array or name of a column, optional
        The class of each row; by default that of the table.
    missing : {"ignore", "value"}
        Whether missing cells are marginalised, or make a value of their own in the variables that
        have missing cells here.
    numeric : {"auto", "discretize", "category", "error"}
        What becomes of columns of numbers; see the module.
    sample_weight : array, optional
        Weights of the rows, which move the cut points of intervals.
    cutting : Cutting, optional
        How columns of numbers are cut; five intervals of about equal frequency by default.
    categories : collection of str
        Columns of numbers that are kept as categories whatever ``numeric`` says.

    Examples
    --------
    >>> table = {"colour": ["red", "blue", "red"], "size": [1.5, 2.5, 7.0]}
    >>> schema = infer_schema(table, ["yes", "no", "no"])
    >>> schema.variables[0].values, schema.variables[1].kind, schema.classes
    (('blue', 'red'), 'interval', ('no', 'yes'))
    """
    check_choice("missing", missing, Missing)
    check_choice("numeric", numeric, Numeric)
    table = as_table(data, target, sample_weight)
    cut = cutting or Cutting()
    check_whole("n_bins", cut.n_bins)
    variables = tuple(
        _variable(column, missing, "category" if column.name in categories else numeric, cut, table.weights)
        for column in table.columns
    )
    return Schema(variables, None if table.target is None else _target_variable(table.target))


def with_intervals_of(coded: Coded, table: Table, rows: IntArray, cutting: Cutting | None = None) -> Coded:
    """The table coded again with the intervals of its numeric variables learned from some rows alone.

    Parameters
    ----------
    coded : Coded
        The whole table.
    table : Table
        The same rows, from which the numbers are taken.
    rows : array of int
        The rows to learn from.
    cutting : Cutting, optional
        How the columns were cut.
    """
    kept = [
        (i, variable, column)
        for i, (variable, column) in enumerate(zip(coded.schema.variables, table.columns, strict=True))
        if variable.kind == "interval" and (isinstance(column, Numbers) or column.is_numeric)
    ]
    if not kept:
        return coded
    variables, bins = list(coded.schema.variables), {}
    for i, variable, column in kept:
        numbers = column.numbers.astype(np.float64)
        weights = None if table.weights is None else table.weights[rows]
        variables[i] = (cutting or Cutting()).variable(
            variable.name, numbers[rows], variable.missing_is_value, weights
        )
        # The code after the last interval is that of a missing cell, a value of its own or not.
        bins[i] = assign(numbers, variables[i].cuts)
    schema = replace(coded.schema, variables=tuple(variables))
    codes = np.array(coded.codes, dtype=schema.code_type, order="F")
    for i, column_codes in bins.items():
        codes[:, i] = column_codes
    return replace(coded, schema=schema, codes=codes, is_distinct=False)


def _variable(
    column: Column, missing: Missing, numeric: Numeric, cutting: Cutting, weights: FloatArray | None
) -> Variable:
    is_missing: BoolArray = column.missing
    missing_is_value = missing == "value" and bool(is_missing.any())
    if isinstance(column, Factor) and not column.is_numeric and (column.declared or not is_missing.all()):
        return _factor_variable(column, missing_is_value)
    if is_missing.all():
        # One interval that holds any number says nothing about anything.
        return interval_variable(
            column.name, (), missing_is_value=missing_is_value, origin="every cell is missing"
        )
    return _number_variable(column, numeric, missing_is_value, cutting, weights)


def _factor_variable(column: Factor, missing_is_value: bool) -> Variable:
    values = column.values if column.declared else sorted_values(column.values)
    if not column.declared:
        _check_size(column.name, len(values))
    origin = "declared domain" if column.declared else "values seen"
    return _category(column.name, values, missing_is_value, origin)


def _number_variable(
    column: Column,
    numeric: Numeric,
    missing_is_value: bool,
    cutting: Cutting,
    weights: FloatArray | None,
) -> Variable:
    name = column.name
    if numeric == "error":
        raise DataError(
            f"column {name!r}: holds numbers; convert it to text, declare it with schema=, or pass "
            'numeric="auto", "discretize" or "category"'
        )
    whole = _few_whole_numbers(column) if numeric == "auto" else None
    if whole is not None:
        return _category(name, whole, missing_is_value, "whole numbers, kept as categories")
    if numeric == "category":
        kept = _distinct_numbers(column)
        _check_size(name, len(kept))
        return _category(name, kept, missing_is_value, "numbers, kept as categories")
    return cutting.variable(name, column.numbers.astype(np.float64), missing_is_value, weights)


def _category(name: str, values: tuple[Scalar, ...], missing_is_value: bool, origin: str) -> Variable:
    return Variable(name, (*values, None) if missing_is_value else values, "category", origin=origin)


def _few_whole_numbers(column: Column) -> tuple[Scalar, ...] | None:
    """The distinct numbers where all are whole and they are few, else None."""
    if isinstance(column, Factor):
        values, whole = column.values, all(type(value) is int for value in column.values)
        return sorted_values(values) if whole and len(values) <= MAX_NUMBER_CATEGORIES else None
    present = column.numbers[~column.missing]
    sample = present[:1000]
    if sample.dtype.kind == "f" and not (np.floor(sample) == sample).all():
        return None
    if len(np.unique(sample)) > MAX_NUMBER_CATEGORIES:
        return None
    if present.dtype.kind == "f" and not (np.floor(present) == present).all():
        return None
    distinct = _distinct(present)
    return tuple(int(number) for number in distinct) if len(distinct) <= MAX_NUMBER_CATEGORIES else None


def _distinct_numbers(column: Column) -> tuple[Scalar, ...]:
    if isinstance(column, Factor):
        return sorted_values(column.values)
    return tuple(_plain(number) for number in np.unique(column.numbers[~column.missing]))


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


def _plain(number: Any) -> Scalar:
    plain: float = number.item()
    return int(plain) if float(plain).is_integer() else plain


def _check_size(name: str, n_values: int) -> None:
    if n_values > MAX_VALUES:
        raise DataError(
            f"column {name!r}: {n_values:,} distinct values, more than {MAX_VALUES:,}; it looks like an "
            "identifier: drop the column, group its values, or declare its domain with schema="
        )
