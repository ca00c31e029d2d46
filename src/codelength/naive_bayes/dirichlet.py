r"""Log marginal likelihood of counts under a Dirichlet prior, without cancellation.

The textbook form is a sum of differences of log-gamma functions, which lose all digits if a pseudocount is
much larger than its count or the other way round. Here cells are added one after the other, each at the cost
of its own rows given those before it,

.. math:: \lambda(a, n, b) = -\log E[\theta^n]
          = \log \frac{\Gamma(a)\, \Gamma(a + n + b)}{\Gamma(a + n)\, \Gamma(a + b)}, \quad
          \theta \sim \mathrm{Beta}(a, b)

where ``b`` is the sum of counts of earlier cells and pseudocounts of all other cells. Costs are never
negative, so their sum keeps all digits, and so does ``b``, a sum of positive numbers.
"""

import math

import numpy as np

from .._threads import FirstCalls
from ..typing import FloatArray

_N_STEPS = 10
# Remainder of log-gamma after Stirling's formula: six terms of Stieltjes' continued fraction as partial
# fractions, exact to the last digit from 10 on.
_POLES = (0.13412353813630917, 0.7273992157460326, 1.6712925325767973)
_RESIDUES = (0.080878922116230746, 0.0024437296309133865, 1.0681586189201102e-05)

_first_calls = FirstCalls(at_once=1000, in_all=10_000)


def dirichlet_log_evidence(counts: FloatArray, pseudocounts: FloatArray) -> FloatArray:
    """Return the log marginal likelihood of multinomial counts along the last axis, in nats.

    Parameters
    ----------
    counts : array of shape (..., n_cells)
        Counts, which may be fractions.
    pseudocounts : array that can be broadcast to the shape of ``counts``
        Pseudocounts of any size from 1e-300 to 1e300.

    Returns
    -------
    array of shape (...)
        Log probability of a sequence of rows with these counts.

    Examples
    --------
    >>> float(np.exp(dirichlet_log_evidence(np.array([1.0, 0.0, 2.0]), np.ones(3))).round(9))
    0.033333333
    """
    # Copies in one memory layout, so that the kernel is compiled once.
    n = np.array(counts, dtype=np.float64, order="C")
    a = np.empty_like(n)
    a[...] = pseudocounts
    shape = (math.prod(n.shape[:-1]), n.shape[-1])
    if _first_calls.are_plain(1 + n.size):
        with np.errstate(all="ignore"):
            costs = costs_of_counts(n.reshape(shape), a.reshape(shape))
    else:
        from ._kernels import dirichlet_costs

        costs = dirichlet_costs(n.reshape(shape), a.reshape(shape))
    return np.asarray(-costs.reshape(n.shape[:-1]))


def costs_of_counts(counts: FloatArray, pseudocounts: FloatArray) -> FloatArray:
    r"""Return minus the log marginal likelihood of each row of counts, one cell after the other.

    The cost of a cell is symmetric in n and b, and keeps more digits with the smaller one first. It falls by
    ``log((x + n) (x + b) / (x (x + n + b)))`` from ``x`` to ``x + 1``: the first steps from ``a`` are summed
    one by one, and Stirling's formula gives the rest.

    Plain Python without calls of other functions of this package: compiled or not, results are equal to the
    last bit.
    """
    costs, others = np.zeros(counts.shape[0]), np.zeros(counts.shape[1] + 1)
    for r in range(counts.shape[0]):
        for i in range(counts.shape[1] - 1, -1, -1):
            # Sums of pseudocounts from the right, because subtracting from a total would cancel.
            others[i] = others[i + 1] + pseudocounts[r, i]
        before = 0.0
        for i in range(counts.shape[1]):
            x, beside = pseudocounts[r, i], before + others[i + 1]
            before += x + counts[r, i]
            if not (counts[r, i] > 0 and beside > 0):
                continue
            n, b, cost, fall = min(counts[r, i], beside), max(counts[r, i], beside), 0.0, 0.0
            for step in range(_N_STEPS + 1):
                x += 1.0 if step > 0 else 0.0
                share = n / (x + n) * (b / (x + b))
                # Two forms of the same step, each without cancellation on its side of 1/2.
                if share < 0.5:
                    fall = -math.log1p(-share)
                else:
                    fall = math.log(x + n) - math.log(x) - math.log1p(n / (x + b))
                cost += fall if step < _N_STEPS else 0.0
            # Stirling's formula at x >= 10 with its large terms combined by hand, then the remainder.
            rest = b * math.log1p(n / (x + b)) + n * math.log1p(b / (x + n)) - (x - 0.5) * fall
            for k in range(len(_POLES)):
                # With z = x + i pole, the real part of n / (z + n) * b / (z + b) * (1 / z + 1 / (z + n + b)).
                p, q = _POLES[k] / (x + n), _POLES[k] / (x + b)
                u, v = _POLES[k] / x, _POLES[k] / (x + (n + b))
                near = (1.0 - p * q - u * (p + q)) / (1.0 + u * u) / x
                far = (1.0 - p * q - v * (p + q)) / (1.0 + v * v) / (x + (n + b))
                rest += _RESIDUES[k] * share * (near + far) / ((1.0 + p * p) * (1.0 + q * q))
            costs[r] += cost + rest
    return costs
