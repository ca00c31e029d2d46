"""Loops over clusterings. Arrays in, arrays out, nothing checked.

Rows are lists of observed cells: row ``n`` has cells ``cells[starts[n] : starts[n + 1]]``, of the variables
``variables[...]`` at the same places. The state of a clustering is ``raised`` (n_cells, n_components),
``totals`` (n_variables, n_components) and ``sizes`` (n_components,): counts with their pseudocounts.
"""

import math

import numpy as np
from numba import njit

from ..typing import CodeArray, FloatArray, IntArray

_FACTORS_AT_ONCE = 16


@njit(cache=True, nogil=True)
def add_soft_counts(codes: CodeArray, offsets: IntArray, shares: FloatArray, counts: FloatArray) -> None:
    """Add the shares of every row to its cells; ``counts`` has shape (n_cells, n_components)."""
    for i in range(codes.shape[0]):
        for n in range(codes.shape[1]):
            cell = offsets[i] + np.int64(codes[i, n])
            for k in range(shares.shape[1]):
                counts[cell, k] += shares[n, k]


@njit(cache=True, nogil=True)
def _shift(
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
def _log_predictions(
    cells: IntArray,
    variables: IntArray,
    first: int,
    last: int,
    raised: FloatArray,
    totals: FloatArray,
    logs: FloatArray,
    ratios: FloatArray,
) -> None:
    """Log probability of a row in each component, given the rows that are in it now."""
    n_components = len(logs)
    for k in range(n_components):
        logs[k] = 0.0
    # A product of a few factors needs one logarithm, and cannot leave the range of a float64.
    for low in range(first, last, _FACTORS_AT_ONCE):
        for k in range(n_components):
            ratios[k] = 1.0
        for j in range(low, min(low + _FACTORS_AT_ONCE, last)):
            for k in range(n_components):
                ratios[k] *= raised[cells[j], k] / totals[variables[j], k]
        for k in range(n_components):
            logs[k] += math.log(ratios[k])


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
    logs, ratios = np.empty(n_components), np.empty(n_components)
    for n in range(n_rows):
        _shift(cells, variables, starts[n], starts[n + 1], labels[n], 1.0, raised, totals, sizes)
    for _ in range(max_sweeps):
        moved = False
        for n in range(n_rows):
            first, last, own = starts[n], starts[n + 1], labels[n]
            _shift(cells, variables, first, last, own, -1.0, raised, totals, sizes)
            _log_predictions(cells, variables, first, last, raised, totals, logs, ratios)
            best, highest = own, logs[own] + math.log(sizes[own])
            for k in range(n_components):
                score = logs[k] + math.log(sizes[k])
                # A gain within rounding is none: two equal places must not swap a row for ever.
                if score > highest + 1e-9:
                    best, highest = k, score
            labels[n] = best
            moved = moved or best != own
            _shift(cells, variables, first, last, best, 1.0, raised, totals, sizes)
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
    ratios, total, tie = np.empty(n_components), sizes.sum(), 1e-11 * (1 + abs(goal))
    found, n, steps = False, 0, 0
    _score_row(cells, variables, starts, raised, totals, sizes, total, 0, scores, ratios)
    while n >= 0:
        steps += 1
        if steps > max_steps:
            return -1
        first, last, k = starts[n], starts[n + 1], labels[n]
        if k >= 0:
            used[k] -= 1
            _shift(cells, variables, first, last, k, -1.0, raised, totals, sizes)
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
        _shift(cells, variables, first, last, k, 1.0, raised, totals, sizes)
        if n + 1 < n_rows:
            n += 1
            _score_row(cells, variables, starts, raised, totals, sizes, total + n, n, scores, ratios)
        else:
            found, goal = True, max(goal, reached[n_rows])
            best[:] = labels
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
    ratios: FloatArray,
) -> None:
    _log_predictions(cells, variables, starts[n], starts[n + 1], raised, totals, scores[n], ratios)
    for k in range(len(sizes)):
        scores[n, k] += math.log(sizes[k] / total)


@njit(cache=True, nogil=True)
def anneal(
    cells: IntArray,
    variables: IntArray,
    starts: IntArray,
    raised: FloatArray,
    totals: FloatArray,
    sizes: FloatArray,
    powers: FloatArray,
    generator: np.random.Generator,
) -> float:
    """Log importance weight of one chain from the prior over clusterings to the posterior.

    The chain starts with labels drawn from their prior; at each power ``b`` it makes one Gibbs sweep
    that leaves P(Z) P(D | Z) ** b as it is. The weight's expectation is P(D).
    """
    n_rows, n_components = len(starts) - 1, len(sizes)
    labels = np.empty(n_rows, dtype=np.int64)
    logs, ratios = np.zeros(n_components), np.empty(n_components)
    log_weight, log_likelihood = 0.0, 0.0
    for n in range(n_rows):
        for k in range(n_components):
            logs[k] = math.log(sizes[k])
        labels[n] = _draw(logs, generator)
        _log_predictions(cells, variables, starts[n], starts[n + 1], raised, totals, logs, ratios)
        log_likelihood += logs[labels[n]]
        _shift(cells, variables, starts[n], starts[n + 1], labels[n], 1.0, raised, totals, sizes)
    for step in range(1, len(powers)):
        log_weight += (powers[step] - powers[step - 1]) * log_likelihood
        # After the last weight no state is needed any more.
        for n in range(n_rows if step + 1 < len(powers) else 0):
            first, last = starts[n], starts[n + 1]
            _shift(cells, variables, first, last, labels[n], -1.0, raised, totals, sizes)
            _log_predictions(cells, variables, first, last, raised, totals, logs, ratios)
            for k in range(n_components):
                ratios[k] = math.log(sizes[k]) + powers[step] * logs[k]
            chosen = _draw(ratios, generator)
            log_likelihood += logs[chosen] - logs[labels[n]]
            labels[n] = chosen
            _shift(cells, variables, first, last, chosen, 1.0, raised, totals, sizes)
    return log_weight


@njit(cache=True, nogil=True)
def _draw(log_weights: FloatArray, generator: np.random.Generator) -> int:
    """Draw a position in proportion to its weight; the weights are overwritten."""
    highest = log_weights.max()
    total = 0.0
    for k in range(len(log_weights)):
        total += math.exp(log_weights[k] - highest)
        log_weights[k] = total
    mark = generator.random() * total
    for k in range(len(log_weights) - 1):
        if mark < log_weights[k]:
            return k
    return len(log_weights) - 1
