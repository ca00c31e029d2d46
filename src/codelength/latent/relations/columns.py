"""Columns that are related to components: numbers as they are, categories as indicators.

Order of reading: :func:`covariate_matrix`, :class:`Logit` (the component depends on covariates), the checks.
Depends on the columns of :mod:`codelength.table` and on ``results``.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...errors import DataError, InvalidParameter
from ...table import Table
from ...table._messages import shown
from ...table.checks import check_choice
from ...table.column import Column, Factor, Numbers
from ...table.values import sorted_values
from ...typing import BoolArray, FloatArray, IntArray, Scalar
from .results import CovariateRelation, WaldTest

ColumnKind = Literal["auto", "numeric", "categorical"]


@dataclass(frozen=True, eq=False, slots=True)
class Design:
    """Covariates as a design matrix.

    Attributes
    ----------
    matrix : array of shape (n_rows, n_columns)
        An intercept, then one column per numeric covariate and one per value of a category except its first;
        NaN if missing.
    names : tuple of str
        Names of the columns.
    groups : dict of str to list of int
        Columns of each covariate, without the intercept.
    """

    matrix: FloatArray
    names: tuple[str, ...]
    groups: dict[str, list[int]]

    @property
    def is_complete(self) -> BoolArray:
        """Mask of the rows that have all covariates."""
        return np.asarray(~np.isnan(self.matrix).any(axis=1))


def covariate_matrix(table: Table) -> Design:
    """Build the design matrix of the covariates of a table.

    Raises
    ------
    DataError
        If a column does not vary, so that its effect cannot be separated from the intercept.

    Examples
    --------
    >>> from codelength.sources import as_table
    >>> design = covariate_matrix(as_table({"age": [30, 40, None], "sex": ["f", "m", "f"]}))
    >>> design.names, design.matrix.tolist()
    (('intercept', 'age', 'sex=m'), [[1.0, 30.0, 0.0], [1.0, 40.0, 1.0], [1.0, nan, 0.0]])
    """
    columns, names = [np.ones(table.n_rows)], ["intercept"]
    groups: dict[str, list[int]] = {}
    for column in table.columns:
        first = len(columns)
        if is_numeric(column):
            columns.append(column.numbers)
            names.append(column.name)
        else:
            codes, values = codes_of(column)
            # The first value is the reference: with an indicator of its own the columns would add up to the
            # intercept.
            columns += [np.where(codes < 0, np.nan, codes == code) for code in range(1, len(values))]
            names += [f"{column.name}={value}" for value in values[1:]]
        present = [own[~np.isnan(own)] for own in columns[first:]]
        if not present or any(not len(own) or np.ptp(own) == 0 for own in present):
            raise DataError(
                f"covariate {shown(column.name)}: all rows that have a value have the same one; leave it out"
            )
        groups[column.name] = list(range(first, len(columns)))
    return Design(np.stack(columns, axis=1), tuple(names), groups)


@dataclass(frozen=True, eq=False, slots=True)
class Logit:
    """Multinomial logit of the component on standardised covariates.

    Standardised covariates keep Newton's method and the information matrix well conditioned.

    Attributes
    ----------
    design : Design
        The covariates.
    used : array of shape (n_rows,)
        Mask of the rows used.
    matrix : array of shape (n_used, n_columns)
        Standardised covariates of the rows used.
    centre, scale : arrays of shape (n_columns,)
        Means and standard deviations of the columns, 0 and 1 for the intercept.
    reference : int
        The component that the others are compared with.
    free : list of int
        The other components.
    """

    design: Design
    used: BoolArray
    matrix: FloatArray
    centre: FloatArray
    scale: FloatArray
    reference: int
    free: list[int]

    @classmethod
    def of(cls, design: Design, used: BoolArray, reference: int, n_components: int) -> "Logit":
        """Standardise the covariates of the rows used; raise if they are collinear."""
        if not 0 <= reference < n_components or n_components < 2:
            raise InvalidParameter(
                f"reference={reference}: expected one of at least two classes, from 0 to {n_components - 1}"
            )
        given = design.matrix[used]
        centre, scale = given.mean(axis=0), given.std(axis=0)
        centre[0], scale[0] = 0.0, 1.0
        scale = np.where(scale > 0, scale, 1.0)
        matrix = (given - centre) / scale
        if np.linalg.matrix_rank(matrix) < matrix.shape[1]:
            raise DataError(
                f"covariates {shown(list(design.names[1:]))}: one of them follows from the others; leave it "
                "out"
            )
        free = [k for k in range(n_components) if k != reference]
        return cls(design, used, matrix, centre, scale, reference, free)

    def start(self, class_probs: FloatArray) -> FloatArray:
        """Return coefficients without any effect: the intercepts give the class shares."""
        # An empty component would have an infinite intercept.
        logs = np.log(np.maximum(class_probs, 1e-6))
        start = np.zeros((len(self.free), self.matrix.shape[1]))
        start[:, 0] = logs[self.free] - logs[self.reference]
        return start

    def logits(self, coefficients: FloatArray) -> FloatArray:
        """Compute the logits of the components of each row; zero for the reference."""
        found = np.zeros((len(self.matrix), len(self.free) + 1))
        found[:, self.free] = self.matrix @ coefficients.reshape(len(self.free), -1).T
        return found

    def scores(self, gaps: FloatArray, rows: slice = slice(None)) -> FloatArray:
        """Compute the scores of the coefficients from shares of the components minus their probabilities."""
        found = gaps[:, self.free, None] * self.matrix[rows, None, :]
        return np.asarray(found.reshape(len(gaps), -1))

    def relation(
        self, coefficients: FloatArray, covariance: FloatArray, method: str, log_likelihood: float
    ) -> CovariateRelation:
        """Return the relation to the covariates on their own scale.

        The coefficients and their covariance are those of the standardised covariates, component by
        component, without the reference.
        """
        n_each, n_components = len(self.scale), len(self.free) + 1
        # Undoes x -> (x - centre) / scale: slopes are divided by the scale, and the intercept absorbs the
        # centres.
        back = np.diag(1 / self.scale)
        back[0] = -self.centre / self.scale
        back[0, 0] = 1.0
        whole = np.kron(np.eye(len(self.free)), back)
        found, spread = np.zeros((n_components, n_each)), np.zeros((n_components * n_each,) * 2)
        found[self.free] = (whole @ coefficients.ravel()).reshape(-1, n_each)
        at = np.add.outer(np.array(self.free) * n_each, np.arange(n_each))
        spread[np.ix_(at.ravel(), at.ravel())] = whole @ covariance @ whole.T
        tests = {}
        for name, group in self.design.groups.items():
            own = at[:, group].ravel()
            tests[name] = WaldTest.of(found.ravel()[own], spread[np.ix_(own, own)])
        n_used = int(self.used.sum())
        counts = n_used, len(self.used) - n_used
        return CovariateRelation(
            self.design.names, found, spread, tests, self.reference, method, *counts, log_likelihood
        )


def rows_used(what: str, is_present: BoolArray, weights: FloatArray) -> BoolArray:
    """Return the mask of the rows with weight and with a value; raise unless there are such rows.

    ``what`` is related to the components, and ``weights`` are those of the rows of the mixture.
    """
    if len(is_present) != len(weights):
        raise DataError(
            f"{what}: {len(is_present)} rows, and the mixture was fitted to {len(weights)}; give the same "
            "rows in the same order"
        )
    used = is_present & (weights > 0)
    if not used.any():
        raise DataError(f"{what}: missing in every row; there is nothing to relate the classes to")
    return used


def is_numeric(column: Column, kind: ColumnKind = "auto") -> bool:
    """Return whether a column is treated as numeric; by default all columns of numbers are."""
    check_choice("kind", kind, ColumnKind)
    holds_numbers = isinstance(column, Numbers) or column.is_numeric
    if kind == "numeric" and not holds_numbers:
        raise DataError(f'column {shown(column.name)}: it holds more than numbers; use kind="categorical"')
    return holds_numbers and kind != "categorical"


def codes_of(column: Column) -> tuple[IntArray, tuple[Scalar, ...]]:
    """Return the cells of a column as codes, -1 if missing, and the values that occur, in order.

    Examples
    --------
    >>> codes, values = codes_of(Factor("colour", np.array([0, -1, 1]), ("red", "blue")))
    >>> codes.tolist(), values
    ([1, -1, 0], ('blue', 'red'))
    """
    cells: Any = column.positions if isinstance(column, Factor) else column.numbers
    # Values that are declared but do not occur would give columns of zeros.
    kept, places = np.unique(cells[~column.missing], return_inverse=True)
    values: tuple[Scalar, ...] = tuple(kept.tolist())
    if isinstance(column, Factor):
        named = [column.values[place] for place in kept.tolist()]
        # A declared order is kept; that in which the rows happen to stand must not choose the reference.
        values = tuple(named) if column.declared else sorted_values(named)
        numbers = {value: number for number, value in enumerate(values)}
        places = np.array([numbers[value] for value in named], dtype=np.int64)[places]
    codes = np.full(len(cells), -1, dtype=np.int64)
    codes[~column.missing] = places.ravel()
    return codes, values
