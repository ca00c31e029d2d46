"""Compiled loops for the evidence of the classes at the nodes of decision trees."""

import math

import numpy as np
from numba import njit

from ...typing import FloatArray

_MAX_LOGS = 1 << 14
"""Log rising factorials are tabulated up to this count and computed beyond it."""


def log_table(counts: FloatArray, pseudocounts: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Tabulate log rising factorials of the pseudocounts of the classes, and of their sum.

    The evidence of weights :math:`n_c` at a node under pseudocounts :math:`a_c` is Dirichlet-multinomial:

    .. math:: \log D = \sum_c \log (a_c)_{n_c} - \log \Bigl(\sum_c a_c\Bigr)_{\sum_c n_c} , \qquad
        (a)_n = \Gamma(a + n) / \Gamma(a) .

    Returns
    -------
    heads : array of shape (n_classes + 1, 4)
        For each class, and last for their sum: where its logs start, how many there are, the pseudocount, and
        its log gamma function.
    logs : array
        Log rising factorials at counts 0, 1, ..., one class after the other.
    """
    sizes = np.minimum(np.append(counts, counts.sum()), _MAX_LOGS).astype(np.int64) + 1
    each = np.append(pseudocounts, pseudocounts.sum())
    heads = np.array([np.cumsum(sizes) - sizes, sizes, each, each]).T.copy()
    logs = np.zeros(sizes.sum())
    _fill_logs(heads, logs)
    return heads, logs


@njit(cache=True, nogil=True)
def _fill_logs(heads: FloatArray, logs: FloatArray) -> None:
    """Write the tables of :func:`log_table`."""
    for c in range(len(heads)):
        start, pseudocount = int(heads[c, 0]), heads[c, 2]
        heads[c, 3] = math.lgamma(pseudocount)
        for k in range(1, int(heads[c, 1])):
            # (a)_k = (a)_{k-1} (a + k - 1): one logarithm per count instead of two log gamma functions.
            logs[start + k] = logs[start + k - 1] + math.log(k - 1 + pseudocount)


@njit(cache=True, nogil=True)
def log_rising(heads: FloatArray, logs: FloatArray, c: int, count: float) -> float:
    """Return the log rising factorial of class ``c``, or of the sum of all if ``c`` is their number."""
    if count < heads[c, 1]:
        whole = int(count)
        if whole == count:
            return float(logs[int(heads[c, 0]) + whole])
    # Weights of rows may be fractions, and their sums may be larger than the table.
    return float(math.lgamma(heads[c, 2] + count) - heads[c, 3])
