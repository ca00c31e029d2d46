"""Means over rows with standard errors, and the rule for ties between models."""

import math
from typing import NamedTuple

import numpy as np

from ..decisions import is_better
from ..typing import FloatArray

ERRORS = 2.0
"""Standard errors within which a model is tied with the best."""

NEGLIGIBLE = 0.0005
"""Difference between mean scores that three decimals show as 0.000."""


class Mean(NamedTuple):
    """A mean over units, and its standard error."""

    value: float
    standard_error: float


def mean_of(units: FloatArray, weights: FloatArray | None = None) -> Mean:
    """Return the mean of some numbers and its standard error; NaN for a single number or an infinite mean.

    A weight of 2 counts as two equal units.

    Examples
    --------
    >>> mean_of(np.array([1.0, 5.0]))
    Mean(value=3.0, standard_error=2.0)
    >>> mean_of(np.array([1.0, 3.0]), np.array([2.0, 1.0])) == mean_of(np.array([1.0, 1.0, 3.0]))
    True
    """
    if weights is not None:
        # Units of weight zero are dropped, because 0 times infinity is NaN.
        units, weights = units[weights > 0], weights[weights > 0]
    if not len(units):
        return Mean(math.nan, math.nan)
    value = float(np.average(units, weights=weights))
    if not math.isfinite(value):
        return Mean(value, math.nan)
    squares = (units - value) ** 2 * (1.0 if weights is None else weights)
    total = float(len(units) if weights is None else weights.sum())
    return Mean(value, standard_error(total, float(squares.sum())))


def standard_error(total: float, squares: float) -> float:
    """Return the standard error of a mean over ``total`` units, from squared distances summed over them."""
    return math.sqrt(max(squares, 0.0) / (total - 1) / total) if total > 1 else math.nan


def is_tied(behind: float, standard_error: float, scale: float = 1.0) -> bool:
    """Return True if a model with this mean difference from the best is tied with it.

    It is if the difference is at most two standard errors, or vanishes in the digits that are shown: a model
    that falls back to the class prior is behind it by the same small amount on every row.

    The difference and its standard error are paired over rows; ``scale`` is the size of the scores, which
    determines the rounding error of their difference.

    Examples
    --------
    >>> is_tied(0.1, 0.06), is_tied(0.1, 0.04), is_tied(math.inf, math.nan)
    (True, False, False)
    >>> is_tied(0.0001, 0.00001)
    True
    """
    if abs(behind) < NEGLIGIBLE:
        return True
    return math.isfinite(behind) and not is_better(behind, ERRORS * standard_error, scale)
