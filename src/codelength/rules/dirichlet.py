"""Log marginal likelihood of counts under a Dirichlet prior, without cancellation.

The textbook form is a sum of differences of log-gamma functions, which lose all digits where a pseudocount is
much larger than its count or the other way round. Here the entropy of the counts, which is the large part, is
taken out first:

.. math:: \\log \frac{\\Gamma(a + n)}{\\Gamma(a)} = n \\log n - n + h(a, n)

What is left, ``h``, is small beside it, and has a form without differences of large numbers for every ``a`` and
``n``: Stirling's series for large arguments, log-gamma itself for small ones.
"""

import numpy as np
from scipy.special import gammaln, xlogy

from ..typing import FloatArray

_LARGE = 50.0
"""From here on, four terms of Stirling's series are exact to the last digit."""


def dirichlet_log_evidence(counts: FloatArray, pseudocounts: FloatArray) -> FloatArray:
    """Log marginal likelihood of multinomial counts along the last axis, in nats.

    Examples
    --------
    >>> float(np.exp(dirichlet_log_evidence(np.array([1.0, 0.0, 2.0]), np.ones(3))).round(9))
    0.033333333
    """
    n, a = np.broadcast_arrays(np.asarray(counts, np.float64), np.asarray(pseudocounts, np.float64))
    totals = n.sum(axis=-1)
    shares = np.divide(n, totals[..., None], out=np.ones_like(n), where=n > 0)
    entropies = (n * np.log(shares)).sum(axis=-1)
    return np.asarray(entropies + (_excess(a, n).sum(axis=-1) - _excess(a.sum(axis=-1), totals)))


def _excess(a: FloatArray, n: FloatArray) -> FloatArray:
    """``log(gamma(a + n) / gamma(a)) - n log n + n``; zero where n is."""
    seen = (n > 0) & (a > 0)
    a, n = np.where(seen, a, 1.0), np.where(seen, n, 1.0)
    x = a + n
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        few = gammaln(np.minimum(x, 2 * _LARGE)) - gammaln(np.minimum(a, 2 * _LARGE)) - xlogy(n, n) + n
        up = n * _log1p_ratio(a, n)
        many = up + (a - 0.5) * np.log(x) - a + _HALF_LOG_2_PI + _stirling(x) - gammaln(np.minimum(a, _LARGE))
        both = up + (a - 0.5) * _log1p_ratio(n, a) + _stirling(x) - _stirling(a)
    return np.where(seen, np.where(x <= _LARGE, few, np.where(a <= _LARGE, many, both)), 0.0)


_HALF_LOG_2_PI = 0.5 * np.log(2 * np.pi)


def _log1p_ratio(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """``log(1 + top / bottom)``, where the ratio may overflow."""
    ratio = top / bottom
    return np.where(ratio < 1e300, np.log1p(np.minimum(ratio, 1e300)), np.log(top) - np.log(bottom))


def _stirling(x: FloatArray) -> FloatArray:
    """What is left of log-gamma after its leading terms, for large x."""
    inverse = 1 / np.maximum(x, _LARGE)
    square = inverse * inverse
    return np.asarray(inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))))
