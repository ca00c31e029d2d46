"""Learning curves, means over all orderings, local search. Arrays in, arrays out, nothing checked.

All predict and count rows by the kernels of ``codelength.prequential``. The last functions are the two moves
of the local search: the best order of a window, and rows that are inserted elsewhere.
"""

import math

import numpy as np
from numba import njit

from codelength._decision_kernels import is_better
from codelength.prequential._kernels import State, row_error, shift, shift_all, start, term
from codelength.prequential.layout import SequenceLayout
from codelength.typing import FloatArray, IntArray


@njit(cache=True, nogil=True)
def curve_weights(layout: SequenceLayout, train: IntArray, test: IntArray, weights: FloatArray) -> None:
    """Compute the log weights of all classes for all test rows after each training row.

    ``weights`` of shape (n_train, n_test, n_classes) receives them.
    """
    state = start(layout)
    for t in range(len(train)):
        shift(layout, state, train[t], np.int64(1))
        for i in range(len(test)):
            # Called for its side effect: the log weights, in the last line of ``logs``.
            term(layout, state, test[i], np.bool_(False))
            for k in range(weights.shape[2]):
                weights[t, i, k] = state.logs[len(state.logs) - 1, k]


@njit(cache=True, nogil=True)
def losses_over_all_orderings(
    layout: SequenceLayout, kinds: IntArray, times: IntArray, cap: float, log_binomials: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Compute the mean log loss and mean 0/1 loss at each position over all orderings of the rows.

    Sets of rows are visited by a reflected Gray code with
    mixed radices (Knuth, The Art of Computer Programming 7.2.1.1, algorithm H), so that consecutive sets
    differ in one row.

    Parameters
    ----------
    layout : SequenceLayout
        The rows and the rule.
    kinds : array of shape (n_kinds,)
        A row of each kind of equal rows.
    times : array of shape (n_kinds,)
        Number of rows of each kind.
    cap : float
        Largest cost of one row.
    log_binomials : array of shape (n_rows + 1, n_rows + 1)
        Log of n over k at [n, k].

    Returns
    -------
    log_losses, errors : arrays of shape (n_rows,)
        Means at each position.
    """
    n_kinds, n_rows = len(kinds), times.sum()
    log_losses, errors = np.zeros(n_rows), np.zeros(n_rows)
    state, scores = start(layout), np.empty(layout.class_offsets.shape[1])
    taken, steps, focus = np.zeros_like(times), np.ones_like(times), np.arange(n_kinds + 1)
    size = 0
    while True:
        # Share of this multiset among all sets of its size: a hypergeometric probability. In logs, because
        # the binomials overflow long before the sum is infeasible.
        log_share = -log_binomials[n_rows, size]
        for d in range(n_kinds):
            log_share += log_binomials[times[d], taken[d]]
        for d in range(n_kinds):
            if taken[d] < times[d]:
                n = kinds[d]
                # Probability that the next row after this set is of kind d.
                share = math.exp(log_share) * (times[d] - taken[d]) / (n_rows - size)
                # The state is that of the current set, so a prediction costs no more than along one ordering.
                log_losses[size] += share * min(term(layout, state, n, np.bool_(False)), cap)
                rows, sums = layout.rows, state.logs[len(state.logs) - 1]
                errors[size] += share * row_error(
                    rows[n, 0], rows[n, 1], layout.class_offsets, state.counts, sums, scores
                )
        # Step H3 to H5 of the algorithm: ``focus`` are the focus pointers, which give the digit to change in
        # constant time.
        d = focus[0]
        focus[0] = 0
        if d == n_kinds:
            return log_losses, errors
        taken[d] += steps[d]
        size += steps[d]
        shift(layout, state, kinds[d], steps[d])
        if taken[d] == 0 or taken[d] == times[d]:
            steps[d] = -steps[d]
            focus[d] = focus[d + 1]
            focus[d + 1] = d + 1


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
