"""What the columns of a stream are to be: variables, the class, the weights."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import DataError
from ..table.checks import check_weights
from ..table.column import Numbers
from ..table.target import target_column
from ..typing import FloatArray
from .batch import Batch, Batches
from .cells import column_of, kind_of, numbers_of
from .files.readers import Roles as FileRoles


@dataclass(frozen=True, slots=True)
class Roles:
    """Names of the columns that are variables, and of those that are the class and the weights."""

    variables: tuple[str, ...]
    target: str | None = None
    weights: str | None = None

    @classmethod
    def of(
        cls,
        batches: Batches,
        target: str | None,
        weights: str | None,
        drop: Iterable[str] = (),
        keep: Sequence[str] | None = None,
    ) -> "Roles":
        """Roles from what a caller says, once it is sure that the source has all columns that are named."""
        roles = FileRoles.of(target, weights, drop, keep)
        wanted = roles.wanted(batches.names, batches.name or "the table")
        return cls(tuple(name for name in wanted if name not in (target, weights)), target, weights)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns to read."""
        return (*self.variables, *(name for name in (self.target, self.weights) if name is not None))

    def check_classes(self, batch: Batch) -> None:
        """Refuse rows without a class, and numbers that are none."""
        if self.target is not None:
            column = column_of(self.target, *batch.column(self.target))
            target_column(column, first_row=batch.first_row)

    def weighed(self, batch: Batch) -> tuple[Batch, FloatArray | None]:
        """The rows that weigh anything, and their weights; None where each stands for itself.

        Rows of weight zero are no rows, but a cell that cannot be used is refused in them as well.
        """
        if self.weights is None:
            return batch, None
        column = column_of(self.weights, *batch.column(self.weights))
        if not isinstance(column, Numbers):
            raise DataError(f"column {self.weights!r}: weights must be numbers, one per row")
        weights = check_weights(column.numbers, batch.n_rows, positive=False, first_row=batch.first_row)
        assert weights is not None
        kept = weights > 0
        if kept.all():
            return batch, weights
        for name in self.variables:
            array, field = batch.column(name)
            if kind_of(field) == "number":
                numbers_of(name, array, batch.first_row)
        return batch.take(kept), np.asarray(weights[kept])
