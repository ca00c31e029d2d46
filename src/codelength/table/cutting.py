"""Cutting of columns of numbers into intervals, also again from other rows.

A schema is learned from all training rows, its intervals among them. Where rows are held out, the intervals
must be learned again from the others alone (:func:`with_intervals_of`), or the held-out rows would have
helped to choose the cut points. Categories need no such care: codes of the values do not depend on counts.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..typing import FloatArray, IntArray
from ._arrays import loses_digits, too_large
from .coded import Coded, changed
from .column import Column, Factor, Numbers
from .intervals.cuts import Strategy, assign, cut_points
from .spelling import NAMES, Scale, cuts_in_units, time_numbers, whole_unit
from .table import Table
from .variable import Variable, interval_variable


@dataclass(frozen=True, slots=True)
class Cutting:
    """Options for cutting columns of numbers into intervals.

    Attributes
    ----------
    strategy : {"frequency", "width", "kmeans"}
        See :func:`codelength.table.intervals.cuts.cut_points`.
    n_bins : int
        Largest number of intervals per column.
    """

    strategy: Strategy = "frequency"
    n_bins: int = 5

    def variable(
        self,
        name: str,
        numbers: FloatArray,
        missing_is_value: bool,
        weights: FloatArray | None = None,
        scale: Scale = "number",
    ) -> Variable:
        """Return the interval variable that numbers, or times on a scale, are cut into; NaN if missing.

        If ``missing_is_value``, missing cells are a last value. Weights are those of the numbers.

        Examples
        --------
        >>> Cutting(n_bins=2).variable("age", np.array([18.0, 25.0, 40.0, 67.0]), False).values
        ('< 32.5', '>= 32.5')
        """
        cuts = cut_points(numbers, self.strategy, self.n_bins, sample_weight=weights)
        if scale != "number":
            cuts = cuts_in_units(cuts, whole_unit(numbers[~np.isnan(numbers)]))
        return self.variable_with(name, cuts, missing_is_value, scale)

    def variable_with(
        self, name: str, cuts: FloatArray, missing_is_value: bool, scale: Scale = "number"
    ) -> Variable:
        """Return the variable with cut points that were found with these options."""
        origin = f"{NAMES[scale]}, cut {_WHERE.get(self.strategy, 'into intervals')}"
        return interval_variable(name, cuts, missing_is_value=missing_is_value, origin=origin, scale=scale)


AVERAGED = Cutting(n_bins=20)
"""Options of ``numeric="average"``: fine intervals, because models merge them again."""

_WHERE: dict[str, str] = {
    "frequency": "at about equal frequency",
    "width": "at equal width",
    "kmeans": "between clusters of k-means",
}


def with_intervals_of(coded: Coded, table: Table, rows: IntArray, cutting: Cutting | None = None) -> Coded:
    """Return the table with the intervals of its numeric variables learned from some rows alone.

    Parameters
    ----------
    coded : Coded
        The whole table; returned as it is if no variable is an interval of numbers.
    table : Table
        The same rows, with the numbers.
    rows : array of int
        The rows to learn from.
    cutting : Cutting, optional
        How the columns were cut.

    Returns
    -------
    Coded
        All rows, with new codes and cut points of the numeric variables; other variables stay as they are.

    Examples
    --------
    >>> from .encode import encode
    >>> from .infer import infer_schema
    >>> from .table import table_of
    >>> table = table_of({"age": [18.5, 25.0, 40.0, 67.0]})
    >>> coded = encode(infer_schema(table, cutting=Cutting(n_bins=2)), table)
    >>> learned = with_intervals_of(coded, table, np.array([0, 1]), Cutting(n_bins=2))
    >>> coded.schema.variables[0].cuts, learned.schema.variables[0].cuts, learned.codes.ravel().tolist()
    ((32.5,), (21.75,), [0, 1, 1, 1])
    """
    found = {
        i: numbers
        for i, (variable, column) in enumerate(zip(coded.schema.variables, table.columns, strict=True))
        if variable.kind == "interval" and (numbers := measured(column, variable.scale)) is not None
    }
    if not found:
        return coded
    variables, bins = list(coded.schema.variables), {}
    weights = None if table.weights is None else table.weights[rows]
    for i, numbers in found.items():
        variable = variables[i]
        variables[i] = (cutting or Cutting()).variable(
            variable.name, numbers[rows], variable.missing_is_value, weights, variable.scale
        )
        # The code after the last interval is that of a missing cell, a value of its own or not.
        bins[i] = assign(numbers, variables[i].cuts)
    schema = replace(coded.schema, variables=tuple(variables))
    codes = np.array(coded.codes, dtype=schema.code_type, order="F")
    for i, column_codes in bins.items():
        codes[:, i] = column_codes
    return changed(coded, schema=schema, codes=codes, is_distinct=False)


def measured(column: Column, scale: Scale) -> FloatArray | None:
    """Return the cells of a column on a scale, NaN if missing; None if they are not on it.

    Whole numbers that float64 does not keep apart are refused.
    """
    if scale == "number":
        if isinstance(column, Factor):
            if column.is_numeric:
                raise too_large(column.name)
            return None
        if column.numbers.dtype.kind != "f" and loses_digits(column.numbers):
            raise too_large(column.name)
        return column.numbers.astype(np.float64)
    if isinstance(column, Numbers):
        return None
    return np.append(time_numbers(column.values, scale), np.nan)[column.positions]
