"""Counts of batches, with the numbers near cut points that are not settled yet."""

from dataclasses import dataclass, field, replace

import numpy as np

from ..sources import Batch, BatchEncoder
from ..sources.cells import floats_of
from ..sources.profile.brackets import Grid, Kept, coarsened, find_cuts
from ..sources.profile.profile import Draft, Open
from ..sources.roles import Roles
from ..table import Schema
from ..table.encode import HandleUnknown
from ..table.unknown import Unknown
from .counts import Counts, count


@dataclass(slots=True)
class Tally:
    """Counts of some batches with side information; tallies form a monoid under :meth:`merge`.

    Attributes
    ----------
    counts : Counts
        The counts.
    unknown : dict of Unknown
        Values that the schema does not list, by column.
    kept : dict of Kept
        Numbers near cut points that are not settled yet, by position of the variable.
    n_rows : int
        Number of counted rows.
    """

    counts: Counts
    unknown: dict[str, Unknown] = field(default_factory=dict)
    kept: dict[int, Kept] = field(default_factory=dict)
    n_rows: int = 0

    def merge(self, other: "Tally") -> "Tally":
        """Add the counts of more rows."""
        self.counts = self.counts.merge(other.counts)
        self.n_rows += other.n_rows
        for name, found in other.unknown.items():
            self.unknown[name] = self.unknown[name].merge(found) if name in self.unknown else found
        for i, kept in other.kept.items():
            self.kept[i].merge(kept)
        return self


@dataclass(slots=True)
class CountWork:
    """Function object that counts a batch; it can be pickled."""

    roles: Roles
    schema: Schema
    handle_unknown: HandleUnknown = "ignore"
    grids: dict[int, Grid] = field(default_factory=dict)
    encoder: BatchEncoder = field(init=False)

    def __post_init__(self) -> None:
        self.encoder = BatchEncoder(self.schema, target=self.roles.target, handle_unknown=self.handle_unknown)

    def __call__(self, batch: Batch) -> Tally:
        """Return the counts of a batch."""
        rows, weights = self.roles.weighed(batch)
        coded, unknown = self.encoder.encode(rows, weights)
        kept = {}
        for i, grid in self.grids.items():
            # Numbers are kept in closed cells, near cut points; elsewhere the counts of cells are enough.
            inside = np.append(grid.closed, [False, False])[coded.codes[:, i]]
            chosen = np.flatnonzero(inside)
            variable = self.schema.variables[i]
            array, column = rows.column(variable.name)
            numbers = floats_of(array, column, variable.scale, batch.first_row)[chosen]
            of_chosen = None if weights is None else weights[chosen]
            kept[i] = Kept.of(numbers, coded.class_codes[chosen].astype(np.int64), of_chosen)
        return Tally(count(coded, n_threads=1), unknown, kept, rows.n_rows)


def settled_counts(tally: Tally, draft: Draft) -> tuple[Counts | None, Draft]:
    """Return the counts under the final schema and the draft; counts are None if another pass is needed.

    The counts of ``tally`` are those of a pass over the grids of the columns that are open in ``draft``.
    """
    offsets, fine = draft.schema.offsets, tally.counts.value_counts
    variables, parts = list(draft.variables), []
    for i, column in enumerate(draft.variables):
        cells = fine[:, offsets[i] : offsets[i + 1]]
        if isinstance(column, Open):
            n_cells, kept = len(column.grid.closed), tally.kept[i]
            found = find_cuts(
                column.grid,
                cells[:, :n_cells].sum(axis=0),
                kept,
                draft.how.cut.n_bins,
                column.bounds,
                draft.most_kept,
            )
            if isinstance(found, Grid):
                variables[i] = replace(column, grid=found)
                continue
            # Counts of the fine grid are merged to those of the final intervals, so no further pass is
            # needed.
            settled = column.settled(found, draft.how)
            inner = coarsened(column.grid, cells[:, :n_cells], kept, np.array(settled.cuts))
            cells = np.concatenate((inner, cells[:, n_cells:]), axis=1)
            variables[i] = settled
        parts.append(cells)
    again = replace(draft, variables=tuple(variables))
    if again.open:
        return None, again
    schema = again.schema
    class_counts = tally.counts.class_counts
    value_counts = np.concatenate(parts, axis=1) if parts else np.zeros((schema.n_classes, 0))
    return Counts(schema, class_counts, value_counts), again
