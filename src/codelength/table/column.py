"""Columns of a table, in one of two forms: numbers, or a factor.

:func:`codelength.table.table.as_column` makes columns of cells of any container. A column of numbers is
an array, so that it can be cut into intervals without a look-up; everything else is a factor, so that each
distinct value is read and looked up once, however many rows have it.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..typing import BoolArray, FloatArray, IntArray, Scalar

Positions: TypeAlias = NDArray[np.signedinteger[Any]]
"""Positions in a list of values, of any width; -1 for missing."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """A numeric column: integers, or float64 with NaN for missing.

    Whole numbers keep their integer type, and so all their digits. An integer column has no missing cells.

    Examples
    --------
    >>> column = Numbers("size", np.array([1.5, np.nan]))
    >>> column.missing, column.take(np.array([0])).cells
    (array([False,  True]), array([1.5]))
    """

    name: str
    numbers: NDArray[Any]

    @property
    def missing(self) -> BoolArray:
        """Mask of missing cells."""
        if self.numbers.dtype.kind == "f":
            return np.asarray(np.isnan(self.numbers))
        return np.zeros(len(self.numbers), dtype=bool)

    @property
    def cells(self) -> NDArray[Any]:
        """Cells as an array; NaN if missing."""
        return self.numbers

    def take(self, rows: BoolArray | IntArray) -> "Numbers":
        """Return the column at some rows."""
        return Numbers(self.name, self.numbers[rows])


@dataclass(frozen=True, slots=True)
class Factor:
    """A column of values: the distinct values, and the position of each cell among them (-1 for missing).

    A declared factor may list values that no cell has. A factor holds numbers only if no array type holds all
    of them exactly.

    Attributes
    ----------
    name : str
        Name of the column.
    positions : array of int
        Position of each cell in ``values``; -1 if missing.
    values : tuple
        The distinct values, in canonical form.
    declared : bool
        True if the values are the declared domain of the column.

    Examples
    --------
    >>> column = Factor("colour", np.array([1, 0, -1]), ("blue", "red", "green"))
    >>> column.cells
    array(['red', 'blue', None], dtype=object)
    >>> column.take(np.array([0, 2])).values
    ('red',)
    """

    name: str
    positions: Positions
    values: tuple[Scalar, ...]
    declared: bool = False

    @property
    def missing(self) -> BoolArray:
        """Mask of missing cells."""
        missing: BoolArray = self.positions < 0
        return missing

    @property
    def is_numeric(self) -> bool:
        """True for a column of numbers: undeclared, and without text or truth values."""
        numeric = all(type(value) in (int, float) for value in self.values)
        return numeric and bool(self.values) and not self.declared

    @property
    def numbers(self) -> FloatArray:
        """Cells of a column of numbers as the nearest floats; NaN if missing."""
        # Position -1 picks the last entry, NaN.
        return np.array([*(float(value) for value in self.values), np.nan])[self.positions]

    @property
    def cells(self) -> NDArray[Any]:
        """Cells as an array: truth values, or objects with None if missing."""
        if set(map(type, self.values)) == {bool} and self.values == (False, True) and not self.missing.any():
            return self.positions.astype(np.bool_)
        values = np.empty(len(self.values) + 1, dtype=object)
        values[:-1] = self.values
        cells: NDArray[Any] = values[self.positions]
        return cells

    def take(self, rows: BoolArray | IntArray) -> "Factor":
        """Return the column at some rows; undeclared values that no longer occur are dropped."""
        positions = self.positions[rows]
        if self.declared:
            return Factor(self.name, positions, self.values, True)
        kept, positions = np.unique(positions, return_inverse=True)
        has_missing = bool(len(kept)) and kept[0] < 0
        values = tuple(self.values[position] for position in kept[int(has_missing) :])
        return Factor(self.name, positions.astype(np.int64) - int(has_missing), values)


Column: TypeAlias = Numbers | Factor
