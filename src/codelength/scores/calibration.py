"""Calibration: predicted and observed frequencies in bins of predicted probability."""

from typing import NamedTuple

import numpy as np

from ..decisions import TOLERANCE, whole_part
from ..typing import FloatArray, IntArray

PARTS = 10
"""Default number of bins."""

CLOSE = 0.01
"""Predicted probabilities that differ by no more are in one bin."""


class Calibration(NamedTuple):
    """Reliability diagram: predicted probabilities and observed frequencies in bins of about equal weight.

    Attributes
    ----------
    promised : array of shape (n_parts,)
        Mean predicted probability of each bin, ascending.
    observed : array of shape (n_parts,)
        Observed frequency in each bin.
    weights : array of shape (n_parts,)
        Weight of the rows of each bin.
    """

    promised: FloatArray
    observed: FloatArray
    weights: FloatArray

    @property
    def error(self) -> float:
        """Mean absolute difference of predicted and observed frequencies, over all rows."""
        return float(self.weights @ np.abs(self.promised - self.observed) / self.weights.sum())


def calibration(
    promised: FloatArray,
    came_true: FloatArray,
    weights: FloatArray,
    n_parts: int = PARTS,
    n_rows: int | None = None,
) -> Calibration:
    """Bin rows by predicted probability, in bins of about equal weight.

    Probabilities within a hundredth of each other, or within two divided by the number of rows, stay
    together. Leave-one-out predictions of a row's own class are a little lower than those of other classes;
    if predictions hardly differ otherwise, bins that separated them would show only this effect.

    Parameters
    ----------
    promised, came_true, weights : arrays of shape (n_rows,)
        Predicted probability of an event, 1 if it occurred and 0 if not, and weight of each row.
    n_parts : int
        Largest number of bins; empty bins are left out.
    n_rows : int, optional
        Number of rows, if entries of the arrays represent several rows.

    Examples
    --------
    >>> found = calibration(np.array([0.2, 0.2, 0.9, 0.9]), np.array([0.0, 1.0, 1.0, 1.0]), np.ones(4), 2)
    >>> found.observed
    array([0.5, 1. ])
    >>> round(found.error, 3)
    0.2
    """
    total = weights.sum()
    places = _grouped(promised, max(CLOSE, 2 / max(total, len(weights) if n_rows is None else n_rows)))
    of_each = np.bincount(places, weights)
    # A group of close probabilities is not divided: it is in the bin of its middle.
    middles = (np.cumsum(of_each) - of_each / 2) / total
    parts = np.minimum(whole_part(middles * n_parts).astype(np.int64), n_parts - 1)[places]
    of_parts = np.bincount(parts, weights, n_parts)
    kept = of_parts > 0
    shared: FloatArray = of_parts[kept].astype(np.float64)
    return Calibration(
        np.bincount(parts, weights * promised, n_parts)[kept] / shared,
        np.bincount(parts, weights * came_true, n_parts)[kept] / shared,
        shared,
    )


def _grouped(numbers: FloatArray, width: float) -> IntArray:
    """Return the group of each number; a group has all numbers at most ``width`` above its smallest."""
    ascending = np.sort(numbers)
    firsts, at = [], 0
    # Greedy from the smallest: one search per group, and groups never overlap.
    while at < len(ascending):
        firsts.append(ascending[at])
        at = int(np.searchsorted(ascending, firsts[-1] + width + TOLERANCE, side="right"))
    return np.searchsorted(np.array(firsts), numbers, side="right") - 1
