"""Choice of the next row in a greedy search.

Odds are compared as quotients of sums of weights. Only if patterns are within the rounding of the grid of the
best, or if odds leave the range of a float64, are they compared as logs, from entries before rounding.
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
    """Return the pattern to place next.

    Parameters
    ----------
    layout : SequenceLayout
        The rows and the rule; entries are rounded to the grid.
    exact : array
        The entries before rounding, for ties.
    state : State
        Counts of the rows placed (forward) or of those still to be placed (backward).
    field : Field
        The patterns still to be placed.
    has_gaps : array of shape (n_columns,)
        Columns with missing cells.
    fronts : array of shape (2, n_groups)
        Set by :func:`set_fronts`.
    search : Search
        Direction, tolerances and range.
    t : int
        Number of rows placed so far.
    keys : array of shape (n_patterns,)
        Scratch: the odds that are compared.
    """
    sizes, marks, notes, weights = field.sizes, field.marks, field.notes, field.weights
    shares, odds, leasts = np.empty((2, len(weights))), np.empty((3, AT_ONCE)), np.empty(sizes[1])
    is_due, least = search.stride > 0 and t % max(search.stride, 1) == 0, np.inf
    # One pass per block: label and class are constant in a block, so the shares of the groups are computed
    # once for all its patterns.
    for b in range(sizes[1]):
        low, high = marks[BLOCK, b], marks[BLOCK, b + 1]
        _set_shares(layout.class_offsets, state.counts, marks, low, search.less, shares)
        _set_odds(weights, low, high, shares, odds)
        _set_keys(odds, search.worst, notes[GONE, low:high], keys[low:high])
        leasts[b] = _least(keys[low:high], odds[2])
        least = min(least, leasts[b])
        # Weights are kept relative to a reference that does not follow every step. They are renewed well
        # before a float64 overflows; ``stride`` makes sure that this check is early enough.
        for p in range(low, high if is_due else low):
            if not 1e-100 < odds[0, p - low] + odds[1, p - low] < 1e100:
                refer(marks, field.sums, weights, notes, fronts, p, p + 1)
    # Odds are quotients, so a tolerance on log odds is a factor here. Outside this range the odds themselves
    # are not exact, and all patterns go through the logs.
    limit = least * (1 + search.coarse) if 1e-250 < least < 1e250 else np.inf
    found, is_alone = _lowest(field.members, marks, keys, leasts, limit)
    if is_alone:
        return found
    # Several different patterns are within rounding of the best: decide on careful logs, where a tie is a tie
    # by definition, and then by row number.
    _set_log_keys(layout, exact, state.counts, field, has_gaps, search, limit, keys, leasts)
    least = np.inf
    for b in range(sizes[1]):
        least = min(least, leasts[b])
    return _lowest(field.members, marks, keys, leasts, least + search.fine)[0]


@njit(cache=True, nogil=True)
def _set_shares(
    class_offsets: FloatArray, counts: IntArray, marks: IntArray, p: int, less: int, shares: FloatArray
) -> None:
    """Set the factors of the group weights in the odds against and in favour of a class."""
    size, n_class_values = len(counts) - 1, class_offsets.shape[1]
    label, value = marks[LABEL, p], marks[CLASS, p]
    for k in range(shares.shape[1]):
        # In a mixture the class is a column: a group predicts it by its counts of that class, equation (6) of
        # the 2001 paper. In naive Bayes the group is the class, and the factors are zeros and ones.
        if n_class_values:
            count = counts[size - n_class_values + value, k]
            shares[0, k] = counts[size, k] - count + class_offsets[1, value, k]
            shares[1, k] = count - (less if k == label else 0) + class_offsets[0, value, k]
        else:
            shares[0, k] = 0.0 if k == value else 1.0
            shares[1, k] = 1.0 - shares[0, k]


@njit(cache=True, nogil=True, fastmath={"contract"})
def _set_odds(weights: FloatArray, low: int, high: int, shares: FloatArray, odds: FloatArray) -> None:
    """Set the summed weights against the class of each pattern, and those in favour of it."""
    # Groups outside, patterns inside: the inner loop runs over contiguous memory and vectorises. Products may
    # be contracted to fused ones, whose error is far below the tolerance.
    for side in range(2):
        sums, is_first = odds[side, : high - low], True
        for k in range(len(weights)):
            share = shares[side, k]
            # Group 0 is always visited, because it initialises the sums.
            if share != 0.0 or k == 0:
                of_group = weights[k, low:high]
                for p in range(high - low):
                    sums[p] = share * of_group[p] + (0.0 if is_first else sums[p])
                is_first = False


@njit(cache=True, nogil=True, error_model="numpy")
def _set_keys(odds: FloatArray, worst: bool, gone: FloatArray, keys: FloatArray) -> None:
    """Set the odds against the class (``worst``: in its favour)."""
    top, bottom = odds[1 if worst else 0], odds[0 if worst else 1]
    for p in range(len(keys)):
        # Adding infinity for used-up patterns keeps the loop free of branches. Division by zero gives
        # infinity (error_model numpy), which is the right key for an impossible class.
        keys[p] = top[p] / bottom[p] + gone[p]


@njit(cache=True, nogil=True)
def _least(keys: FloatArray, scratch: FloatArray) -> float:
    """Return the least key, by halving: each step of a running minimum depends on the one before."""
    n = (len(keys) + 1) // 2
    # The halves overlap by one element if the length is odd, which does not change a minimum.
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
    """Find the pattern with the lowest row number within the limit.

    Returns
    -------
    found : int
        The pattern; -1 if there is none.
    is_alone : bool
        Whether all patterns within the limit have the same key, so that no careful comparison is needed.
    """
    lowest, found, is_alone = len(members), -1, True
    for b in range(len(leasts)):
        # Blocks whose least key is beyond the limit are skipped as a whole: this is what makes a step cheap.
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
    """Replace keys by log odds from entries before rounding; infinity beyond the limit."""
    marks, first_cells, codes, n_groups = field.marks, layout.first_cells, field.codes, len(field.sums)
    shares, logs, fronts = np.empty((2, n_groups)), np.empty(n_groups), np.empty((2, n_groups))
    columns = np.zeros((2, n_groups, len(layout.starts)))
    set_fronts(layout.starts, exact, counts, search.less, fronts)
    # Two columns per group: in a backward search patterns of the group's own label do not count themselves.
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
    """Sum the entries of a pattern, with compensation of rounding errors (Neumaier)."""
    total, error = 0.0, 0.0
    for i in range(len(codes)):
        entry = column[first_cells[i] + np.int64(codes[i, p])]
        larger = total + entry
        # The error of an infinite sum is not a number, and would spoil it.
        if abs(larger) < np.inf:
            error += (total - larger) + entry if abs(total) >= abs(entry) else (entry - larger) + total
        total = larger
    return total + error


@njit(cache=True, nogil=True)
def _log_odds(logs: FloatArray, shares: FloatArray, worst: bool) -> float:
    """Compute the log odds against the class (``worst``: in its favour)."""
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
