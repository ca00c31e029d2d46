"""Views of a coded table for the members of an average: fine codes, coarse codes, and numbers.

Every view is a look-up by code, learned from the counts of the training rows. Variables that do not vary are
left out. If the schema treats missing as a value, its code follows the intervals of an ordered variable. A
value that was never seen in training carries no information: its code in every view is -1.

Order of reading: :class:`View` (one variable), :class:`Views`, then the functions that learn a view.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

import numpy as np

from .._codec import Savable, Saved
from ..decisions import ranked
from ..errors import DataError
from ..table import Coded, Schema, Variable
from ..table._messages import shown
from ..table.intervals._distinct import between
from ..table.intervals.cuts import assign, cut_points
from ..typing import FloatArray, IntArray

FINE, COARSE = 20, 5
"""Largest number of intervals of an ordered variable in each view."""

GRAINS = (2, 3, 5, 8)
"""Largest number of intervals in further coarse views, for averages over the places of the cuts."""

FINE_VALUES, COARSE_VALUES = 50, 20
"""Largest number of values of a categorical variable in each view; the rarest values are merged into one."""

MAX_SCORE = 3.0
"""Standardised numbers are clipped here to limit the influence of outliers."""


def _length(known: Any) -> int:
    """Return the number of values of the variable of a view, and one for cells without a value."""
    return int(known.schema.variables[known.position].n_values) + 1


_CODES = Saved(lambda known: (_length(known),), low=-1, high=lambda known: _length(known) - 1)

CHOSEN = Saved(
    lambda known: (None,), low=0, high=lambda known: known.views.n_variables - 1, is_ascending=True
)
"""Annotation of the places of variables that take part in a member, among those that vary."""


@dataclass(frozen=True, eq=False, slots=True)
class View(Savable):
    """Views of one variable that varies.

    Attributes
    ----------
    position : int
        Place of the variable in the schema.
    fine, coarse : array of shape (n_values + 1,)
        Code of each value in the two views, -1 if nothing is known about it; the last entry is for cells
        without a value.
    grains : array of shape (n_grains, n_values + 1)
        The same in further coarse views, one per number of intervals in :data:`GRAINS`.
    n_intervals : int
        Number of ordered fine codes, which are the first; 0 for a categorical variable.
    numbers : array of shape (n_values + 1, width)
        Each value as numbers: standardised for an ordered variable, followed by an indicator of missing cells
        if there are any; indicators of the fine values for a categorical one.
    """

    position: Annotated[int, Saved(low=0, high=lambda known: known.schema.n_variables - 1)]
    fine: Annotated[IntArray, _CODES]
    coarse: Annotated[IntArray, _CODES]
    grains: Annotated[IntArray, replace(_CODES, shape=lambda known: (len(GRAINS), _length(known)))]
    n_intervals: Annotated[int, Saved(low=0)]
    numbers: Annotated[FloatArray, Saved(lambda known: (_length(known), None))]

    def check_fields(self) -> None:
        """Raise DataError for a view that cannot come from a fit: members need two values."""
        n_codes = min(self.n_fine, self.n_coarse, int(self.grains.max(axis=1).min()) + 1)
        if n_codes < 2 or self.n_intervals > self.n_fine:
            raise DataError(f"the variable at position {self.position} has fewer than two values")

    @property
    def n_fine(self) -> int:
        """Number of values in the fine view."""
        return int(self.fine.max()) + 1

    @property
    def n_coarse(self) -> int:
        """Number of values in the coarse view."""
        return int(self.coarse.max()) + 1

    @property
    def width(self) -> int:
        """Number of columns of the variable in :meth:`Views.numbers`."""
        return int(self.numbers.shape[1])


@dataclass(frozen=True, eq=False, slots=True)
class Views(Savable):
    """Views of all variables of a table that vary.

    Attributes
    ----------
    schema : Schema
        The schema of the table.
    columns : tuple of View
        One per variable that varies, in the order of the schema.
    """

    schema: Schema
    columns: Annotated[tuple[View, ...], Saved()]

    @classmethod
    def of(cls, coded: Coded) -> "Views":
        """Learn the views from training rows.

        Views depend on the values and weights of the rows, not on their classes, so that they need not be
        learned again without a fold.
        """
        found = []
        for i, variable in enumerate(coded.schema.variables):
            seen = np.bincount(coded.codes[:, i], coded.weights, variable.n_values + 1)[: variable.n_values]
            # A variable with one value in training carries no information in any view.
            if variable.kind != "ignored" and np.count_nonzero(seen) > 1:
                found.append(_view(i, variable, seen.astype(np.float64)))
        return cls(coded.schema, tuple(found))

    @property
    def n_variables(self) -> int:
        """Number of variables that vary."""
        return len(self.columns)

    @property
    def n_fine(self) -> IntArray:
        """Number of fine values of each variable."""
        return np.array([view.n_fine for view in self.columns], dtype=np.int64)

    @property
    def n_coarse(self) -> IntArray:
        """Number of coarse values of each variable."""
        return np.array([view.n_coarse for view in self.columns], dtype=np.int64)

    @property
    def n_intervals(self) -> IntArray:
        """Number of ordered fine values of each variable; 0 for categorical ones."""
        return np.array([view.n_intervals for view in self.columns], dtype=np.int64)

    @property
    def owners(self) -> IntArray:
        """For each column of :meth:`numbers`, the place of its variable among those that vary."""
        return np.repeat(np.arange(self.n_variables), [view.width for view in self.columns])

    def at_grain(self, grain: int) -> "Views":
        """Return the same views with another coarse view, given by its place in :data:`GRAINS`."""
        return Views(self.schema, tuple(replace(view, coarse=view.grains[grain]) for view in self.columns))

    def fine(self, coded: Coded) -> IntArray:
        """Return the fine codes of rows, shape (n_rows, n_variables), in C order."""
        return self._looked_up(coded, [view.fine for view in self.columns])

    def coarse(self, coded: Coded) -> IntArray:
        """Return the coarse codes of rows, shape (n_rows, n_variables), in C order."""
        return self._looked_up(coded, [view.coarse for view in self.columns])

    def numbers(self, coded: Coded) -> FloatArray:
        """Return rows as numbers; :attr:`owners` assigns the columns to variables."""
        parts = [view.numbers[coded.codes[:, view.position]] for view in self.columns]
        # An empty block first, because hstack fails if no variable varies.
        return np.hstack([np.empty((coded.n_rows, 0)), *parts])

    @classmethod
    def from_json(cls, document: Mapping[str, Any], schema: Schema) -> Self:
        """Restore the views that :meth:`to_json` wrote; raise DataError if the document is not valid."""
        return cls.restored(document, schema=schema)

    def check_fields(self) -> None:
        """Raise DataError if the variables are not in the order of the schema."""
        positions = [view.position for view in self.columns]
        if positions != sorted(set(positions)):
            raise DataError(f"variables at positions {shown(positions)} are not in the order of the schema")

    def _looked_up(self, coded: Coded, tables: Sequence[IntArray]) -> IntArray:
        """Return codes of rows by one table per variable."""
        found = np.empty((coded.n_rows, self.n_variables), dtype=np.int64)
        for j, (view, table) in enumerate(zip(self.columns, tables, strict=True)):
            found[:, j] = table[coded.codes[:, view.position]]
        return found


def _view(position: int, variable: Variable, seen: FloatArray) -> View:
    """Return the views of one variable, from the weights of its values."""
    if variable.kind == "interval":
        return _ordered(position, variable, seen)
    fine, coarse = _capped(seen, FINE_VALUES), _capped(seen, COARSE_VALUES)
    indicators = np.vstack([np.eye(int(fine.max()) + 1), np.zeros(int(fine.max()) + 1)])
    return View(position, fine, coarse, np.tile(coarse, (len(GRAINS), 1)), 0, indicators[fine])


def _capped(seen: FloatArray, most: int) -> IntArray:
    """Return codes of values: frequent values keep one code each, the others share one."""
    present = np.flatnonzero(seen)
    if len(present) <= most:
        codes = np.full(len(seen) + 1, -1, dtype=np.int64)
        codes[present] = np.arange(len(present))
        return codes
    # Rare values share the last code, and so do values that were never seen.
    codes = np.full(len(seen) + 1, most - 1, dtype=np.int64)
    # Ties by frequency go to the first value; codes keep the order of the schema.
    frequent = np.sort(ranked(seen)[: most - 1])
    codes[frequent] = np.arange(most - 1)
    codes[-1] = -1
    return codes


def _ordered(position: int, variable: Variable, seen: FloatArray) -> View:
    """Return the views of an ordered variable, from the weights of its values."""
    n_intervals = len(variable.cuts) + 1
    in_intervals, missing_seen = seen[:n_intervals], bool(seen[n_intervals:].any())
    # Missing is a value of its own only if it was seen; otherwise it is unknown.
    fine, coarse, *grains = (
        _merged(in_intervals, n_bins, variable.n_values + 1, missing_seen)
        for n_bins in (FINE, COARSE, *GRAINS)
    )
    scores = _standardised(_midpoints(np.array(variable.cuts)), in_intervals)
    numbers = np.zeros((variable.n_values + 1, 1 + missing_seen))
    numbers[:n_intervals, 0] = scores
    if missing_seen:
        numbers[n_intervals, 1] = 1.0
    return View(position, fine, coarse, np.array(grains), int(fine[:n_intervals].max()) + 1, numbers)


def _merged(seen: FloatArray, n_bins: int, length: int, missing_seen: bool) -> IntArray:
    """Return codes of neighbouring intervals merged into bins of about equal weight, and of missing cells."""
    places = np.arange(len(seen), dtype=np.float64)
    present = np.flatnonzero(seen).astype(np.float64)
    # With few intervals, every interval that was seen is a bin; the cuts lie between them.
    few = len(present) <= n_bins
    cuts = (
        between(present[:-1], present[1:]) if few else cut_points(places, n_bins=n_bins, sample_weight=seen)
    )
    bins = assign(places, cuts)
    codes = np.full(length, -1, dtype=np.int64)
    codes[: len(seen)] = bins
    if missing_seen:
        codes[len(seen)] = bins.max() + 1
    return codes


def _midpoints(cuts: FloatArray) -> FloatArray:
    """Return the midpoint of each interval; the outer intervals are as wide as their neighbours."""
    if len(cuts) < 2:
        return np.arange(len(cuts) + 1, dtype=np.float64)
    _, exponent = np.frexp(np.abs(cuts).max())
    points = np.ldexp(cuts, -exponent)  # exact, and the sums below are finite
    inner = (points[1:] + points[:-1]) / 2
    first, last = points[0] - (inner[0] - points[0]), points[-1] + (points[-1] - inner[-1])
    return np.concatenate([[first], inner, [last]])


def _standardised(numbers: FloatArray, weights: FloatArray) -> FloatArray:
    """Return numbers of weighted mean 0 and variance 1, clipped."""
    if not weights.any():
        return np.zeros(len(numbers))
    mean = np.average(numbers, weights=weights)
    spread = np.sqrt(np.average((numbers - mean) ** 2, weights=weights))
    scores = (numbers - mean) / (spread if spread > 0 else 1.0)
    return np.asarray(np.clip(scores, -MAX_SCORE, MAX_SCORE))
