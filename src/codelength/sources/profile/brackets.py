"""Exact quantiles of a column with too many distinct numbers to keep.

A grid divides the numbers into cells. Closed cells lie around the quantiles of a sample, and all numbers in
them are kept; of open cells only the weight is known. If a cut point turns out to lie in an open cell, that
cell is closed, or divided, and the table is read once more.

Order of reading: :func:`draft_grid` (after the first pass, from a sample), :class:`Kept` (during the second
pass), :func:`find_cuts` (after it), :func:`coarsened` (counts of the final intervals, without a third pass).

The sample decides only how much is kept and how many passes there are, never the cut points: those equal the
cut points of the whole column in memory. Two passes are enough for almost every column. Closed cells are as
wide as the uncertainty of a sample quantile, so that few numbers are kept. If more than :data:`MAX_KEPT` are
expected, over all columns, the second pass only weighs finer cells, and a later one keeps numbers.
"""

from dataclasses import dataclass

import numpy as np

from ...table.intervals._distinct import between, nearest_shares
from ...typing import BoolArray, FloatArray, IntArray

MAX_KEPT = 1 << 23
"""Largest number of numbers kept in one pass, of all columns together."""

# Half the width of a closed cell, in standard errors of a sample quantile. About one quantile in 150,000 lies
# further away; then one more pass is needed, and the result is still exact.
_DEVIATIONS = 4.5
# Parts that a large open cell is divided into before it is read again.
_N_PARTS = 4096
_N_SHARES = 64


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells of numbers.

    Attributes
    ----------
    edges : array of float
        Cell ``c`` starts at ``edges[c - 1]``; the first has no lower bound.
    closed : array of bool
        Cells whose numbers are kept; there is one cell more than there are edges.
    """

    edges: FloatArray
    closed: BoolArray


@dataclass(slots=True)
class Kept:
    """Numbers in closed cells: a commutative monoid.

    Attributes
    ----------
    values, classes, weights : array
        Distinct pairs of a number and a class, in increasing order, and the weight of each.
    parts : list of Kept
        Numbers that were added and not yet joined.
    """

    values: FloatArray
    classes: IntArray
    weights: FloatArray
    parts: list["Kept"]

    @classmethod
    def of(cls, values: FloatArray, classes: IntArray, weights: FloatArray | None) -> "Kept":
        """Return the numbers of a batch."""
        return cls(*_joined(values, classes, np.ones(len(values)) if weights is None else weights), [])

    def merge(self, other: "Kept") -> None:
        """Add other numbers."""
        self.parts += [Kept(other.values, other.classes, other.weights, []), *other.parts]
        # Joined only once the added numbers are as many as those before: then each number is sorted a
        # logarithmic number of times, and memory stays within a factor of two.
        if sum(len(part.values) for part in self.parts) > max(len(self.values), 1 << 18):
            self.settle()

    def settle(self) -> None:
        """Join the numbers that were added."""
        parts = [self, *self.parts]
        if self.parts:
            self.values, self.classes, self.weights = _joined(
                np.concatenate([part.values for part in parts]),
                np.concatenate([part.classes for part in parts]),
                np.concatenate([part.weights for part in parts]),
            )
            self.parts = []


def draft_grid(
    numbers: FloatArray, weights: FloatArray, n_bins: int, n_rows: int, most_kept: int = MAX_KEPT
) -> Grid:
    """Return cells around the quantiles of a sample.

    If the closed cells would hold too many numbers to keep, all cells are open, and there are more of them.

    Parameters
    ----------
    numbers, weights : array of float
        The sample; NaN if missing.
    n_bins : int
        Number of intervals that are wanted.
    n_rows : int
        Number of cells of the whole column that are not missing.
    most_kept : int
        Largest number of numbers to keep.

    Returns
    -------
    Grid
        The cells.

    Examples
    --------
    >>> draft_grid(np.arange(0.0, 1000.0, 10.0), np.ones(100), n_bins=2, n_rows=1000)
    Grid(edges=array([240., 750.]), closed=array([False,  True, False]))
    """
    present = ~np.isnan(numbers)
    order = np.argsort(numbers[present], kind="stable")
    values, weighed = numbers[present][order], weights[present][order]
    if not len(values):
        return Grid(np.empty(0), np.zeros(1, dtype=np.bool_))
    ends = np.cumsum(weighed) / weighed.sum()
    # Kish's effective sample size: unequal weights make quantiles less certain.
    n_effective = float(weighed.sum()) ** 2 / float((weighed**2).sum())
    shares = np.arange(1, n_bins) / n_bins
    margins = _DEVIATIONS * np.sqrt(shares * (1 - shares) / n_effective) + 2 / n_effective
    lows = values[np.minimum(np.searchsorted(ends, shares - margins), len(values) - 1)]
    highs = values[np.minimum(np.searchsorted(ends, shares + margins), len(values) - 1)]
    # One number of the sample more on either side: where many are equal, their neighbours are in the cell.
    below = np.searchsorted(values, lows) - 1
    above = np.searchsorted(values, highs, side="right")
    # Beyond the sample there is no number to end a cell with, so that it reaches to infinity.
    starts = np.where(below >= 0, values[np.maximum(below, 0)], -np.inf)
    stops = np.where(
        above < len(values), np.nextafter(values[np.minimum(above, len(values) - 1)], np.inf), np.inf
    )
    # A cell includes its start and excludes its stop, so the float after the last number is the stop.
    grid = _grid_of(starts, stops)
    in_closed = grid.closed[np.searchsorted(grid.edges, values, side="right")]
    if np.count_nonzero(in_closed) / len(values) * n_rows <= most_kept:
        return grid
    shares_of = np.linspace(0, 1, _N_SHARES)
    inner = [
        np.quantile(values[(values >= start) & (values < stop)], shares_of, method="lower")
        for start, stop in zip(starts, stops, strict=True)
    ]
    edges = np.unique(np.concatenate([grid.edges, *inner]))
    return Grid(edges, np.zeros(len(edges) + 1, dtype=np.bool_))


def find_cuts(
    grid: Grid,
    totals: FloatArray,
    kept: Kept,
    n_bins: int,
    bounds: tuple[float, float],
    most_kept: int = MAX_KEPT,
) -> FloatArray | Grid:
    """Return cut points at equal frequency, or the grid with which to read the column again.

    Parameters
    ----------
    grid : Grid
        The cells.
    totals : array of float
        Weight of each cell.
    kept : Kept
        Numbers in closed cells.
    n_bins : int
        Number of intervals that are wanted.
    bounds : pair of float
        Smallest and largest number of the column.
    most_kept : int
        Largest number of numbers to keep in the next pass.

    Returns
    -------
    array of float, or Grid
        Equal to the cut points of the whole column in memory, if they are found.

    Examples
    --------
    Of the numbers 0 to 999 only those from 240 to 749 were kept.

    >>> grid = Grid(np.array([240.0, 750.0]), np.array([False, True, False]))
    >>> numbers = np.arange(240.0, 750.0)
    >>> kept = Kept.of(numbers, np.zeros(len(numbers), dtype=np.int64), None)
    >>> find_cuts(grid, np.array([240.0, 510.0, 250.0]), kept, n_bins=2, bounds=(0.0, 999.0))
    array([499.5])
    """
    kept.settle()
    values, _, of_value = _joined(kept.values, np.zeros_like(kept.classes), kept.weights)
    cells = np.searchsorted(grid.edges, values, side="right")
    is_open = ~grid.closed & (totals > 0)
    open_cells = np.flatnonzero(is_open)
    # Atoms in order: single numbers, and open cells, of which nothing but the weight is known.
    order = np.lexsort((np.append(values, np.zeros(len(open_cells))), np.append(cells, open_cells)))
    atoms = np.append(values, np.full(len(open_cells), np.nan))[order]
    weights = np.append(of_value, totals[open_cells])[order]
    cell_of = np.append(cells, open_cells)[order]
    if len(atoms) < 2:
        needed = np.arange(len(atoms))
    else:
        # The atoms on both sides of a cut must be numbers, and so must the first one above each share: if it
        # is an open cell, the nearest cut may lie inside.
        nearest, after = nearest_shares(weights, n_bins)
        needed = np.unique(np.concatenate((after, nearest, nearest + 1)))
    missed = cell_of[needed[np.isnan(atoms[needed])]]
    if len(missed):
        return _refined(grid, missed, totals, bounds, most_kept)
    return between(atoms[nearest], atoms[nearest + 1]) if len(atoms) > 1 else np.empty(0)


def coarsened(grid: Grid, fine: FloatArray, kept: Kept, cuts: FloatArray) -> FloatArray:
    """Return counts of each class in the intervals between cut points, from those in the cells of a grid.

    Parameters
    ----------
    grid : Grid
        The cells.
    fine : array of shape (n_classes, n_cells)
        Counts of the classes in each cell.
    kept : Kept
        Numbers in closed cells.
    cuts : array of float
        Cut points, none of which lies inside an open cell.

    Returns
    -------
    array of shape (n_classes, n_cuts + 1)
        Counts of the classes in each interval.
    """
    counts = np.zeros((len(fine), len(cuts) + 1))
    starts = np.append(-np.inf, grid.edges)
    intervals = np.searchsorted(cuts, starts, side="right")
    for cell in np.flatnonzero(~grid.closed):
        counts[:, intervals[cell]] += fine[:, cell]
    np.add.at(counts, (kept.classes, np.searchsorted(cuts, kept.values, side="right")), kept.weights)
    return counts


def _joined(
    values: FloatArray, classes: IntArray, weights: FloatArray
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return equal numbers of one class merged into one with their summed weight."""
    if not len(values):
        return values, classes, weights
    order = np.lexsort((classes, values))
    values, classes, weights = values[order], classes[order], weights[order]
    is_first = np.append(True, (values[1:] != values[:-1]) | (classes[1:] != classes[:-1]))
    starts = np.flatnonzero(is_first)
    return values[starts], classes[starts], np.add.reduceat(weights, starts)


def _grid_of(starts: FloatArray, stops: FloatArray) -> Grid:
    """Return a grid whose closed cells cover ranges of numbers, which may overlap."""
    order = np.argsort(starts, kind="stable")
    edges: list[float] = []
    for start, stop in zip(starts[order].tolist(), stops[order].tolist(), strict=True):
        if edges and start <= edges[-1]:
            edges[-1] = max(edges[-1], stop)
        else:
            edges += [start, stop]
    inner = np.array([edge for edge in edges if np.isfinite(edge)])
    # Edges alternate between start and stop, so that every other cell is closed.
    closed = np.arange(len(inner) + 1) % 2 == (0 if edges and edges[0] == -np.inf else 1)
    return Grid(inner, closed)


def _refined(
    grid: Grid, missed: IntArray, totals: FloatArray, bounds: tuple[float, float], most_kept: int
) -> Grid:
    """Return the grid with missed cells closed if they are small, and divided if they are not."""
    edges: list[float] = []
    closed: list[bool] = []
    low, high = bounds[0], float(np.nextafter(bounds[1], np.inf))
    ends = [low, *grid.edges.tolist(), high]
    asked = set(missed.tolist())
    for cell, was_closed in enumerate(grid.closed.tolist()):
        if cell:
            edges.append(ends[cell])
        is_small = totals[cell] * len(asked) <= most_kept
        inner = (
            [] if cell not in asked or is_small else _parts(max(low, ends[cell]), min(high, ends[cell + 1]))
        )
        closed += [was_closed or (cell in asked and not inner)] + [False] * len(inner)
        edges += inner
    return Grid(np.array(edges), np.array(closed, dtype=np.bool_))


def _parts(start: float, stop: float) -> list[float]:
    """Return edges between two numbers, with about equally many floats from one to the next."""
    # Equal steps in the order of floats, not of numbers: at most six divisions end at single floats, however
    # skewed the column is.
    first, last = (_ordered(number) for number in (start, stop))
    steps = sorted({first + (last - first) * part // _N_PARTS for part in range(1, _N_PARTS)} - {first, last})
    return [_number_at(step) for step in steps]


def _ordered(number: float) -> int:
    bits = int(np.float64(number).view(np.int64))
    return bits if bits >= 0 else -(bits & (2**63 - 1))


def _number_at(place: int) -> float:
    bits = place if place >= 0 else -place - 2**63
    return float(np.int64(bits).view(np.float64))
