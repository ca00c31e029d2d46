"""Loops over clusterings. Arrays in, arrays out, nothing checked.

Rows are lists of observed cells: row ``n`` has cells ``cells[starts[n] : starts[n + 1]]``, of the variables
``variables[...]`` at the same places. The state of a clustering is ``raised`` (n_cells, n_components),
``totals`` (n_variables, n_components) and ``sizes`` (n_components,): counts with their pseudocounts.
"""

import math

import numpy as np
from numba import njit

from ..typing import CodeArray, FloatArray, IntArray

_FACTORS_AT_ONCE = 24


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
        _shift(cells, variables, starts[n], starts[n + 1], labels[n], 1.0, raised, totals, sizes)
    for _ in range(max_sweeps):
        moved = False
        for n in range(n_rows):
            first, last, own = starts[n], starts[n + 1], labels[n]
            _shift(cells, variables, first, last, own, -1.0, raised, totals, sizes)
            _log_predictions(cells, variables, first, last, raised, totals, logs, scratch)
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
            _score_row(cells, variables, starts, raised, totals, sizes, total + n, n, scores, scratch)
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
    scratch: FloatArray,
) -> None:
    _log_predictions(cells, variables, starts[n], starts[n + 1], raised, totals, scores[n], scratch)
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
    reference: FloatArray,
    log_shares: FloatArray,
    powers: FloatArray,
    generator: np.random.Generator,
    labels: IntArray,
) -> float:
    """Log importance weight of one chain from a reference distribution over clusterings to P(Z, D).

    The reference is a mixture, with log weights ``log_shares``, of independent draws: ``reference``
    has shape (2, n_rows, n_references, n_components) and holds probabilities and their logs. At each
    power ``b`` the chain makes one Gibbs sweep that leaves reference ** (1 - b) * P(Z, D) ** b as it is.
    ``labels`` receives the last clustering.
    """
    n_rows, n_components = len(labels), len(sizes)
    logs, scratch = np.zeros(n_components), np.empty((2, n_components))
    weights, log_sizes = np.empty(n_components), np.log(sizes)
    log_reference = log_shares.copy()
    chosen = _draw(log_shares.copy(), generator)
    log_joint, log_weight, total = 0.0, 0.0, sizes.sum()
    for step in range(len(powers)):
        if step > 0:
            log_weight += (powers[step] - powers[step - 1]) * (log_joint - _log_sum(log_reference))
        if step == len(powers) - 1 and step > 0:
            break  # After the last weight no further state is needed.
        for n in range(n_rows):
            first, last, own = starts[n], starts[n + 1], labels[n]
            if step > 0:
                log_reference -= reference[1, n, :, own]
                _shift(cells, variables, first, last, own, -1.0, raised, totals, sizes)
                log_sizes[own] = math.log(sizes[own])
            _log_predictions(cells, variables, first, last, raised, totals, logs, scratch)
            if step > 0:
                log_joint -= logs[own] + log_sizes[own]
                _log_mixed(reference[0, n], log_reference, weights)
                for k in range(n_components):
                    weights[k] += powers[step] * (logs[k] + log_sizes[k] - weights[k])
            else:
                log_joint -= math.log(total + n)
                weights[:] = reference[1, n, chosen]
            new = _draw(weights, generator)
            log_joint += logs[new] + log_sizes[new]
            labels[n] = new
            log_reference += reference[1, n, :, new]
            _shift(cells, variables, first, last, new, 1.0, raised, totals, sizes)
            log_sizes[new] = math.log(sizes[new])
    return log_weight


@njit(cache=True, nogil=True)
def _log_mixed(probs: FloatArray, log_shares: FloatArray, logs: FloatArray) -> None:
    """Log of a weighted sum of distributions, up to a constant; ``probs`` has one distribution a row."""
    highest = log_shares.max()
    logs[:] = 0.0
    for m in range(len(log_shares)):
        share = math.exp(log_shares[m] - highest)
        for k in range(len(logs)):
            logs[k] += share * probs[m, k]
    for k in range(len(logs)):
        logs[k] = math.log(logs[k])


@njit(cache=True, nogil=True)
def _log_sum(logs: FloatArray) -> float:
    highest = logs.max()
    if highest == -np.inf:
        return highest
    return highest + math.log(np.exp(logs - highest).sum())


@njit(cache=True, nogil=True)
def log_name_share(labels: IntArray, logs: FloatArray, log_shares: FloatArray, names: IntArray) -> float:
    """Log of the share of a clustering among all that differ from it in exchangeable names.

    Shares are in proportion to the reference distribution, whose logs have shape (n_rows, n_references,
    n_components). The sum over renamings is a permanent, added up subset by subset.
    """
    n_components = len(names)
    given, renamed = log_shares.copy(), log_shares.copy()
    for m in range(len(log_shares)):
        table = np.zeros((n_components, n_components))
        for n in range(len(labels)):
            table[labels[n]] += logs[n, m]
        for k in range(n_components):
            given[m] += table[k, k]
            for other in range(n_components):
                if names[k] != names[other]:
                    table[k, other] = -np.inf
        renamed[m] += _log_permanent(table)
    return _log_sum(given) - _log_sum(renamed)


@njit(cache=True, nogil=True)
def _log_permanent(table: FloatArray) -> float:
    """Log of the sum, over permutations p, of exp(sum of table[k, p[k]])."""
    size = len(table)
    sums = np.full(1 << size, -np.inf)
    sums[0] = 0.0
    terms = np.empty(size)
    for subset in range(1, 1 << size):
        row = -1
        for k in range(size):
            row += subset >> k & 1
        for k in range(size):
            terms[k] = sums[subset ^ 1 << k] + table[row, k] if subset >> k & 1 else -np.inf
        sums[subset] = _log_sum(terms)
    return sums[-1]


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
