"""Loops over clusterings. Arrays in, arrays out, nothing checked.

Rows are lists of observed cells: row ``n`` has cells ``cells[starts[n] : starts[n + 1]]``, of the variables
``variables[...]`` at the same places. The state of a clustering is ``raised`` (n_cells, n_components),
``totals`` (n_variables, n_components) and ``sizes`` (n_components,): counts with their pseudocounts.
"""

import math

import numpy as np
from numba import njit

from ..typing import FloatArray, IntArray

_FACTORS_AT_ONCE = 24


@njit(cache=True, nogil=True)
def shift(
    cells: IntArray,
    variables: IntArray,
    first: int,
    last: int,
    k: int,
    step: float,
    raised: FloatArray,
    totals: FloatArray,
    sizes: FloatArray,
) -> None:
    """Put a row into component ``k`` (step 1) or take it out (step -1)."""
    sizes[k] += step
    for j in range(first, last):
        raised[cells[j], k] += step
        totals[variables[j], k] += step


@njit(cache=True, nogil=True)
def log_predictions(
    cells: IntArray,
    variables: IntArray,
    first: int,
    last: int,
    raised: FloatArray,
    totals: FloatArray,
    logs: FloatArray,
    scratch: FloatArray,
) -> None:
    """Log probability of a row in each component, given the rows that are in it now."""
    n_components = len(logs)
    for k in range(n_components):
        logs[k] = 0.0
    # A product of a few factors needs one logarithm, and cannot leave the range of a float64.
    for low in range(first, last, _FACTORS_AT_ONCE):
        for k in range(n_components):
            scratch[0, k] = 1.0
            scratch[1, k] = 1.0
        for j in range(low, min(low + _FACTORS_AT_ONCE, last)):
            cell, variable = cells[j], variables[j]
            for k in range(n_components):
                scratch[0, k] *= raised[cell, k]
                scratch[1, k] *= totals[variable, k]
        for k in range(n_components):
            logs[k] += math.log(scratch[0, k] / scratch[1, k])


@njit(cache=True, nogil=True)
def climb(
    cells: IntArray,
    variables: IntArray,
    starts: IntArray,
    raised: FloatArray,
    totals: FloatArray,
    sizes: FloatArray,
    labels: IntArray,
    max_sweeps: int,
) -> None:
    """Move rows one at a time to their most probable component, in place, until none wants to move."""
    n_rows, n_components = len(labels), len(sizes)
    logs, scratch = np.empty(n_components), np.empty((2, n_components))
    for n in range(n_rows):
        shift(cells, variables, starts[n], starts[n + 1], labels[n], 1.0, raised, totals, sizes)
    for _ in range(max_sweeps):
        moved = False
        for n in range(n_rows):
            first, last, own = starts[n], starts[n + 1], labels[n]
            shift(cells, variables, first, last, own, -1.0, raised, totals, sizes)
            log_predictions(cells, variables, first, last, raised, totals, logs, scratch)
            best, highest = own, logs[own] + math.log(sizes[own])
            for k in range(n_components):
                score = logs[k] + math.log(sizes[k])
                # A gain within rounding is none: two equal places must not swap a row for ever.
                if score > highest + 1e-9:
                    best, highest = k, score
            labels[n] = best
            moved = moved or best != own
            shift(cells, variables, first, last, best, 1.0, raised, totals, sizes)
        if not moved:
            return


@njit(cache=True, nogil=True)
def search_all(
    cells: IntArray,
    variables: IntArray,
    starts: IntArray,
    raised: FloatArray,
    totals: FloatArray,
    sizes: FloatArray,
    names: IntArray,
    goal: float,
    max_steps: int,
    best: IntArray,
) -> int:
    """Search all clusterings in lexicographic order for the first that is the most probable one.

    A branch ends where it is less probable than ``goal``, a probability (log) that some clustering is
    known to have: with every further row it can only fall. Of exchangeable components that are empty
    only the first is tried. ``best`` receives the labels; returns the number of steps, or -1 when they
    did not suffice.
    """
    n_rows, n_components = len(best), len(sizes)
    labels = np.full(n_rows, -1, dtype=np.int64)
    scores = np.empty((n_rows, n_components))
    reached = np.zeros(n_rows + 1)
    used = np.zeros(n_components, dtype=np.int64)
    scratch, total, tie = np.empty((2, n_components)), sizes.sum(), 1e-11 * (1 + abs(goal))
    found, n, steps = False, 0, 0
    _score_row(cells, variables, starts, raised, totals, sizes, total, 0, scores, scratch)
    while n >= 0:
        steps += 1
        if steps > max_steps:
            return -1
        first, last, k = starts[n], starts[n + 1], labels[n]
        if k >= 0:
            used[k] -= 1
            shift(cells, variables, first, last, k, -1.0, raised, totals, sizes)
        k += 1
        while k < n_components and not _is_worth(k, used, names, reached[n] + scores[n, k], goal, tie, found):
            k += 1
        if k == n_components:
            labels[n] = -1
            n -= 1
            continue
        labels[n] = k
        used[k] += 1
        reached[n + 1] = reached[n] + scores[n, k]
        shift(cells, variables, first, last, k, 1.0, raised, totals, sizes)
        if n + 1 < n_rows:
            n += 1
            _score_row(cells, variables, starts, raised, totals, sizes, total + n, n, scores, scratch)
        else:
            found, goal = True, max(goal, reached[n_rows])
            for j in range(n_rows):
                best[j] = labels[j]
    return steps


@njit(cache=True, nogil=True)
def _is_worth(
    k: int, used: IntArray, names: IntArray, reached: float, goal: float, tie: float, found: bool
) -> bool:
    """Whether a branch can still hold a better clustering, and is not the mirror image of another."""
    if used[k] == 0:
        for earlier in range(k):
            if names[earlier] == names[k] and used[earlier] == 0:
                return False
    return reached > goal + tie if found else reached >= goal - tie


@njit(cache=True, nogil=True)
def _score_row(
    cells: IntArray,
    variables: IntArray,
    starts: IntArray,
    raised: FloatArray,
    totals: FloatArray,
    sizes: FloatArray,
    total: float,
    n: int,
    scores: FloatArray,
    scratch: FloatArray,
) -> None:
    log_predictions(cells, variables, starts[n], starts[n + 1], raised, totals, scores[n], scratch)
    for k in range(len(sizes)):
        scores[n, k] += math.log(sizes[k] / total)
