"""EM on rows and one more. Arrays in, arrays out, nothing checked."""

import math

import numpy as np
from numba import njit

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
    n_first: int,
    max_iter: int,
    least_gain: float,
    logs: FloatArray,
) -> float:
    """Climb from several starts to the most probable mixture of the rows and a new one.

    ``expected``, of shape (n_cells + 1, n_components), has the expected counts of the rows, sizes last, and
    ``excess`` the pseudocounts less one. Each row of ``shares`` is a start: how the new row is shared out
    over the components at first. Every start makes ``n_first`` iterations, and the best of them goes on.
    ``logs`` receives the logs of the mixture; returns its log-likelihood plus its log prior up to a constant.
    """
    best, highest = np.zeros_like(expected), -np.inf
    for s in range(len(shares)):
        counts = expected.copy()
        _add(counts, new, 1.0, shares[s])
        reached = -np.inf
        for _ in range(n_first):
            reached = _iterate(cells, weights, new, offsets, excess, counts, logs)
        if reached > highest or s == 0:
            highest = reached
            best[:] = counts
    for _ in range(max_iter):
        reached = _iterate(cells, weights, new, offsets, excess, best, logs)
        gain = reached - highest
        highest = max(reached, highest)
        if gain < least_gain:
            break
    return highest


@njit(cache=True, nogil=True)
def _add(counts: FloatArray, cells: IntArray, weight: float, shares: FloatArray) -> None:
    """Add a row, shared out over the components."""
    last = len(counts) - 1
    for k in range(len(shares)):
        counts[last, k] += weight * shares[k]
    for i in range(len(cells)):
        for k in range(len(shares)):
            counts[cells[i], k] += weight * shares[k]


@njit(cache=True, nogil=True)
def _iterate(
    cells: IntArray,
    weights: FloatArray,
    new: IntArray,
    offsets: IntArray,
    excess: FloatArray,
    counts: FloatArray,
    logs: FloatArray,
) -> float:
    """One iteration: the best mixture for expected counts, its objective, and the counts by it."""
    for cell in range(len(counts)):
        for k in range(counts.shape[1]):
            counts[cell, k] += excess[cell, k]
    _best_logs(offsets, counts, logs)
    total = 0.0
    for cell in range(len(counts)):
        for k in range(counts.shape[1]):
            counts[cell, k] = 0.0
            if excess[cell, k] > 0.0:
                total += excess[cell, k] * logs[cell, k]
    shares = np.empty(counts.shape[1])
    for n in range(len(cells)):
        total += weights[n] * _share(cells[n], logs, shares)
        _add(counts, cells[n], weights[n], shares)
    total += _share(new, logs, shares)
    _add(counts, new, 1.0, shares)
    return total


@njit(cache=True, nogil=True)
def _share(cells: IntArray, logs: FloatArray, shares: FloatArray) -> float:
    """Share a row out over the components; returns its log probability."""
    last, highest = len(logs) - 1, -np.inf
    for k in range(len(shares)):
        shares[k] = logs[last, k]
    for i in range(len(cells)):
        for k in range(len(shares)):
            shares[k] += logs[cells[i], k]
    for k in range(len(shares)):
        highest = max(highest, shares[k])
    if highest == -np.inf:
        for k in range(len(shares)):
            shares[k] = 1.0 / len(shares)
        return -np.inf
    total = 0.0
    for k in range(len(shares)):
        shares[k] = math.exp(shares[k] - highest)
        total += shares[k]
    for k in range(len(shares)):
        shares[k] /= total
    return highest + math.log(total)


@njit(cache=True, nogil=True)
def _best_logs(offsets: IntArray, counts: FloatArray, logs: FloatArray) -> None:
    """Logs of the best mixture for expected counts; uniform where there are none."""
    n_components = counts.shape[1]
    total = 0.0
    for k in range(n_components):
        total += counts[-1, k]
    for k in range(n_components):
        logs[-1, k] = _log_ratio(counts[-1, k], total, n_components)
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
