"""0/1 losses, and losses averaged over all orderings. Arrays in, arrays out, nothing checked."""

import math

import numpy as np
from numba import njit

from .._decision_kernels import is_better
from ..typing import FloatArray, IntArray
from ._kernels import shift, start, term
from .layout import SequenceLayout


@njit(cache=True, nogil=True, inline="always")
def _error(
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
        errors[t] = _error(rows[n, 0], rows[n, 1], layout.class_offsets, state.counts, sums, scores)
        shift(layout, state, n, np.int64(1))
    return errors


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
                errors[size] += share * _error(
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
