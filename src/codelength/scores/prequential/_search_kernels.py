"""Local search for a better ordering. Arrays in, arrays out, nothing checked."""

import numpy as np
from numba import njit

from ...typing import FloatArray, IntArray
from ._kernels import State, shift, start, term
from .tables import SequenceTables


@njit(cache=True, nogil=True)
def sweep_windows(tables: SequenceTables, width: int, least_gain: float, order: IntArray) -> float:
    """Put every run of ``width`` neighbours into its best order, from the first row to the last.

    What a row costs depends on the set of rows before it and not on their order, so the best order of a
    run is a shortest path through its subsets. Returns by how much the cost fell.
    """
    n_rows, n_subsets, gained = len(order), 1 << width, 0.0
    state, costs = start(tables), np.empty((n_subsets, width))
    least, last = np.empty(n_subsets), np.empty(n_subsets, dtype=np.int64)
    rows = np.empty(width, dtype=np.int64)
    for low in range(n_rows - width + 1):
        rows[:] = order[low : low + width]
        _set_costs(tables, state, rows, costs)
        _shortest_paths(costs, least, last)
        gain = _cost_as_it_is(costs) - least[n_subsets - 1]
        if gain > least_gain:
            gained += gain
            subset = n_subsets - 1
            for place in range(width - 1, -1, -1):
                order[low + place] = rows[last[subset]]
                subset ^= 1 << last[subset]
        shift(tables, state, order[low], 1)
    return gained


@njit(cache=True, nogil=True)
def _set_costs(tables: SequenceTables, state: State, rows: IntArray, costs: FloatArray) -> None:
    """Cost of each row of a run after each subset of the others; the state is left as it was."""
    subset = 0
    for step in range(len(costs)):
        if step:
            # Subsets in the order of a Gray code: one row comes in or goes out at a time.
            flipped = 0
            while not step >> flipped & 1:
                flipped += 1
            subset ^= 1 << flipped
            shift(tables, state, rows[flipped], 1 if subset >> flipped & 1 else -1)
        for j in range(len(rows)):
            if not subset >> j & 1:
                costs[subset, j] = term(tables, state, rows[j], False)
    shift(tables, state, rows[len(rows) - 1], -1)


@njit(cache=True, nogil=True)
def _shortest_paths(costs: FloatArray, least: FloatArray, last: IntArray) -> None:
    """Least cost of taking in each subset, and which row to take last."""
    least[:] = np.inf
    least[0] = 0.0
    for subset in range(len(costs)):
        for j in range(costs.shape[1]):
            larger = subset | 1 << j
            if larger != subset and least[subset] + costs[subset, j] < least[larger]:
                least[larger], last[larger] = least[subset] + costs[subset, j], j


@njit(cache=True, nogil=True)
def _cost_as_it_is(costs: FloatArray) -> float:
    total, subset = 0.0, 0
    for j in range(costs.shape[1]):
        total += costs[subset, j]
        subset |= 1 << j
    return total


@njit(cache=True, nogil=True)
def insert_rows(tables: SequenceTables, moves: IntArray, least_gain: float, order: IntArray) -> float:
    """Try to move single rows, given as pairs (from, to); returns by how much the cost fell."""
    gained = 0.0
    for m in range(len(moves)):
        source, target = moves[m, 0], moves[m, 1]
        low, high = min(source, target), max(source, target) + 1
        if high - low < 2:
            continue
        state = start(tables)
        for t in range(low):
            shift(tables, state, order[t], 1)
        before = 0.0
        for t in range(low, high):
            before += term(tables, state, order[t], False)
            shift(tables, state, order[t], 1)
        for t in range(low, high):
            shift(tables, state, order[t], -1)
        _rotate(order, source, target)
        after = 0.0
        for t in range(low, high):
            after += term(tables, state, order[t], False)
            shift(tables, state, order[t], 1)
            if after > before:
                break
        if after < before - least_gain:
            gained += before - after
        else:
            _rotate(order, target, source)
    return gained


@njit(cache=True, nogil=True)
def _rotate(order: IntArray, source: int, target: int) -> None:
    """Take a row out of one place and put it in at another."""
    row = order[source]
    if source < target:
        order[source:target] = order[source + 1 : target + 1].copy()
    else:
        order[target + 1 : source + 1] = order[target:source].copy()
    order[target] = row
