"""Annealed importance sampling. Arrays in, arrays out, nothing checked; ``annealed`` has the shapes."""

import math

import numpy as np
from numba import njit

from ...typing import FloatArray, IntArray
from .._kernels import log_predictions, shift
from ..clusterings import ClusteringState, ObservedCells
from .annealed import Reference


@njit(cache=True, nogil=True)
def anneal(
    observed: ObservedCells,
    state: ClusteringState,
    reference: Reference,
    powers: FloatArray,
    generator: np.random.Generator,
    labels: IntArray,
) -> float:
    """Return the log importance weight of one chain from a reference distribution to P(Z, D).

    At each power ``b`` the chain makes one Gibbs sweep that leaves reference ** (1 - b) * P(Z, D) ** b
    invariant.

    Parameters
    ----------
    observed : ObservedCells
        The rows.
    state : ClusteringState
        Counts without rows; receives those of the last clustering.
    reference : Reference
        The distribution to start from.
    powers : array of shape (n_temperatures + 1,)
        Increasing powers from 0 to 1.
    generator : Generator
        The random stream of the chain.
    labels : array of shape (n_rows,)
        Receives the last clustering.
    """
    sizes, probs, log_probs = state.sizes, reference.probs, reference.log_probs
    n_rows, n_components = len(labels), len(sizes)
    logs, scratch, weights = np.empty(n_components), np.empty((2, n_components)), np.empty(n_components)
    log_reference, shares = reference.log_shares.copy(), reference.log_shares.copy()
    # The reference is a mixture: draw its part first, then all labels independently from that part.
    part = _draw(shares, generator)
    log_joint, log_weight, total = 0.0, 0.0, 0.0
    for k in range(n_components):
        total += sizes[k]
    # P(Z, D) by the chain rule: each row is predicted from the rows before it, as it is placed.
    for n in range(n_rows):
        log_joint -= math.log(total + n)
        for k in range(n_components):
            weights[k] = log_probs[n, part, k]
        log_predictions(observed, n, state, logs, scratch)
        labels[n] = _place(weights, log_probs[n], log_reference, generator)
        log_joint += logs[labels[n]] + math.log(sizes[labels[n]])
        shift(observed, n, labels[n], 1.0, state)
    for step in range(1, len(powers)):
        # Importance weight of Neal (2001), step by step: the ratio of neighbouring distributions at the
        # current state, before the transition that leaves the later one invariant.
        log_weight += (powers[step] - powers[step - 1]) * (log_joint - _log_sum(log_reference))
        # After the last weight no further state is needed.
        for n in range(n_rows if step < len(powers) - 1 else 0):
            own = labels[n]
            # log_joint and log_reference follow the labels by differences, so that a sweep costs no more than
            # Gibbs.
            for m in range(len(log_reference)):
                log_reference[m] -= log_probs[n, m, own]
            shift(observed, n, own, -1.0, state)
            log_predictions(observed, n, state, logs, scratch)
            log_joint -= logs[own] + math.log(sizes[own])
            _log_mixed(probs[n], log_reference, weights)
            for k in range(n_components):
                # Conditional of the label: the geometric mean of the two conditionals, up to a constant.
                weights[k] += powers[step] * (logs[k] + math.log(sizes[k]) - weights[k])
            own = _place(weights, log_probs[n], log_reference, generator)
            labels[n] = own
            log_joint += logs[own] + math.log(sizes[own])
            shift(observed, n, own, 1.0, state)
    return log_weight


@njit(cache=True, nogil=True)
def _place(
    weights: FloatArray, log_probs: FloatArray, log_reference: FloatArray, generator: np.random.Generator
) -> int:
    """Draw the component of a row, and add it to the log probability of each part of the reference."""
    chosen = _draw(weights, generator)
    for m in range(len(log_reference)):
        log_reference[m] += log_probs[m, chosen]
    return chosen


@njit(cache=True, nogil=True)
def _log_mixed(probs: FloatArray, log_shares: FloatArray, logs: FloatArray) -> None:
    """Compute the log of a weighted sum of distributions, up to a constant."""
    highest = _highest(log_shares)
    for k in range(len(logs)):
        logs[k] = 0.0
    for m in range(len(log_shares)):
        share = math.exp(log_shares[m] - highest)
        for k in range(len(logs)):
            logs[k] += share * probs[m, k]
    for k in range(len(logs)):
        # Positive, because every label has some probability in every part of the reference.
        logs[k] = math.log(logs[k])


@njit(cache=True, nogil=True)
def _highest(numbers: FloatArray) -> float:
    highest = -np.inf
    for k in range(len(numbers)):
        highest = max(highest, numbers[k])
    return highest


@njit(cache=True, nogil=True)
def _log_sum(logs: FloatArray) -> float:
    highest, total = _highest(logs), 0.0
    if highest == -np.inf:
        return highest
    for k in range(len(logs)):
        total += math.exp(logs[k] - highest)
    return highest + math.log(total)


@njit(cache=True, nogil=True)
def log_name_share(labels: IntArray, reference: Reference, power: float, names: IntArray) -> float:
    """Return the log share of a clustering among all that differ from it in exchangeable names.

    Shares are in proportion to a power of the reference distribution. The sum over renamings is a
    permanent, added up subset by subset.

    Parameters
    ----------
    labels : array of shape (n_rows,)
        The clustering.
    reference : Reference
        The reference distribution.
    power : float
        Power of the reference distribution.
    names : array of shape (n_components,)
        From :func:`codelength.mixture.clusterings.exchangeable`.
    """
    n_components, logs = len(names), reference.log_probs
    given, renamed = reference.log_shares.copy(), reference.log_shares.copy()
    for m in range(len(given)):
        table = np.zeros((n_components, n_components))
        for n in range(len(labels)):
            for k in range(n_components):
                table[labels[n], k] += power * logs[n, m, k]
        for k in range(n_components):
            given[m] += table[k, k]
            for other in range(n_components):
                # Components with different priors cannot swap names: such permutations get weight zero.
                if names[k] != names[other]:
                    table[k, other] = -np.inf
        renamed[m] += _log_permanent(table)
    return _log_sum(given) - _log_sum(renamed)


@njit(cache=True, nogil=True)
def _log_permanent(table: FloatArray) -> float:
    """Return the log of the sum, over permutations p, of exp(sum of table[k, p[k]])."""
    size = len(table)
    sums, terms = np.zeros(1 << size), np.empty(size)
    # Row j is assigned when subsets have j + 1 columns: 2 ** size subsets instead of size! permutations.
    for subset in range(1, 1 << size):
        row = -1
        for k in range(size):
            row += subset >> k & 1
        for k in range(size):
            terms[k] = sums[subset ^ 1 << k] + table[row, k] if subset >> k & 1 else -np.inf
        sums[subset] = _log_sum(terms)
    return float(sums[len(sums) - 1])


@njit(cache=True, nogil=True)
def _draw(log_weights: FloatArray, generator: np.random.Generator) -> int:
    """Draw a position in proportion to its weight; the weights are overwritten."""
    highest, total = _highest(log_weights), 0.0
    for k in range(len(log_weights)):
        total += math.exp(log_weights[k] - highest)
        log_weights[k] = total
    mark = generator.random() * total
    for k in range(len(log_weights) - 1):
        if mark < log_weights[k]:
            return k
    return len(log_weights) - 1
