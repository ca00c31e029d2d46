"""Figures with standard errors and intervals."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from ..scores import means
from ..typing import FloatArray
from .results import Estimate

NORMAL = 1.959963984540054
"""The normal distribution is within so many standard deviations of its mean with probability 95 %."""

LEAST_ROWS = 5
"""Fewer rows say nothing about how far their mean can be trusted."""


def mean_of(numbers: ArrayLike, counts: ArrayLike | None = None) -> Estimate:
    """The mean of some figures, one per row, with an interval by the t-distribution.

    Parameters
    ----------
    numbers : array
        The figures.
    counts : array, optional
        How many rows have each.

    Examples
    --------
    >>> found = mean_of([1.0, 2.0, 3.0, 4.0, 5.0])
    >>> found.value, round(found.standard_error, 4), round(found.high, 4)
    (3.0, 0.7071, 4.9632)
    """
    figures = np.asarray(numbers, dtype=np.float64)
    rows = np.ones(figures.shape) if counts is None else np.asarray(counts, dtype=np.float64)
    n_rows = float(rows.sum())
    if n_rows == 0:
        return Estimate(0.0, math.nan, -math.inf, math.inf)
    value, standard_error = means.mean_of(figures, rows)
    if not math.isfinite(value):
        return Estimate(value, math.nan, value, value)
    if n_rows < LEAST_ROWS:
        return Estimate(value, math.nan, -math.inf, math.inf)
    return around(value, standard_error, n_rows - 1)


def mean_over_splits(figures: FloatArray, test_share: float) -> Estimate:
    """The mean over random splits or folds of one table, with an interval for rows that were never seen.

    Splits share rows, so the variance of their mean is not the n-th part of theirs. Nadeau and Bengio (2003)
    take the correlation of two splits to be the probability that a row of the table is a test row, whatever
    the number of rows learned from; with this, 93 to 96 of 100 intervals cover the truth at 9 to 75 training
    rows of 100, and without it 64 to 75.

    Parameters
    ----------
    figures : array
        One figure per split.
    test_share : float
        Share of the rows of the table that each split tests.

    Examples
    --------
    >>> found = mean_over_splits(np.array([1.0, 2.0, 3.0]), 0.25)
    >>> found.value, round(found.standard_error, 4)
    (2.0, 0.8165)
    """
    if not np.isfinite(figures).all():
        return Estimate(math.inf, math.nan, math.inf, math.inf)
    n = len(figures)
    if n < 2:
        return Estimate(float(figures.mean()), math.nan, math.nan, math.nan)
    variance = float(figures.var(ddof=1)) * (1 / n + test_share / (1 - test_share))
    return around(float(figures.mean()), math.sqrt(variance), n - 1)


def around(value: float, standard_error: float, degrees: float = math.inf) -> Estimate:
    """A figure with an interval by the t-distribution with so many degrees of freedom."""
    reach = (NORMAL if math.isinf(degrees) else float(stdtrit(degrees, 0.975))) * standard_error
    return Estimate(value, standard_error, value - reach, value + reach)


def wilson(successes: ArrayLike, n_rows: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Ends of Wilson's 95 % interval of a share: it stays within 0 and 1, also where there are few rows.

    Examples
    --------
    >>> low, high = wilson([0, 9], [10, 10])
    >>> low.round(3), high.round(3)
    (array([0.   , 0.596]), array([0.278, 0.982]))
    """
    rows = np.asarray(n_rows, dtype=np.float64)
    share = np.asarray(successes, dtype=np.float64) / rows
    shrunk = 1 + NORMAL**2 / rows
    middle = (share + NORMAL**2 / (2 * rows)) / shrunk
    reach = NORMAL * np.sqrt(share * (1 - share) / rows + (NORMAL / (2 * rows)) ** 2) / shrunk
    # Rounding must not push a share of 0 or 1 out of its own interval.
    return np.minimum(np.maximum(middle - reach, 0.0), share), np.maximum(
        np.minimum(middle + reach, 1.0), share
    )


def share_of(hits: FloatArray) -> Estimate:
    """A share of rows, with Wilson's interval."""
    value = float(hits.mean())
    low, high = wilson(float(hits.sum()), len(hits))
    return Estimate(value, math.sqrt(max(value * (1 - value), 0.0) / len(hits)), float(low), float(high))
