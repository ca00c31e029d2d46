"""Inactive variables: columns that were not used in the fit, described component by component.

Rows are weighted by their probability of belonging to each component. Nothing is assumed about the column and
nothing is tested, and because rows of other components always have a share, differences are underestimated;
:mod:`.three_step` adjusts for that.
"""

from dataclasses import dataclass

import numpy as np

from ..._display import Shown, counted
from ...blocks import Block, Grid
from ...errors import DataError
from ...table._messages import shown
from ...table.column import Column
from ...typing import FloatArray, Scalar
from .columns import ColumnKind, codes_of, is_numeric, numbers_of
from .results import left_out


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class InactiveProfile(Shown):
    """Profile of a column by component.

    Attributes
    ----------
    name : str
        Name of the column.
    values : tuple
        Its values; empty if it is numeric.
    profile : array of shape (n_components + 1, n_values) or (n_components + 1, 2)
        Share of each value, or mean and standard deviation, in each component and, in the last row, in all.
    n_left_out : int
        Number of rows in which the column is missing.
    """

    name: str
    values: tuple[Scalar, ...]
    profile: FloatArray
    n_left_out: int

    def _title(self) -> str:
        return f"InactiveProfile: {self.name} in {counted(len(self.profile) - 1, 'class')}"

    def _blocks(self) -> list[Block]:
        names = [str(value) for value in self.values] or ["mean", "standard deviation"]
        labels = [*(f"class {k + 1}" for k in range(len(self.profile) - 1)), "all"]
        rows = [[label, *(f"{p:.3f}" for p in own)] for label, own in zip(labels, self.profile, strict=True)]
        return [Grid("", ["class", *names], rows), *left_out(self.n_left_out, "a value")]


def inactive_profile(
    shares: FloatArray, weights: FloatArray | None, column: Column, kind: ColumnKind = "auto"
) -> InactiveProfile:
    """Describe a column component by component.

    Parameters
    ----------
    shares : array of shape (n_rows, n_components)
        Probability of each component for each row.
    weights : array of shape (n_rows,), optional
        Weights of the rows.
    column : Column
        The column, of the same rows.
    kind : {"auto", "numeric", "categorical"}
        Kind of the column; by default columns of numbers are numeric.

    Returns
    -------
    InactiveProfile
        Shares, or means and standard deviations.

    Examples
    --------
    >>> from codelength.table.column import Numbers
    >>> age = Numbers("age", np.array([20.0, 30.0, np.nan]))
    >>> inactive_profile(np.array([[1, 0], [0.5, 0.5], [0, 1]]), None, age).profile[:, 0].round(2)
    array([23.33, 30.  , 25.  ])
    """
    missing = column.missing
    if len(missing) != len(shares):
        raise DataError(
            f"column {shown(column.name)}: {len(missing)} rows, and the mixture was fitted to {len(shares)}; "
            "give the same rows in the same order"
        )
    present = ~missing & (True if weights is None else weights > 0)
    if not present.any():
        raise DataError(f"column {shown(column.name)}: missing in every row; there is nothing to describe")
    # A last column of ones: the profile of all rows is computed along with those of the components.
    everyone = np.column_stack((shares, np.ones(len(shares))))
    weighted = everyone * (1.0 if weights is None else weights[:, None])
    sizes = np.maximum(weighted[present].sum(axis=0), 1e-300)[:, None]
    if is_numeric(column, kind):
        y = numbers_of(column)[present]
        means = weighted[present].T @ y[:, None] / sizes
        squares = (weighted[present] * (y[:, None] - means.T) ** 2).sum(axis=0)[:, None] / sizes
        return InactiveProfile(column.name, (), np.hstack((means, np.sqrt(squares))), int((~present).sum()))
    codes, values = codes_of(column)
    profile = weighted[present].T @ np.eye(len(values))[codes[present]] / sizes
    return InactiveProfile(column.name, values, profile, int((~present).sum()))
