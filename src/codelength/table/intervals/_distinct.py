"""Distinct numbers of a column, and the points between them: at equal shares, and between clusters."""

import math
from bisect import bisect_left
from itertools import pairwise

import numpy as np

from ...decisions import TOLERANCE
from ...typing import FloatArray, IntArray


def distinct_values(values: FloatArray, weights: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Return distinct values in increasing order, and the weight of each.

    Parameters
    ----------
    values : array of float
        The numbers; NaN if missing.
    weights : array of float, optional
        Weights of the numbers; those of weight zero are dropped.

    Returns
    -------
    distinct, totals : array of float
        The numbers and their weights.
    """
    if weights is None:
        distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
        return distinct, counts.astype(np.float64)
    kept = ~np.isnan(values) & (weights > 0)
    values, weights = values[kept], weights[kept]
    # Weights are sorted too: fractions add up differently in another order.
    order = np.lexsort((weights, values))
    distinct, starts = np.unique(values[order], return_index=True)
    return distinct, np.add.reduceat(weights[order], starts) if len(starts) else np.empty(0)


def nearest_shares(totals: FloatArray, n_bins: int) -> tuple[IntArray, IntArray]:
    """Return the cuts nearest to equal shares of the weight, and the first cut at or above each share.

    Cut ``i`` lies after the number at position ``i``. If two cuts are equally near up to rounding, the lower
    one is taken.

    Examples
    --------
    >>> nearest_shares(np.array([1.0, 1.0, 1.0, 1.0]), 2), nearest_shares(np.array([0.7, 0.7, 0.7]), 2)
    ((array([1]), array([1])), (array([0]), array([1])))
    """
    # Both sides are multiplied by n_bins, so that whole weights are compared without rounding.
    below = np.cumsum(totals)[:-1] * n_bins
    targets = np.arange(1, n_bins) * totals.sum()
    after = np.searchsorted(below, targets)
    upper, lower = np.minimum(after, len(below) - 1), np.maximum(after - 1, 0)
    nearer = (targets - below[lower]) - (below[upper] - targets) > TOLERANCE * n_bins * totals.sum()
    return np.unique(np.where(nearer, upper, lower)), after


def between(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return halfway points, above ``low`` even if both are neighbouring floats."""
    # Halved first, because the sum of two large numbers overflows. Adding 0.0 turns -0.0 into 0.0.
    middle = low / 2 + high / 2
    return np.where(middle > low, np.minimum(middle, high), high) + 0.0


def kmeans_cuts(points: FloatArray, totals: FloatArray, n_bins: int) -> FloatArray:
    """Return points halfway between the centres of a one-dimensional k-means."""
    start = _quantiles(points, totals, (np.arange(n_bins) + 0.5) / n_bins)
    centres = _lloyd(points, totals, start)
    return between(centres[:-1], centres[1:])


def _quantiles(points: FloatArray, totals: FloatArray, shares: FloatArray) -> FloatArray:
    """Return quantiles, linear between repeated points as those of ``np.quantile`` for whole weights."""
    # The step from a point to the next takes one row; less if a point weighs less than a row.
    row = min(1.0, float(totals.min()))
    ends = np.cumsum(totals)
    places = shares * (ends[-1] - row)
    here = np.minimum(np.searchsorted(ends, places, side="right"), len(points) - 1)
    following = np.minimum(here + 1, len(points) - 1)
    step = np.clip((places - (ends[here] - row)) / row, 0.0, 1.0)
    low, high = points[here], points[following]
    # From the nearer end, as numpy does it: a start that differs in the last digit may end elsewhere.
    return np.asarray(np.where(step < 0.5, low + (high - low) * step, high - (high - low) * (1 - step)))


def _lloyd(points: FloatArray, totals: FloatArray, start: FloatArray) -> FloatArray:
    """Return the centres once no point changes its cluster."""
    weight_sums, value_sums = _exact_prefix_sums(totals), _exact_prefix_sums(totals * points)
    centres = np.sort(start)
    seen: set[tuple[int, ...]] = set()
    while True:
        # Of equal centres the first attracts; the others wait in place, and attract once it has moved.
        distinct, first = np.unique(centres, return_index=True)
        inner = (_first_nearer_to_upper(points, low, high) for low, high in pairwise(distinct.tolist()))
        edges = (0, *inner, len(points))
        filled = np.diff(edges) > 0
        if edges in seen:  # nothing moved, or rounding has closed a circle
            return np.asarray(distinct[filled], dtype=np.float64)
        seen.add(edges)
        occupied = np.array(edges)[np.append(filled, True)]
        centres[first[filled]] = _segment_sums(value_sums, occupied) / _segment_sums(weight_sums, occupied)
        centres.sort()


def _first_nearer_to_upper(points: FloatArray, low: float, high: float) -> int:
    # Compared by distance and not with a midpoint, which may be rounded to either side.
    return bisect_left(range(len(points)), True, key=lambda i: bool(points[i] - low > high - points[i]))


def _exact_prefix_sums(terms: FloatArray) -> FloatArray:
    """Return prefix sums in a few parts, from leading to trailing bits, each part free of rounding.

    Clusters often lie symmetrically, and a last digit then decides which of two centres is nearer: with
    sums rounded only once, that does not depend on the machine or on how the rows were grouped.
    """
    parts, rest = [np.zeros(len(terms))], terms
    while rest.any():
        _, exponent = np.frexp(np.abs(rest).max())
        # Adding a large power of two rounds to its last bit: what is left is coarse enough to add exactly.
        large = np.ldexp(1.0, int(exponent) + len(terms).bit_length() + 1)
        leading = (rest + large) - large
        parts.append(np.cumsum(leading))
        rest = rest - leading
    return np.pad(np.stack(parts), ((0, 0), (1, 0)))


def _segment_sums(parts: FloatArray, edges: IntArray) -> FloatArray:
    return np.array([math.fsum(column) for column in np.diff(parts[:, edges], axis=1).T])
