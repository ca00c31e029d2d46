"""Compiled loops over pairs of variables and over forests, without checks.

Data layout
-----------
Pairs of variables (u, v) with v < u are numbered as in :class:`codelength.counts.pairs.PairCounts`: 1 and 0,
2 and 0, 2 and 1, and so on, so pair (u, v) has number u (u - 1) / 2 + v. The tables of all pairs are
consecutive in one array with one row per cell and one column per class. The table of (u, v) has
``n_values[u] + 1`` times ``n_values[v] + 1`` cells, v varying fastest; the last cell of each row and the last
row hold the margins (in counts) or 1 (in factors), so that a missing value is an index like any other.

Formulas, with pseudocounts and factors h and Bayes factors W, are those of
:mod:`codelength.networks.forest`.
"""

import math

import numpy as np
from numba import njit

from ..decisions import TOLERANCE
from ..typing import FloatArray, IntArray

_SMALL = 1e-150
"""Shares below this are not multiplied by weights, because the product could underflow."""

_FEW = 16.0
"""Up to this count, a product is faster and more accurate than two gamma functions."""


@njit(cache=True, nogil=True)
def compare_pairs(n_values: IntArray, counts: FloatArray, strength: float) -> tuple[FloatArray, FloatArray]:
    """Return the factor h of every pair of values, and the log Bayes factor log W of every pair of variables.

    Given are the number of values of each variable, tables of all pairs with margins, shape (n_cells,
    n_classes), and the pseudocounts of the whole table. Factors have the shape of the counts and are 1 in the
    cells of margins; log weights have shape (n_pairs,).
    """
    n_classes = counts.shape[1]
    factors, log_weights = np.ones_like(counts), np.empty(len(n_values) * (len(n_values) - 1) // 2)
    start, pair, of_class = 0, 0, strength / n_classes
    for u in range(1, len(n_values)):
        for v in range(u):
            rows, columns = n_values[u], n_values[v]
            size = columns + 1
            last = start + rows * size
            # Pseudocounts of a class are divided evenly among cells, so those of margins are their sums: this
            # makes W the same for either end of the edge as parent.
            of_row, of_column, of_cell = of_class / rows, of_class / columns, of_class / (rows * columns)
            log_weight = 0.0
            for c in range(n_classes):
                # Gamma functions of W: total and cells in the numerator, both margins in the denominator.
                total = counts[last + columns, c]
                log_weight += log_rising(of_class, total)
                for b in range(columns):
                    log_weight -= log_rising(of_column, counts[last + b, c])
                for a in range(rows):
                    row = start + a * size
                    in_row = counts[row + columns, c]
                    log_weight -= log_rising(of_row, in_row)
                    # h = N*_abc N*_c / (N*_ac N*_bc); the part that is constant in a row of the table is
                    # divided once.
                    scale = (total + of_class) / (in_row + of_row)
                    for b in range(columns):
                        log_weight += log_rising(of_cell, counts[row + b, c])
                        factors[row + b, c] = (
                            scale * (counts[row + b, c] + of_cell) / (counts[last + b, c] + of_column)
                        )
            log_weights[pair] = log_weight
            pair += 1
            start = last + size
    return factors, log_weights


@njit(cache=True, nogil=True)
def log_rising(start: float, count: float) -> float:
    """Return the log of the rising factorial start (start + 1) ... (start + count - 1), for any count."""
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
) -> tuple[FloatArray, FloatArray]:
    """Return the factors of each row in its own class without ``removed`` of its weight, pair by pair.

    Parameters
    ----------
    codes : array of int of shape (n_rows, n_variables)
        Codes of the values, -1 for none.
    labels, removed : array of shape (n_rows,)
        Class of each row, and the weight that is left out.
    n_values, counts, strength
        As in :func:`compare_pairs`.

    Returns
    -------
    factors : array of shape (n_rows, n_pairs)
        1 if a value is missing.
    lost : array of shape (n_rows, n_pairs)
        The factor by which this weight had multiplied the Bayes factor of the pair. Equal to ``factors`` if
        the weight is 1.
    """
    factors = np.ones((len(labels), len(n_values) * (len(n_values) - 1) // 2))
    lost = np.ones_like(factors)
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
                if a >= 0 and b >= 0:
                    # Differences of fractional weights may be negative by rounding.
                    both = max(counts[start + a * size + b, c] - less, 0.0) + of_class / (rows * columns)
                    in_row = max(counts[start + a * size + columns, c] - less, 0.0) + of_class / rows
                    in_column = max(counts[last + b, c] - less, 0.0) + of_class / columns
                    total = max(counts[last + columns, c] - less, 0.0) + of_class
                    # h = P(b | a, c) / P(b | c).
                    factors[n, pair] = (both / in_row) * (total / in_column)
                    lost[n, pair] = factors[n, pair]
                    # For other weights than 1, the single factors become ratios of gamma functions.
                    if less != 1.0:
                        log_lost = log_rising(both, less) - log_rising(in_row, less)
                        log_lost += log_rising(total, less) - log_rising(in_column, less)
                        lost[n, pair] = math.exp(log_lost)
                pair += 1
                start = last + size
    return factors, lost


@njit(cache=True, nogil=True)
def sum_forests(
    places: IntArray,
    weights: FloatArray,
    root_weight: float,
    factors: FloatArray,
    skipped: IntArray,
) -> FloatArray:
    """Return the log of the sum over all forests for each row and class, 0 for a skipped class.

    Parameters
    ----------
    places : array of int of shape (n_rows, n_pairs)
        Cell of each row in the table of each pair.
    weights : array of shape (n_rows, n_pairs) or (1, n_pairs)
        Weights of the edges; the weight of an edge in a sum is this times the factor of the row's values.
    root_weight : float
        Weight of the edges from the root to each variable.
    factors : array of shape (n_cells, n_classes)
        Factors of the cells.
    skipped : array of int of shape (n_rows,)
        Class to skip in each row, -1 for none.

    Returns
    -------
    array of shape (n_rows, n_classes)
    """
    n_rows, n_classes, n_variables = len(places), factors.shape[1], _n_variables(places.shape[1])
    log_sums = np.zeros((n_rows, n_classes))
    # Vertex 0 is the root. A spanning tree of the graph with the root is a forest of the variables.
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
    return log_sums


@njit(cache=True, nogil=True)
def _n_variables(n_pairs: int) -> int:
    """Return the number of variables that have so many pairs."""
    return int(1.0 + math.sqrt(1.0 + 8.0 * n_pairs)) // 2


@njit(cache=True, nogil=True)
def log_sum_of_trees(graph: FloatArray) -> float:
    """Return the log of the sum over spanning trees of their products of weights.

    The determinant of the matrix-tree theorem by elimination without subtractions (Grassmann, Taksar and
    Heyman 1985), so that all digits are kept even if weights differ by hundreds of orders of magnitude:
    vertices are eliminated one by one, and each path through an eliminated vertex becomes an edge. Weights
    are below the diagonal of ``graph``, which is overwritten.
    """
    log_sum, shares = 0.0, graph[0]  # the first row has no edges and serves as work space
    for t in range(len(graph) - 1, 0, -1):
        gone, total = graph[t], 0.0
        for j in range(t):
            total += gone[j]
        # The pivot of the elimination: the total weight of the edges of vertex t.
        log_sum += math.log(total)
        for j in range(t):
            shares[j] = gone[j] / total
        for i in range(1, t):
            kept = graph[i]
            # The new edge i-j has weight gone[i] * gone[j] / total. Weights may be so far apart that one
            # share underflows. Then the other share does not, or a third vertex has nearly all of the total
            # and this path is negligible.
            if shares[i] > _SMALL:
                for j in range(i):
                    kept[j] += shares[i] * gone[j]
            else:
                for j in range(i):
                    kept[j] += gone[i] * shares[j]
    return log_sum


@njit(cache=True, nogil=True)
def best_forests(log_weights: FloatArray, scale: float) -> IntArray:
    """Return the forest of the largest sum of log weights, for each row of them.

    Prim's algorithm, starting at a root that is joined to all variables with log weight 0. Edges that differ
    by no more than rounding tie, and the first is taken (see :mod:`codelength.decisions`).
    Parameters and result are those of :func:`codelength.networks.forest.best_forests`.
    """
    n_variables = _n_variables(log_weights.shape[1])
    parents = np.full((len(log_weights), n_variables), -1)
    gains, joined = np.empty(n_variables), np.empty(n_variables, dtype=np.bool_)
    for n in range(len(log_weights)):
        # Edges of negative log weight are never taken, because joining the root costs nothing.
        gains[:] = 0.0
        joined[:] = False
        largest = max(scale, 1.0)
        for pair in range(log_weights.shape[1]):
            largest = max(largest, abs(log_weights[n, pair]))
        room = TOLERANCE * largest
        for _ in range(n_variables):
            # Unlike a heap, a scan in the order of variables makes ties go to the first; m^2 is the size of
            # the input.
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
    return parents
