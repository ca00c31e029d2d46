"""Scoring loops. Arrays in, arrays out, nothing checked."""

import math

import numpy as np
from numba import njit

from ..typing import BoolArray, CodeArray, FloatArray, IntArray

_ROWS_AT_ONCE = 512
_LANES = 4
_ROUNDING = 8 * np.finfo(np.float64).eps


@njit(cache=True, nogil=True)
def score_rows(
    codes: CodeArray,
    sizes: IntArray,
    groups: IntArray,
    starts: IntArray,
    joint: FloatArray,
    base: FloatArray,
    start: int,
    stop: int,
    scores: FloatArray,
) -> None:
    """Log weights of rows ``start .. stop - 1``: one look-up in a joint table a group of variables."""
    n_classes = scores.shape[1]
    keys = np.empty(_ROWS_AT_ONCE, dtype=np.uint32)
    sums = np.empty((_ROWS_AT_ONCE, _LANES))
    for low in range(start, stop, _ROWS_AT_ONCE):
        high = min(low + _ROWS_AT_ONCE, stop)
        n_rows = high - low
        for lane in range(joint.shape[0]):
            first_class = lane * _LANES
            for t in range(n_rows):
                for c in range(_LANES):
                    sums[t, c] = base[first_class + c]
            for g in range(len(groups) - 1):
                _row_keys(codes, groups[g], groups[g + 1], sizes, starts[g], low, n_rows, keys)
                table = joint[lane]
                for t in range(n_rows):
                    key = keys[t]
                    for c in range(_LANES):
                        sums[t, c] += table[key, c]
            for t in range(n_rows):
                for c in range(min(_LANES, n_classes - first_class)):
                    scores[low + t, first_class + c] = sums[t, c]


@njit(cache=True, nogil=True)
def _row_keys(
    codes: CodeArray, first: int, last: int, sizes: IntArray, start: int, low: int, n_rows: int, keys: CodeArray
) -> None:
    for t in range(n_rows):
        keys[t] = np.uint32(codes[first, low + t])
    for i in range(first + 1, last):
        size = np.uint32(sizes[i])
        for t in range(n_rows):
            keys[t] = np.uint32(np.uint32(keys[t] * size) + np.uint32(codes[i, low + t]))
    for t in range(n_rows):
        keys[t] = np.uint32(keys[t] + np.uint32(start))


@njit(cache=True, nogil=True)
def normalise_rows(scores: FloatArray, undefined: BoolArray) -> None:
    """Turn log weights into log probabilities, in place; a row of zero weights becomes uniform."""
    n_rows, n_classes = scores.shape
    for t in range(n_rows):
        highest = scores[t, 0]
        for c in range(1, n_classes):
            highest = max(highest, scores[t, c])
        if highest == -np.inf:
            undefined[t] = True
            for c in range(n_classes):
                scores[t, c] = -math.log(n_classes)
            continue
        # Classes that tie exactly may differ by rounding; made equal again, the first of them wins everywhere.
        rounding = _ROUNDING * max(1.0, abs(highest))
        total = 0.0
        for c in range(n_classes):
            below = scores[t, c] - highest
            if below > -rounding:
                below = 0.0
            scores[t, c] = below
            total += math.exp(below)
        log_total = math.log(total)
        for c in range(n_classes):
            scores[t, c] -= log_total


@njit(cache=True, nogil=True)
def own_class_scores(
    codes: CodeArray, classes: CodeArray, offsets: IntArray, groups: IntArray, base: FloatArray, table: FloatArray
) -> FloatArray:
    """Sum of look-ups of each row in the table of its own class alone.

    Added up group by group as in :func:`score_rows`, so that classes that tie exactly still tie.
    """
    sums = np.empty(len(classes))
    for n in range(len(classes)):
        k = classes[n]
        total = base[k]
        for g in range(len(groups) - 1):
            of_group = 0.0
            for i in range(groups[g], groups[g + 1]):
                of_group += table[k, offsets[i] + np.int64(codes[i, n])]
            total += of_group
        sums[n] = total
    return sums
