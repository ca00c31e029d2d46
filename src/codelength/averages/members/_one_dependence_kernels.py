"""Compiled loops over parents and children, without checks.

Counts of pairs are consecutive tables as in :class:`codelength.counts.pairs.PairCounts`, with margins in the
last row and column of each; ``_forest_kernels`` describes the layout. Formulas are those of
:mod:`codelength.averages.members.one_dependence`.
"""

from math import exp, log

import numpy as np
from numba import njit

from ...typing import FloatArray, IntArray
from ._forest_kernels import log_rising

_NEGLIGIBLE = 1e-6
"""Dependences less probable than this are skipped."""

_SMALL, _LARGE = 1e-100, 1e100
"""Products outside this range are moved to a sum of logarithms."""


@njit(cache=True, nogil=True)
def weigh_dependences(
    n_values: IntArray, counts: FloatArray, shares: FloatArray, strengths: FloatArray, log_weights: FloatArray
) -> None:
    """Write the log Bayes factor of the dependence of each child on each parent, for each strength.

    Parameters
    ----------
    n_values : array of int of shape (n_variables,)
        Number of values of each variable.
    counts : array of shape (n_cells, n_classes)
        Tables of all pairs with margins.
    shares : array of shape (n_all_values, n_classes)
        Shares of the values of all variables in the classes, one variable after the other.
    strengths : array of shape (n_strengths,)
        Pseudocounts of the back-off.
    log_weights : array of shape (n_variables, n_variables, n_strengths)
        Output, by parent, child and strength.
    """
    # ``start`` is the first cell of the table of (u, v); ``of_u`` and ``of_v`` are the first rows of the
    # shares. A table serves both directions: only the strides of parent and child are exchanged.
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
    """Return the log evidence of a child given its parent, less that of its shares alone.

    ``parent`` and ``child`` are pairs of the number of values and their distance in the table.
    """
    total = 0.0
    for a in range(parent[0]):
        row = start + a * parent[1]
        for c in range(counts.shape[1]):
            # Index child[0] is one behind the last value: the margin, that is, the rows with this parent
            # value.
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
    """Write the log of the factor by which the dependences on each parent change naive Bayes.

    Parameters
    ----------
    codes : array of int of shape (n_rows, n_variables)
        Codes of the values, -1 for none.
    labels, removed : array of shape (n_rows,)
        Class and weight of the copy to leave out; -1 and 0 for new rows.
    n_values, counts, strengths, log_weights
        As in :func:`weigh_dependences`.
    shares : array of shape (n_rows, n_variables, n_classes)
        Shares of the row's values in the classes, without the row.
    own_shares : array of shape (n_rows, n_variables)
        Shares of the row's values in its own class, with the row.
    found : array of shape (n_rows, n_variables, n_classes)
        Output, by row, parent and class.
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
                # Both directions of a pair, because its cell and margins are in cache; none if a value is
                # missing.
                for turn in range(2 if a >= 0 and b >= 0 else 0):
                    parent, child = (u, v) if turn == 0 else (v, u)
                    cell = start + a * size + b
                    margin = start + (a * size + n_values[v] if turn == 0 else n_values[u] * size + b)
                    in_cell, seen, share = 0.0, 0.0, 1.0
                    if own >= 0:
                        in_cell = max(counts[cell, own] - less, 0.0)
                        seen, share = max(counts[margin, own] - less, 0.0), own_shares[n, child]
                    # Weights of the strengths without the row: its factor in each evidence is divided out.
                    # Shares are those with the row, because log_weights were computed with them.
                    largest = 0.0
                    for s in range(n_strengths):
                        weights[s] = log_weights[parent, child, s]
                        if own >= 0:
                            weights[s] -= log_rising(in_cell + strengths[s] * share, less) - less * log(share)
                            weights[s] += log_rising(seen + strengths[s], less)
                        largest = max(largest, weights[s])
                    # The last weight is that of no dependence, with log Bayes factor 0; ``largest`` starts at
                    # 0 for it.
                    weights[n_strengths], total = 0.0, 0.0
                    for s in range(n_strengths + 1):
                        weights[s] = exp(weights[s] - largest)
                        total += weights[s]
                    # Without dependence the factor is 1 in all classes.
                    if total - weights[n_strengths] < _NEGLIGIBLE * total:
                        continue
                    for c in range(n_classes):
                        in_class, of_parent = counts[cell, c], counts[margin, c]
                        if c == own:
                            in_class, of_parent = in_cell, seen
                        # P(b | c, a) / share, averaged over strengths; without dependence the ratio is 1.
                        factor = weights[n_strengths]
                        for s in range(n_strengths):
                            predicted = in_class / shares[n, child, c] + strengths[s]
                            factor += weights[s] * predicted / (of_parent + strengths[s])
                        products[parent, c] *= factor / total
                        # Products are cheaper than a logarithm per pair, and are moved to the sum before they
                        # can overflow.
                        if not _SMALL < products[parent, c] < _LARGE:
                            found[n, parent, c] += log(products[parent, c])
                            products[parent, c] = 1.0
                start += (n_values[u] + 1) * size
        for u in range(len(n_values)):
            for c in range(n_classes):
                found[n, u, c] += log(products[u, c])
