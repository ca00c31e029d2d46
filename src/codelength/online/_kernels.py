"""Averages over how many values a variable may have."""

import math

import numpy as np
from numba import njit

from ..typing import BoolArray, FloatArray, IntArray

NEGLIGIBLE = 45.0
"""Terms that are smaller by a factor of exp(-45) than the largest do not change a sum of float64."""


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
    """Averages over the sizes of a domain, one per class, on the log scale; the log evidence of the sizes.

    The average of ``1 / (total + pseudocount * size)``, or where a value is new that of
    ``pseudocount * (size - n_known) / (total + pseudocount * size)``.
    """
    first = int(np.searchsorted(sizes, n_known))
    stop, top, top_beyond = first, -np.inf, -np.inf
    for s in range(first, len(sizes)):
        size = sizes[s]
        term = log_prior[s]
        if n_met > 0:
            term += math.lgamma(size - n_declared + 1) - math.lgamma(size - n_declared - n_met + 1)
        of_nothing = math.lgamma(pseudocount * size)
        for total in totals:
            if total > 0:
                term += of_nothing - math.lgamma(pseudocount * size + total)
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
    log_evidence = top + math.log(evidence)
    for c in range(len(totals)):
        averages[c] = math.log(averages[c]) + scale - log_evidence
    return log_evidence


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
