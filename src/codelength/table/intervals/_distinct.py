"""The distinct numbers of a column, and the points between them."""

import numpy as np

from ...typing import FloatArray


def distinct_values(values: FloatArray, weights: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Distinct values in increasing order, and the weight of each."""
    if weights is None:
        distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
        return distinct, counts.astype(np.float64)
    kept = ~np.isnan(values) & (weights > 0)
    values, weights = values[kept], weights[kept]
    # Weights are sorted too: fractions add up differently in another order.
    order = np.lexsort((weights, values))
    distinct, starts = np.unique(values[order], return_index=True)
    return distinct, np.add.reduceat(weights[order], starts) if len(starts) else np.empty(0)


def between(low: FloatArray, high: FloatArray) -> FloatArray:
    """Halfway points, kept above ``low`` even where the two are neighbouring floats."""
    middle = low / 2 + high / 2
    return np.where(middle > low, np.minimum(middle, high), high) + 0.0
