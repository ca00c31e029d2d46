"""Roles of the columns of a table: variables, class and weights."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import DataError, InvalidParameter, SchemaMismatch
from ..table._messages import suggestion
from ..table.checks import check_instance, check_names, check_weights
from ..table.column import Column, Numbers
from ..table.table import Table
from ..table.target import target_column
from ..typing import FloatArray
from .batch import Batch, Batches
from .cells import column_of, kind_of, numbers_of


@dataclass(frozen=True, slots=True)
class Roles:
    """Names of the columns by role.

    Attributes
    ----------
    variables : tuple of str
        The variables.
    target : str, optional
        Column with the classes.
    weights : str, optional
        Column with the weights.
    """

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
        """Return the requested roles; raise if the source lacks a column that is named.

        Parameters
        ----------
        batches : Batches
            The source.
        target, weights : str, optional
            Columns with the classes and the weights.
        drop : iterable of str
            Columns to leave out.
        keep : sequence of str, optional
            The only columns to take as variables, in this order.

        Returns
        -------
        Roles
            The roles of the columns.
        """
        asked = AskedRoles.of(target, weights, drop, keep)
        return asked.among(batches.names, batches.name or "the table")

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns to read: variables, class, weights."""
        return (*self.variables, *(name for name in (self.target, self.weights) if name is not None))

    def table(self, columns: Sequence[Column], shown: str, rows: range | None = None) -> Table:
        """Return the table of columns that were read.

        Parameters
        ----------
        columns : sequence of Column
            The columns, in the order of :attr:`columns`.
        shown : str
            Name of the source in messages.
        rows : range, optional
            The rows that they hold; by default all.

        Returns
        -------
        Table
            The rows with their classes and weights.
        """
        # The reverse of the order in ``columns``: weights are last, then the class.
        read = list(columns)
        weights = read.pop() if self.weights is not None else None
        table_target = read.pop() if self.target is not None else None
        n_rows, first = len(columns[0].missing), 0 if rows is None else rows.start
        numbers = None if rows is None else np.arange(rows.start, rows.stop)
        table = Table(tuple(read), n_rows, name=shown, row_numbers=numbers)
        try:
            if table_target is not None:
                table = replace(table, target=target_column(table_target, first_row=first))
            return table if weights is None else replace(table, weights=_weights(weights, n_rows, first))
        except DataError as error:
            raise type(error)(f"{shown}, {error}") from None

    def check_classes(self, batch: Batch) -> None:
        """Raise if a class is missing, or is not a class."""
        if self.target is not None:
            column = column_of(self.target, *batch.column(self.target))
            target_column(column, first_row=batch.first_row)

    def weighed(self, batch: Batch) -> tuple[Batch, FloatArray | None]:
        """Return the rows of positive weight, and their weights (None if each row stands for itself).

        Rows of weight zero are dropped. A cell that cannot be used is an error in such rows, too.
        """
        if self.weights is None:
            return batch, None
        column = column_of(self.weights, *batch.column(self.weights))
        weights = _weights(column, batch.n_rows, batch.first_row)
        kept = weights > 0
        if kept.all():
            return batch, weights
        # As in memory, where all cells are read before weights are known.
        for name in self.variables:
            array, field = batch.column(name)
            if kind_of(field) == "number":
                numbers_of(name, array, batch.first_row)
        return batch.take(kept), np.asarray(weights[kept])


@dataclass(frozen=True, slots=True)
class AskedRoles:
    """Roles that a caller requests, before the columns of the source are known."""

    target: str | None
    weights: str | None
    drop: tuple[str, ...]
    keep: tuple[str, ...] | None

    @classmethod
    def of(
        cls, target: str | None, weights: str | None, drop: Iterable[str], keep: Sequence[str] | None
    ) -> "AskedRoles":
        """Check the types of the requested roles and return them."""
        for name, value in (("target", target), ("weights", weights)):
            check_instance(name, value, (str, type(None)), "the name of a column, or None")
        kept = None if keep is None else check_names("keep", keep)
        return cls(target, weights, check_names("drop", drop), kept)

    def among(self, names: Sequence[str], shown: str) -> Roles:
        """Return the roles of columns with these names; raise if one that is requested is absent."""
        self._check(names, shown)
        own = {self.weights, self.target, *self.drop}
        kept = [name for name in dict.fromkeys(names if self.keep is None else self.keep) if name not in own]
        if not kept and self.target is None and self.weights is None:
            raise InvalidParameter(f"{shown}: every column is dropped; leave at least one")
        return Roles(tuple(kept), self.target, self.weights)

    def _check(self, names: Sequence[str], shown: str) -> None:
        if self.keep is not None and not self.keep:
            raise InvalidParameter("keep is empty; name at least one column, or pass None for all")
        known = set(names)
        asked = [(name, " for the target") for name in (self.target,)]
        asked += [(name, " for the weights") for name in (self.weights,)]
        asked += [(name, f" among its {len(names)}") for name in (*(self.keep or ()), *self.drop)]
        for name, purpose in asked:
            if name is not None and name not in known:
                raise SchemaMismatch(f"{shown}: has no column {name!r}{purpose}{suggestion(name, names)}")
        if self.target is not None and self.target == self.weights:
            raise InvalidParameter(f"column {self.target!r} is the target; name another for the weights")
        for name in self.drop:
            if name in (self.target, self.weights):
                role = "target" if name == self.target else "weights"
                raise InvalidParameter(f"drop: column {name!r} is named for the {role}; do not drop it")


def _weights(column: Column, n_rows: int, first_row: int) -> FloatArray:
    if not isinstance(column, Numbers):
        raise DataError(f"column {column.name!r}: weights must be numbers, one per row")
    # A batch may hold nothing but rows of weight zero.
    weights = check_weights(column.numbers, n_rows, positive=False, first_row=first_row)
    assert weights is not None
    return weights
