"""Loops over clusterings. Arrays in, arrays out, nothing checked; see ``clusterings`` for the shapes.

Order of reading: :func:`shift` and :func:`log_predictions`, then :func:`climb`, :func:`search_all` and
:func:`sweep`, which are made of them.

Functions take whole tuples, and look the arrays up once before their loops: a look-up inside a loop counts
references every time.
"""

import math

import numpy as np
from numba import njit

from .._decision_kernels import is_better
from ..decisions import TOLERANCE
from ..typing import FloatArray, IntArray
from .clusterings import ClusteringState, ObservedCells

_FACTORS_AT_ONCE = 24


@njit(cache=True, nogil=True, forceinline=True)
def shift(observed: ObservedCells, n: int, k: int, step: float, state: ClusteringState) -> None:
    """Add row ``n`` to component ``k`` (step 1) or remove it (step -1)."""
    cells, variables, raised, totals = observed.cells, observed.variables, state.raised, state.totals
    state.sizes[k] += step
    for j in range(observed.starts[n], observed.starts[n + 1]):
        raised[cells[j], k] += step
        totals[variables[j], k] += step


@njit(cache=True, nogil=True, forceinline=True)
def log_predictions(
    observed: ObservedCells, n: int, state: ClusteringState, logs: FloatArray, scratch: FloatArray
) -> None:
    """Compute the log probability of row ``n`` in each component, given the rows that are in it.

    Parameters
    ----------
    observed : ObservedCells
        The rows.
    n : int
        The row.
    state : ClusteringState
        Counts of the clustering, without the row.
    logs : array of shape (n_components,)
        Receives the log probabilities, without the sizes of the components.
    scratch : array of shape (2, n_components)
        Overwritten.
    """
    cells, variables, raised, totals = observed.cells, observed.variables, state.raised, state.totals
    first, last, n_components = observed.starts[n], observed.starts[n + 1], len(logs)
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
def fill(observed: ObservedCells, labels: IntArray, state: ClusteringState) -> None:
    """Add every row to the counts of its component."""
    for n in range(len(labels)):
        shift(observed, n, labels[n], 1.0, state)


@njit(cache=True, nogil=True)
def climb(observed: ObservedCells, state: ClusteringState, labels: IntArray, max_sweeps: int) -> None:
    """Move rows one at a time to their most probable component, in place, until no move gains."""
    n_rows, sizes = len(labels), state.sizes
    logs, scratch = np.empty(len(sizes)), np.empty((2, len(sizes)))
    fill(observed, labels, state)
    for _ in range(max_sweeps):
        moved = False
        for n in range(n_rows):
            own = labels[n]
            # The row leaves before it is scored: its gain is a ratio of two predictions from all the other
            # rows.
            shift(observed, n, own, -1.0, state)
            log_predictions(observed, n, state, logs, scratch)
            best, highest = own, logs[own] + math.log(sizes[own])
            for k in range(len(sizes)):
                score = logs[k] + math.log(sizes[k])
                # A gain within rounding is none: two equal places must not swap a row for ever.
                if is_better(score, highest, 1.0):
                    best, highest = k, score
            labels[n] = best
            moved = moved or best != own
            shift(observed, n, best, 1.0, state)
        if not moved:
            return


@njit(cache=True, nogil=True)
def search_all(
    observed: ObservedCells,
    state: ClusteringState,
    names: IntArray,
    goal: float,
    max_steps: int,
    best: IntArray,
) -> bool:
    """Search all clusterings in lexicographic order for the first that is the most probable one.

    A branch ends once it is less probable than ``goal``, the log probability of a known clustering: with
    every further row it can only fall. Of exchangeable components that are empty only the first is tried.

    Parameters
    ----------
    observed : ObservedCells
        The rows.
    state : ClusteringState
        Counts without rows; overwritten.
    names : array of shape (n_components,)
        From :func:`codelength.mixture.clusterings.exchangeable`.
    goal : float
        Log probability of a known clustering.
    max_steps : int
        Maximum number of steps; False is returned if it does not suffice.
    best : array of shape (n_rows,)
        Receives the labels.
    """
    sizes, n_rows, n_components = state.sizes, len(best), len(names)
    # Depth-first without recursion: ``labels[n]`` is the branch that row n is in, -1 before the first one,
    # and ``reached[n]`` the log probability of the rows before n.
    labels, used = np.full(n_rows, -1, dtype=np.int64), np.zeros(n_components, dtype=np.int64)
    scores, scratch = np.empty((n_rows, n_components)), np.empty((2, n_components))
    reached = np.zeros(n_rows + 1)
    total, tie, found, n, steps = sizes.sum(), TOLERANCE * (1 + abs(goal)), False, 0, 0
    while n >= 0:
        steps += 1
        if steps > max_steps:
            return False
        k = labels[n]
        if k < 0:
            log_predictions(observed, n, state, scores[n], scratch)
            for j in range(n_components):
                scores[n, j] += math.log(sizes[j] / (total + n))
        else:
            # Undo the current branch of this row, then advance to the next one that is worth a visit.
            used[k] -= 1
            shift(observed, n, k, -1.0, state)
        k += 1
        # Until a clustering of the goal's probability is found, ties must be followed: the goal is that of a
        # climb, whose labels need not be the lexicographically first.
        least = goal + tie if found else goal - tie
        while k < n_components and (
            (reached[n] + scores[n, k] <= least if found else reached[n] + scores[n, k] < least)
            or _is_mirrored(k, used, names)
        ):
            k += 1
        labels[n] = k if k < n_components else -1
        if k == n_components:
            n -= 1
            continue
        used[k] += 1
        reached[n + 1] = reached[n] + scores[n, k]
        shift(observed, n, k, 1.0, state)
        if n + 1 < n_rows:
            n += 1
        else:
            # From here on only strictly better clusterings count, so the lexicographically first of equal
            # ones stays.
            found, goal = True, max(goal, reached[n_rows])
            for j in range(n_rows):
                best[j] = labels[j]
    return True


@njit(cache=True, nogil=True)
def _is_mirrored(k: int, used: IntArray, names: IntArray) -> bool:
    """Return whether an empty component is the mirror image of one before it."""
    if used[k] == 0:
        for earlier in range(k):
            if names[earlier] == names[k] and used[earlier] == 0:
                return True
    return False


@njit(cache=True, nogil=True)
def sweep(observed: ObservedCells, labels: IntArray, uniforms: FloatArray, state: ClusteringState) -> None:
    """Draw the component of each row in turn, given those of all others.

    Parameters
    ----------
    observed : ObservedCells
        The rows.
    labels : array of shape (n_rows,)
        The component of each row; overwritten.
    uniforms : array of shape (n_rows,)
        One uniform random number per row. Drawn by the caller, so that the stream is that of NumPy.
    state : ClusteringState
        Counts of the clustering; overwritten.
    """
    sizes = state.sizes
    logs, scratch = np.empty(len(sizes)), np.empty((2, len(sizes)))
    for n in range(len(labels)):
        # Parameters are integrated out: the conditional of a label is the prediction of the row from the
        # counts of all the others, so the row leaves before it is scored.
        shift(observed, n, labels[n], -1.0, state)
        log_predictions(observed, n, state, logs, scratch)
        highest = -np.inf
        for k in range(len(sizes)):
            highest = max(highest, logs[k])
        total = 0.0
        # Inverse of the cumulated weights; sizes are factors rather than logs, which saves a logarithm each.
        for k in range(len(sizes)):
            total += sizes[k] * math.exp(logs[k] - highest)
            logs[k] = total
        drawn = 0
        # The bound keeps rounding of the total from running past the last component.
        while drawn < len(sizes) - 1 and logs[drawn] <= uniforms[n] * total:
            drawn += 1
        labels[n] = drawn
        shift(observed, n, drawn, 1.0, state)
