"""Loops over pairs of variables and over forests. Arrays in, arrays out, nothing checked.

Pairs of variables are numbered as in :class:`codelength.counts.pairs.PairCounts`: 1 and 0, 2 and 0, 2 and 1,
and so on.
"""

import math

import numpy as np
from numba import njit

from ...decisions import TOLERANCE
from ...typing import FloatArray, IntArray

_SMALL = 1e-150
"""A share that is smaller may not be multiplied by a small weight."""

_FEW = 16.0
"""Up to this count, a product is faster than two gamma functions, and more accurate."""


@njit(cache=True, nogil=True)
def compare_pairs(
    n_values: IntArray, counts: FloatArray, strength: float, factors: FloatArray, log_weights: FloatArray
) -> None:
    """Write the factor of every pair of values, and the log Bayes factor of every pair of variables.

    ``counts`` are tables with margins. The spare cells of ``factors`` are 1.
    """
    n_classes = counts.shape[1]
    start, pair, of_class = 0, 0, strength / n_classes
    for u in range(1, len(n_values)):
        for v in range(u):
            rows, columns = n_values[u], n_values[v]
            size = columns + 1
            last = start + rows * size
            of_row, of_column, of_cell = of_class / rows, of_class / columns, of_class / (rows * columns)
            log_weight = 0.0
            for c in range(n_classes):
                total = counts[last + columns, c]
                log_weight += log_rising(of_class, total)
                factors[last + columns, c] = 1.0
                for b in range(columns):
                    log_weight -= log_rising(of_column, counts[last + b, c])
                    factors[last + b, c] = 1.0
                for a in range(rows):
                    row = start + a * size
                    in_row = counts[row + columns, c]
                    log_weight -= log_rising(of_row, in_row)
                    factors[row + columns, c] = 1.0
                    scale = (total + of_class) / (in_row + of_row)
                    for b in range(columns):
                        log_weight += log_rising(of_cell, counts[row + b, c])
                        factors[row + b, c] = (
                            scale * (counts[row + b, c] + of_cell) / (counts[last + b, c] + of_column)
                        )
            log_weights[pair] = log_weight
            pair += 1
            start = last + size


@njit(cache=True, nogil=True)
def log_rising(start: float, count: float) -> float:
    """Log of start (start + 1) ... (start + count - 1), for any count."""
    if count == 0.0:
        return 0.0
    if count <= _FEW and count == math.floor(count):
        product = start
        for k in range(1, int(count)):
            product *= start + k
        return math.log(product)
    return math.lgamma(start + count) - math.lgamma(start)


@njit(cache=True, nogil=True)
def leave_out(
    codes: IntArray,
    labels: IntArray,
    removed: FloatArray,
    n_values: IntArray,
    counts: FloatArray,
    strength: float,
    factors: FloatArray,
    lost: FloatArray,
) -> None:
    """Write the factors of each row in its own class when ``removed`` of its weight is gone, pair by pair.

    ``lost`` is what this weight had multiplied the Bayes factor of the pair by: the same if it is 1.
    """
    of_class = strength / counts.shape[1]
    for n in range(len(labels)):
        c, less = labels[n], removed[n]
        start, pair = 0, 0
        for u in range(1, len(n_values)):
            rows, a = n_values[u], codes[n, u]
            for v in range(u):
                columns, b = n_values[v], codes[n, v]
                size = columns + 1
                last = start + rows * size
                factors[n, pair] = 1.0
                lost[n, pair] = 1.0
                if a >= 0 and b >= 0:
                    # What is left of weights that are not whole may be a little less than nothing.
                    both = max(counts[start + a * size + b, c] - less, 0.0) + of_class / (rows * columns)
                    in_row = max(counts[start + a * size + columns, c] - less, 0.0) + of_class / rows
                    in_column = max(counts[last + b, c] - less, 0.0) + of_class / columns
                    total = max(counts[last + columns, c] - less, 0.0) + of_class
                    factors[n, pair] = (both / in_row) * (total / in_column)
                    lost[n, pair] = factors[n, pair]
                    if less != 1.0:
                        log_lost = log_rising(both, less) - log_rising(in_row, less)
                        log_lost += log_rising(total, less) - log_rising(in_column, less)
                        lost[n, pair] = math.exp(log_lost)
                pair += 1
                start = last + size


@njit(cache=True, nogil=True)
def sum_forests(
    places: IntArray,
    weights: FloatArray,
    root_weight: float,
    factors: FloatArray,
    skipped: IntArray,
    log_sums: FloatArray,
) -> None:
    """Write the log of the sum over all forests for each row and class, but the class that is skipped.

    The weight of an edge is ``weights[n, pair]`` times the factor of the row's values; one row of weights
    serves for all rows if there is only one.
    """
    n_rows, n_classes = log_sums.shape
    n_variables = 1
    while n_variables * (n_variables - 1) // 2 < places.shape[1]:
        n_variables += 1
    graph = np.empty((n_variables + 1, n_variables + 1))
    for n in range(n_rows):
        given = weights[n if len(weights) > 1 else 0]
        for c in range(n_classes):
            if c == skipped[n]:
                continue
            pair = 0
            for u in range(n_variables):
                graph[u + 1, 0] = root_weight
                for v in range(u):
                    graph[u + 1, v + 1] = given[pair] * factors[places[n, pair], c]
                    pair += 1
            log_sums[n, c] = log_sum_of_trees(graph)


@njit(cache=True, nogil=True)
def log_sum_of_trees(graph: FloatArray) -> float:
    """Log of the sum over spanning trees of their products of weights, which lie below the diagonal.

    A determinant without a subtraction (Grassmann, Taksar and Heyman 1985): vertices are taken away one by
    one, and each path through a vertex becomes an edge. Overwrites the graph.
    """
    log_sum, shares = 0.0, graph[0]  # the first row has no edges
    for t in range(len(graph) - 1, 0, -1):
        gone, total = graph[t], 0.0
        for j in range(t):
            total += gone[j]
        log_sum += math.log(total)
        for j in range(t):
            shares[j] = gone[j] / total
        for i in range(1, t):
            kept = graph[i]
            # Weights may be so far apart that a share is below the smallest float64. Then the other share is
            # not, or a third vertex has nearly all of the total and this path does not matter.
            if shares[i] > _SMALL:
                for j in range(i):
                    kept[j] += shares[i] * gone[j]
            else:
                for j in range(i):
                    kept[j] += gone[i] * shares[j]
    return log_sum


@njit(cache=True, nogil=True)
def best_forests(log_weights: FloatArray, scale: float, parents: IntArray) -> None:
    """Write the forest of the largest sum of log weights for each row of them; -1 marks a root.

    Prim's algorithm from a vertex that is joined to all variables with log weight 0. A row of ``parents`` is
    the forest with the edges from each variable to its parent. Rounding does not choose between edges: of
    those that differ by no more (see :mod:`codelength.decisions`), the first is taken.
    """
    n_variables = parents.shape[1]
    gains, joined = np.empty(n_variables), np.empty(n_variables, dtype=np.bool_)
    for n in range(len(log_weights)):
        gains[:] = 0.0
        joined[:] = False
        parents[n] = -1
        largest = max(scale, 1.0)
        for pair in range(log_weights.shape[1]):
            largest = max(largest, abs(log_weights[n, pair]))
        room = TOLERANCE * largest
        for _ in range(n_variables):
            best = -1
            for v in range(n_variables):
                if not joined[v] and (best < 0 or gains[v] > gains[best] + room):
                    best = v
            joined[best] = True
            for v in range(n_variables):
                high, low = max(v, best), min(v, best)
                if not joined[v]:
                    gain = log_weights[n, high * (high - 1) // 2 + low]
                    if gain > gains[v] + room:
                        gains[v] = gain
                        parents[n, v] = best
