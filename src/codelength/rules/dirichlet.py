r"""Log marginal likelihood of counts under a Dirichlet prior, without cancellation.

The textbook form is a sum of differences of log-gamma functions, which lose all digits where a pseudocount is
much larger than its count or the other way round. Here one cell after the other is taken in, each at the cost
of its own rows given those before it,

.. math:: \lambda(a, n, b) = -\log E[\theta^n]
          = \log \frac{\Gamma(a)\, \Gamma(a + n + b)}{\Gamma(a + n)\, \Gamma(a + b)}, \quad
          \theta \sim \mathrm{Beta}(a, b)

where ``b`` is what all other cells hold by then. No cost is negative, so nothing is lost in their sum, and
``b`` is a sum of positive numbers too.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..typing import FloatArray

_STEPS = np.arange(11.0)
"""The cost is followed over the first steps of ``a`` one by one; Stirling's formula does the rest."""

_POLES = 1j * np.array([0.13412353813630917, 0.7273992157460326, 1.6712925325767973])
_RESIDUES = np.array([0.080878922116230746, 0.0024437296309133865, 1.0681586189201102e-05])
"""What Stirling's formula leaves of log-gamma: Stieltjes' continued fraction as partial fractions.

With six terms it is exact to the last digit from 10 on.
"""


def dirichlet_log_evidence(counts: FloatArray, pseudocounts: FloatArray) -> FloatArray:
    """Log marginal likelihood of multinomial counts along the last axis, in nats.

    Counts and pseudocounts may be fractions, of any size from 1e-300 to 1e300.

    Examples
    --------
    >>> float(np.exp(dirichlet_log_evidence(np.array([1.0, 0.0, 2.0]), np.ones(3))).round(9))
    0.033333333
    """
    n, a = np.broadcast_arrays(np.asarray(counts, np.float64), np.asarray(pseudocounts, np.float64))
    before, after = np.zeros(n.shape), np.zeros(n.shape)
    np.cumsum((a + n)[..., :-1], axis=-1, out=before[..., 1:])
    np.cumsum(a[..., :0:-1], axis=-1, out=after[..., -2::-1])
    others = before + after
    seen = (n > 0) & (others > 0)
    costs = np.zeros(n.shape)
    costs[seen] = _cost(a[seen], n[seen], others[seen])
    return np.asarray(-costs.sum(axis=-1))


def _cost(a: FloatArray, n: FloatArray, b: FloatArray) -> FloatArray:
    """Minus the log of the expected n-th power of a beta variable with parameters ``a`` and ``b``."""
    # The cost is the same with n and b exchanged, and keeps more digits with the smaller one first.
    n, b = np.minimum(n, b), np.maximum(n, b)
    x = a[:, None] + _STEPS
    steps = _step(x, n[:, None], b[:, None])
    x, last = x[:, -1], steps[:, -1]
    z = x[:, None] + _POLES
    poles = _share(z, n[:, None], b[:, None]) * (1 / z + 1 / (z + (n + b)[:, None]))
    stirling = b * np.log1p(n / (x + b)) + n * np.log1p(b / (x + n)) - (x - 0.5) * last
    return np.asarray(steps[:, :-1].sum(axis=1) + (stirling + poles.real @ _RESIDUES))


def _step(x: FloatArray, n: FloatArray, b: FloatArray) -> FloatArray:
    """How much less the cost is at ``x + 1`` than at ``x``: ``log((x + n) (x + b) / (x (x + n + b)))``."""
    share = _share(x, n, b)
    large = np.log(x + n) - np.log(x) - np.log1p(n / (x + b))
    return np.where(share < 0.5, -np.log1p(-np.minimum(share, 0.5)), large)


def _share(x: NDArray[Any], n: FloatArray, b: FloatArray) -> NDArray[Any]:
    return np.asarray(n / (x + n) * (b / (x + b)))
