"""Counts of pairs of values in each class, for all pairs of variables."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import Infeasible
from ..typing import FloatArray, IntArray

MAX_PAIR_CELLS = 1 << 27
"""Largest number of cells of all tables together: 1 GB of counts."""


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Counts of each pair of values in each class.

    Each pair of variables has a table with one extra row and one extra column for cells without a value. All
    tables together have :func:`n_pair_cells` numbers: about half the number of classes times the square of
    the number of values of all variables.

    Attributes
    ----------
    n_values : array of shape (n_variables,)
        Number of values of each variable.
    cells : array of shape (n_cells, n_classes)
        All tables, one after the other: those of variables 1 and 0, 2 and 0, 2 and 1, 3 and 0, and so on,
        each in C order. Rows are values of the later variable, columns are values of the earlier one.
    """

    n_values: IntArray
    cells: FloatArray

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.cells.shape[1])

    @property
    def n_pairs(self) -> int:
        """Number of pairs of variables."""
        return len(self.later)

    @cached_property
    def later(self) -> IntArray:
        """The later variable of each pair."""
        return np.tril_indices(len(self.n_values), -1)[0].astype(np.int64)

    @cached_property
    def earlier(self) -> IntArray:
        """The earlier variable of each pair."""
        return np.tril_indices(len(self.n_values), -1)[1].astype(np.int64)

    @cached_property
    def starts(self) -> IntArray:
        """First cell of the table of each pair, and the end of the last one."""
        return _starts(self.n_values)

    @cached_property
    def with_margins(self) -> FloatArray:
        """The cells, with sums over values in place of the counts of cells without a value."""
        from ._kernels import add_margins

        cells = self.cells.copy()
        add_margins(self.n_values, cells)
        return cells

    def of(self, one: int, other: int) -> FloatArray:
        """Return counts of two different variables, shape (n_classes, values of one, values of the other).

        Examples
        --------
        >>> codes = np.array([[0, 2], [1, 0], [1, 0]])
        >>> counts = count_pairs(codes, np.array([0, 0, 1]), np.array([2, 3]), n_classes=2)
        >>> counts.of(0, 1)[0]
        array([[0., 0., 1.],
               [1., 0., 0.]])
        """
        # Only tables with the later variable first are stored.
        if one < other:
            return self.of(other, one).transpose(0, 2, 1)
        table = self.table(one * (one - 1) // 2 + other)
        return table[:-1, :-1].transpose(2, 0, 1)

    def table(self, pair: int, cells: FloatArray | None = None) -> FloatArray:
        """Return the table of a pair, shape (n_values + 1 of later, n_values + 1 of earlier, n_classes).

        Parameters
        ----------
        pair : int
            Number of the pair.
        cells : array of shape (n_cells, n_classes), optional
            Other numbers in the layout of the counts; by default the counts.
        """
        cells = self.cells if cells is None else cells
        shape = self.n_values[self.later[pair]] + 1, self.n_values[self.earlier[pair]] + 1, self.n_classes
        return cells[self.starts[pair] : self.starts[pair + 1]].reshape(shape)

    def merge(self, other: "PairCounts") -> "PairCounts":
        """Return the counts of both tables, which have the same variables and classes."""
        return PairCounts(self.n_values, self.cells + other.cells)

    def places(self, codes: IntArray) -> IntArray:
        """Return the cells of rows, shape (n_rows, n_pairs); code -1 is a cell without a value."""
        # The cell for missing is behind the last value of each variable.
        filled = np.where(codes < 0, self.n_values, codes)
        rows = filled[:, self.later] * (self.n_values[self.earlier] + 1)
        return np.asarray(self.starts[:-1] + rows + filled[:, self.earlier])


def count_pairs(
    codes: IntArray, labels: IntArray, n_values: IntArray, n_classes: int, weights: FloatArray | None = None
) -> PairCounts:
    """Count all pairs of values of some rows.

    Parameters
    ----------
    codes : array of shape (n_rows, n_variables)
        Codes of the values; -1 for none.
    labels, weights : array of shape (n_rows,)
        Codes of the classes, and weights of the rows.
    n_values : array of shape (n_variables,)
        Number of values of each variable.
    n_classes : int
        Number of classes.

    Raises
    ------
    Infeasible
        If there are more than :data:`MAX_PAIR_CELLS` cells.
    """
    from ._kernels import add_pairs

    n_cells = n_pair_cells(n_values, n_classes)
    if n_cells > MAX_PAIR_CELLS:
        raise Infeasible(
            f"pairs of {len(n_values)} variables in {n_classes} classes have {n_cells:,} cells, more than "
            f"the {MAX_PAIR_CELLS:,} that are counted; use fewer variables, or merge rare values"
        )
    filled = np.ascontiguousarray(np.where(codes < 0, n_values, codes).T, dtype=np.int64)
    given = np.ones(len(labels)) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    starts = _starts(n_values)
    cells = np.zeros((starts[-1], n_classes))
    add_pairs(filled, np.ascontiguousarray(labels, dtype=np.int64), given, n_values + 1, starts, cells)
    return PairCounts(n_values, cells)


def n_pair_cells(n_values: IntArray, n_classes: int) -> int:
    """Return the number of counts of all pairs.

    Examples
    --------
    >>> n_pair_cells(np.array([2, 3, 4]), n_classes=2)  # 2 (3 4 + 3 5 + 4 5)
    94
    """
    return int(_starts(n_values)[-1]) * n_classes


def _starts(n_values: IntArray) -> IntArray:
    """Return the first cell of each table, and the end of the last one."""
    later, earlier = np.tril_indices(len(n_values), -1)
    sizes = (n_values[later] + 1) * (n_values[earlier] + 1)
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
