"""Sum over pairs of rows that change components. Arrays in, a number out, nothing checked.

Counts and pseudocounts are kept apart: removing the only row of a count leaves the pseudocount exact, however
small it is.
"""

import math

import numpy as np
from numba import njit

from codelength.mixture._kernels import shift
from codelength.mixture.clusterings import ClusteringState, ObservedCells
from codelength.typing import FloatArray, IntArray

_SMALL = 1e-200


@njit(cache=True, nogil=True)
def log_pairs_of_moves(
    observed: ObservedCells,
    labels: IntArray,
    weights: FloatArray,
    prior: ClusteringState,
    counts: ClusteringState,
) -> float:
    """Return the log of the factor of P(Z, D), summed over all pairs of rows that both change components.

    Parameters
    ----------
    observed : ObservedCells
        Distinct rows.
    labels : array of shape (n_rows,)
        The component of each distinct row.
    weights : array of shape (n_rows,)
        Number of equal rows of one component that each distinct row stands for.
    prior : ClusteringState
        Pseudocounts.
    counts : ClusteringState
        Zeros in the layout of the pseudocounts; receives the counts of the clustering.
    """
    n_rows, n_components = len(labels), len(counts.sizes)
    # Predictions from the unchanged clustering. The move of the first row changes two components only, so for
    # all others these are reused for the second row.
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
            # Factor of P(Z, D) for the first move; that of the second is computed with the first row moved.
            gain = apart[first, place] - apart[first, own]
            # Each pair is met once: rows before this one, and of rows equal to it half of the ordered pairs.
            for second in range(first + 1):
                ways = weights[first] * (weights[second] if second < first else (weights[first] - 1) / 2)
                if ways == 0:
                    continue
                home = labels[second]
                stays = apart[second, home]
                # Only the two components that the first move touches predict differently now.
                if home in (own, place):
                    stays = _log_prediction(observed, second, home, True, counts, prior)
                for k in range(n_components):
                    if k == home:
                        continue
                    goes = apart[second, k]
                    if k in (own, place):
                        goes = _log_prediction(observed, second, k, False, counts, prior)
                    term = gain + goes - stays
                    # A running log-sum-exp: the sum is rescaled whenever a larger term occurs.
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
    """Return the log probability of row ``n`` with component ``k``, up to a constant.

    It is predicted from the rows of the component, without the row itself if that is ``inside``.
    """
    less = 1.0 if inside else 0.0
    raised, totals = counts.raised, counts.totals
    log_prob, product = math.log(counts.sizes[k] - less + prior.sizes[k]), 1.0
    for j in range(observed.starts[n], observed.starts[n + 1]):
        cell, variable = observed.cells[j], observed.variables[j]
        above = raised[cell, k] - less + prior.raised[cell, k]
        product *= above / (totals[variable, k] - less + prior.totals[variable, k])
        # One logarithm for many factors, taken before their product underflows.
        if product < _SMALL:
            log_prob += math.log(product)
            product = 1.0
    return log_prob + math.log(product)
