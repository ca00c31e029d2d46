"""Cells with values that a schema does not list, and messages about them.

At training an unknown value is always worth a warning, because the schema was declared by the user. At
prediction a few are normal; there is a warning if they are most of a column or of another type than in
training, since both mean a column that was written in another way. Streams merge the :class:`Unknown` of
their batches and warn once.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import IgnoredValues, UnknownValue
from ._messages import listed, shown, tell
from .column import Column, Numbers
from .spelling import parse_boolean, parse_number
from .variable import Variable

MANY_CELLS = 20
"""Smallest number of cells in which a majority of unknown values causes a warning at prediction."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Cells of one column with values that the schema does not list: a commutative monoid.

    Attributes
    ----------
    n_cells, n_present : int
        Number of such cells, and of all cells that are not missing.
    row, position : int
        The first row with such a cell: its number in messages, and in the whole table.
    cell : object
        Its content.
    is_of_other_kind : bool
        True if the cells are of another type than the values of the schema.
    source : str
        Start of messages about the row.
    """

    n_cells: int
    n_present: int
    row: int
    position: int
    cell: Any
    is_of_other_kind: bool = False
    source: str = ""

    def merge(self, other: "Unknown") -> "Unknown":
        """Return the unknown cells of two parts of a table."""
        return replace(
            # By position and not by the order of the parts, so that every order of merging names the same
            # row.
            self if self.position <= other.position else other,
            n_cells=self.n_cells + other.n_cells,
            n_present=self.n_present + other.n_present,
            is_of_other_kind=self.is_of_other_kind or other.is_of_other_kind,
        )

    def error(self, variable: Variable) -> UnknownValue:
        """Return the error about the cells."""
        return UnknownValue(f'{self._where(variable)}; add it to the schema or pass handle_unknown="ignore"')

    def tell(self, variable: Variable, *, training: bool) -> bool:
        """Warn about the cells if they matter; return True if a warning was given."""
        where = self._where(variable)
        if training:
            message = (
                f"{where}; {self.n_cells} such cells treated as missing; declare its values with schema="
            )
        elif self.is_of_other_kind:
            message = (
                f"{where}; {self.n_cells} such cells treated as missing; give it the type it had in training"
            )
        elif self.n_present >= MANY_CELLS and 2 * self.n_cells > self.n_present:
            message = (
                f"{where}; {self.n_cells:,} of {self.n_present:,} cells hold values that were not in "
                "training, and are treated as missing; check that this is the same column, written in the "
                "same way"
            )
        else:
            return False
        tell(message, IgnoredValues)
        return True

    def _where(self, variable: Variable) -> str:
        return (
            f"{self.source}column {variable.name!r}, row {self.row}: value {shown(self.cell)} is not in the "
            f"schema {listed(variable.values)}"
        )


def is_of_other_kind(variable: Variable, column: Column, unknown: Column) -> bool:
    """Return True if a column is text and the schema has numbers, or the other way round.

    Also if one of the unknown values is a known one of another type.
    """
    if variable.kind == "category":
        of_variable = {isinstance(value, str) for value in variable.values if value is not None}
    else:
        of_variable = {variable.scale != "number"}
    of_column = {False} if isinstance(column, Numbers) else {isinstance(v, str) for v in column.values}
    if of_column.isdisjoint(of_variable):
        return True
    if variable.kind != "category":
        return False
    values = np.unique(unknown.numbers).tolist() if isinstance(unknown, Numbers) else unknown.values
    texts = {value.lower() for value in variable.values if isinstance(value, str)}
    others = {value for value in variable.values if value is not None and not isinstance(value, str)}
    return any(
        bool({parse_number(value), parse_boolean(value)} & others)
        if isinstance(value, str)
        else str(value).lower() in texts
        for value in values
    )
