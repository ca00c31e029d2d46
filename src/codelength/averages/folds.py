"""Parts of the training rows to hold out in turn."""

import numpy as np

from ..typing import IntArray
from .training import Training

N_FOLDS = 5
"""Into how many parts rows are dealt, where there are as many."""


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
