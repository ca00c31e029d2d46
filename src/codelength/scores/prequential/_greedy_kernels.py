"""Greedy orderings. Arrays in, arrays out, nothing checked.

Equal rows are one *pattern*, which is placed as often as it has rows. For every group and pattern ``sums``
holds the log weight that the cells of the pattern have in the group. Placing a row moves the sums of its own
group only, and only by the differences of the entries its cells touch. The entries are whole multiples of a
power of two, so adding and taking off differences is exact, and patterns that tie by definition tie here.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ...rules._kernels import _exp_of_negative
from ...typing import BoolArray, CodeArray, FloatArray, IntArray
from ._kernels import State, shift, shift_all, start
from .tables import SequenceTables

_AT_ONCE = 512
_LABEL, _CLASS, _NEXT, _END, _BLOCK = range(5)
_REFERENCE, _GONE = range(2)


class Field(NamedTuple):
    """The patterns still to be placed, sorted by label and then by class.

    Attributes
    ----------
    members : array of shape (n_rows,)
        The rows, those of one pattern side by side and in increasing order.
    sizes : array of shape (3,)
        How many patterns there are, in how many blocks, and how many of them are used up.
    codes : array of shape (n_columns, n_patterns)
        The codes of the patterns.
    marks : array of shape (5, n_patterns + 1)
        Labels; classes; positions of the next member, and of the end of the members; and where blocks begin,
        which are runs of patterns with the same label and class.
    sums, weights : arrays of shape (n_groups, n_patterns)
        Log weights of the cells, and weights of the groups relative to the pattern's reference.
    notes : array of shape (2, n_patterns)
        References on the log scale; and zero, or infinity for a pattern that is used up.
    """

    members: IntArray
    sizes: IntArray
    codes: CodeArray
    marks: IntArray
    sums: FloatArray
    weights: FloatArray
    notes: FloatArray


class Search(NamedTuple):
    """What is asked for, and how far numbers can go.

    Attributes
    ----------
    less : int
        1 to fill the last place first, by rows predicted from all the others left; 0 to fill the first.
    worst : bool
        Whether the row predicted worst goes next, rather than the one predicted best.
    coarse, fine : float
        By how much the log odds of rows may differ that tie: as sums on the grid, and as sums of the entries
        themselves.
    stride : int
        After how many steps the weights may have drifted far from 1; 0 where a single step may do it.
    has_zeros : bool
        Whether entries can be minus infinity (rule "map"), which differences do not move.
    """

    less: int
    worst: bool
    coarse: float
    fine: float
    stride: int
    has_zeros: bool


@njit(cache=True, nogil=True)
def greedy_order(
    tables: SequenceTables, exact: FloatArray, field: Field, has_gaps: BoolArray, search: Search
) -> IntArray:
    """Place one row after the other; the field is used up. ``exact`` are the entries before rounding."""
    n_rows, n_groups = len(field.members), len(field.sums)
    state, fronts, steps = start(tables), np.empty((2, n_groups)), np.zeros((4, len(field.codes)))
    if search.less:
        shift_all(tables, state, np.arange(n_rows), 1)
    _set_blocks(field.sizes, field.marks)
    _set_fronts(tables.starts, tables.entries, state.counts, search.less, fronts)
    for k in range(n_groups):
        _weigh(tables, state, field, has_gaps, k, search.less)
    _refer(field.marks, field.sums, field.weights, field.notes, fronts, 0, field.sizes[0])
    keys, order = np.empty(len(field.codes[0]) if len(field.codes) else n_rows), np.empty(n_rows, np.int64)
    for t in range(n_rows):
        p = _choose(tables, exact, state, field, has_gaps, fronts, search, t, keys)
        n, k = field.members[field.marks[_NEXT, p]], field.marks[_LABEL, p]
        order[n_rows - 1 - t if search.less else t] = n
        _set_steps(tables, state, has_gaps, n, search.less, steps)
        shift(tables, state, n, 1 - 2 * search.less)
        _set_fronts(tables.starts, tables.entries, state.counts, search.less, fronts)
        if search.has_zeros:
            _weigh(tables, state, field, has_gaps, k, search.less)
        else:
            _move(field, tables.first_cells, has_gaps, p, search.less, steps)
        if search.stride:
            _set_weights(field, fronts, k)
        else:
            _refer(field.marks, field.sums, field.weights, field.notes, fronts, 0, field.sizes[0])
        _retire(field, p)
    return order


@njit(cache=True, nogil=True)
def _set_blocks(sizes: IntArray, marks: IntArray) -> None:
    """Find the runs of patterns with the same label and class; long runs are cut."""
    n_blocks, first = 0, 0
    for p in range(sizes[0]):
        same = marks[_LABEL, p] == marks[_LABEL, first] and marks[_CLASS, p] == marks[_CLASS, first]
        if p == 0 or not same or p - first == _AT_ONCE:
            marks[_BLOCK, n_blocks] = first = p
            n_blocks += 1
    marks[_BLOCK, n_blocks] = sizes[0]
    sizes[1] = n_blocks


@njit(cache=True, nogil=True)
def _retire(field: Field, placed: int) -> None:
    """Use up a member, mark a pattern that has none left, and close ranks when there are many such."""
    sizes, marks = field.sizes, field.marks
    marks[_NEXT, placed] += 1
    if marks[_NEXT, placed] < marks[_END, placed]:
        return
    field.notes[_GONE, placed] = np.inf
    sizes[2] += 1
    if sizes[2] * 8 <= sizes[0]:
        return
    kept = np.empty(sizes[0] - sizes[2], dtype=np.int64)
    n_kept = 0
    for p in range(sizes[0]):
        if marks[_NEXT, p] < marks[_END, p]:
            kept[n_kept] = p
            n_kept += 1
    _close_ranks(field.codes, kept)
    _close_ranks(marks, kept)
    _close_ranks(field.sums, kept)
    _close_ranks(field.weights, kept)
    _close_ranks(field.notes, kept)
    sizes[0], sizes[2] = n_kept, 0
    _set_blocks(sizes, marks)


@njit(cache=True, nogil=True)
def _close_ranks(table: NDArray[Any], kept: IntArray) -> None:
    for line in range(len(table)):
        numbers = table[line]
        for p in range(len(kept)):
            numbers[p] = numbers[kept[p]]


@njit(cache=True, nogil=True)
def _set_fronts(
    starts: IntArray, entries: FloatArray, counts: IntArray, less: int, fronts: FloatArray
) -> None:
    """What all patterns of other labels, and all of the same label, add to the sums of a group."""
    for k in range(fronts.shape[1]):
        first, size = starts[len(starts) - 1, k], counts[len(counts) - 1, k]
        fronts[0, k] = entries[first + size]
        fronts[1, k] = entries[first + max(size - less, 0)]


@njit(cache=True, nogil=True)
def _weigh(
    tables: SequenceTables, state: State, field: Field, has_gaps: BoolArray, k: int, less: int
) -> None:
    """Sums of a group from the counts, for all patterns."""
    first_cells, codes, marks, sums = tables.first_cells, field.codes, field.marks, field.sums
    columns = np.zeros((2, len(tables.starts)))
    for own in range(2):
        _set_column(tables, tables.entries, state.counts, has_gaps, k, less * own, columns[own])
    for p in range(field.sizes[0]):
        own, total = 1 if marks[_LABEL, p] == k else 0, 0.0
        for i in range(len(codes)):
            total += columns[own, first_cells[i] + np.int64(codes[i, p])]
        sums[k, p] = total


@njit(cache=True, nogil=True)
def _set_column(
    tables: SequenceTables,
    entries: FloatArray,
    counts: IntArray,
    has_gaps: BoolArray,
    k: int,
    less: int,
    column: FloatArray,
) -> None:
    """Entries of the cells in one group, for a row that is (``less`` 1) or is not among the counted ones."""
    first_cells, starts, alike = tables.first_cells, tables.starts, tables.alike
    for i in range(len(has_gaps)):
        spare = first_cells[i + 1] - 1
        observed = counts[len(counts) - 1, k] - counts[spare, k] - less
        total = entries[starts[spare, k] + observed] if has_gaps[i] and observed >= 0 else 0.0
        unseen = observed == 0 and len(alike) > 0 and alike[min(i, len(alike) - 1), k]
        for cell in range(first_cells[i], spare):
            count = counts[cell, k] - less
            if count >= 0:
                column[cell] = (0.0 if unseen else entries[starts[cell, k] + count]) - total


@njit(cache=True, nogil=True)
def _set_steps(
    tables: SequenceTables, state: State, has_gaps: BoolArray, n: int, less: int, steps: FloatArray
) -> None:
    """By how much placing row ``n`` moves the sums of its group, column by column.

    Lines 0 and 1 are for patterns of other labels, with the row's value and with another one; lines 2 and 3
    for patterns of the same label, which in a backward search (``less`` 1) do not count themselves.
    """
    rows, starts, entries, counts = tables.rows, tables.starts, tables.entries, state.counts
    k, step = rows[n, 0], 1 - 2 * less
    for i in range(len(has_gaps)):
        cell, spare = np.int64(rows[n, i + 2]), tables.first_cells[i + 1] - 1
        observed = counts[len(counts) - 1, k] - counts[spare, k]
        for own in range(2):
            match, rest = 0.0, 0.0
            count, first = counts[cell, k] - less * own, starts[cell, k]
            if cell != spare and count + step >= 0:
                match = entries[first + count + step] - entries[first + count]
            count, first = observed - less * own, starts[spare, k]
            if cell != spare and has_gaps[i] and count + step >= 0:
                rest = entries[first + count] - entries[first + count + step]
            steps[2 * own, i], steps[2 * own + 1, i] = match + rest, rest


@njit(cache=True, nogil=True)
def _move(
    field: Field, first_cells: IntArray, has_gaps: BoolArray, placed: int, less: int, steps: FloatArray
) -> None:
    """Move the sums of the placed pattern's group."""
    labels, size = field.marks[_LABEL], field.sizes[0]
    k, low, high = labels[placed], size, size
    if less:
        low = high = placed
        while low > 0 and labels[low - 1] == k:
            low -= 1
        while high < size and labels[high] == k:
            high += 1
    moved, sums = np.empty(_AT_ONCE), field.sums[k]
    _move_run(field.codes, placed, first_cells, has_gaps, steps, 0, 0, low, moved, sums)
    _move_run(field.codes, placed, first_cells, has_gaps, steps, 2, low, high, moved, sums)
    _move_run(field.codes, placed, first_cells, has_gaps, steps, 0, high, size, moved, sums)


@njit(cache=True, nogil=True)
def _move_run(
    codes: CodeArray,
    placed: int,
    first_cells: IntArray,
    has_gaps: BoolArray,
    steps: FloatArray,
    line: int,
    start: int,
    stop: int,
    moved: FloatArray,
    sums: FloatArray,
) -> None:
    for low in range(start, stop, _AT_ONCE):
        n = min(_AT_ONCE, stop - low)
        for p in range(n):
            moved[p] = 0.0
        for i in range(len(codes)):
            column, value = codes[i, low : low + n], codes[i, placed]
            match, rest = steps[line, i], steps[line + 1, i]
            if has_gaps[i]:
                missing = first_cells[i + 1] - 1 - first_cells[i]
                for p in range(n):
                    other = rest if column[p] != missing else 0.0
                    moved[p] += match if column[p] == value else other
            else:
                for p in range(n):
                    moved[p] += match if column[p] == value else 0.0
        own = sums[low : low + n]
        for p in range(n):
            own[p] += moved[p]


@njit(cache=True, nogil=True)
def _set_weights(field: Field, fronts: FloatArray, k: int) -> None:
    """Weights of a group from its sums."""
    logs, shifted, marks = np.empty(_AT_ONCE), np.empty(_AT_ONCE), field.marks
    of_group, weights, notes = field.sums[k], field.weights[k], field.notes[_REFERENCE]
    for b in range(field.sizes[1]):
        low, high = marks[_BLOCK, b], marks[_BLOCK, b + 1]
        n, front = high - low, fronts[1 if marks[_LABEL, low] == k else 0, k]
        sums, references = of_group[low:high], notes[low:high]
        for p in range(n):
            logs[p] = sums[p] + front - references[p]
        _exp_of_negative(logs[:n], shifted[:n], weights[low:high])


@njit(cache=True, nogil=True)
def _refer(
    marks: IntArray,
    sums: FloatArray,
    weights: FloatArray,
    notes: FloatArray,
    fronts: FloatArray,
    start: int,
    stop: int,
) -> None:
    """Make the heaviest group of each pattern its reference, and set its weights anew."""
    for p in range(start, stop):
        highest = -np.inf
        for k in range(len(sums)):
            highest = max(highest, sums[k, p] + fronts[1 if marks[_LABEL, p] == k else 0, k])
        notes[_REFERENCE, p] = highest if highest > -np.inf else 0.0
        for k in range(len(sums)):
            log_weight = sums[k, p] + fronts[1 if marks[_LABEL, p] == k else 0, k] - notes[_REFERENCE, p]
            weights[k, p] = math.exp(max(log_weight, -690.0))


@njit(cache=True, nogil=True)
def _choose(
    tables: SequenceTables,
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
    shares, odds, leasts = np.empty((2, len(weights))), np.empty((3, _AT_ONCE)), np.empty(sizes[1])
    refer, least = search.stride > 0 and t % max(search.stride, 1) == 0, np.inf
    for b in range(sizes[1]):
        low, high = marks[_BLOCK, b], marks[_BLOCK, b + 1]
        _set_shares(tables.class_offsets, state.counts, marks, low, search.less, shares)
        _set_odds(weights, low, high, shares, odds)
        _set_keys(odds, search.worst, notes[_GONE, low:high], keys[low:high])
        leasts[b] = _least(keys[low:high], odds[2])
        least = min(least, leasts[b])
        for p in range(low, high if refer else low):
            if not 1e-100 < odds[0, p - low] + odds[1, p - low] < 1e100:
                _refer(marks, field.sums, weights, notes, fronts, p, p + 1)
    limit = least * (1 + search.coarse) if 1e-250 < least < 1e250 else np.inf
    found, is_alone = _lowest(field.members, marks, keys, leasts, limit)
    if is_alone:
        return found
    _set_log_keys(tables, exact, state.counts, field, has_gaps, search, limit, keys, leasts)
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
    label, value = marks[_LABEL, p], marks[_CLASS, p]
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
        sums = odds[side, : high - low]
        for p in range(high - low):
            sums[p] = 0.0
        for k in range(len(weights)):
            share = shares[side, k]
            if share != 0.0:
                of_group = weights[k, low:high]
                for p in range(high - low):
                    sums[p] += share * of_group[p]


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
        for p in range(marks[_BLOCK, b], marks[_BLOCK, b + 1] if leasts[b] <= limit else 0):
            if keys[p] <= limit and marks[_NEXT, p] < marks[_END, p]:
                row = members[marks[_NEXT, p]]
                is_alone = is_alone and (found < 0 or keys[p] == keys[found])
                if row < lowest:
                    lowest, found = row, p
    return found, is_alone and limit < np.inf


@njit(cache=True, nogil=True)
def _set_log_keys(
    tables: SequenceTables,
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
    marks, first_cells, codes, n_groups = field.marks, tables.first_cells, field.codes, len(field.sums)
    shares, logs, fronts = np.empty((2, n_groups)), np.empty(n_groups), np.empty((2, n_groups))
    columns = np.zeros((2, n_groups, len(tables.starts)))
    _set_fronts(tables.starts, exact, counts, search.less, fronts)
    for own in range(2):
        for k in range(n_groups):
            _set_column(tables, exact, counts, has_gaps, k, search.less * own, columns[own, k])
    for b in range(len(leasts)):
        low, last_key, last = marks[_BLOCK, b], np.nan, 0.0
        _set_shares(tables.class_offsets, counts, marks, low, search.less, shares)
        leasts[b] = np.inf
        for p in range(low, marks[_BLOCK, b + 1]):
            is_near = keys[p] <= limit and marks[_NEXT, p] < marks[_END, p]
            # Many patterns can share a key, and then they share its logarithm.
            if is_near and (keys[p] != last_key or limit == np.inf):
                last_key = keys[p]
                for k in range(n_groups):
                    own = 1 if marks[_LABEL, p] == k else 0
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
