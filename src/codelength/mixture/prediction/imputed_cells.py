"""Predictive distributions of missing cells."""

from dataclasses import dataclass

from ..._display import Shown, counted
from ...blocks import Block, Grid
from ...typing import FloatArray, IntArray, Scalar


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class ImputedCells(Shown):
    """Predictive distribution of the missing cells of one variable.

    Attributes
    ----------
    rows : array of shape (n_missing,)
        The rows in which the variable is missing.
    values : tuple
        The values it can take.
    probs : array of shape (n_missing, n_values)
        The probability of each value, given the cells of the row that are there.
    """

    rows: IntArray
    values: tuple[Scalar | None, ...]
    probs: FloatArray

    def _title(self) -> str:
        cells, values = counted(len(self.rows), "missing cell"), counted(len(self.values), "value")
        return f"ImputedCells: {cells}, {values}"

    def _blocks(self) -> list[Block]:
        names = ["row", *(shown_value(value) for value in self.values[:10])]
        cells = zip(self.rows, self.probs[:, :10], strict=True)
        return [Grid("", names, [[str(row), *(f"{p:.2f}" for p in probs)] for row, probs in cells])]


def shown_value(value: Scalar | None) -> str:
    """Return a value of a variable for people."""
    return "missing" if value is None else str(value)
