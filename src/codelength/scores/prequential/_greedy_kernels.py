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
from ._kernels import State, shift, start
from .tables import SequenceTables

_AT_ONCE = 512
_TOO_SMALL, _TOO_LARGE = 1e-250, 1e250


class Patterns(NamedTuple):
    """Distinct rows, sorted by label and then by class.

    ``codes`` has shape (n_columns, n_patterns); pattern ``p`` stands for the rows
    ``members[bounds[p] : bounds[p + 1]]``, in increasing order.
    """

    codes: CodeArray
    labels: IntArray
    classes: IntArray
    members: IntArray
    bounds: IntArray


class Field(NamedTuple):
    """The patterns still to be placed, in the first ``size[0]`` places of each array.

    ``sums`` and ``weights`` have shape (n_groups, n_patterns): log weights of the cells, and weights relative
    to the reference of the pattern. ``nexts`` and ``ends`` are positions among the members, and ``gone`` is
    infinite where none is left. ``blocks`` are runs of patterns with the same label and class.
    """

    size: IntArray
    codes: CodeArray
    labels: IntArray
    classes: IntArray
    nexts: IntArray
    ends: IntArray
    sums: FloatArray
    weights: FloatArray
    references: FloatArray
    gone: FloatArray
    blocks: IntArray


@njit(cache=True, nogil=True)
def greedy_order(
    tables: SequenceTables, patterns: Patterns, backward: bool, worst: bool, tolerance: float
) -> IntArray:
    """Place one row after the other: the one predicted best, or worst, from the rows placed already.

    With ``backward`` the last place is filled first, by the row predicted best or worst from all the other
    rows not placed yet. Among rows that tie within ``tolerance`` (of the log odds) the lowest goes first.
    """
    n_rows, n_groups, less = len(patterns.members), len(tables.start_front), 1 if backward else 0
    state, field = start(tables), _field(patterns, n_groups)
    for n in range(n_rows if backward else 0):
        shift(tables, state, n, 1)
    has_gaps, has_zeros = _has_gaps(tables), np.isinf(tables.entries).any()
    front, steps = np.empty((2, n_groups)), np.zeros((4, len(field.codes)))
    _set_front(tables.base, state.sizes, less, front)
    for k in range(n_groups):
        _weigh(tables, state, field, has_gaps, k, less)
    _refer(field, front, 0, field.size[0])
    keys, order = np.empty(len(patterns.labels)), np.empty(n_rows, dtype=np.int64)
    stride = _stride(tables)
    for t in range(n_rows):
        refer = stride > 0 and t % stride == 0
        p = _choose(tables, state, patterns, field, front, less, worst, tolerance, keys, refer)
        n, k = patterns.members[field.nexts[p]], field.labels[p]
        order[n_rows - 1 - t if backward else t] = n
        _set_steps(tables, state, has_gaps, n, less, steps)
        shift(tables, state, n, -1 if backward else 1)
        _set_front(tables.base, state.sizes, less, front)
        if has_zeros:
            _weigh(tables, state, field, has_gaps, k, less)
        else:
            _move(field, tables.first_cells, has_gaps, p, steps)
        if stride:
            _set_weights(field, front, k)
        else:
            _refer(field, front, 0, field.size[0])
        field.nexts[p] += 1
        if field.nexts[p] == field.ends[p]:
            _retire(field, p)
    return order


@njit(cache=True, nogil=True)
def _field(patterns: Patterns, n_groups: int) -> Field:
    n_patterns = len(patterns.labels)
    field = Field(
        np.array([n_patterns, 0, 0]),
        patterns.codes.copy(),
        patterns.labels.copy(),
        patterns.classes.copy(),
        patterns.bounds[:-1].copy(),
        patterns.bounds[1:].copy(),
        np.empty((n_groups, n_patterns)),
        np.empty((n_groups, n_patterns)),
        np.zeros(n_patterns),
        np.zeros(n_patterns),
        np.empty(n_patterns + 1, dtype=np.int64),
    )
    _set_blocks(field)
    return field


@njit(cache=True, nogil=True)
def _set_blocks(field: Field) -> None:
    """Find the runs of patterns with the same label and class; long runs are cut."""
    n_blocks, size, first = 0, field.size[0], 0
    for p in range(size):
        same = field.labels[p] == field.labels[first] and field.classes[p] == field.classes[first]
        if p == 0 or not same or p - first == _AT_ONCE:
            field.blocks[n_blocks] = first = p
            n_blocks += 1
    field.blocks[n_blocks] = size
    field.size[1] = n_blocks


@njit(cache=True, nogil=True, forceinline=True)
def _retire(field: Field, placed: int) -> None:
    """Mark a pattern that is used up, and close ranks when there are many of them."""
    field.gone[placed] = np.inf
    field.size[2] += 1
    if field.size[2] * 8 <= field.size[0]:
        return
    kept = np.flatnonzero(field.gone[: field.size[0]] == 0.0)
    _close_ranks(field.codes, kept)
    _close_ranks(field.sums, kept)
    _close_ranks(field.weights, kept)
    for numbers in (field.labels, field.classes, field.nexts, field.ends):
        numbers[: len(kept)] = numbers[kept]
    field.references[: len(kept)] = field.references[kept]
    field.gone[: len(kept)] = 0.0
    field.size[0], field.size[2] = len(kept), 0
    _set_blocks(field)


@njit(cache=True, nogil=True)
def _close_ranks(table: NDArray[Any], kept: IntArray) -> None:
    for row in range(len(table)):
        numbers = table[row]
        for p in range(len(kept)):
            numbers[p] = numbers[kept[p]]


@njit(cache=True, nogil=True)
def _has_gaps(tables: SequenceTables) -> BoolArray:
    has_gaps = np.zeros(tables.cells.shape[1], dtype=np.bool_)
    for i in range(len(has_gaps)):
        for spare in tables.gaps:
            has_gaps[i] |= spare == tables.first_cells[i + 1] - 1
    return has_gaps


@njit(cache=True, nogil=True)
def _stride(tables: SequenceTables) -> int:
    """After how many steps the weights may have drifted far from 1; 0 where a single step may do it."""
    most = np.abs(tables.base[:, 1:] - tables.base[:, :-1]).max() if tables.base.shape[1] > 1 else 0.0
    steepest = 0.0
    for first in np.unique(tables.starts):
        if first + 1 < len(tables.entries):
            steepest = max(steepest, abs(tables.entries[first + 1] - tables.entries[first]))
    drift = most + 2 * steepest * tables.cells.shape[1]
    return int(300 / max(drift, 1.0)) if drift < 300 else 0


@njit(cache=True, nogil=True, forceinline=True)
def _set_front(base: FloatArray, sizes: IntArray, less: int, front: FloatArray) -> None:
    """What all patterns of other labels, and of the same label, add to the sums of a group."""
    for k in range(len(sizes)):
        front[0, k] = base[k, sizes[k]]
        front[1, k] = base[k, max(sizes[k] - less, 0)]


@njit(cache=True, nogil=True)
def _weigh(
    tables: SequenceTables, state: State, field: Field, has_gaps: BoolArray, k: int, less: int
) -> None:
    """Sums of a group from the counts, for all patterns."""
    columns = np.zeros((2, len(tables.starts)))
    for own in range(2):
        _set_column(tables, state, has_gaps, k, less * own, columns[own])
    for p in range(field.size[0]):
        column, total = columns[1 if field.labels[p] == k else 0], 0.0
        for i in range(len(field.codes)):
            total += column[tables.first_cells[i] + np.int64(field.codes[i, p])]
        field.sums[k, p] = total


@njit(cache=True, nogil=True)
def _set_column(
    tables: SequenceTables, state: State, has_gaps: BoolArray, k: int, less: int, column: FloatArray
) -> None:
    """Entries of the cells in one group, for a row that is (``less`` 1) or is not among the counted ones."""
    for i in range(len(has_gaps)):
        spare = tables.first_cells[i + 1] - 1
        observed = state.sizes[k] - state.counts[spare, k] - less
        total = 0.0
        if has_gaps[i] and observed >= 0:
            total = tables.entries[tables.starts[spare, k] + observed]
        unseen = len(tables.alike) > 0 and tables.alike[i % max(len(tables.alike), 1), k] and observed == 0
        for cell in range(tables.first_cells[i], spare):
            count = state.counts[cell, k] - less
            if count >= 0:
                own = 0.0 if unseen else tables.entries[tables.starts[cell, k] + count]
                column[cell] = own - total


@njit(cache=True, nogil=True, forceinline=True)
def _set_steps(
    tables: SequenceTables, state: State, has_gaps: BoolArray, n: int, less: int, steps: FloatArray
) -> None:
    """By how much placing row ``n`` moves the sums of its group, column by column.

    Rows 0 and 1 are for patterns of other labels, with the row's value and with another one; rows 2 and 3 for
    patterns of the same label, which in a backward search (``less`` 1) do not count themselves.
    """
    k, entries, step = tables.labels[n], tables.entries, 1 - 2 * less
    for i in range(len(has_gaps)):
        cell, spare = np.int64(tables.cells[n, i]), tables.first_cells[i + 1] - 1
        observed = state.sizes[k] - state.counts[spare, k]
        for own in range(2):
            taken = less * own
            match, rest = 0.0, 0.0
            count, first = state.counts[cell, k] - taken, tables.starts[cell, k]
            if cell != spare and count + step >= 0:
                match = entries[first + count + step] - entries[first + count]
            count, first = observed - taken, tables.starts[spare, k]
            if cell != spare and has_gaps[i] and count + step >= 0:
                rest = entries[first + count] - entries[first + count + step]
            steps[2 * own, i], steps[2 * own + 1, i] = match + rest, rest


@njit(cache=True, nogil=True, forceinline=True)
def _move(field: Field, first_cells: IntArray, has_gaps: BoolArray, placed: int, steps: FloatArray) -> None:
    """Move the sums of the placed pattern's group."""
    k, size = field.labels[placed], field.size[0]
    low, high = placed, placed + 1
    while low > 0 and field.labels[low - 1] == k:
        low -= 1
    while high < size and field.labels[high] == k:
        high += 1
    moved, sums = np.empty(_AT_ONCE), field.sums[k]
    _move_run(field.codes, placed, first_cells, has_gaps, steps[:2], 0, low, moved, sums)
    _move_run(field.codes, placed, first_cells, has_gaps, steps[2:], low, high, moved, sums)
    _move_run(field.codes, placed, first_cells, has_gaps, steps[:2], high, size, moved, sums)


@njit(cache=True, nogil=True)
def _move_run(
    codes: CodeArray,
    placed: int,
    first_cells: IntArray,
    has_gaps: BoolArray,
    steps: FloatArray,
    start: int,
    stop: int,
    moved: FloatArray,
    sums: FloatArray,
) -> None:
    for low in range(start, stop, _AT_ONCE):
        n = min(_AT_ONCE, stop - low)
        moved[:n] = 0.0
        for i in range(len(codes)):
            column, value, match, rest = codes[i, low : low + n], codes[i, placed], steps[0, i], steps[1, i]
            if has_gaps[i]:
                missing = first_cells[i + 1] - 1 - first_cells[i]
                for p in range(n):
                    other = rest if column[p] != missing else 0.0
                    moved[p] += match if column[p] == value else other
            else:
                for p in range(n):
                    moved[p] += match if column[p] == value else 0.0
        for p in range(n):
            sums[low + p] += moved[p]


@njit(cache=True, nogil=True, forceinline=True)
def _set_weights(field: Field, front: FloatArray, k: int) -> None:
    """Weights of a group from its sums."""
    logs, shifted = np.empty(_AT_ONCE), np.empty(_AT_ONCE)
    for b in range(field.size[1]):
        low, high = field.blocks[b], field.blocks[b + 1]
        own = front[1 if field.labels[low] == k else 0, k]
        sums, references, n = field.sums[k, low:high], field.references[low:high], high - low
        for p in range(n):
            logs[p] = sums[p] + own - references[p]
        _exp_of_negative(logs[:n], shifted[:n], field.weights[k, low:high])


@njit(cache=True, nogil=True)
def _refer(field: Field, front: FloatArray, start: int, stop: int) -> None:
    """Make the heaviest group of each pattern its reference, and set all weights anew."""
    for p in range(start, stop):
        highest = -np.inf
        for k in range(len(field.sums)):
            highest = max(highest, field.sums[k, p] + front[1 if field.labels[p] == k else 0, k])
        field.references[p] = highest if highest > -np.inf else 0.0
        for k in range(len(field.sums)):
            log_weight = field.sums[k, p] + front[1 if field.labels[p] == k else 0, k] - field.references[p]
            field.weights[k, p] = math.exp(max(log_weight, -690.0))


@njit(cache=True, nogil=True, forceinline=True)
def _set_shares(
    tables: SequenceTables, state: State, label: int, value: int, less: int, shares: FloatArray
) -> None:
    """What a group's weight counts against and in favour of a class."""
    for k in range(shares.shape[1]):
        if len(tables.class_offsets):
            count = state.class_counts[value, k]
            shares[0, k] = state.sizes[k] - count + tables.other_offsets[value, k]
            shares[1, k] = count - (less if k == label else 0) + tables.class_offsets[value, k]
        else:
            shares[0, k], shares[1, k] = (0.0, 1.0) if k == value else (1.0, 0.0)


@njit(cache=True, nogil=True, forceinline=True)
def _choose(
    tables: SequenceTables,
    state: State,
    patterns: Patterns,
    field: Field,
    front: FloatArray,
    less: int,
    worst: bool,
    tolerance: float,
    keys: FloatArray,
    refer: bool,
) -> int:
    """The pattern to place next."""
    shares, odds = np.empty((2, len(field.sums))), np.empty((3, _AT_ONCE))
    leasts = np.empty(field.size[1])
    for b in range(field.size[1]):
        low, high = field.blocks[b], field.blocks[b + 1]
        _set_shares(tables, state, field.labels[low], field.classes[low], less, shares)
        _set_odds(field.weights, low, high, shares, odds)
        top, bottom = (odds[1], odds[0]) if worst else (odds[0], odds[1])
        _divide(top[: high - low], bottom[: high - low], field.gone[low:high], keys[low:high])
        leasts[b] = _least(keys[low:high], odds[2])
        for p in range(low, high if refer else low):
            if not 1e-100 < odds[0, p - low] + odds[1, p - low] < 1e100:
                _refer(field, front, p, p + 1)
    least = leasts.min()
    if _TOO_SMALL < least < _TOO_LARGE:
        return _lowest(patterns, field, keys, leasts, least * (1 + tolerance))
    _set_log_keys(tables, state, field, front, less, worst, keys)
    leasts[:] = -np.inf
    return _lowest(patterns, field, keys, leasts, keys[: field.size[0]].min() + tolerance)


@njit(cache=True, nogil=True, fastmath={"contract"})
def _set_odds(weights: FloatArray, low: int, high: int, shares: FloatArray, odds: FloatArray) -> None:
    """What speaks against the class of each pattern, and what in its favour."""
    n = high - low
    odds[:2, :n] = 0.0
    for side in range(2):
        sums = odds[side, :n]
        for k in range(len(weights)):
            share, of_group = shares[side, k], weights[k, low:high]
            if share != 0.0:
                for p in range(n):
                    sums[p] += share * of_group[p]


@njit(cache=True, nogil=True, error_model="numpy")
def _divide(top: FloatArray, bottom: FloatArray, gone: FloatArray, keys: FloatArray) -> None:
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


@njit(cache=True, nogil=True, forceinline=True)
def _lowest(patterns: Patterns, field: Field, keys: FloatArray, leasts: FloatArray, limit: float) -> int:
    """The pattern with the lowest row among those within the limit."""
    lowest, found = len(patterns.members), -1
    for b in range(len(leasts)):
        for p in range(field.blocks[b], field.blocks[b + 1] if leasts[b] <= limit else 0):
            if keys[p] <= limit and field.nexts[p] < field.ends[p]:
                row = patterns.members[field.nexts[p]]
                if row < lowest:
                    lowest, found = row, p
    return found


@njit(cache=True, nogil=True)
def _set_log_keys(
    tables: SequenceTables,
    state: State,
    field: Field,
    front: FloatArray,
    less: int,
    worst: bool,
    keys: FloatArray,
) -> None:
    """Log odds against the class (``worst``: in its favour), for odds that a float64 does not hold."""
    n_groups = len(field.sums)
    shares, logs = np.empty((2, n_groups)), np.empty(n_groups)
    for p in range(field.size[0]):
        label = field.labels[p]
        _set_shares(tables, state, label, field.classes[p], less, shares)
        for k in range(n_groups):
            logs[k] = field.sums[k, p] + front[1 if label == k else 0, k]
        against, favour = _log_total(logs, shares[0]), _log_total(logs, shares[1])
        if against == -np.inf and favour == -np.inf:
            against, favour = math.log(n_groups - 1) if n_groups > 1 else -np.inf, 0.0
        keys[p] = favour - against if worst else against - favour
        if field.gone[p] > 0:
            keys[p] = np.inf


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
