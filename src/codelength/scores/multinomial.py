r"""Normaliser of one multinomial: the sum of the maximised likelihood over all sequences.

For K values and n rows it is

.. math:: C(K, n) = \sum_{h_1 + \dots + h_K = n} \frac{n!}{h_1! \cdots h_K!}
          \prod_k \Bigl(\frac{h_k}{n}\Bigr)^{h_k}

and :math:`C(1, n) = 1`, :math:`C(K + 2, n) = C(K + 1, n) + \frac{n}{K}\, C(K, n)` [1]_. The recurrence is
computed in quotients :math:`r_K = C(K + 1, n) / C(K, n)`, for which :math:`r_{K + 1} = 1 + n / (K r_K)`: they
stay within range for any K and n, and the error of a quotient shrinks in the next one. The first quotient is
:math:`C(2, n) = 1 + Q(n)` with Ramanujan's function

.. math:: Q(n) = \sum_{k = 1}^n \frac{n!}{(n - k)!\, n^k},

which takes the same few operations for every n: for large n an asymptotic series is exact to the last digit.
For fewer rows than values the sum of [2]_ over the rows is shorter than the recurrence over the values.

References
----------
.. [1] Kontkanen and Myllymäki (2007). A linear-time algorithm for computing the multinomial stochastic
       complexity. Information Processing Letters 103.
.. [2] Mononen and Myllymäki (2008). Computing the multinomial stochastic complexity in sub-linear time. PGM.
"""

import math

import numpy as np
from scipy.special import xlogy

from ..typing import FloatArray, IntArray

FROM_SERIES = 64
"""Number of rows from which the asymptotic series are exact to the last digit."""

_RAMANUJAN = (
    1 / 3,
    4 / 135,
    -8 / 2835,
    -16 / 8505,
    8992 / 12629925,
    334144 / 492567075,
    -698752 / 1477701225,
)
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
_AT_ONCE = 16
"""Number of quotients per logarithm; none exceeds 1e8, so their product stays in range."""


def log_normalisers(n_values: int, n_rows: IntArray) -> FloatArray:
    """Return log normalisers of a multinomial for several numbers of rows, in nats.

    Examples
    --------
    >>> np.exp(log_normalisers(2, np.array([0, 1, 2]))).round(9)
    array([1. , 2. , 2.5])
    >>> float(np.exp(log_normalisers(10**12, np.array([1]))[0]).round(-6))
    1000000000000.0
    """
    distinct, places = np.unique(np.asarray(n_rows, dtype=np.int64), return_inverse=True)
    # For one number of rows, a step of the recurrence costs about as much as forty terms of the sum.
    if n_values > 1 and int(distinct.sum()) < n_values * max(len(distinct), 40):
        logs = np.array([_log_sum_over_rows(n_values, n) for n in distinct.tolist()])
    else:
        logs = _log_by_recurrence(n_values, distinct.astype(np.float64))
    return np.asarray(logs[places.reshape(np.shape(n_rows))])


def stirling_gap(n: FloatArray) -> FloatArray:
    """Return ``log(n! e^n / n^n)`` for whole n, without cancellation.

    Examples
    --------
    >>> stirling_gap(np.array([0.0, 1.0, 1e12])).round(12)
    array([ 0.        ,  1.        , 14.73444909])
    """
    large = np.maximum(n, FROM_SERIES)
    logs = (
        0.5 * np.log(2 * math.pi * large) + np.polynomial.polynomial.polyval(large**-2.0, _STIRLING) / large
    )
    return np.where(n >= FROM_SERIES, logs, _SMALL_GAPS[np.minimum(n, FROM_SERIES - 1).astype(np.int64)])


def log_fit(counts: FloatArray) -> float:
    """Return the maximised log-likelihood of multinomial counts along the last axis."""
    totals = counts.sum(axis=-1, keepdims=True)
    return float(xlogy(counts, counts / np.maximum(totals, 1.0)).sum())


def is_whole(numbers: FloatArray) -> bool:
    """Return True if all numbers are counts: finite, whole and not negative."""
    with np.errstate(invalid="ignore"):
        return bool(np.isfinite(numbers).all() and (numbers >= 0).all() and (numbers % 1 == 0).all())


def _ramanujan(n: FloatArray) -> FloatArray:
    """Return Q(n) for whole n; 0 for n = 0."""
    large = np.maximum(n, FROM_SERIES)
    series = np.exp(stirling_gap(large)) / 2 - np.polynomial.polynomial.polyval(1 / large, _RAMANUJAN)
    return np.where(n >= FROM_SERIES, series, _SMALL_SUMS[np.minimum(n, FROM_SERIES - 1).astype(np.int64)])


def _log_by_recurrence(n_values: int, n: FloatArray) -> FloatArray:
    """Return log normalisers by the recurrence over the values, for all numbers of rows at once."""
    logs, product = np.zeros(len(n)), np.ones(len(n))
    if n_values == 1:
        return logs
    quotient = 1 + _ramanujan(n)
    for k in range(1, n_values):
        product *= quotient
        if k % _AT_ONCE == 0 or k == n_values - 1:
            logs += np.log(product)
            product[:] = 1.0
        quotient = 1 + n / (k * quotient)
    return logs


def _log_sum_over_rows(n_values: int, n: int) -> float:
    """Return the log normaliser as a sum of n + 1 positive terms, by ratios of consecutive terms [2]_."""
    j = np.arange(n, dtype=np.float64)
    # In logs with the largest term factored out, because terms exceed the range of a float64 for many rows.
    steps = np.log((n - j) / n * ((n_values - 1 + j) / (j + 1)))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    largest = float(logs.max())
    return largest + math.log(float(np.exp(logs - largest).sum()))


# Exact values for small n, for which the asymptotic series are not accurate.
_SMALL_SUMS = np.array([float(np.cumprod(1 - np.arange(n) / max(n, 1)).sum()) for n in range(FROM_SERIES)])
_SMALL_GAPS = np.array(
    [0.0, *(math.log(math.factorial(n)) + n - n * math.log(n) for n in range(1, FROM_SERIES))]
)
