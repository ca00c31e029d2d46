"""The rule of :mod:`codelength.decisions` for compiled loops."""

import math

from numba import njit

from .decisions import TOLERANCE


@njit(cache=True, nogil=True)
def is_better(score: float, other: float, scale: float) -> bool:
    """Return whether ``score`` is larger than ``other`` by more than rounding.

    Parameters
    ----------
    score, other : float
        Numbers to compare.
    scale : float
        Size of the numbers they were computed from; see :func:`codelength.decisions.is_better`.
    """
    # As in codelength.decisions: the difference of two infinities is NaN.
    if math.isinf(score) or math.isinf(other):
        return score > other
    return score - other > TOLERANCE * max(abs(score), abs(other), scale)
