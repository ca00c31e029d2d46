"""One column of a table, in one of two forms: numbers, or a factor."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..typing import BoolArray, IntArray, Scalar


@dataclass(frozen=True, slots=True)
class Numbers:
    """A numeric column: integers, or floats with NaN for missing."""

    name: str
    numbers: NDArray[Any]

    @property
    def missing(self) -> BoolArray:
        """Which cells are missing."""
        if self.numbers.dtype.kind == "f":
            return np.asarray(np.isnan(self.numbers))
        return np.zeros(len(self.numbers), dtype=bool)

    def take(self, rows: BoolArray | IntArray) -> "Numbers":
        """The column at some rows."""
        return Numbers(self.name, self.numbers[rows])


@dataclass(frozen=True, slots=True)
class Factor:
    """A column of values: the distinct ones, and for each cell which (-1 for missing)."""

    name: str
    positions: IntArray
    values: tuple[Scalar, ...]
    declared: bool = False

    @property
    def missing(self) -> BoolArray:
        """Which cells are missing."""
        missing: BoolArray = self.positions < 0
        return missing

    def take(self, rows: BoolArray | IntArray) -> "Factor":
        """The column at some rows; values that no longer occur are dropped unless they were declared."""
        positions = self.positions[rows]
        if self.declared:
            return Factor(self.name, positions, self.values, True)
        kept, positions = np.unique(positions, return_inverse=True)
        has_missing = bool(len(kept)) and kept[0] < 0
        values = tuple(self.values[position] for position in kept[int(has_missing) :])
        return Factor(self.name, positions.astype(np.int64) - int(has_missing), values)


Column: TypeAlias = Numbers | Factor
