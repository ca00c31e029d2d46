"""Choose, rank and cut computed numbers so that rounding decides nothing.

Two processors, two thread counts or two orders of addition give sums that differ in their last bits. A plain
``>``, ``argmax``, ``argsort`` or ``int`` turns such a difference into another model. The functions here treat
numbers as equal if they differ by less than :data:`TOLERANCE` of their size, and give a tie to the first.
Pass candidates in an order that depends on the content of the table, not on how it was written down.

``_decision_kernels`` has the same rule for compiled loops.
"""

import numpy as np
from numpy.typing import ArrayLike

from .typing import FloatArray, IntArray

TOLERANCE = 1e-10
"""Relative difference up to which two computed numbers are equal."""


def is_better(score: float, other: float, scale: float = 0.0) -> bool:
    """Return whether ``score`` is larger than ``other`` by more than rounding.

    Parameters
    ----------
    score, other : float
        Numbers to compare; minus infinity is smaller than every other number.
    scale : float
        Size of what the numbers were computed from, if that is larger than they are: a difference of two
        large sums has their rounding errors.

    Returns
    -------
    bool
        False if the numbers tie.

    Examples
    --------
    >>> is_better(0.1 + 0.2, 0.3), is_better(0.31, 0.3)
    (False, True)
    >>> is_better(1e-12, 0.0), is_better(1e-12, 0.0, scale=1.0)
    (True, False)
    """
    # Inf - inf is NaN, and infinity times the tolerance would make everything a tie.
    if score == other or np.isinf(score) or np.isinf(other):
        return bool(score > other)
    return bool(score - other > TOLERANCE * max(abs(score), abs(other), scale))


def first_best(scores: ArrayLike, scale: float = 0.0) -> int:
    """Return the position of the largest number, or of the first of those that tie with it.

    Parameters
    ----------
    scores : array-like of float
        Numbers to choose from.
    scale : float
        As in :func:`is_better`.

    Returns
    -------
    int
        Position from 0.

    Examples
    --------
    >>> first_best([0.3, 0.1 + 0.2, 0.2])
    0
    """
    return int(first_best_of_rows(np.asarray(scores, dtype=np.float64)[None], scale)[0])


def first_best_of_rows(scores: FloatArray, scale: float | FloatArray = 0.0) -> IntArray:
    """Return :func:`first_best` of every row of a matrix.

    Parameters
    ----------
    scores : array of shape (n_rows, n_candidates)
        Numbers to choose from, one choice per row.
    scale : float or array of shape (n_rows,)
        As in :func:`is_better`, for all rows or for each.

    Returns
    -------
    array of int, shape (n_rows,)
        Position of the first best of each row.

    Examples
    --------
    >>> first_best_of_rows(np.array([[0.3, 0.1 + 0.2], [0.1, 0.2]]))
    array([0, 1])
    """
    best = scores.max(axis=1)
    # One comparison per number: rows are many, and this is the last step of every prediction.
    # The tolerance of an infinite best would be infinite and tie everything; only equals tie with it.
    room = np.where(np.isfinite(best), TOLERANCE * np.maximum(np.abs(best), scale), 0.0)
    return np.asarray((scores >= (best - room)[:, None]).argmax(axis=1))


def ranked(scores: ArrayLike, scale: float = 0.0) -> IntArray:
    """Return the positions of numbers from the largest to the smallest; numbers that tie keep their order.

    Parameters
    ----------
    scores : array-like of float
        Numbers to rank.
    scale : float
        As in :func:`is_better`.

    Returns
    -------
    array of int
        Positions, best first.

    Examples
    --------
    >>> ranked([0.3, 0.5, 0.1 + 0.2, 0.1])
    array([1, 0, 2, 3])
    """
    numbers = np.asarray(scores, dtype=np.float64)
    order = np.argsort(-numbers, kind="stable")
    higher, lower = numbers[order[:-1]], numbers[order[1:]]
    with np.errstate(invalid="ignore"):
        size = np.maximum(np.maximum(np.abs(higher), np.abs(lower)), scale)
        steps = np.where(np.isinf(size), higher > lower, higher - lower > TOLERANCE * size)
    # Numbers that differ from their neighbour by less than the tolerance share a level. Within a level the
    # original position decides, not the order that rounding gave to the sort above.
    levels = np.append(0, np.cumsum(steps))[: len(order)]
    return np.asarray(order[np.lexsort((order, levels))])


def whole_part(numbers: FloatArray) -> FloatArray:
    """Round down, except that a number just below a whole one by rounding becomes that whole number.

    Parameters
    ----------
    numbers : array of float
        Numbers of any sign.

    Returns
    -------
    array of float
        Whole numbers, at most half a unit above the arguments.

    Examples
    --------
    >>> whole_part(np.array([1.9999999999999993, 2.5, 0.7]))
    array([2., 2., 0.])
    """
    # The clip keeps an absolute tolerance near zero, and never rounds up by more than one half.
    return np.asarray(np.floor(numbers + np.clip(TOLERANCE * np.abs(numbers), TOLERANCE, 0.5)))
