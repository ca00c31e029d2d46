"""Which row a greedy search places next.

Odds are compared as quotients of sums of weights. Only where patterns come as near to the best as the
rounding to the grid, or where odds leave the range of a float64, are they compared as logs,
from entries before rounding.
"""

import math

import numpy as np
from numba import njit

from ..typing import BoolArray, CodeArray, FloatArray, IntArray
from ._greedy_field import AT_ONCE, BLOCK, CLASS, END, GONE, LABEL, NEXT, Field, Search
from ._greedy_weights import refer, set_column, set_fronts
from ._kernels import State
from .layout import SequenceLayout


@njit(cache=True, nogil=True)
def choose(
    layout: SequenceLayout,
    exact: FloatArray,
    state: State,
    field: Field,
    has_gaps: BoolArray,
    fronts: FloatArray,
    search: Search,
    t: int,
    keys: FloatArray,
) -> int:
    """The pattern to place next."""
    sizes, marks, notes, weights = field.sizes, field.marks, field.notes, field.weights
    shares, odds, leasts = np.empty((2, len(weights))), np.empty((3, AT_ONCE)), np.empty(sizes[1])
    is_due, least = search.stride > 0 and t % max(search.stride, 1) == 0, np.inf
    for b in range(sizes[1]):
        low, high = marks[BLOCK, b], marks[BLOCK, b + 1]
        _set_shares(layout.class_offsets, state.counts, marks, low, search.less, shares)
        _set_odds(weights, low, high, shares, odds)
        _set_keys(odds, search.worst, notes[GONE, low:high], keys[low:high])
        leasts[b] = _least(keys[low:high], odds[2])
        least = min(least, leasts[b])
        for p in range(low, high if is_due else low):
            if not 1e-100 < odds[0, p - low] + odds[1, p - low] < 1e100:
                refer(marks, field.sums, weights, notes, fronts, p, p + 1)
    limit = least * (1 + search.coarse) if 1e-250 < least < 1e250 else np.inf
    found, is_alone = _lowest(field.members, marks, keys, leasts, limit)
    if is_alone:
        return found
    _set_log_keys(layout, exact, state.counts, field, has_gaps, search, limit, keys, leasts)
    least = np.inf
    for b in range(sizes[1]):
        least = min(least, leasts[b])
    return _lowest(field.members, marks, keys, leasts, least + search.fine)[0]


@njit(cache=True, nogil=True)
def _set_shares(
    class_offsets: FloatArray, counts: IntArray, marks: IntArray, p: int, less: int, shares: FloatArray
) -> None:
    """What the weights of the groups count against and in favour of the class of a pattern."""
    size, n_class_values = len(counts) - 1, class_offsets.shape[1]
    label, value = marks[LABEL, p], marks[CLASS, p]
    for k in range(shares.shape[1]):
        if n_class_values:
            count = counts[size - n_class_values + value, k]
            shares[0, k] = counts[size, k] - count + class_offsets[1, value, k]
            shares[1, k] = count - (less if k == label else 0) + class_offsets[0, value, k]
        else:
            shares[0, k] = 0.0 if k == value else 1.0
            shares[1, k] = 1.0 - shares[0, k]


@njit(cache=True, nogil=True, fastmath={"contract"})
def _set_odds(weights: FloatArray, low: int, high: int, shares: FloatArray, odds: FloatArray) -> None:
    """What speaks against the class of each pattern, and what in its favour."""
    for side in range(2):
        sums, is_first = odds[side, : high - low], True
        for k in range(len(weights)):
            share = shares[side, k]
            if share != 0.0 or k == 0:
                of_group = weights[k, low:high]
                for p in range(high - low):
                    sums[p] = share * of_group[p] + (0.0 if is_first else sums[p])
                is_first = False


@njit(cache=True, nogil=True, error_model="numpy")
def _set_keys(odds: FloatArray, worst: bool, gone: FloatArray, keys: FloatArray) -> None:
    """Odds against the class (``worst``: in its favour)."""
    top, bottom = odds[1 if worst else 0], odds[0 if worst else 1]
    for p in range(len(keys)):
        keys[p] = top[p] / bottom[p] + gone[p]


@njit(cache=True, nogil=True)
def _least(keys: FloatArray, scratch: FloatArray) -> float:
    """The least key, by halves: a running minimum would wait for itself at every step."""
    n = (len(keys) + 1) // 2
    second = keys[len(keys) - n :]
    for p in range(n):
        scratch[p] = keys[p] if keys[p] < second[p] else second[p]
    while n > 1:
        half = (n + 1) // 2
        second = scratch[n - half : n]
        for p in range(half):
            scratch[p] = scratch[p] if scratch[p] < second[p] else second[p]
        n = half
    return float(scratch[0])


@njit(cache=True, nogil=True)
def _lowest(
    members: IntArray, marks: IntArray, keys: FloatArray, leasts: FloatArray, limit: float
) -> tuple[int, bool]:
    """The pattern with the lowest row among those within the limit, and whether all of these are equal."""
    lowest, found, is_alone = len(members), -1, True
    for b in range(len(leasts)):
        for p in range(marks[BLOCK, b], marks[BLOCK, b + 1] if leasts[b] <= limit else 0):
            if keys[p] <= limit and marks[NEXT, p] < marks[END, p]:
                row = members[marks[NEXT, p]]
                is_alone = is_alone and (found < 0 or keys[p] == keys[found])
                if row < lowest:
                    lowest, found = row, p
    return found, is_alone and limit < np.inf


@njit(cache=True, nogil=True)
def _set_log_keys(
    layout: SequenceLayout,
    exact: FloatArray,
    counts: IntArray,
    field: Field,
    has_gaps: BoolArray,
    search: Search,
    limit: float,
    keys: FloatArray,
    leasts: FloatArray,
) -> None:
    """Log odds of the patterns within the limit, from entries before rounding; infinity for the others."""
    marks, first_cells, codes, n_groups = field.marks, layout.first_cells, field.codes, len(field.sums)
    shares, logs, fronts = np.empty((2, n_groups)), np.empty(n_groups), np.empty((2, n_groups))
    columns = np.zeros((2, n_groups, len(layout.starts)))
    set_fronts(layout.starts, exact, counts, search.less, fronts)
    for own in range(2):
        for k in range(n_groups):
            set_column(layout, exact, counts, has_gaps, k, search.less * own, columns[own, k])
    for b in range(len(leasts)):
        low, last_key, last = marks[BLOCK, b], np.nan, 0.0
        _set_shares(layout.class_offsets, counts, marks, low, search.less, shares)
        leasts[b] = np.inf
        for p in range(low, marks[BLOCK, b + 1]):
            is_near = keys[p] <= limit and marks[NEXT, p] < marks[END, p]
            # Many patterns can share a key, and then they share its logarithm.
            if is_near and (keys[p] != last_key or limit == np.inf):
                last_key = keys[p]
                for k in range(n_groups):
                    own = 1 if marks[LABEL, p] == k else 0
                    logs[k] = fronts[own, k] + _careful_sum(columns[own, k], first_cells, codes, p)
                last = _log_odds(logs, shares, search.worst)
            keys[p] = last if is_near else np.inf
            leasts[b] = min(leasts[b], keys[p])


@njit(cache=True, nogil=True)
def _careful_sum(column: FloatArray, first_cells: IntArray, codes: CodeArray, p: int) -> float:
    """Sum of the entries of a pattern, the rounding errors summed apart."""
    total, error = 0.0, 0.0
    for i in range(len(codes)):
        entry = column[first_cells[i] + np.int64(codes[i, p])]
        larger = total + entry
        if abs(larger) < np.inf:
            error += (total - larger) + entry if abs(total) >= abs(entry) else (entry - larger) + total
        total = larger
    return total + error


@njit(cache=True, nogil=True)
def _log_odds(logs: FloatArray, shares: FloatArray, worst: bool) -> float:
    """Log odds against the class (``worst``: in its favour)."""
    against, favour = _log_total(logs, shares[0]), _log_total(logs, shares[1])
    if against == -np.inf and favour == -np.inf and len(logs) > 1:
        # No group has weight: all classes are alike.
        against, favour = math.log(len(logs) - 1), 0.0
    elif against == -np.inf:
        favour = 0.0
    return favour - against if worst else against - favour


@njit(cache=True, nogil=True)
def _log_total(logs: FloatArray, shares: FloatArray) -> float:
    highest, total = -np.inf, 0.0
    for k in range(len(logs)):
        if shares[k] > 0:
            highest = max(highest, logs[k])
    for k in range(len(logs)):
        if shares[k] > 0 and logs[k] > -np.inf:
            total += shares[k] * math.exp(logs[k] - highest)
    return highest + math.log(total) if total > 0 else -np.inf
