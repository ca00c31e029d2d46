"""Roles of the columns of a table: variables, class and weights.

Sources have columns only; readers of tables and of streams give them roles here, by name, before they read.
A profile and a score check the classes of a batch first, then drop the rows of weight zero
(:meth:`Roles.weighed`), then look at the rest. So a fault in a row that does not count is an error whether a
table is read as a whole or in batches.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import DataError, InvalidParameter, SchemaMismatch
from ..table._messages import suggestion
from ..table.checks import check_instance, check_names, check_weights
from ..table.column import Numbers
from ..table.target import target_column
from ..typing import FloatArray
from .batch import Batch, Batches
from .cells import column_of, kind_of, numbers_of


@dataclass(frozen=True, slots=True)
class Roles:
    """Names of the columns by role; no column has two of them.

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
        target: str | None = None,
        weights: str | None = None,
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
            The only columns to take as variables, in this order; names of the class, of the weights and of
            columns to leave out are skipped.

        Returns
        -------
        Roles
            The roles of the columns.

        Raises
        ------
        SchemaMismatch
            If the source has no column of a name.
        InvalidParameter
            If two roles are asked for one column, or no column is left.

        Examples
        --------
        >>> from codelength.sources import as_batches
        >>> batches = as_batches({"size": [1, 2, 3], "n": [2, 0, 1], "ripe": ["yes", "no", "no"]})
        >>> Roles.of(batches, "ripe", "n")
        Roles(variables=('size',), target='ripe', weights='n')
        """
        for name, value in (("target", target), ("weights", weights)):
            check_instance(name, value, (str, type(None)), "the name of a column, or None")
        left_out = check_names("drop", drop)
        kept = None if keep is None else check_names("keep", keep)
        shown = batches.name or "the table"
        if kept is not None and not kept:
            raise InvalidParameter("keep is empty; name at least one column, or pass None for all")
        known = set(batches.names)
        asked = [(target, " for the target"), (weights, " for the weights")]
        asked += [(name, f" among its {len(batches.names)}") for name in (*(kept or ()), *left_out)]
        for column, purpose in asked:
            if column is not None and column not in known:
                near = suggestion(column, batches.names)
                raise SchemaMismatch(f"{shown}: has no column {column!r}{purpose}{near}")
        if target is not None and target == weights:
            raise InvalidParameter(f"column {target!r} is the target; name another for the weights")
        for name in left_out:
            if name in (target, weights):
                role = "target" if name == target else "weights"
                raise InvalidParameter(f"drop: column {name!r} is named for the {role}; do not drop it")
        own = {weights, target, *left_out}
        names = [name for name in dict.fromkeys(batches.names if kept is None else kept) if name not in own]
        if not names and target is None and weights is None:
            raise InvalidParameter(f"{shown}: every column is dropped; leave at least one")
        return cls(tuple(names), target, weights)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns to read: variables, class, weights."""
        return (*self.variables, *(name for name in (self.target, self.weights) if name is not None))

    def check_classes(self, batch: Batch) -> None:
        """Raise if a class is missing, or is not a class."""
        if self.target is not None:
            column = column_of(self.target, *batch.column(self.target))
            target_column(column, first_row=batch.first_row)

    def weighed(self, batch: Batch) -> tuple[Batch, FloatArray | None]:
        """Return the rows of positive weight, and their weights (None if each row stands for itself).

        Rows of weight zero are dropped. A cell that cannot be used is an error in such rows, too.

        Examples
        --------
        >>> from codelength.sources import as_batches
        >>> batches = as_batches({"size": [1, 2, 3], "n": [2, 0, 1]})
        >>> rows, weights = Roles(("size",), weights="n").weighed(next(batches.read(["size", "n"])))
        >>> rows.rows["size"].to_pylist(), rows.row_numbers, weights
        ([1, 3], array([0, 2]), array([2., 1.]))
        """
        if self.weights is None:
            return batch, None
        weights = weights_of(batch, self.weights)
        kept = weights > 0
        if kept.all():
            return batch, weights
        # As in memory, where all cells are read before weights are known.
        for name in self.variables:
            array, field = batch.column(name)
            if kind_of(field) == "number":
                numbers_of(name, array, batch.first_row)
        return batch.take(kept), np.asarray(weights[kept])


def weights_of(batch: Batch, name: str) -> FloatArray:
    """Return the weights of the rows of a batch, all of which may be zero.

    Raises
    ------
    DataError
        If the column does not hold numbers, or one of them is missing, negative or infinite.
    """
    column = column_of(name, *batch.column(name))
    if not isinstance(column, Numbers):
        raise DataError(f"column {name!r}: weights must be numbers, one per row")
    weights = check_weights(column.numbers, batch.n_rows, positive=False, first_row=batch.first_row)
    assert weights is not None
    return weights
