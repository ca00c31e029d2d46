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

import math

import numpy as np

from ..typing import FloatArray


def dirichlet_log_evidence(counts: FloatArray, pseudocounts: FloatArray) -> FloatArray:
    """Log marginal likelihood of multinomial counts along the last axis, in nats.

    Counts and pseudocounts may be fractions, of any size from 1e-300 to 1e300.

    Examples
    --------
    >>> float(np.exp(dirichlet_log_evidence(np.array([1.0, 0.0, 2.0]), np.ones(3))).round(9))
    0.033333333
    """
    from ._kernels import dirichlet_costs

    # Copies, so that the kernel meets one layout of memory and is compiled once.
    n = np.array(counts, dtype=np.float64, order="C")
    a = np.empty_like(n)
    a[...] = pseudocounts
    shape = (math.prod(n.shape[:-1]), n.shape[-1])
    return np.asarray(-dirichlet_costs(n.reshape(shape), a.reshape(shape)).reshape(n.shape[:-1]))
