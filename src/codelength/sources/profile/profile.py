"""First pass over a stream: profiles of its columns, and the schema that follows from them.

The schema is that of the whole table in memory, :func:`codelength.table.infer_schema`. If a column of numbers
has too many distinct values to keep, its cut points are drafted from a sample, and found exactly in the
second pass; see :mod:`codelength.sources.profile.brackets`.

Order of reading: :class:`ProfileWork` (one batch), :class:`Profile` (all of them), :class:`Draft` and
:class:`Open` (the schema, with columns that are still open); :class:`Sample` holds the rows drawn for drafts.
Depends on ``column`` (one profile), ``brackets`` and the rules of :mod:`codelength.table.infer`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError, Infeasible
from ...table._arrays import too_large
from ...table.infer import TOO_MANY, How, target_variable, tell_ignored, too_many
from ...table.intervals.cuts import cut_points
from ...table.schema import Schema
from ...table.spelling import Scale, cuts_in_units
from ...table.variable import Variable
from ...typing import FloatArray, IntArray
from ..batch import Batch
from ..roles import Roles
from .brackets import MAX_KEPT, Grid, draft_grid
from .column import ColumnProfile, profile_of

MAX_SENT = 1 << 14
"""Largest number of sampled rows that a partition sends to other machines."""

_MAX_CELLS = 1 << 23
_MAX_ROWS, _MIN_ROWS = 1 << 18, 1 << 13
_NO_LIMIT = 2**64 - 1


def sample_size(n_columns: int) -> int:
    """Return the number of rows of a sample: 64 MB of cells at most, for up to 1,000 columns."""
    return max(_MIN_ROWS, min(_MAX_ROWS, _MAX_CELLS // max(n_columns, 1)))


def priorities(first: int, n_rows: int) -> NDArray[np.uint64]:
    """Return numbers of rows, mixed so that the smallest ones are a random sample, the same in every run."""
    # splitmix64 of the position: neither the size of batches nor the number of workers changes the sample.
    mixed = np.arange(first, first + n_rows, dtype=np.uint64)
    mixed += np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


@dataclass(slots=True)
class Sample:
    """Rows of smallest priority, with some columns as numbers.

    Attributes
    ----------
    size : int
        Largest number of rows.
    ranks : array
        Priorities of the rows.
    weights : array
        Weights of the rows.
    columns : dict of arrays
        Cells of the rows; NaN if there is no number.
    """

    size: int
    ranks: NDArray[np.uint64]
    weights: FloatArray
    columns: dict[str, FloatArray]
    _waiting: list["Sample"] = field(default_factory=list)
    # Rows of a priority not below this may have been left out.
    _limit: int = _NO_LIMIT

    @classmethod
    def of(
        cls,
        size: int,
        ranks: NDArray[np.uint64],
        weights: FloatArray | None,
        columns: Mapping[str, FloatArray],
        below: int,
    ) -> "Sample":
        """Return the sample of a batch.

        Parameters
        ----------
        size : int
            Largest number of rows.
        ranks : array of uint64
            Priorities of the rows.
        weights : array of float, optional
            Weights of the rows.
        columns : mapping of str to array of float
            Columns as numbers.
        below : int
            Rows of at least this priority are known not to enter the whole sample.

        Returns
        -------
        Sample
            The rows of smallest priority.
        """
        kept: IntArray = np.flatnonzero(ranks < np.uint64(below))
        if len(kept) > size:
            kept = kept[_smallest(ranks[kept], size)]
        of_kept = np.ones(len(kept)) if weights is None else weights[kept]
        return cls(size, ranks[kept], of_kept, {name: cells[kept] for name, cells in columns.items()})

    def merge(self, other: "Sample") -> None:
        """Add the sample of other rows."""
        self._waiting += [replace(other, _waiting=[]), *other._waiting]
        # Joined only once there are many: a join for every batch would copy all rows again each time.
        if sum(len(part.ranks) for part in self._waiting) > self.size:
            self.settle()

    def settle(self) -> None:
        """Join the samples that were added, and keep no more rows than the size."""
        parts = [self, *self._waiting]
        self._waiting = []
        if len(parts) == 1:
            return
        names = dict.fromkeys(name for part in parts for name in part.columns)
        ranks = np.concatenate([part.ranks for part in parts])
        weights = np.concatenate([part.weights for part in parts])
        columns = {
            name: np.concatenate([part.columns.get(name, np.full(len(part.ranks), np.nan)) for part in parts])
            for name in names
        }
        self.ranks, self.weights, self.columns = ranks, weights, columns
        # A sample of all rows alike is one without those that some part has left out.
        self._limit = min(part._limit for part in parts)
        if self._limit < _NO_LIMIT:
            self._keep(np.flatnonzero(ranks < np.uint64(self._limit)))
        if len(self.ranks) > self.size:
            self._keep(_smallest(self.ranks, self.size))

    def thin(self, n_rows: int) -> None:
        """Keep at most ``n_rows`` rows: enough of one part among many."""
        self.settle()
        if len(self.ranks) > n_rows:
            self._limit = int(np.partition(self.ranks, n_rows)[n_rows])
            self._keep(_smallest(self.ranks, n_rows))

    def _keep(self, kept: IntArray) -> None:
        self.ranks, self.weights = self.ranks[kept], self.weights[kept]
        self.columns = {name: cells[kept] for name, cells in self.columns.items()}

    @property
    def below(self) -> int:
        """Rows of at least this priority do not enter the sample any more."""
        full = int(self.ranks.max()) + 1 if len(self.ranks) >= self.size else _NO_LIMIT
        return min(full, self._limit)


def _smallest(ranks: NDArray[np.uint64], n_rows: int) -> IntArray:
    """Return positions of the smallest numbers, sorted."""
    # The order of a partition differs between processors.
    return np.sort(np.argpartition(ranks, n_rows)[:n_rows])


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
            if column.is_wide:
                settled[name] = _wide_variable(column, how)
            else:
                settled[name] = how.variable(*column.column(), column.n_present)
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
    grid: Grid = field(default_factory=lambda: Grid(np.empty(0), np.zeros(1, dtype=np.bool_)))

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
            # Classes are never cut, so the sample does without them.
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


def _wide_variable(column: ColumnProfile, how: How) -> Variable | Open:
    """Return the variable of a column with very many distinct values."""
    name, scale = column.name, column.scale
    if not scale:
        ignored = how.ignored(name, TOO_MANY)
        if ignored is None:
            raise too_many(name)
        return ignored
    if how.wanted(name, scale) == "category":
        raise too_many(name)
    if column.loses_digits:
        raise too_large(name)
    missing_is_value = how.missing == "value" and column.n_missing > 0
    found = Open(name, scale, missing_is_value, (column.low, column.high), column.unit)
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
