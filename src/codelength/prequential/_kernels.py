"""Predict and count rows. Arrays in, arrays out, nothing checked; see ``layout`` for the shapes.

Functions that take whole tuples have no branches, and are inlined: looking an array up in a tuple inside a
branch counts references for every row, which costs more than the work itself. Steps are written np.int64(1):
numba would compile a function once more for every constant it is called with. The body of :func:`shift` is in
three functions: written as one, it takes half as long again.

Order of reading: :func:`start`, :func:`shift`, :func:`term`, then the loops over rows.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from .._decision_kernels import is_better
from ..typing import BoolArray, CodeArray, FloatArray, IntArray
from .layout import SequenceLayout


class State(NamedTuple):
    """The counts of the rows so far.

    ``counts`` has shape (n_cells + n_class_values + 1, n_groups): counts of the cells, counts of the classes
    if they are a column of a mixture, and at the end the sizes of the groups. ``logs`` is the array of that
    name in the layout, updated with the counts.
    """

    counts: IntArray
    logs: FloatArray


@njit(cache=True, nogil=True, inline="always")
def start(layout: SequenceLayout) -> State:
    """Return the state without rows."""
    n_lines = len(layout.starts) + layout.class_offsets.shape[1]
    return State(np.zeros((n_lines, layout.starts.shape[1]), dtype=np.int64), layout.logs.copy())


@njit(cache=True, nogil=True, forceinline=True)
def shift(layout: SequenceLayout, state: State, n: int, step: int | np.int64) -> None:
    """Add row ``n`` to the counts (step 1) or remove it (step -1): only its own group changes."""
    _count(layout.rows, n, step, layout.starts, layout.entries, state.counts, state.logs)
    _settle_front(layout.rows[n, 0], layout.gaps, layout.starts, layout.entries, state.counts, state.logs)
    _level(
        layout.rows[n, 0],
        layout.alike,
        layout.first_cells,
        layout.starts,
        layout.entries,
        state.counts,
        state.logs,
    )


@njit(cache=True, nogil=True, inline="always")
def _count(
    rows: CodeArray,
    n: int,
    step: int | np.int64,
    starts: IntArray,
    entries: FloatArray,
    counts: IntArray,
    logs: FloatArray,
) -> None:
    k = rows[n, 0]
    # Logarithms are looked up by count, never computed: counts are whole numbers, and the lists in
    # ``entries`` were made once. A count that returns to a value gets exactly the same entry again.
    for i in range(2, rows.shape[1]):
        cell = rows[n, i]
        count = counts[cell, k] + step
        counts[cell, k] = count
        logs[cell, k] = entries[starts[cell, k] + count]
    size, first_class = len(counts) - 1, len(starts) - 1
    counts[size, k] += step
    # In naive Bayes the class is the group, whose size is counted already.
    if first_class < size:
        counts[first_class + rows[n, 1], k] += step


@njit(cache=True, nogil=True, inline="always")
def _settle_front(
    k: int, gaps: IntArray, starts: IntArray, entries: FloatArray, counts: IntArray, logs: FloatArray
) -> None:
    """Set the summand of a group that does not depend on the cells of a row.

    The totals of columns with gaps are also written to their last cells: a row with a missing cell reads it
    there, which removes the total from its front.
    """
    size, front = counts[len(counts) - 1, k], len(starts) - 1
    value = entries[starts[front, k] + size]
    for g in range(len(gaps)):
        spare = gaps[g]
        logs[spare, k] = entries[starts[spare, k] + size - counts[spare, k]]
        value -= logs[spare, k]
    logs[front, k] = value


@njit(cache=True, nogil=True, inline="always")
def _level(
    k: int,
    alike: BoolArray,
    first_cells: IntArray,
    starts: IntArray,
    entries: FloatArray,
    counts: IntArray,
    logs: FloatArray,
) -> None:
    """Set the columns without observations in a group to which the rule adds nothing."""
    for i in range(len(alike)):
        first, spare = first_cells[i], first_cells[i + 1] - 1
        observed = counts[len(counts) - 1, k] - counts[spare, k]
        # One observation is included, because the row that was just added or removed touched one cell only,
        # and the others still have the entries of the uniform case.
        if alike[i, k] and observed < 2:
            for cell in range(first, spare):
                logs[cell, k] = entries[starts[cell, k] + counts[cell, k]] if observed else 0.0


@njit(cache=True, nogil=True, forceinline=True)
def term(layout: SequenceLayout, state: State, n: int, joint: bool | np.bool_) -> float:
    """Return the cost of the class of row ``n``, given its other cells and the counted rows, in nats.

    With ``joint`` the cost of the class and the other cells together, up to the log of the summed weights
    of the groups.
    """
    _add_up(layout.rows, n, state.logs)
    return _cost(layout.rows[n, 0], layout.rows[n, 1], layout.class_offsets, state.counts, state.logs, joint)


@njit(cache=True, nogil=True, inline="always")
def _add_up(rows: CodeArray, n: int, logs: FloatArray) -> None:
    """Sum the log weight of each group for row ``n``, into the last line of ``logs``."""
    front, sums, n_groups = logs[len(logs) - 2], logs[len(logs) - 1], logs.shape[1]
    for k in range(n_groups):
        sums[k] = front[k]
    # Groups are side by side in memory, so the inner loop is a contiguous addition.
    for i in range(2, rows.shape[1]):
        cell = rows[n, i]
        for k in range(n_groups):
            sums[k] += logs[cell, k]


@njit(cache=True, nogil=True, inline="always")
def _cost(
    own: int,
    value: int,
    class_offsets: FloatArray,
    counts: IntArray,
    logs: FloatArray,
    joint: bool | np.bool_,
) -> float:
    sums, n_groups = logs[len(logs) - 1], logs.shape[1]
    # Weights are taken relative to the heaviest group, so that at least one of them is 1.
    highest = sums[0]
    for k in range(1, n_groups):
        highest = max(highest, sums[k])
    if not class_offsets.shape[1]:
        return -sums[own] if joint else _cost_of_group(sums, own, highest)
    # The group is summed out: equation (6) of Kontkanen, Myllymäki and Tirri (2001).
    size = len(counts) - 1
    of_class = size - class_offsets.shape[1] + value
    favour, against = 0.0, 0.0
    for k in range(n_groups):
        weight, count = math.exp(sums[k] - highest), counts[of_class, k]
        favour += weight * (count + class_offsets[0, value, k])
        against += weight * (counts[size, k] - count + class_offsets[1, value, k])
    # log1p of the odds against: near certainty the cost is as small as the odds, and keeps all its digits.
    return -highest - math.log(favour) if joint else math.log1p(against / favour)


@njit(cache=True, nogil=True, inline="always")
def _cost_of_group(sums: FloatArray, own: int, highest: float) -> float:
    """Return minus the log share of one group; if no group has weight, all are alike."""
    if highest == -np.inf:
        return math.log(len(sums))
    rest = 0.0
    for k in range(len(sums)):
        if k != own:
            rest += math.exp(sums[k] - highest)
    # If the group leads, its share is near 1, and the logarithm of 1 + rest keeps all digits.
    if sums[own] == highest:
        return math.log1p(rest)
    # Otherwise the largest term is in the rest, which is at least 1: the logarithm is stable.
    behind = float(highest - sums[own])
    return behind + math.log(rest + math.exp(-behind))


@njit(cache=True, nogil=True)
def sequential_terms(layout: SequenceLayout, order: IntArray, joint: bool) -> FloatArray:
    """Compute the cost of the class of each row, or with ``joint`` of the row, given those before it.

    ``order`` is that in which rows are predicted and then counted, and also that of the costs.
    """
    state, terms = start(layout), np.empty(len(order))
    for t in range(len(order)):
        terms[t] = term(layout, state, order[t], joint)
        shift(layout, state, order[t], np.int64(1))
    return terms


@njit(cache=True, nogil=True)
def sequential_weights(layout: SequenceLayout, order: IntArray, weights: FloatArray) -> None:
    """Compute the log weight of each group for each row given those before it.

    ``weights`` of shape (n_rows, n_groups) receives them, in the order taken.
    """
    state, n_groups = start(layout), weights.shape[1]
    for t in range(len(order)):
        _add_up(layout.rows, order[t], state.logs)
        for k in range(n_groups):
            weights[t, k] = state.logs[len(state.logs) - 1, k]
        shift(layout, state, order[t], np.int64(1))


@njit(cache=True, nogil=True)
def left_out_weights(layout: SequenceLayout, weights: FloatArray) -> None:
    """Compute the log weight of each group for each row given all the others, in row order."""
    state, n_groups = start(layout), weights.shape[1]
    shift_all(layout, state, np.arange(len(weights)), np.int64(1))
    for n in range(len(weights)):
        shift(layout, state, n, np.int64(-1))
        _add_up(layout.rows, n, state.logs)
        for k in range(n_groups):
            weights[n, k] = state.logs[len(state.logs) - 1, k]
        shift(layout, state, n, np.int64(1))


@njit(cache=True, nogil=True)
def shift_all(layout: SequenceLayout, state: State, order: IntArray, step: int | np.int64) -> None:
    """Add several rows to the counts, or remove them."""
    for t in range(len(order)):
        shift(layout, state, order[t], step)


@njit(cache=True, nogil=True)
def left_out_terms(layout: SequenceLayout) -> FloatArray:
    """Compute the cost of each row given all the others, in row order."""
    state, n_rows = start(layout), len(layout.rows)
    shift_all(layout, state, np.arange(n_rows), np.int64(1))
    terms = np.empty(n_rows)
    for n in range(n_rows):
        # Rows leave and return one by one: counts are whole numbers, so nothing drifts.
        shift(layout, state, n, np.int64(-1))
        terms[n] = term(layout, state, n, np.bool_(False))
        shift(layout, state, n, np.int64(1))
    return terms


@njit(cache=True, nogil=True, inline="always")
def row_error(
    own: int, value: int, class_offsets: FloatArray, counts: IntArray, sums: FloatArray, scores: FloatArray
) -> float:
    """Return the 0/1 loss of the most probable class, or that of a guess if no class has weight.

    ``sums`` are the log weights of the groups; ``scores`` is for scratch, one place per class of a mixture.
    """
    highest = sums.max()
    if highest == -np.inf:
        return 1.0 - 1.0 / len(sums)
    if not len(scores):
        return 0.0 if _first_best(sums, 1.0) == own else 1.0
    first = len(counts) - 1 - len(scores)
    for v in range(len(scores)):
        scores[v] = 0.0
        for k in range(len(sums)):
            # Weights are relative to the heaviest group; a common factor does not change the best class.
            scores[v] += math.exp(sums[k] - highest) * (counts[first + v, k] + class_offsets[0, v, k])
    return 0.0 if _first_best(scores, 0.0) == value else 1.0


@njit(cache=True, nogil=True, inline="always")
def _first_best(scores: FloatArray, scale: float) -> int:
    """Return the position of the largest score, or of the first of those that tie with it."""
    highest, place = scores.max(), 0
    while is_better(highest, scores[place], scale):
        place += 1
    return place


@njit(cache=True, nogil=True)
def sequential_errors(layout: SequenceLayout, order: IntArray) -> FloatArray:
    """Compute the 0/1 loss of each row given those before it."""
    state, errors = start(layout), np.empty(len(order))
    scores = np.empty(layout.class_offsets.shape[1])
    for t in range(len(order)):
        n = order[t]
        # Called for its side effect: the log weights of the groups, in the last line of ``logs``.
        term(layout, state, n, np.bool_(False))
        rows, sums = layout.rows, state.logs[len(state.logs) - 1]
        errors[t] = row_error(rows[n, 0], rows[n, 1], layout.class_offsets, state.counts, sums, scores)
        shift(layout, state, n, np.int64(1))
    return errors
