"""Compiled averages over the sizes of growing domains, without checks.

:mod:`codelength.online.growing` has the formulas.
"""

import math

import numpy as np
from numba import njit

from ..typing import BoolArray, FloatArray, IntArray

NEGLIGIBLE = 40.0
"""Terms smaller than exp(-40) times the largest do not change a sum of float64."""


FEW = 1000.0
"""Below this argument, differences of log gamma functions keep enough digits."""


@njit(cache=True)
def log_averages(
    totals: FloatArray,
    n_known: int,
    n_declared: int,
    n_met: float,
    pseudocount: float,
    sizes: FloatArray,
    log_prior: FloatArray,
    is_new: bool,
    terms: FloatArray,
    averages: FloatArray,
) -> float:
    """Write the logs of averages over the sizes of a domain, one per class.

    The average of ``1 / (total + pseudocount * size)`` for a known value, or of
    ``pseudocount * (size - n_known) / (total + pseudocount * size)`` for a new value.

    Parameters
    ----------
    totals : array of shape (n_classes,)
        Number of cells in each class.
    n_known, n_declared : int
        Number of values so far, and of those that were declared.
    n_met : float
        Number of values met, in units of the weight of the last row.
    pseudocount : float
        Pseudocount of each value.
    sizes, log_prior : array of shape (n_sizes,)
        Possible sizes of the domain, ascending, and their log prior probabilities.
    is_new : bool
        Average for a new value.
    terms : array of shape (n_sizes,)
        Work space.
    averages : array of shape (n_classes,)
        Output; holds log gamma functions in between.

    Returns
    -------
    float
        Log evidence of all sizes together, relative to the smallest possible size.
    """
    first = int(np.searchsorted(sizes, n_known))
    # All terms are relative to the smallest possible size, because log gamma functions of large counts would
    # cancel. ``averages`` keeps their values at the start, which are the same for all sizes.
    start = pseudocount * sizes[first]
    of_start = math.lgamma(start)
    for c in range(len(totals)):
        averages[c] = math.lgamma(start + totals[c]) if start + totals[c] < FEW else 0.0
    stop, top, top_beyond = first, -np.inf, -np.inf
    for s in range(first, len(sizes)):
        size = sizes[s]
        more = pseudocount * (size - sizes[first])
        term = log_prior[s]
        if n_met > 0:
            term += math.lgamma(size - n_declared + 1) - math.lgamma(size - n_declared - n_met + 1)
        rise = _log_rise(start, more, of_start)
        for c in range(len(totals)):
            if totals[c] > 0:
                term += rise - _log_rise(start + totals[c], more, averages[c])
        terms[s] = term
        stop = s + 1
        top = max(top, term)
        if size > n_known:
            top_beyond = max(top_beyond, term)
            # The terms have one peak, so the loop ends once they are negligible. For a new value, they are
            # still to be multiplied by a size.
            if term + math.log(size) < (top_beyond if is_new else top) - NEGLIGIBLE:
                break
    # Sizes without room for a new value do not count for it, so its terms have a scale of their own;
    # otherwise all of them could underflow.
    evidence, scale = 0.0, top_beyond if is_new else top
    averages[:] = 0.0
    for s in range(first, stop):
        size = sizes[s]
        evidence += math.exp(terms[s] - top)
        weight = math.exp(terms[s] - scale) if size > n_known or not is_new else 0.0
        if is_new:
            weight *= pseudocount * (size - n_known)
        for c in range(len(totals)):
            averages[c] += weight / (totals[c] + pseudocount * size)
    for c in range(len(totals)):
        averages[c] = math.log(averages[c]) - math.log(evidence) + (scale - top)
    return top + math.log(evidence)


@njit(cache=True)
def _log_rise(x: float, more: float, log_gamma: float) -> float:
    """Return ``lgamma(x + more) - lgamma(x)`` without cancellation; ``log_gamma`` is ``lgamma(x)``."""
    y = x + more
    if x < FEW:
        return math.lgamma(y) - log_gamma
    # Differences of Stirling's series term by term; its next term is below 1e-18.
    of_ends = (1 / y - 1 / x) / 12 - (1 / y**3 - 1 / x**3) / 360
    return more * math.log(x) + ((y - 0.5) * math.log1p(more / x) - more) + of_ends


@njit(cache=True)
def add_log_values(
    places: IntArray,
    positions: IntArray,
    classes: IntArray,
    value_counts: FloatArray,
    totals: FloatArray,
    n_known: IntArray,
    n_declared: IntArray,
    n_met: FloatArray,
    is_open: BoolArray,
    weight: float,
    pseudocount: float,
    sizes: FloatArray,
    log_prior: FloatArray,
    log_weights: FloatArray,
) -> None:
    """Add the log probabilities of the values of a row to the log weights of all classes and of a new class.

    Parameters
    ----------
    places, positions : array of int of shape (n_cells,)
        Place of each value in the counts, below 0 for a new value, and the position of its variable.
    classes : array of int of shape (n_classes,)
        Columns of the classes in the counts.
    value_counts : array of shape (n_places, n_columns)
        Counts of values in classes.
    totals : array of shape (n_variables, n_columns)
        Sums of these over the values of each variable.
    n_known, n_declared, n_met, is_open : array of shape (n_variables,)
        State of each domain; see :func:`log_averages`.
    weight : float
        Weight of the last row, the unit of the counts.
    pseudocount, sizes, log_prior
        As in :func:`log_averages`.
    log_weights : array of shape (n_classes + 1,)
        Updated in place.
    """
    n_classes = len(classes)
    # The last entry remains 0: a new class has no cells yet.
    of_classes, averages = np.zeros(n_classes + 1), np.empty(n_classes + 1)
    terms = np.empty(len(sizes))
    for j in range(len(places)):
        i, place = positions[j], places[j]
        for c in range(n_classes):
            of_classes[c] = totals[i, classes[c]] / weight
        # A closed domain has a known size: no average is needed.
        if is_open[i]:
            log_averages(
                of_classes,
                n_known[i],
                n_declared[i],
                n_met[i] / weight,
                pseudocount,
                sizes,
                log_prior,
                place < 0,
                terms,
                averages,
            )
        else:
            for c in range(n_classes + 1):
                averages[c] = -math.log(of_classes[c] + pseudocount * n_known[i])
        if place >= 0:
            for c in range(n_classes):
                log_weights[c] += math.log(value_counts[place, classes[c]] / weight + pseudocount)
            log_weights[n_classes] += math.log(pseudocount)
        for c in range(n_classes + 1):
            log_weights[c] += averages[c]
