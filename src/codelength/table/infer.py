"""Infer the schema from a training table.

Columns of numbers under ``numeric="auto"``: if all cells are whole numbers and at most 20 of them are
distinct, each number is a category; otherwise the column is cut into five intervals of about equal frequency.
``"category"`` and ``"discretize"`` force one or the other, ``"average"`` cuts into up to 20 intervals for
models that average over the ways to merge neighbouring ones, ``"error"`` rejects numbers. Dates are
treated like numbers: up to 20 distinct ones are categories, more are cut.

Columns of text: with more than 20 distinct values, more than half as many as cells, a column holds
identifiers or free text. Its values do not occur in other rows, so it carries no information about them. It
is left out with a warning. A column that declares its domain is never left out.

The decision about each column is kept as the ``origin`` of its variable.

Order of reading: :func:`infer_schema`, :class:`How` (options, and the variable of one column), then what it
asks about columns. Depends on ``table``, ``cutting`` and ``spelling``; streams use :class:`How` as well.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..errors import DataError, IgnoredColumn
from ..typing import FloatArray, Scalar
from ._messages import listed, tell
from .checks import check_choice, check_instance, check_names
from .column import Column, Factor, Numbers
from .cutting import AVERAGED, Cutting, measured
from .intervals.cuts import check_options
from .schema import Schema
from .spelling import NAMES, Scale, time_scale
from .table import table_of
from .target import check_n_classes
from .values import sorted_values
from .variable import Variable, interval_variable

Missing = Literal["ignore", "value"]
Numeric = Literal["auto", "discretize", "average", "category", "error"]
Identifiers = Literal["ignore", "error", "keep"]

MAX_NUMBER_CATEGORIES = 20
"""With more distinct whole numbers than this, ``numeric="auto"`` cuts a column into intervals."""

MAX_VALUES = 65_535
"""A column with more distinct values holds identifiers, unless it declares its domain."""

FEW_VALUES = 20
"""A column of text with at most this many distinct values does not hold identifiers."""

DECLARED = "declared domain"
"""Origin of variables whose values the table declares."""


def infer_schema(
    data: Any,
    target: Any = None,
    *,
    missing: Missing = "ignore",
    numeric: Numeric = "auto",
    identifiers: Identifiers = "ignore",
    sample_weight: Any = None,
    cutting: Cutting | None = None,
    categories: Collection[str] = (),
) -> Schema:
    """Return the schema of a training table.

    Parameters
    ----------
    data : Table, data frame, array, or mapping of names to columns
        The training rows.
    target : series, array or name of a column, optional
        The class of each row; by default that of the table.
    missing : {"ignore", "value"}
        ``"ignore"``: missing cells are marginalised. ``"value"``: they are a value of their own in variables
        that have missing cells here.
    numeric : {"auto", "discretize", "average", "category", "error"}
        Treatment of columns of numbers and of times; see the module.
    identifiers : {"ignore", "error", "keep"}
        Treatment of columns of identifiers and free text; see the module. A column that is left out stays in
        the schema as a variable of kind ``"ignored"``.
    sample_weight : array, optional
        Weights of the rows, which move the cut points of intervals.
    cutting : Cutting, optional
        How columns of numbers are cut; by default at about equal frequency, into five intervals, or into 20
        that are to be averaged over.
    categories : collection of str
        Columns of numbers that are kept as categories whatever ``numeric`` is.

    Returns
    -------
    Schema
        One variable per column, and the target if there is one.

    Examples
    --------
    >>> table = {"colour": ["red", "blue", "red"], "size": [1.5, 2.5, 7.0]}
    >>> schema = infer_schema(table, ["yes", "no", "no"])
    >>> schema.variables[0].values, schema.variables[1].kind, schema.classes
    (('blue', 'red'), 'interval', ('no', 'yes'))
    """
    how = How(missing, numeric, identifiers, cutting, categories)
    table = table_of(data, target, sample_weight)
    variables = tuple(how.variable(column, table.weights) for column in table.columns)
    tell_ignored(variables)
    return Schema(variables, None if table.target is None else target_variable(table.target))


@dataclass(frozen=True)
class How:
    """Options that decide the variable of each column; see :func:`infer_schema`, whose options they are.

    The same options serve tables in memory and streams. Of a stream, :meth:`variable` is given the distinct
    cells of a column with the weight of each.

    Examples
    --------
    >>> from .table import as_column
    >>> how = How(numeric="auto")
    >>> how.variable(as_column("size", [3, 1, 3])).origin
    'whole numbers, kept as categories'
    >>> how.variable(as_column("size", [1.5, 2.5])).origin
    'numbers, cut at about equal frequency'
    """

    missing: Missing = "ignore"
    numeric: Numeric = "auto"
    identifiers: Identifiers = "ignore"
    cutting: Cutting | None = None
    categories: Collection[str] = ()

    def __post_init__(self) -> None:
        """Check the options."""
        check_choice("missing", self.missing, Missing)
        check_choice("numeric", self.numeric, Numeric)
        check_choice("identifiers", self.identifiers, Identifiers)
        check_names("categories", self.categories)
        check_instance("cutting", self.cut, Cutting, "a Cutting, or None")
        check_options(self.cut.strategy, self.cut.n_bins)

    @property
    def cut(self) -> Cutting:
        """The way in which columns of numbers are cut."""
        usual = AVERAGED if self.numeric == "average" else Cutting()
        return usual if self.cutting is None else self.cutting

    def variable(
        self, column: Column, weights: FloatArray | None = None, n_present: int | None = None
    ) -> Variable:
        """Return the variable that a column becomes: a category, an interval or an ignored variable.

        Parameters
        ----------
        column : Column
            The cells; or each distinct cell once, with the weight of all cells equal to it.
        weights : array of float, optional
            Weights of the cells.
        n_present : int, optional
            Number of cells that are not missing, if the column holds each distinct cell once.
        """
        is_missing = column.missing
        missing_is_value = self.missing == "value" and bool(is_missing.any())
        # Before everything else: a declared domain is never cut, sorted or left out.
        if isinstance(column, Factor) and column.declared:
            return _category(column.name, column.values, missing_is_value, DECLARED)
        if is_missing.all():
            # One interval that holds any number carries no information.
            return interval_variable(
                column.name, (), missing_is_value=missing_is_value, origin="every cell is missing"
            )
        if isinstance(column, Numbers) or column.is_numeric:
            return self._of_numbers(column, weights, "number", missing_is_value)
        if scale := time_scale(column.values):
            return self._of_numbers(column, weights, scale, missing_is_value)
        reason = _reason_to_ignore(column, n_present)
        if reason and (ignored := self.ignored(column.name, reason)):
            return ignored
        return _category(column.name, sorted_values(column.values), missing_is_value, "values seen")

    def ignored(self, name: str, reason: str) -> Variable | None:
        """Return the variable of a column of identifiers; None if such columns are kept."""
        if self.identifiers == "keep":
            return None
        if self.identifiers == "error":
            raise DataError(f"column {name!r}: {reason}; {_REMEDY}")
        return Variable(name, ("any",), "ignored", origin=f"left out: {reason}")

    def wanted(self, name: str, scale: Scale) -> Numeric:
        """Return the treatment of a column of numbers or times; raise if it is ``"error"``."""
        numeric = "category" if name in self.categories else self.numeric
        if numeric == "error":
            raise DataError(
                f"column {name!r}: holds {NAMES[scale]}; convert it to text, declare it with schema=, or "
                'pass numeric="auto", "discretize" or "category"'
            )
        return numeric

    def _of_numbers(
        self, column: Column, weights: FloatArray | None, scale: Scale, missing_is_value: bool
    ) -> Variable:
        name, what = column.name, NAMES[scale]
        numeric = self.wanted(name, scale)
        few = _few_whole_numbers(column, scale) if numeric == "auto" else None
        if few is not None:
            return _category(
                name, few, missing_is_value, f"{'whole ' * (scale == 'number')}{what}, kept as categories"
            )
        if numeric == "category":
            return _category(name, _distinct(column), missing_is_value, f"{what}, kept as categories")
        numbers = measured(column, scale)
        assert numbers is not None
        return self.cut.variable(name, numbers, missing_is_value, weights, scale)


_REMEDY = (
    'drop it, group its values, declare its domain with schema=, or pass identifiers="keep" to make each '
    "value a category"
)


TOO_MANY = f"more than {MAX_VALUES:,} distinct values look like identifiers"
"""Reason to leave out a column with very many values, whose exact number is not counted to save memory."""


def _reason_to_ignore(column: Factor, n_present: int | None) -> str:
    """Return the reason why a column of text holds identifiers or free text; empty if it does not."""
    present = column.positions[column.positions >= 0]
    # Counted in the cells: the values may be those of a whole file, and the cells those of a batch.
    n_distinct = int(np.count_nonzero(np.bincount(present)))
    n_cells = len(present) if n_present is None else n_present
    if len(column.values) > MAX_VALUES:
        return TOO_MANY
    if n_distinct > FEW_VALUES and 2 * n_distinct > n_cells:
        return f"{n_distinct:,} distinct values in {n_cells:,} cells look like identifiers or free text"
    return ""


def tell_ignored(variables: Sequence[Variable]) -> None:
    """Warn about columns that are left out: one warning for all of them."""
    ignored = [variable for variable in variables if variable.kind == "ignored"]
    if ignored:
        names = [variable.name for variable in ignored]
        others = f" (and so are {listed(names[1:])})" if len(names) > 1 else ""
        reason = ignored[0].origin.removeprefix("left out: ")
        tell(f"column {names[0]!r}: {reason}, so it is left out{others}; {_REMEDY}", IgnoredColumn)


def _category(name: str, values: tuple[Scalar, ...], missing_is_value: bool, origin: str) -> Variable:
    if len(values) > MAX_VALUES and origin != DECLARED:
        raise too_many(name)
    return Variable(name, (*values, None) if missing_is_value else values, "category", origin=origin)


def _few_whole_numbers(column: Column, scale: Scale) -> tuple[Scalar, ...] | None:
    """Return the distinct whole numbers, or times, if there is nothing else and they are few; else None."""
    if isinstance(column, Factor):
        if len(column.values) > MAX_NUMBER_CATEGORIES:
            return None
        whole = scale != "number" or all(type(value) is int for value in column.values)
        return sorted_values(column.values) if whole else None
    present = column.numbers[~column.missing]
    # Almost every continuous column shows a fraction, or too many numbers, in its first rows. Then the rest
    # need not be sorted.
    for part in (present[:1000], present):
        if part.dtype.kind == "f" and not (np.floor(part) == part).all():
            return None
        distinct = _distinct(Numbers(column.name, part))
        if len(distinct) > MAX_NUMBER_CATEGORIES:
            return None
    return distinct


def _distinct(column: Column) -> tuple[Scalar, ...]:
    """Return the distinct values of a column of numbers or times, in order."""
    if isinstance(column, Factor):
        return sorted_values(column.values)
    present = column.numbers[~column.missing]
    if present.dtype.kind in "iu":
        low, high = int(present.min()), int(present.max())
        # Unsigned numbers beyond int64 would wrap around when they are cast.
        if high - low < 256 and high < 2**63:
            # Marking is many times faster than sorting, and small codes are the common case.
            seen = np.zeros(high - low + 1, dtype=bool)
            seen[present.astype(np.int64) - low] = True
            return tuple((np.flatnonzero(seen) + low).tolist())
    return tuple(int(n) if float(n).is_integer() else n for n in np.unique(present).tolist())


def target_variable(column: Column) -> Variable:
    """Return the variable of the classes in a column."""
    origin = "classes seen"
    if isinstance(column, Numbers):
        values: tuple[Scalar, ...] = tuple(np.unique(column.numbers).tolist())
    # Columns of truth values always declare both; a class that no row has would get a probability.
    elif column.declared and not all(isinstance(value, bool) for value in column.values):
        origin, values = DECLARED, column.values
    else:
        seen = np.flatnonzero(np.bincount(column.positions, minlength=len(column.values)))
        values = sorted_values(tuple(column.values[position] for position in seen))
    check_n_classes(column.name, len(values))
    return Variable(column.name, values, origin=origin)


def too_many(name: str) -> DataError:
    """Return the error about a column with more values than a variable may have."""
    return DataError(
        f"column {name!r}: more than {MAX_VALUES:,} distinct values; it looks like an identifier: drop the "
        "column, group its values, or declare its domain with schema="
    )
