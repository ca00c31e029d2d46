"""Averages over how many values a variable may have."""

import math

import numpy as np
from numba import njit

from ..typing import BoolArray, FloatArray, IntArray

NEGLIGIBLE = 40.0
"""Terms that are smaller by a factor of exp(-40) than the largest do not change a sum of float64."""


FEW = 1000.0
"""Below so many, the logarithm of the gamma function loses no digits that matter."""


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
    """Averages over the sizes of a domain, one per class, on the log scale.

    The average of ``1 / (total + pseudocount * size)``, or where a value is new that of
    ``pseudocount * (size - n_known) / (total + pseudocount * size)``. What is returned is the log evidence of
    all sizes together, set against the smallest that is possible.
    """
    first = int(np.searchsorted(sizes, n_known))
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
            # The terms rise to one peak and fall. Those of a new value are multiplied by a size yet.
            if term + math.log(size) < (top_beyond if is_new else top) - NEGLIGIBLE:
                break
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
    """``lgamma(x + more) - lgamma(x)``, not as a difference of large numbers; ``log_gamma`` is the latter."""
    y = x + more
    if x < FEW:
        return math.lgamma(y) - log_gamma
    # Stirling's series, whose next term is below 1e-18.
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
    """Add the log probabilities of a row's values to the log weights of the classes, the last a new one.

    A place below zero stands for a new value.
    """
    n_classes = len(classes)
    of_classes, averages = np.zeros(n_classes + 1), np.empty(n_classes + 1)
    terms = np.empty(len(sizes))
    for j in range(len(places)):
        i, place = positions[j], places[j]
        for c in range(n_classes):
            of_classes[c] = totals[i, classes[c]] / weight
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
