"""Distinct numbers of a column, and the points between them."""

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
