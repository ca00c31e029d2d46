"""EM on rows and one more row. Arrays in, arrays out, nothing checked.

Components are side by side in lanes, padded to a multiple of four: that many numbers stay in registers from
the first column of a row to the last. In a spare lane counts are 0, and the log of the component is -inf.
"""

import math

import numpy as np
from numba import njit

from ..._decision_kernels import is_better
from ...typing import FloatArray, IntArray


@njit(cache=True, nogil=True)
def climb_with(
    cells: IntArray,
    weights: FloatArray,
    new: IntArray,
    offsets: IntArray,
    expected: FloatArray,
    excess: FloatArray,
    shares: FloatArray,
    n_components: int,
    n_first: int,
    max_iter: int,
    least_gain: float,
    logs: FloatArray,
) -> float:
    """Climb from several starts to the most probable mixture of the rows and a new one.

    Every start makes ``n_first`` iterations, and the best of them is continued.

    Parameters
    ----------
    cells : array of shape (n_rows, n_variables)
        Cells of the distinct rows.
    weights : array of shape (n_rows,)
        Their weights.
    new : array of shape (1, n_variables)
        Cells of the new row.
    offsets : array of shape (n_variables + 1,)
        First cell of each variable.
    expected : array of shape (n_cells + 1, n_lanes)
        Expected counts of the rows under the fitted mixture, sizes last.
    excess : array of shape (n_cells + 1, n_lanes)
        Pseudocounts less one.
    shares : array of shape (n_starts, n_lanes)
        Starts: initial shares of the components in the new row.
    n_components : int
        Lanes that are components.
    n_first, max_iter : int
        Iterations of every start, and maximum number of further ones of the best.
    least_gain : float
        Gain, in nats, below which the climb ends.
    logs : array of shape (n_cells + 1, n_lanes)
        Receives the logs of the mixture.

    Returns
    -------
    float
        Log-likelihood plus log prior, up to a constant.
    """
    best, highest = np.zeros_like(expected), -np.inf
    for s in range(len(shares)):
        counts = expected.copy()
        _add(counts, new, 0, 1.0, shares[s])
        reached = -np.inf
        for _ in range(n_first):
            reached = _iterate(cells, weights, new, offsets, excess, n_components, counts, logs)
        # On a tie up to rounding the first start is kept; the first one counts even if it excludes the row.
        if is_better(reached, highest, 1.0) or s == 0:
            highest = reached
            best[:] = counts
    for _ in range(max_iter):
        reached = _iterate(cells, weights, new, offsets, excess, n_components, best, logs)
        gain = reached - highest
        # Rounding may lower the objective in its last digits.
        highest = max(reached, highest)
        if gain < least_gain:
            break
    return highest


@njit(cache=True, nogil=True)
def _add(counts: FloatArray, cells: IntArray, n: int, weight: float, shares: FloatArray) -> None:
    """Add a row to the counts, shared out over the components."""
    last = len(counts) - 1
    # Four lanes at a time, in registers; the sizes of the components are the last row of ``counts``.
    for k in range(0, len(shares), 4):
        s0, s1 = weight * shares[k], weight * shares[k + 1]
        s2, s3 = weight * shares[k + 2], weight * shares[k + 3]
        for i in range(cells.shape[1] + 1):
            cell = cells[n, i] if i < cells.shape[1] else last
            counts[cell, k] += s0
            counts[cell, k + 1] += s1
            counts[cell, k + 2] += s2
            counts[cell, k + 3] += s3


@njit(cache=True, nogil=True)
def _iterate(
    cells: IntArray,
    weights: FloatArray,
    new: IntArray,
    offsets: IntArray,
    excess: FloatArray,
    n_components: int,
    counts: FloatArray,
    logs: FloatArray,
) -> float:
    """Make one iteration: the best mixture for expected counts, its objective, and the new counts."""
    for cell in range(len(counts)):
        for k in range(counts.shape[1]):
            counts[cell, k] += excess[cell, k]
    # ``counts`` are used up by the M step, and collect the expected counts of the E step after it.
    _best_logs(offsets, counts, n_components, logs)
    total = 0.0
    for cell in range(len(counts)):
        for k in range(counts.shape[1]):
            counts[cell, k] = 0.0
            # With an excess of 0 the factor is 1, also for a probability of zero.
            if excess[cell, k] > 0.0:
                total += excess[cell, k] * logs[cell, k]
    shares = np.zeros(counts.shape[1])
    for n in range(len(cells)):
        total += weights[n] * _share(cells, n, logs, n_components, shares)
        _add(counts, cells, n, weights[n], shares)
    total += _share(new, 0, logs, n_components, shares)
    _add(counts, new, 0, 1.0, shares)
    return total


@njit(cache=True, nogil=True)
def _share(cells: IntArray, n: int, logs: FloatArray, n_components: int, shares: FloatArray) -> float:
    """Share a row out over the components; return its log probability."""
    last, highest = len(logs) - 1, -np.inf
    for k in range(0, len(shares), 4):
        s0, s1, s2, s3 = logs[last, k], logs[last, k + 1], logs[last, k + 2], logs[last, k + 3]
        for i in range(cells.shape[1]):
            cell = cells[n, i]
            s0 += logs[cell, k]
            s1 += logs[cell, k + 1]
            s2 += logs[cell, k + 2]
            s3 += logs[cell, k + 3]
        shares[k], shares[k + 1], shares[k + 2], shares[k + 3] = s0, s1, s2, s3
        highest = max(highest, max(max(s0, s1), max(s2, s3)))
    # No component can have the row. It is shared evenly, so that the next M step admits it.
    if highest == -np.inf:
        for k in range(len(shares)):
            shares[k] = 1.0 / n_components if k < n_components else 0.0
        return -np.inf
    total = 0.0
    for k in range(n_components):
        shares[k] = math.exp(shares[k] - highest)
        total += shares[k]
    for k in range(len(shares)):
        shares[k] = shares[k] / total if k < n_components else 0.0
    return highest + math.log(total)


@njit(cache=True, nogil=True)
def _best_logs(offsets: IntArray, counts: FloatArray, n_components: int, logs: FloatArray) -> None:
    """Compute the logs of the best mixture for expected counts; uniform if there are none."""
    total, last = 0.0, len(counts) - 1
    for k in range(n_components):
        total += counts[last, k]
    for k in range(n_components):
        logs[last, k] = _log_ratio(counts[last, k], total, n_components)
        for i in range(len(offsets) - 1):
            in_all = 0.0
            for cell in range(offsets[i], offsets[i + 1] - 1):
                in_all += counts[cell, k]
            for cell in range(offsets[i], offsets[i + 1] - 1):
                logs[cell, k] = _log_ratio(counts[cell, k], in_all, offsets[i + 1] - 1 - offsets[i])
            logs[offsets[i + 1] - 1, k] = 0.0


@njit(cache=True, nogil=True)
def _log_ratio(part: float, whole: float, n_parts: int) -> float:
    if whole <= 0.0:
        return -math.log(n_parts)
    return math.log(part / whole) if part > 0.0 else -np.inf
