"""Compiled loops of averages over interval partitions, without checks.

:mod:`codelength.naive_bayes.partitions` has the formulas. Log evidences are relative to the base distribution
throughout: the evidence of N rows in a segment of base mass G and strength s is the rising factorial of s G
at N, divided by (s G)^N, whose log is :func:`log_gain`. Most of its digits would cancel otherwise.
"""

import math

import numpy as np
from numba import njit

from ..typing import FloatArray, IntArray

_EXPECTED_CUTS = 2.0
"""Prior expected number of cuts, if there is room for twice as many."""

_LARGE = 40.0
"""Three terms of Stirling's series are exact to the last digit from here on."""

_MAX_LOG = 690.0
"""Largest absolute log gain, so that quotients stay within the range of a float64."""

_NEGLIGIBLE = 1e-25
"""Shares below this do not change a sum of shares."""


@njit(cache=True, nogil=True)
def log_gain(count: float, pseudocount: float) -> float:
    """Return the gain of learning a share compared with fixing it, in nats.

    The log of the rising factorial ``a (a + 1) ... (a + count - 1)`` less that of ``a ** count``.
    """
    if count <= 0.0 or pseudocount == np.inf:
        return 0.0
    if pseudocount < _LARGE:
        return math.lgamma(count + pseudocount) - math.lgamma(pseudocount) - count * math.log(pseudocount)
    # Log-gamma functions of large numbers would cancel; in Stirling's formula the large terms are cancelled
    # symbolically.
    raised = count + pseudocount
    rest = _stirling_rest(raised) - _stirling_rest(pseudocount)
    return (raised - 0.5) * math.log1p(count / pseudocount) - count + rest


@njit(cache=True, nogil=True)
def _stirling_rest(number: float) -> float:
    """Return the correction terms of Stirling's series, 1/(12 x) - 1/(360 x^3) + 1/(1260 x^5)."""
    inverse = 1.0 / number
    return inverse * (1 / 12 - inverse * inverse * (1 / 360 - inverse * inverse / 1260))


@njit(cache=True, nogil=True)
def partition_weights(
    counts: FloatArray, base: FloatArray, n_ordered: int, strengths: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """Compute the posterior of strengths and segments by a forward and a backward pass.

    Arguments and results are attributes of :class:`codelength.naive_bayes.partitions.PartitionAverage`:
    counts, base, n_ordered and strengths; weights, of_strengths and log_evidence.
    """
    n_values, n_classes = counts.shape
    weights, of_strengths = np.zeros((len(strengths), n_ordered, n_ordered)), np.zeros(len(strengths))
    # Prior probability of a cut between neighbouring values.
    cut_probability = min(0.5, _EXPECTED_CUTS / max(n_ordered - 1, 1))
    log_cut, log_join = math.log(cut_probability), math.log1p(-cut_probability)
    # Log evidences of all partitions of the values to the left and to the right of each border.
    forward, backward = np.zeros(n_ordered + 1), np.zeros(n_ordered + 1)
    inside = np.zeros(n_classes)
    for s in range(len(strengths)):
        for i in range(n_ordered):
            # Log weight of every segment: its prior (one cut to the left, none inside) times its evidence.
            inside[:] = 0.0
            mass = 0.0
            for j in range(i, n_ordered):
                mass += base[j]
                gain = (j - i) * log_join + (log_cut if i > 0 else 0.0)
                for c in range(n_classes):
                    inside[c] += counts[j, c]
                    gain += log_gain(inside[c], strengths[s] * mass)
                weights[s, i, j] = gain
        # Forward-backward over borders, as for hidden Markov models: a partition is a path from border 0 to
        # border n, and a segment is one step of it.
        for j in range(n_ordered):
            forward[j + 1] = -np.inf
            for i in range(j + 1):
                forward[j + 1] = _log_add(forward[j + 1], forward[i] + weights[s, i, j])
        for i in range(n_ordered - 1, -1, -1):
            backward[i] = -np.inf
            for j in range(i, n_ordered):
                backward[i] = _log_add(backward[i], backward[j + 1] + weights[s, i, j])
        for i in range(n_ordered):
            for j in range(i, n_ordered):
                weights[s, i, j] += forward[i] + backward[j + 1] - forward[n_ordered]
        # Evidence of a strength: ordered values by all partitions, each other value as a segment, and the
        # normalisation of each class, which does not depend on the partition.
        of_strengths[s] = forward[n_ordered]
        inside[:] = 0.0
        for v in range(n_values):
            for c in range(n_classes):
                inside[c] += counts[v, c]
                if v >= n_ordered:
                    of_strengths[s] += log_gain(counts[v, c], strengths[s] * base[v])
        for c in range(n_classes):
            of_strengths[s] -= log_gain(inside[c], strengths[s])
    # Strengths are equally probable a priori.
    log_total = -np.inf
    for s in range(len(strengths)):
        log_total = _log_add(log_total, of_strengths[s])
    for s in range(len(strengths)):
        for i in range(n_ordered):
            for j in range(i, n_ordered):
                weights[s, i, j] = math.exp(weights[s, i, j] + of_strengths[s] - log_total)
        of_strengths[s] = math.exp(of_strengths[s] - log_total)
    return weights, of_strengths, log_total - math.log(len(strengths))


@njit(cache=True, nogil=True)
def _log_add(one: float, other: float) -> float:
    """Return the log of the sum of two numbers given by their logs; the second is finite."""
    if one > other:
        return one + math.log1p(math.exp(other - one))
    return other + math.log1p(math.exp(one - other))


@njit(cache=True, nogil=True)
def average_ratios(
    counts: FloatArray,
    base: FloatArray,
    n_ordered: int,
    strengths: FloatArray,
    weights: FloatArray,
    of_strengths: FloatArray,
    values: IntArray,
    labels: IntArray,
    removed: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the log ratio of each value's share in each class to its share in the base.

    A cell is a value, the class of a row with that value, and the weight of the row, which is first removed
    from the counts and from the posterior. Nothing is removed if the class is -1.

    Parameters
    ----------
    counts, base, n_ordered, strengths, weights, of_strengths
        As for :func:`partition_weights`, and what it returned.
    values, labels, removed : array of shape (n_cells,)
        Value, class and weight of each cell.

    Returns
    -------
    log_ratios : array of shape (n_cells, n_classes)
        Log ratios, averaged over strengths and segments.
    more : array of shape (n_cells,)
        Log evidence without the row less that with it.
    """
    n_values, n_classes = counts.shape
    # Cumulative sums, so that the rows and the base mass of any segment are one subtraction each.
    below, mass_below = np.zeros((n_values + 1, n_classes)), np.zeros(n_values + 1)
    for v in range(n_values):
        mass_below[v + 1] = mass_below[v] + base[v]
        for c in range(n_classes):
            below[v + 1, c] = below[v, c] + counts[v, c]
    found, more = np.zeros((len(values), n_classes)), np.zeros(len(values))
    inverses = np.ones((len(strengths), n_classes))
    for s in range(len(strengths)):
        for c in range(n_classes):
            if strengths[s] < np.inf:
                inverses[s, c] = 1.0 / (below[n_values, c] + strengths[s])
    for cell in range(len(values)):
        v, y, weight = values[cell], labels[cell], removed[cell]
        is_ordered = v < n_ordered
        of_class = below[n_values, y] if y >= 0 else 0.0
        fewer_of_class = max(of_class - weight, 0.0)
        total, of_own, log_unit = 0.0, 0.0, 0.0
        if y >= 0 and weight >= 2.0:
            log_unit = _log_unit(below, mass_below, n_ordered, strengths, weights, of_strengths, v, y, weight)
        for s in range(len(strengths)):
            strength = strengths[s]
            is_learned = strength < np.inf
            negligible = _NEGLIGIBLE
            if y >= 0:
                negligible *= _least_gain(of_class, fewer_of_class, strength, base[v], weight, log_unit)
            # All segments from i to j that contain the value v.
            for i in range(0 if is_ordered else v, v + 1):
                for j in range(v, n_ordered if is_ordered else v + 1):
                    share = weights[s, i, j] if is_ordered else of_strengths[s]
                    if share <= negligible:
                        continue
                    mass = base[v] if i == j else mass_below[j + 1] - mass_below[i]
                    if y >= 0:
                        seen = below[j + 1, y] - below[i, y]
                        fewer = max(seen - weight, 0.0)
                        # Without the row, the posterior of the segment loses the factor that the row had
                        # contributed.
                        share /= _gain_of_row(
                            seen, fewer, of_class, fewer_of_class, strength, mass, weight, log_unit
                        )
                        ratio = (fewer / mass + strength) / (fewer_of_class + strength) if is_learned else 1.0
                        of_own += share * ratio
                    total += share
                    # The row's own class is wrong here and corrected at the end, which avoids a branch.
                    fixed, inverse = (strength, 1.0 / mass) if is_learned else (1.0, 0.0)
                    for c in range(n_classes):
                        ratio = (below[j + 1, c] - below[i, c]) * inverse + fixed
                        found[cell, c] += share * ratio * inverses[s, c]
        for c in range(n_classes):
            found[cell, c] = math.log((of_own if c == y else found[cell, c]) / total)
        more[cell] = math.log(total) - log_unit
    return found, more


@njit(cache=True, nogil=True)
def _log_unit(
    below: FloatArray,
    mass_below: FloatArray,
    n_ordered: int,
    strengths: FloatArray,
    weights: FloatArray,
    of_strengths: FloatArray,
    v: int,
    y: int,
    weight: float,
) -> float:
    """Return the log of the factor of a heavy row in the evidence of the most probable segment.

    A heavy row changes the evidence by a factor beyond the range of a float64. Factors are therefore relative
    to this one.
    """
    is_ordered, of_class = v < n_ordered, below[len(below) - 1, y]
    heaviest, log_unit = 0.0, 0.0
    for s in range(len(strengths)):
        for i in range(0 if is_ordered else v, v + 1):
            for j in range(v, n_ordered if is_ordered else v + 1):
                share = weights[s, i, j] if is_ordered else of_strengths[s]
                if share > heaviest:
                    heaviest, mass = share, mass_below[j + 1] - mass_below[i]
                    seen = below[j + 1, y] - below[i, y]
                    log_unit = _log_gain_of_row(
                        seen,
                        max(seen - weight, 0.0),
                        of_class,
                        max(of_class - weight, 0.0),
                        strengths[s],
                        mass,
                    )
    return log_unit


@njit(cache=True, nogil=True)
def _gain_of_row(
    seen: float,
    own: float,
    of_class: float,
    total: float,
    strength: float,
    mass: float,
    weight: float,
    log_unit: float,
) -> float:
    """Return the factor of a row in the evidence of a segment, relative to the base and to a unit."""
    if weight == 1.0:
        return 1.0 if strength == np.inf else (own / mass + strength) / (total + strength)
    gain = _log_gain_of_row(seen, own, of_class, total, strength, mass) - log_unit
    return math.exp(min(max(gain, -_MAX_LOG), _MAX_LOG))


@njit(cache=True, nogil=True)
def _log_gain_of_row(
    seen: float, own: float, of_class: float, total: float, strength: float, mass: float
) -> float:
    """Return the log of the factor of a row in the evidence of a segment, relative to the base."""
    if strength == np.inf:
        return 0.0
    more = log_gain(seen, strength * mass) - log_gain(own, strength * mass)
    return more - log_gain(of_class, strength) + log_gain(total, strength)


@njit(cache=True, nogil=True)
def _least_gain(
    of_class: float, total: float, strength: float, mass: float, weight: float, log_unit: float
) -> float:
    """Return the smallest factor of a row in the evidence of any segment with its value.

    Removing the row divides by the factor, so a share that is negligible with the row may count without it.
    The factor is smallest for a segment without other rows of the class: the shortest one if the weight of
    the row is less than 1, and one with all of the base otherwise.
    """
    smallest = mass if weight < 1.0 else 1.0
    return min(1.0, _gain_of_row(weight, 0.0, of_class, total, strength, smallest, weight, log_unit))
