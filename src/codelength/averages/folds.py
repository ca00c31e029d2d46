"""Parts of the training rows to hold out in turn, the same however rows, columns and values are ordered."""

import numpy as np
from numpy.typing import NDArray

from ..typing import FloatArray, IntArray
from .training import Training

N_FOLDS = 5
"""Into how many parts rows are dealt, where there are as many."""

_DECIMALS = 6


def content_order(training: Training, of: str, marks: FloatArray) -> IntArray:
    """The training rows in an order that looks random, but depends only on what is in them.

    Parameters
    ----------
    training : Training
        The rows.
    of : str
        The member that asks: each has an order of its own.
    marks : array of shape (n_rows, n_marks)
        Numbers that tell rows apart whatever the order of columns, values and classes, such as held-out
        scores. They are compared to six decimals, so rounding does not matter.
    """
    keys = np.full(training.n_rows, training.generator(of).integers(2**63), dtype=np.uint64)
    for mark in np.round(marks * 10**_DECIMALS).T:
        keys = _mixed(keys ^ (mark + 0.0).view(np.uint64))
    return np.argsort(keys, kind="stable")


def dealt(training: Training, order: IntArray, n_folds: int = N_FOLDS) -> IntArray:
    """How many copies of each training row are in each fold, shape (n_folds, n_rows).

    Copies are dealt out one after the other in the given order, so the copies of a row are spread evenly.
    Rows that are not in the order are in no fold.
    """
    copies = training.n_copies[order]
    n_folds = int(min(n_folds, copies.sum()))
    starts = np.cumsum(copies) - copies
    places = (np.arange(n_folds)[:, None] - starts) % n_folds
    found = np.zeros((n_folds, training.n_rows), dtype=np.int64)
    found[:, order] = copies // n_folds + (places < copies % n_folds)
    return found


def _mixed(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Bits well mixed, as the finaliser of splitmix64 does it."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
    return keys ^ (keys >> np.uint64(31))
