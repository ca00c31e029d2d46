"""Exact quantiles of a column that is too wide to keep: counted around about where they lie.

A grid divides the numbers into cells. Closed cells lie around the quantiles that a sample shows, and all
numbers in them are kept; of open cells only the weight is known. Where a cut point turns out to lie in an
open cell, that cell is closed, or divided, and the table is read once more.
"""

from dataclasses import dataclass

import numpy as np

from ...table.intervals._distinct import between, nearest_shares
from ...typing import BoolArray, FloatArray, IntArray

MOST_KEPT = 1 << 23
"""Most numbers kept in one pass, of all columns together."""

_DEVIATIONS = 4.5
_N_PARTS = 4096
_N_SHARES = 64


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells of numbers; cell ``c`` starts at ``edges[c - 1]``, and ``closed`` says in which of them numbers
    are kept."""

    edges: FloatArray
    closed: BoolArray


@dataclass(slots=True)
class Kept:
    """The numbers in closed cells: a commutative monoid."""

    values: FloatArray
    classes: IntArray
    weights: FloatArray
    parts: list["Kept"]

    @classmethod
    def of(cls, values: FloatArray, classes: IntArray, weights: FloatArray | None) -> "Kept":
        """Those of a batch."""
        return cls(*_joined(values, classes, np.ones(len(values)) if weights is None else weights), [])

    def merge(self, other: "Kept") -> None:
        """Add other numbers."""
        self.parts += [Kept(other.values, other.classes, other.weights, []), *other.parts]
        if sum(len(part.values) for part in self.parts) > max(len(self.values), 1 << 18):
            self.settle()

    def settle(self) -> None:
        """Join what was added."""
        parts = [self, *self.parts]
        if self.parts:
            self.values, self.classes, self.weights = _joined(
                np.concatenate([part.values for part in parts]),
                np.concatenate([part.classes for part in parts]),
                np.concatenate([part.weights for part in parts]),
            )
            self.parts = []


@dataclass(frozen=True, slots=True)
class Found:
    """Where to cut a column, or the grid with which to read it again."""

    cuts: FloatArray | None
    grid: Grid | None = None


def draft_grid(
    numbers: FloatArray, weights: FloatArray, n_bins: int, n_rows: int, most_kept: int = MOST_KEPT
) -> Grid:
    """The cells around the quantiles of a sample of a column that has so many cells in all.

    Where the numbers there would be too many to keep, the cells stay open, and there are more of them.
    """
    present = ~np.isnan(numbers)
    order = np.argsort(numbers[present], kind="stable")
    values, weighed = numbers[present][order], weights[present][order]
    if not len(values):
        return Grid(np.empty(0), np.zeros(1, dtype=np.bool_))
    ends = np.cumsum(weighed) / weighed.sum()
    n_effective = float(weighed.sum()) ** 2 / float((weighed**2).sum())
    shares = np.arange(1, n_bins) / n_bins
    margins = _DEVIATIONS * np.sqrt(shares * (1 - shares) / n_effective) + 2 / n_effective
    lows = values[np.minimum(np.searchsorted(ends, shares - margins), len(values) - 1)]
    highs = values[np.minimum(np.searchsorted(ends, shares + margins), len(values) - 1)]
    # One number of the sample more on either side: where many are equal, their neighbours are in the cell.
    below = np.searchsorted(values, lows) - 1
    above = np.searchsorted(values, highs, side="right")
    starts = np.where(below >= 0, values[np.maximum(below, 0)], -np.inf)
    stops = np.where(
        above < len(values), np.nextafter(values[np.minimum(above, len(values) - 1)], np.inf), np.inf
    )
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
    most_kept: int = MOST_KEPT,
) -> Found:
    """The cut points at equal frequency, from the weight in each cell and the numbers in closed ones.

    ``bounds`` are the smallest and the largest number of the column.
    """
    kept.settle()
    values, of_value = _by_value(kept)
    cells = np.searchsorted(grid.edges, values, side="right")
    is_open = ~grid.closed & (totals > 0)
    open_cells = np.flatnonzero(is_open)
    # Atoms in order: single numbers, and open cells, of which nothing but the weight is known.
    order = np.lexsort((np.append(values, np.zeros(len(open_cells))), np.append(cells, open_cells)))
    atoms = np.append(values, np.full(len(open_cells), np.nan))[order]
    weights = np.append(of_value, totals[open_cells])[order]
    cell_of = np.append(cells, open_cells)[order]
    if len(atoms) < 2:
        missed = cell_of[np.isnan(atoms)]
        return (
            Found(np.empty(0))
            if not len(missed)
            else Found(None, _refined(grid, missed, totals, bounds, most_kept))
        )
    nearest, after = nearest_shares(weights, n_bins)
    needed = np.unique(np.concatenate((after, nearest, nearest + 1)))
    missed = cell_of[needed[np.isnan(atoms[needed])]]
    if len(missed):
        return Found(None, _refined(grid, missed, totals, bounds, most_kept))
    return Found(between(atoms[nearest], atoms[nearest + 1]))


def coarsened(grid: Grid, fine: FloatArray, kept: Kept, cuts: FloatArray) -> FloatArray:
    """Counts of each class in the intervals between cut points, from those in the cells of a grid."""
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
    """Equal numbers of one class as one with their summed weight."""
    if not len(values):
        return values, classes, weights
    order = np.lexsort((classes, values))
    values, classes, weights = values[order], classes[order], weights[order]
    is_first = np.append(True, (values[1:] != values[:-1]) | (classes[1:] != classes[:-1]))
    starts = np.flatnonzero(is_first)
    return values[starts], classes[starts], np.add.reduceat(weights, starts)


def _by_value(kept: Kept) -> tuple[FloatArray, FloatArray]:
    if not len(kept.values):
        return kept.values, kept.weights
    starts = np.flatnonzero(np.append(True, kept.values[1:] != kept.values[:-1]))
    return kept.values[starts], np.add.reduceat(kept.weights, starts)


def _grid_of(starts: FloatArray, stops: FloatArray) -> Grid:
    """A grid whose closed cells cover some stretches of numbers, which may overlap."""
    order = np.argsort(starts, kind="stable")
    edges: list[float] = []
    for start, stop in zip(starts[order].tolist(), stops[order].tolist(), strict=True):
        if edges and start <= edges[-1]:
            edges[-1] = max(edges[-1], stop)
        else:
            edges += [start, stop]
    inner = np.array([edge for edge in edges if np.isfinite(edge)])
    closed = np.arange(len(inner) + 1) % 2 == (0 if edges and edges[0] == -np.inf else 1)
    return Grid(inner, closed)


def _refined(
    grid: Grid, missed: IntArray, totals: FloatArray, bounds: tuple[float, float], most_kept: int
) -> Grid:
    """The grid with closed cells where they are small, and with more of them where they are not."""
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
    """Edges between two numbers, with about as many floats from one to the next."""
    first, last = (_ordered(number) for number in (start, stop))
    steps = sorted({first + (last - first) * part // _N_PARTS for part in range(1, _N_PARTS)} - {first, last})
    return [_number_at(step) for step in steps]


def _ordered(number: float) -> int:
    bits = int(np.float64(number).view(np.int64))
    return bits if bits >= 0 else -(bits & (2**63 - 1))


def _number_at(place: int) -> float:
    bits = place if place >= 0 else -place - 2**63
    return float(np.int64(bits).view(np.float64))
