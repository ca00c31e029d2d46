"""First pass over a stream: profiles of its columns, and the schema that follows from them.

The schema is that of the whole table in memory, :func:`codelength.table.infer_schema`. If a column of numbers
has too many distinct values to keep, its cut points are drafted from a sample, and found exactly in the
second pass; see :mod:`codelength.sources.profile.brackets`.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import DataError, Infeasible
from ...table._arrays import too_large
from ...table.infer import TOO_MANY, How, target_variable, tell_ignored, too_many
from ...table.intervals.cuts import cut_points
from ...table.schema import Schema
from ...table.spelling import Scale, cuts_in_units
from ...table.variable import Variable
from ...typing import FloatArray
from ..batch import Batch
from ..roles import Roles
from .brackets import MAX_KEPT, Grid, draft_grid
from .column import ColumnProfile, profile_of
from .sample import Sample, priorities, sample_size

MAX_SENT = 1 << 14
"""Largest number of sampled rows that a partition sends to other machines."""


@dataclass(slots=True)
class Profile:
    """Profiles of the columns of some batches: a monoid.

    Attributes
    ----------
    columns : dict of ColumnProfile
        Profile of each column, including the class.
    sample : Sample
        Rows for rough estimates of quantiles.
    n_rows : int
        Number of rows of positive weight.
    """

    columns: dict[str, ColumnProfile]
    sample: Sample
    n_rows: int

    def merge(self, other: "Profile") -> "Profile":
        """Add the profile of rows that follow these."""
        for name, column in other.columns.items():
            self.columns[name].merge(column)
        self.sample.merge(other.sample)
        self.n_rows += other.n_rows
        return self

    def draft(self, roles: Roles, how: How) -> "Draft":
        """Return the schema as far as it is known, with grids for the columns that are still open.

        Parameters
        ----------
        roles : Roles
            Roles of the columns.
        how : How
            Options that decide the variable of each column.

        Returns
        -------
        Draft
            The variables, settled or open.
        """
        self.sample.settle()
        target = None if roles.target is None else self._classes(roles.target)
        settled: dict[str, Variable | Open] = {}
        for name in roles.variables:
            column = self.columns[name]
            settled[name] = _wide_variable(column, how) if column.is_wide else _variable(column, how)
        open_columns = [found for found in settled.values() if isinstance(found, Open)]
        # The columns share the memory, because they are all read in the same pass.
        most_kept = MAX_KEPT // max(len(open_columns), 1)
        for found in open_columns:
            numbers = self.sample.columns[found.name]
            n_present = self.columns[found.name].n_present
            found.grid = draft_grid(numbers, self.sample.weights, how.cut.n_bins, n_present, most_kept)
        tell_ignored([found for found in settled.values() if isinstance(found, Variable)])
        return Draft(tuple(settled.values()), target, how, most_kept)

    def _classes(self, name: str) -> Variable:
        column = self.columns[name]
        if column.is_wide:
            raise DataError(f"target {name!r}: {TOO_MANY}; name another column, or group its values")
        return target_variable(column.column()[0])


@dataclass(slots=True)
class Open:
    """A variable whose cut points are not known yet.

    Attributes
    ----------
    name : str
        Name of the column.
    scale : str
        Scale of its numbers.
    missing_is_value : bool
        True if missing cells are a value.
    bounds : pair of float
        Smallest and largest number.
    unit : int
        Unit in which all times are whole.
    grid : Grid
        Cells in which cut points are looked for.
    """

    name: str
    scale: Scale
    missing_is_value: bool
    bounds: tuple[float, float]
    unit: int
    grid: Grid

    @property
    def draft(self) -> Variable:
        """Variable whose values are the cells of the grid."""
        n_cells = len(self.grid.closed)
        values: tuple[Any, ...] = tuple(range(n_cells))
        values = (*values, None) if self.missing_is_value else values
        return Variable(self.name, values, "interval", tuple(self.grid.edges.tolist()), "draft", self.scale)

    def settled(self, cuts: FloatArray, how: How) -> Variable:
        """Return the variable with its cut points."""
        moved = cuts if self.scale == "number" else cuts_in_units(cuts, self.unit)
        return how.cut.variable_with(self.name, moved, self.missing_is_value, self.scale)


@dataclass(frozen=True, slots=True)
class Draft:
    """A schema, some of whose variables may still be open.

    Attributes
    ----------
    variables : tuple of Variable or Open
        The variables.
    target : Variable, optional
        The class.
    how : How
        Options that decide the variable of each column.
    most_kept : int
        Largest number of numbers to keep per open variable.
    """

    variables: tuple[Variable | Open, ...]
    target: Variable | None
    how: How
    most_kept: int

    @property
    def open(self) -> dict[int, Open]:
        """Open variables by position."""
        return {i: found for i, found in enumerate(self.variables) if isinstance(found, Open)}

    @property
    def schema(self) -> Schema:
        """Schema to count with: the values of open variables are the cells of their grids."""
        return Schema(
            tuple(found.draft if isinstance(found, Open) else found for found in self.variables), self.target
        )


@dataclass(slots=True)
class ProfileWork:
    """Function that profiles a batch, and merges profiles.

    Knowledge from earlier batches saves work, but does not change the result: wide columns are not searched
    for distinct values again, and rows that cannot enter the sample any more are not offered.

    Parameters
    ----------
    roles : Roles
        Roles of the columns.
    """

    roles: Roles
    _wide: set[str] = field(default_factory=set)
    _below: int = 2**64 - 1

    def __call__(self, batch: Batch) -> Profile:
        """Return the profile of a batch."""
        # Priorities belong to positions in the stream, so that rows are drawn before those of weight zero are
        # dropped.
        ranks = priorities(batch.position, batch.n_rows)
        self.roles.check_classes(batch)
        rows, weights = self.roles.weighed(batch)
        if rows.row_numbers is not None:
            ranks = ranks[rows.row_numbers - batch.first_row]
        columns, numbers = {}, {}
        for name in self.roles.columns:
            if name == self.roles.weights:
                continue
            array, column = rows.column(name)
            columns[name], floats = profile_of(
                column, array, weights, first_row=batch.first_row, is_wide=name in self._wide
            )
            if floats is not None and name != self.roles.target:
                numbers[name] = floats
        size = sample_size(len(self.roles.variables))
        return Profile(columns, Sample.of(size, ranks, weights, numbers, self._below), rows.n_rows)

    def merge(self, total: Profile, part: Profile) -> Profile:
        """Merge two profiles, the second of later rows."""
        total.merge(part)
        self._wide.update(name for name, column in total.columns.items() if column.is_wide)
        self._below = min(self._below, total.sample.below)
        return total

    @staticmethod
    def pack(part: Profile) -> None:
        """Reduce the sample of a partition before it is sent: other partitions have rows for it, too."""
        part.sample.thin(MAX_SENT)


def _variable(column: ColumnProfile, how: How) -> Variable:
    cells, weights = column.column()
    return how.variable(cells, weights, column.n_present)


def _wide_variable(column: ColumnProfile, how: How) -> Variable | Open:
    """Return the variable of a column with very many distinct values."""
    name = column.name
    missing_is_value = how.missing == "value" and column.n_missing > 0
    scale: Any = (
        "number"
        if column.kind == "number" or (column.kind == "values" and column.scale == "")
        else column.scale
    )
    if not scale:
        ignored = how.ignored(name, TOO_MANY)
        if ignored is None:
            raise too_many(name)
        return ignored
    if how.wanted(name, scale) == "category":
        raise too_many(name)
    if column.loses_digits:
        raise too_large(name)
    found = Open(
        name,
        scale,
        missing_is_value,
        (column.low, column.high),
        column.unit,
        Grid(np.empty(0), np.zeros(1, dtype=np.bool_)),
    )
    strategy = how.cut.strategy
    if strategy == "frequency":
        return found
    if strategy == "width":
        # Equal widths need the bounds alone, which are known exactly.
        return found.settled(cut_points([column.low, column.high], "width", how.cut.n_bins), how)
    raise Infeasible(
        f"column {name!r}: cutting strategy {strategy!r} needs all distinct values in memory, "
        'and there are too many; cut the column with strategy="frequency" or "width", or round its numbers'
    )


def check_rows(profile: Profile | None, name: str) -> Profile:
    """Return the profile of a table; raise if it has no rows."""
    if profile is None or not profile.n_rows:
        raise DataError(f"{name or 'the table'}: has no rows that count")
    return profile
