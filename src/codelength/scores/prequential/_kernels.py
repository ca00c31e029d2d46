"""Rows taken in one at a time. Arrays in, arrays out, nothing checked; see ``tables`` for the shapes.

Functions that take whole tuples have no branches: looking an array up in a tuple inside a branch counts
references for every row, which costs more than the work itself.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from ...typing import BoolArray, CodeArray, FloatArray, IntArray
from .tables import SequenceTables


class State(NamedTuple):
    """The rows taken in so far.

    ``counts`` has shape (n_cells, n_groups), ``sizes`` (n_groups,) and ``class_counts`` (n_class_values,
    n_groups); ``logs`` are the entries of the cells and ``front`` what all rows add to them. ``sums`` is
    scratch.
    """

    counts: IntArray
    logs: FloatArray
    sizes: IntArray
    front: FloatArray
    class_counts: IntArray
    sums: FloatArray


@njit(cache=True, nogil=True)
def start(tables: SequenceTables) -> State:
    """No rows yet."""
    n_groups = len(tables.start_front)
    return State(
        np.zeros(tables.starts.shape, dtype=np.int64),
        tables.start_logs.copy(),
        np.zeros(n_groups, dtype=np.int64),
        tables.start_front.copy(),
        np.zeros(tables.class_offsets.shape, dtype=np.int64),
        np.empty(n_groups),
    )


@njit(cache=True, nogil=True, forceinline=True)
def shift(tables: SequenceTables, state: State, n: int, step: int) -> None:
    """Take row ``n`` in (step 1) or out again (step -1): only its own group changes."""
    k = tables.labels[n]
    state.sizes[k] += step
    _count(tables.cells, n, k, step, tables.starts, tables.entries, state.counts, state.logs)
    state.front[k] = tables.base[k, state.sizes[k]] - _totals(
        tables.gaps, k, state.sizes[k], tables.starts, tables.entries, state.counts, state.logs
    )
    _count_class(tables.classes[n], k, step, state.class_counts)
    _level(
        tables.alike,
        tables.first_cells,
        k,
        state.sizes[k],
        tables.starts,
        tables.entries,
        state.counts,
        state.logs,
    )


@njit(cache=True, nogil=True)
def _count(
    cells: CodeArray,
    n: int,
    k: int,
    step: int,
    starts: IntArray,
    entries: FloatArray,
    counts: IntArray,
    logs: FloatArray,
) -> None:
    for i in range(cells.shape[1]):
        cell = cells[n, i]
        count = counts[cell, k] + step
        counts[cell, k] = count
        logs[cell, k] = entries[starts[cell, k] + count]


@njit(cache=True, nogil=True)
def _totals(
    gaps: IntArray,
    k: int,
    size: int,
    starts: IntArray,
    entries: FloatArray,
    counts: IntArray,
    logs: FloatArray,
) -> float:
    """Summed entries of the totals of columns with gaps, which are written to their last cells.

    A row in which the cell is missing reads it there, which takes it out of the front again.
    """
    total = 0.0
    for g in range(len(gaps)):
        spare = gaps[g]
        logs[spare, k] = entries[starts[spare, k] + size - counts[spare, k]]
        total += logs[spare, k]
    return total


@njit(cache=True, nogil=True)
def _count_class(value: int, k: int, step: int, class_counts: IntArray) -> None:
    if len(class_counts):
        class_counts[value, k] += step


@njit(cache=True, nogil=True)
def _level(
    alike: BoolArray,
    first_cells: IntArray,
    k: int,
    size: int,
    starts: IntArray,
    entries: FloatArray,
    counts: IntArray,
    logs: FloatArray,
) -> None:
    """Set the columns that are, or just were, unseen in a group under rule "map"."""
    for i in range(len(alike)):
        first, spare = first_cells[i], first_cells[i + 1] - 1
        observed = size - counts[spare, k]
        if alike[i, k] and observed < 2:
            for cell in range(first, spare):
                logs[cell, k] = entries[starts[cell, k] + counts[cell, k]] if observed else 0.0


@njit(cache=True, nogil=True, forceinline=True)
def term(tables: SequenceTables, state: State, n: int, joint: bool) -> float:
    """Cost of the class of row ``n``, given its other cells and the rows taken in, in nats.

    With ``joint`` the cost of the class and the other cells together, up to the log of the summed weights
    of the groups.
    """
    _add_up(tables.cells, n, state.front, state.logs, state.sums)
    return _cost(
        tables.labels[n],
        tables.classes[n],
        tables.class_offsets,
        tables.other_offsets,
        state.class_counts,
        state.sizes,
        state.sums,
        joint,
    )


@njit(cache=True, nogil=True)
def _add_up(cells: CodeArray, n: int, front: FloatArray, logs: FloatArray, sums: FloatArray) -> None:
    """Log weight of each group for row ``n``."""
    for k in range(len(sums)):
        sums[k] = front[k]
    for i in range(cells.shape[1]):
        cell = cells[n, i]
        for k in range(len(sums)):
            sums[k] += logs[cell, k]


@njit(cache=True, nogil=True)
def _cost(
    own: int,
    value: int,
    class_offsets: FloatArray,
    other_offsets: FloatArray,
    class_counts: IntArray,
    sizes: IntArray,
    sums: FloatArray,
    joint: bool,
) -> float:
    highest = sums[0]
    for k in range(1, len(sums)):
        highest = max(highest, sums[k])
    if not len(class_offsets):
        return -sums[own] if joint else _cost_of_group(sums, own, highest)
    # The group is summed out: equation (6).
    of_value, of_others = 0.0, 0.0
    for k in range(len(sums)):
        weight, count = math.exp(sums[k] - highest), class_counts[value, k]
        of_value += weight * (count + class_offsets[value, k])
        of_others += weight * (sizes[k] - count + other_offsets[value, k])
    return -highest - math.log(of_value) if joint else math.log1p(of_others / of_value)


@njit(cache=True, nogil=True)
def _cost_of_group(sums: FloatArray, own: int, highest: float) -> float:
    """Minus the log share of one group; where no group has weight, all are alike."""
    if highest == -np.inf:
        return math.log(len(sums))
    rest = 0.0
    for k in range(len(sums)):
        if k != own:
            rest += math.exp(sums[k] - highest)
    # Where the group leads its share is near 1, and the logarithm of 1 + rest keeps all digits.
    if sums[own] == highest:
        return math.log1p(rest)
    behind = float(highest - sums[own])
    return behind + math.log(rest + math.exp(-behind))


@njit(cache=True, nogil=True)
def sequential_terms(tables: SequenceTables, order: IntArray, joint: bool) -> FloatArray:
    """Cost of each row given those before it."""
    state, terms = start(tables), np.empty(len(order))
    for t in range(len(order)):
        terms[t] = term(tables, state, order[t], joint)
        shift(tables, state, order[t], 1)
    return terms


@njit(cache=True, nogil=True)
def left_out_terms(tables: SequenceTables) -> FloatArray:
    """Cost of each row given all the others, in row order."""
    state, n_rows = start(tables), len(tables.labels)
    for n in range(n_rows):
        shift(tables, state, n, 1)
    terms = np.empty(n_rows)
    for n in range(n_rows):
        shift(tables, state, n, -1)
        terms[n] = term(tables, state, n, False)
        shift(tables, state, n, 1)
    return terms
