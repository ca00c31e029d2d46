"""Loops over parents and children. Arrays in, arrays out, nothing checked.

Counts of pairs are tables one after the other, as in :class:`codelength.counts.pairs.PairCounts`, with sums
over values in the spare rows and columns.
"""

from math import exp, log

import numpy as np
from numba import njit

from ...typing import FloatArray, IntArray
from ._forest_kernels import log_rising

_NEGLIGIBLE = 1e-6
"""A dependence that is less probable than this changes nothing."""

_SMALL, _LARGE = 1e-100, 1e100
"""Products beyond these are kept as logarithms."""


@njit(cache=True, nogil=True)
def weigh_dependences(
    n_values: IntArray, counts: FloatArray, shares: FloatArray, strengths: FloatArray, log_weights: FloatArray
) -> None:
    """Write the log Bayes factor of each child's dependence on each parent, for each strength.

    ``shares`` are those of all values of all variables in the classes, one variable after the other;
    ``log_weights`` has the parent first, then the child, then the strength.
    """
    start, of_u = 0, n_values[0]
    for u in range(1, len(n_values)):
        of_v = 0
        for v in range(u):
            size = n_values[v] + 1
            for s in range(len(strengths)):
                log_weights[u, v, s] = _log_evidence(
                    counts, start, (n_values[u], size), (n_values[v], 1), shares, of_v, strengths[s]
                )
                log_weights[v, u, s] = _log_evidence(
                    counts, start, (n_values[v], 1), (n_values[u], size), shares, of_u, strengths[s]
                )
            start += (n_values[u] + 1) * size
            of_v += n_values[v]
        of_u += n_values[u]


@njit(cache=True, nogil=True)
def _log_evidence(
    counts: FloatArray,
    start: int,
    parent: tuple[int, int],
    child: tuple[int, int],
    shares: FloatArray,
    offset: int,
    strength: float,
) -> float:
    """Log evidence of a child given its parent, less that of its shares alone.

    Parent and child have so many values, which are so far apart in the table.
    """
    total = 0.0
    for a in range(parent[0]):
        row = start + a * parent[1]
        for c in range(counts.shape[1]):
            seen = counts[row + child[0] * child[1], c]
            if seen > 0.0:
                total -= log_rising(strength, seen)
                for b in range(child[0]):
                    count, share = counts[row + b * child[1], c], shares[offset + b, c]
                    if count > 0.0:
                        total += log_rising(strength * share, count) - count * log(share)
    return total


@njit(cache=True, nogil=True)
def multiply_dependences(
    codes: IntArray,
    labels: IntArray,
    removed: FloatArray,
    n_values: IntArray,
    counts: FloatArray,
    shares: FloatArray,
    own_shares: FloatArray,
    strengths: FloatArray,
    log_weights: FloatArray,
    found: FloatArray,
) -> None:
    """Write the log of what all children's dependence on each parent multiplies naive Bayes with.

    Rows to be left out have their class in ``labels`` and how much they weigh in ``removed``; new rows have
    -1 and 0. ``shares`` of the rows' values in the classes are without the row, ``own_shares``, those in the
    row's class, are with it. ``found`` has a place for each row, parent and class.
    """
    n_classes, n_strengths = counts.shape[1], len(strengths)
    weights = np.empty(n_strengths + 1)
    products = np.empty((len(n_values), n_classes))
    for n in range(len(codes)):
        own, less, start = labels[n], removed[n], 0
        for u in range(len(n_values)):
            for c in range(n_classes):
                found[n, u, c] = 0.0
                products[u, c] = 1.0
        for u in range(1, len(n_values)):
            for v in range(u):
                size, a, b = n_values[v] + 1, codes[n, u], codes[n, v]
                for turn in range(2 if a >= 0 and b >= 0 else 0):
                    parent, child = (u, v) if turn == 0 else (v, u)
                    cell = start + a * size + b
                    margin = start + (a * size + n_values[v] if turn == 0 else n_values[u] * size + b)
                    in_cell, seen, share = 0.0, 0.0, 1.0
                    if own >= 0:
                        in_cell = max(counts[cell, own] - less, 0.0)
                        seen, share = max(counts[margin, own] - less, 0.0), own_shares[n, child]
                    # Weights of the strengths without the row: what it had multiplied them with is divided.
                    largest = 0.0
                    for s in range(n_strengths):
                        weights[s] = log_weights[parent, child, s]
                        if own >= 0:
                            weights[s] -= log_rising(in_cell + strengths[s] * share, less) - less * log(share)
                            weights[s] += log_rising(seen + strengths[s], less)
                        largest = max(largest, weights[s])
                    weights[n_strengths], total = 0.0, 0.0
                    for s in range(n_strengths + 1):
                        weights[s] = exp(weights[s] - largest)
                        total += weights[s]
                    if total - weights[n_strengths] < _NEGLIGIBLE * total:
                        continue
                    for c in range(n_classes):
                        in_class, of_parent = counts[cell, c], counts[margin, c]
                        if c == own:
                            in_class, of_parent = in_cell, seen
                        factor = weights[n_strengths]
                        for s in range(n_strengths):
                            predicted = in_class / shares[n, child, c] + strengths[s]
                            factor += weights[s] * predicted / (of_parent + strengths[s])
                        products[parent, c] *= factor / total
                        if not _SMALL < products[parent, c] < _LARGE:
                            found[n, parent, c] += log(products[parent, c])
                            products[parent, c] = 1.0
                start += (n_values[u] + 1) * size
        for u in range(len(n_values)):
            for c in range(n_classes):
                found[n, u, c] += log(products[u, c])
