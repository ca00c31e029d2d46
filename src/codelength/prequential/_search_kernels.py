"""Local search for a better ordering. Arrays in, arrays out, nothing checked."""

import numpy as np
from numba import njit

from .._decision_kernels import is_better
from ..typing import FloatArray, IntArray
from ._kernels import State, shift, shift_all, start, term
from .layout import SequenceLayout


@njit(cache=True, nogil=True)
def sweep_windows(layout: SequenceLayout, width: int, order: IntArray) -> None:
    """Put every run of ``width`` neighbours into its best order, from the first row to the last.

    The cost of a row depends on the set of rows before it and not on their order, so the best order of a
    run is a shortest path through its subsets.

    Parameters
    ----------
    layout : SequenceLayout
        The rows and the rule.
    width : int
        Length of the runs.
    order : array of shape (n_rows,)
        The ordering; overwritten.
    """
    n_subsets, state = 1 << width, start(layout)
    costs, least = np.empty((n_subsets, width)), np.empty(n_subsets)
    last, rows = np.empty(n_subsets, dtype=np.int64), np.empty(width, dtype=np.int64)
    for low in range(len(order) - width + 1):
        for place in range(width):
            rows[place] = order[low + place]
        _set_costs(layout, state, rows, costs)
        _set_paths(costs, least, last)
        # The run is left alone on a tie up to rounding, so that a sweep over a settled ordering changes
        # nothing.
        if is_better(_cost_as_it_is(costs), least[n_subsets - 1], 1.0):
            subset = n_subsets - 1
            for place in range(width - 1, -1, -1):
                order[low + place] = rows[last[subset]]
                subset ^= 1 << last[subset]
        # The window moves by one place: its first row is final in this sweep.
        shift_all(layout, state, order[low : low + 1], 1)


@njit(cache=True, nogil=True)
def _set_costs(layout: SequenceLayout, state: State, rows: IntArray, costs: FloatArray) -> None:
    """Compute the cost of each row of a run after each subset of the others; the state is restored."""
    subset = 0
    for step in range(1, len(costs) + 1):
        for j in range(len(rows)):
            if not subset >> j & 1:
                costs[subset, j] = term(layout, state, rows[j], False)
        # Subsets in the order of a Gray code: each step adds or removes one row, and the last one removes
        # the last row, so that the state is as before.
        flipped = 0
        while flipped < len(rows) - 1 and not step >> flipped & 1:
            flipped += 1
        subset ^= 1 << flipped
        shift(layout, state, rows[flipped], 1 if subset >> flipped & 1 else -1)


@njit(cache=True, nogil=True)
def _set_paths(costs: FloatArray, least: FloatArray, last: IntArray) -> None:
    """Compute the least cost of each subset, and its last row: the last of several that tie."""
    least[1:] = np.inf
    least[0] = 0.0
    # Increasing numbers are a topological order: a subset has a smaller number than all its supersets.
    for subset in range(len(costs)):
        for j in range(costs.shape[1]):
            larger = subset | 1 << j
            cost = least[subset] + costs[subset, j]
            if larger != subset and not is_better(cost, least[larger], 1.0):
                least[larger], last[larger] = min(cost, least[larger]), j


@njit(cache=True, nogil=True)
def _cost_as_it_is(costs: FloatArray) -> float:
    total, subset = 0.0, 0
    for j in range(costs.shape[1]):
        total += costs[subset, j]
        subset |= 1 << j
    return total


@njit(cache=True, nogil=True)
def insert_rows(layout: SequenceLayout, moves: IntArray, order: IntArray) -> None:
    """Move single rows, given as pairs (from, to), if that lowers the cost."""
    for m in range(len(moves)):
        source, target = moves[m, 0], moves[m, 1]
        low, high = min(source, target), max(source, target) + 1
        # Costs of rows before ``low`` and from ``high`` on depend on sets that the move does not change.
        state, between = start(layout), order[low:high]
        shift_all(layout, state, order[:low], 1)
        before = _cost_of_run(layout, state, between, np.inf)
        shift_all(layout, state, between, -1)
        _carry(between, source - low, target - low)
        if not is_better(before, _cost_of_run(layout, state, between, before), 1.0):
            _carry(between, target - low, source - low)


@njit(cache=True, nogil=True)
def _cost_of_run(layout: SequenceLayout, state: State, order: IntArray, limit: float) -> float:
    """Return the cost of the rows one after the other, which are counted; stop beyond a limit."""
    total = 0.0
    for t in range(len(order)):
        total += term(layout, state, order[t], False)
        # Costs are never negative, so a move that is already worse than the old place cannot gain.
        if total > limit:
            break
        shift(layout, state, order[t], 1)
    return total


@njit(cache=True, nogil=True)
def _carry(order: IntArray, source: int, target: int) -> None:
    """Move a row from one position to another; those between close up."""
    row, step = order[source], 1 if source < target else -1
    for t in range(source, target, step):
        order[t] = order[t + step]
    order[target] = row
