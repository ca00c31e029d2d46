"""How often two values occur together in each class, for all pairs of variables."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import Infeasible
from ..typing import FloatArray, IntArray

MOST_PAIR_CELLS = 1 << 27
"""Most cells of all tables together: 1 GB of counts."""


@dataclass(frozen=True, eq=False)
class PairCounts:
    """How often each pair of values was seen in each class.

    Each pair of variables has a table with one spare row and one spare column, which count cells without a
    value. All tables together hold :func:`n_pair_cells` numbers: about half the number of classes times the
    square of the number of values of all variables.

    Attributes
    ----------
    n_values : array of shape (n_variables,)
        How many values each variable has.
    cells : array of shape (n_cells, n_classes)
        The tables one after the other: those of variables 1 and 0, 2 and 0, 2 and 1, 3 and 0, and so on, each
        row by row. Rows are values of the later variable, columns are values of the earlier one.
    """

    n_values: IntArray
    cells: FloatArray

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.cells.shape[1])

    @property
    def n_pairs(self) -> int:
        """How many pairs of variables there are."""
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
        """Where the table of each pair starts, and where the last one ends."""
        return _starts(self.n_values)

    @cached_property
    def with_margins(self) -> FloatArray:
        """The cells, with sums over values in place of what counts cells without a value."""
        from ._pair_kernels import add_margins

        cells = self.cells.copy()
        add_margins(self.n_values, cells)
        return cells

    def of(self, one: int, other: int) -> FloatArray:
        """Counts of two different variables, shape (n_classes, values of one, values of the other).

        Examples
        --------
        >>> codes = np.array([[0, 2], [1, 0], [1, 0]])
        >>> counts = count_pairs(codes, np.array([0, 0, 1]), np.array([2, 3]), n_classes=2)
        >>> counts.of(0, 1)[0]
        array([[0., 0., 1.],
               [1., 0., 0.]])
        """
        if one < other:
            return self.of(other, one).transpose(0, 2, 1)
        table = self.table(one * (one - 1) // 2 + other)
        return table[:-1, :-1].transpose(2, 0, 1)

    def table(self, pair: int, cells: FloatArray | None = None) -> FloatArray:
        """The table of a pair, shape (n_values + 1 of the later, n_values + 1 of the earlier, n_classes).

        ``cells`` may be other numbers in the places of the counts.
        """
        cells = self.cells if cells is None else cells
        shape = self.n_values[self.later[pair]] + 1, self.n_values[self.earlier[pair]] + 1, self.n_classes
        return cells[self.starts[pair] : self.starts[pair + 1]].reshape(shape)

    def merge(self, other: "PairCounts") -> "PairCounts":
        """Counts of both tables, which have the same variables and classes."""
        return PairCounts(self.n_values, self.cells + other.cells)

    def places(self, codes: IntArray) -> IntArray:
        """Where the tables count some rows, shape (n_rows, n_pairs); a code of -1 is no value."""
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
        Codes of the values; -1 where there is none.
    labels : array of shape (n_rows,)
        Codes of the classes.
    n_values : array of shape (n_variables,)
        How many values each variable has.
    n_classes : int
        How many classes there are.
    weights : array of shape (n_rows,), optional
        How many rows each row stands for.

    Raises
    ------
    Infeasible
        If there are more than :data:`MOST_PAIR_CELLS` cells.
    """
    from ._pair_kernels import add_pairs

    n_cells = n_pair_cells(n_values, n_classes)
    if n_cells > MOST_PAIR_CELLS:
        raise Infeasible(
            f"pairs of {len(n_values)} variables in {n_classes} classes have {n_cells:,} cells, more than "
            f"the {MOST_PAIR_CELLS:,} that are counted; use fewer variables, or merge rare values"
        )
    filled = np.ascontiguousarray(np.where(codes < 0, n_values, codes).T, dtype=np.int64)
    given = np.ones(len(labels)) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    starts = _starts(n_values)
    cells = np.zeros((starts[-1], n_classes))
    add_pairs(filled, np.ascontiguousarray(labels, dtype=np.int64), given, n_values + 1, starts, cells)
    return PairCounts(n_values, cells)


def n_pair_cells(n_values: IntArray, n_classes: int) -> int:
    """How many numbers the counts of all pairs take.

    Examples
    --------
    >>> n_pair_cells(np.array([2, 3, 4]), n_classes=2)  # 2 (3 4 + 3 5 + 4 5)
    94
    """
    return int(_starts(n_values)[-1]) * n_classes


def _starts(n_values: IntArray) -> IntArray:
    later, earlier = np.tril_indices(len(n_values), -1)
    sizes = (n_values[later] + 1) * (n_values[earlier] + 1)
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
