"""What was promised, part by part, beside what came true."""

from typing import NamedTuple

import numpy as np

from ..decisions import TOLERANCE, whole_part
from ..typing import FloatArray, IntArray

PARTS = 10
"""Parts that promises are cut into."""

CLOSE = 0.01
"""Promises that differ by no more are never told apart."""


class Calibration(NamedTuple):
    """Promised probabilities and what came true, in parts of about equal weight.

    Attributes
    ----------
    promised : array of shape (n_parts,)
        Mean of the promised probabilities, ascending.
    observed : array of shape (n_parts,)
        Share of rows in which what was promised came true.
    weights : array of shape (n_parts,)
        Weight of the rows.
    """

    promised: FloatArray
    observed: FloatArray
    weights: FloatArray

    @property
    def error(self) -> float:
        """Mean distance between promised and observed, over all rows."""
        return float(self.weights @ np.abs(self.promised - self.observed) / self.weights.sum())


def calibration(
    promised: FloatArray,
    came_true: FloatArray,
    weights: FloatArray,
    n_parts: int = PARTS,
    n_rows: int | None = None,
) -> Calibration:
    """Rows in parts of about equal weight, by the probability that they were promised.

    Promises within a hundredth of each other, or within two rows of all, stay together. A row that is left
    out is promised its own class a little less than others are; where promises hardly differ otherwise, parts
    that told them apart would find nothing else.

    Parameters
    ----------
    promised : array of shape (n_rows,)
        Promised probabilities.
    came_true : array of shape (n_rows,)
        1 where it came true, 0 where not.
    weights : array of shape (n_rows,)
        Weights of the rows; some are above 0.
    n_parts : int
        How many parts at most; those without rows are left out.
    n_rows : int, optional
        How many rows there are, where some stand for several.

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
    # A group is in the part where its middle falls.
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
    """The group of each number, ascending: from the smallest on, all that are at most the width above it."""
    order = np.argsort(numbers, kind="stable")
    ascending = numbers[order]
    starts, at = [], 0
    while at < len(ascending):
        starts.append(at)
        at = int(np.searchsorted(ascending, ascending[at] + width + TOLERANCE, side="right"))
    groups = np.zeros(len(numbers), dtype=np.int64)
    groups[starts[1:]] = 1
    found = np.empty_like(groups)
    found[order] = np.cumsum(groups)
    return found
