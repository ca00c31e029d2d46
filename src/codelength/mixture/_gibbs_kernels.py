"""One sweep of the Gibbs sampler. Arrays in, arrays out, nothing checked; ``clusterings`` has the shapes."""

import math

import numpy as np
from numba import njit

from ..typing import FloatArray, IntArray
from ._kernels import log_predictions, shift
from .clusterings import ClusteringState, ObservedCells


@njit(cache=True, nogil=True)
def fill(observed: ObservedCells, labels: IntArray, state: ClusteringState) -> None:
    """Add every row to the counts of its component."""
    for n in range(len(labels)):
        shift(observed, n, labels[n], 1.0, state)


@njit(cache=True, nogil=True)
def sweep(observed: ObservedCells, labels: IntArray, uniforms: FloatArray, state: ClusteringState) -> None:
    """Draw the component of each row in turn, given those of all others.

    Parameters
    ----------
    observed : ObservedCells
        The rows.
    labels : array of shape (n_rows,)
        The component of each row; overwritten.
    uniforms : array of shape (n_rows,)
        One uniform random number per row. Drawn by the caller, so that the stream is that of NumPy.
    state : ClusteringState
        Counts of the clustering; overwritten.
    """
    sizes = state.sizes
    logs, scratch = np.empty(len(sizes)), np.empty((2, len(sizes)))
    for n in range(len(labels)):
        # Parameters are integrated out: the conditional of a label is the prediction of the row from the
        # counts of all the others, so the row leaves before it is scored.
        shift(observed, n, labels[n], -1.0, state)
        log_predictions(observed, n, state, logs, scratch)
        highest = -np.inf
        for k in range(len(sizes)):
            highest = max(highest, logs[k])
        total = 0.0
        # Inverse of the cumulated weights; sizes are factors rather than logs, which saves a logarithm each.
        for k in range(len(sizes)):
            total += sizes[k] * math.exp(logs[k] - highest)
            logs[k] = total
        drawn = 0
        # The bound keeps rounding of the total from running past the last component.
        while drawn < len(sizes) - 1 and logs[drawn] <= uniforms[n] * total:
            drawn += 1
        labels[n] = drawn
        shift(observed, n, drawn, 1.0, state)
