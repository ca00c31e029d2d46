"""Columns that are related to components: numbers as they are, categories as indicators."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...errors import DataError, InvalidParameter
from ...table import Table
from ...table._messages import shown
from ...table.checks import check_choice
from ...table.column import Column, Factor, Numbers
from ...typing import BoolArray, FloatArray, IntArray, Scalar

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
    groups : tuple of tuples of int
        Columns of each covariate, without the intercept.
    """

    matrix: FloatArray
    names: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]

    @property
    def missing(self) -> BoolArray:
        """Mask of the rows that lack a covariate."""
        return np.asarray(np.isnan(self.matrix).any(axis=1))


def covariate_matrix(table: Table) -> Design:
    """Build the design matrix of the covariates of a table.

    Parameters
    ----------
    table : Table
        The covariates.

    Returns
    -------
    Design
        The matrix with the names and groups of its columns.

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
    groups: list[tuple[int, ...]] = []
    for column in table.columns:
        first = len(columns)
        if is_numeric(column):
            columns.append(numbers_of(column))
            names.append(column.name)
        else:
            codes, values = codes_of(column)
            # The first value is the reference: with an indicator of its own the columns would add up to the
            # intercept.
            for code in range(1, len(values)):
                columns.append(np.where(codes < 0, np.nan, codes == code))
                names.append(f"{column.name}={values[code]}")
        present = [own[~np.isnan(own)] for own in columns[first:]]
        if not present or any(not len(own) or np.ptp(own) == 0 for own in present):
            raise DataError(
                f"covariate {shown(column.name)}: all rows that have a value have the same one; leave it out"
            )
        groups.append(tuple(range(first, len(columns))))
    return Design(np.stack(columns, axis=1), tuple(names), tuple(groups))


def free_components(reference: int, n_components: int) -> list[int]:
    """Return the components other than the reference; raise if it is not one of at least two components."""
    if not 0 <= reference < n_components or n_components < 2:
        raise InvalidParameter(
            f"reference={reference}: expected one of at least two classes, from 0 to {n_components - 1}"
        )
    return [k for k in range(n_components) if k != reference]


def check_rank(design: Design, matrix: FloatArray) -> None:
    """Raise if the columns of a design, as standardised in ``matrix``, are collinear."""
    if np.linalg.matrix_rank(matrix) < matrix.shape[1]:
        raise DataError(
            f"covariates {shown(list(design.names[1:]))}: one of them follows from the others; leave it out"
        )


def is_numeric(column: Column, kind: ColumnKind = "auto") -> bool:
    """Return whether a column is treated as numeric; by default all columns of numbers are."""
    check_choice("kind", kind, ColumnKind)
    holds_numbers = isinstance(column, Numbers) or column.is_numeric
    if kind == "numeric" and not holds_numbers:
        raise DataError(f'column {shown(column.name)}: it holds more than numbers; use kind="categorical"')
    return holds_numbers and kind != "categorical"


def numbers_of(column: Column) -> FloatArray:
    """Return the cells of a column of numbers, NaN if missing."""
    return np.asarray(column.numbers, dtype=np.float64)


def codes_of(column: Column) -> tuple[IntArray, tuple[Scalar, ...]]:
    """Return the cells of a column as codes, -1 if missing, and the values that occur."""
    if isinstance(column, Factor):
        # Values that are declared but do not occur would give columns of zeros.
        kept = np.unique(column.positions[column.positions >= 0])
        codes = np.where(column.missing, -1, np.searchsorted(kept, column.positions))
        return codes.astype(np.int64), tuple(column.values[place] for place in kept)
    values, codes = np.unique(column.numbers[~column.missing], return_inverse=True)
    found = np.full(len(column.numbers), -1, dtype=np.int64)
    found[~column.missing] = codes.ravel()
    return found, tuple(values.tolist())


def scales(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the means and standard deviations of the columns, 0 and 1 for the intercept."""
    centre, scale = matrix.mean(axis=0), matrix.std(axis=0)
    centre[0], scale[0] = 0.0, 1.0
    return centre, np.where(scale > 0, scale, 1.0)


def scaled_back(
    coefficients: FloatArray,
    covariance: FloatArray,
    free: list[int],
    n_components: int,
    centre: FloatArray,
    scale: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Transform coefficients of standardised covariates, and their covariance, to the original scale.

    Parameters
    ----------
    coefficients : array of shape (n_free, n_columns)
        Coefficients of standardised covariates.
    covariance : array of shape (n_free * n_columns,) * 2
        Their covariance.
    free : list of int
        Components other than the reference.
    n_components : int
        Number of components.
    centre, scale : arrays of shape (n_columns,)
        From :func:`scales`.

    Returns
    -------
    coefficients : array of shape (n_components, n_columns)
        Coefficients of all components; zero for the reference.
    covariance : array of shape (n_components * n_columns,) * 2
        Their covariance; zero for the reference.
    """
    n_each = len(scale)
    # Undoes x -> (x - centre) / scale: slopes are divided by the scale, and the intercept absorbs the
    # centres.
    back = np.diag(1 / scale)
    back[0] = -centre / scale
    back[0, 0] = 1.0
    whole = np.kron(np.eye(len(free)), back)
    found = np.zeros((n_components, n_each))
    found[free] = (whole @ coefficients.ravel()).reshape(len(free), n_each)
    at = np.concatenate([np.arange(k * n_each, (k + 1) * n_each) for k in free])
    spread = np.zeros((n_components * n_each,) * 2)
    spread[np.ix_(at, at)] = whole @ covariance @ whole.T
    return found, spread
