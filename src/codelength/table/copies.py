"""Copies of weighted rows: what leave-one-out leaves out."""

import numpy as np

from ..decisions import whole_part
from ..typing import FloatArray, IntArray

MOST_COPIES = 10**9
"""A row of a larger weight stands for this many copies, each of which weighs more than 1."""


def n_copies(weights: FloatArray) -> IntArray:
    """Return how many equal rows each row stands for.

    A row of weight 3 is three equal rows. A weight that is not whole is spread evenly over as many copies as
    it has whole parts, and over one if it has none.

    Examples
    --------
    >>> n_copies(np.array([3.0, 2.5, 0.7]))
    array([3, 2, 1])
    """
    return whole_part(np.clip(weights, 1.0, MOST_COPIES)).astype(np.int64)


def copy_weights(weights: FloatArray) -> FloatArray:
    """Return the weight of one copy of each row, which is taken away when the row is left out.

    Examples
    --------
    >>> copy_weights(np.array([3.0, 2.5, 0.7]))
    array([1.  , 1.25, 0.7 ])
    """
    return np.asarray(weights / n_copies(weights))
