"""Loops over pairs of rows that change their components. Arrays in, a number out, nothing checked.

Counts and pseudocounts are kept apart: one row less one row leaves a pseudocount alone, however small it is.
"""

import math

import numpy as np
from numba import njit

from ...typing import FloatArray, IntArray
from .._kernels import shift
from ..clusterings import ClusteringState, ObservedCells

_SMALL = 1e-200


@njit(cache=True, nogil=True)
def log_pairs_of_moves(
    observed: ObservedCells,
    labels: IntArray,
    weights: FloatArray,
    prior: ClusteringState,
    counts: ClusteringState,
) -> float:
    """Log of what P(Z, D) is multiplied by, summed over all pairs of rows that both leave their components.

    Row ``n`` stands for ``weights[n]`` equal rows of one component. ``counts``, zeros in the layout of the
    pseudocounts, receives those of the clustering.
    """
    n_rows, n_components = len(labels), len(counts.sizes)
    apart = np.empty((n_rows, n_components))
    for n in range(n_rows):
        shift(observed, n, labels[n], weights[n], counts)
    for n in range(n_rows):
        for k in range(n_components):
            apart[n, k] = _log_prediction(observed, n, k, labels[n] == k, counts, prior)
    peak, total = -np.inf, 0.0
    for first in range(n_rows):
        own = labels[first]
        shift(observed, first, own, -1.0, counts)
        for place in range(n_components):
            if place == own:
                continue
            shift(observed, first, place, 1.0, counts)
            gain = apart[first, place] - apart[first, own]
            # Each pair is met once: rows before this one, and of rows equal to it half of the ordered pairs.
            for second in range(first + 1):
                ways = weights[first] * (weights[second] if second < first else (weights[first] - 1) / 2)
                if ways == 0:
                    continue
                home = labels[second]
                stays = apart[second, home]
                if home in (own, place):
                    stays = _log_prediction(observed, second, home, True, counts, prior)
                for k in range(n_components):
                    if k == home:
                        continue
                    goes = apart[second, k]
                    if k in (own, place):
                        goes = _log_prediction(observed, second, k, False, counts, prior)
                    term = gain + goes - stays
                    if term > peak:
                        total = total * math.exp(peak - term) if total > 0 else 0.0
                        peak = term
                    total += ways * math.exp(term - peak)
            shift(observed, first, place, -1.0, counts)
        shift(observed, first, own, 1.0, counts)
    return peak + math.log(total) if total > 0 else -np.inf


@njit(cache=True, nogil=True)
def _log_prediction(
    observed: ObservedCells, n: int, k: int, inside: bool, counts: ClusteringState, prior: ClusteringState
) -> float:
    """Log probability of row ``n`` with component ``k``, up to the same for all components.

    Rows of the component tell, less the row itself where it is ``inside``.
    """
    less = 1.0 if inside else 0.0
    raised, totals = counts.raised, counts.totals
    log_prob, product = math.log(counts.sizes[k] - less + prior.sizes[k]), 1.0
    for j in range(observed.starts[n], observed.starts[n + 1]):
        cell, variable = observed.cells[j], observed.variables[j]
        above = raised[cell, k] - less + prior.raised[cell, k]
        product *= above / (totals[variable, k] - less + prior.totals[variable, k])
        if product < _SMALL:
            log_prob += math.log(product)
            product = 1.0
    return log_prob + math.log(product)
