r"""Weight of every set of rows as one cluster, scaled to the range of floats.

With a prior that is the same for all components, P(Z, D) is a product of one weight for each
cluster, which depends on the rows in it alone. Every row is in exactly one cluster, so a factor for
each row and one for each cluster can be divided out of the weights and multiplied into the sum. They are
chosen so that no weight is above 1: then nothing overflows, every partial product of a term is at least
the term itself, and numbers that underflow are below any term that counts.
"""

import math
from dataclasses import dataclass

import numpy as np

from ...decisions import first_best, is_better
from ...typing import FloatArray, IntArray
from .clustering_sum import ClusteringSum

SMALLEST = 1e-290
"""Weights and sums of weights below this are dropped."""

ROUNDING = 2.0**-53
"""Largest relative error of one operation."""

_MAX_TURNS = 32


@dataclass(frozen=True, slots=True)
class Weights:
    """Scaled weights of all states, which are numbered as in the kernels.

    Attributes
    ----------
    scaled : array of shape (n_states,)
        Each at most 1; the log weight of a state is the log of this, plus ``cluster_log``, plus the
        logs taken out of its rows.
    rows_log : float
        Log factor divided out of all rows together, including the factorials of the copies.
    cluster_log : float
        Log factor divided out of each cluster.
    log_magnitude : float
        Bound on the absolute values of all logs that were added up for one clustering, apart from the
        predictive ones.
    """

    scaled: FloatArray
    rows_log: float
    cluster_log: float
    log_magnitude: float


def scaled_weights(problem: ClusteringSum, cells: IntArray, copies: IntArray, n_components: int) -> Weights:
    """Compute the weights of all states of these distinct rows, scaled for a number of components.

    Parameters
    ----------
    problem : ClusteringSum
        The rows and the prior.
    cells : array of shape (n_distinct, n_variables)
        Cells of the distinct rows, in the order of the digits.
    copies : array of shape (n_distinct,)
        Number of copies of each.
    n_components : int
        Number of components that the scale is chosen for.
    """
    from ._subset_kernels import subset_log_weights

    logs = subset_log_weights(cells, copies, problem.spares, *problem.step_tables())
    strides = np.concatenate(([1], np.cumprod(copies + 1)[:-1]))
    # The factor of a row is its contribution in a good clustering.
    row_logs = np.empty(len(copies))
    for members in _good_clustering(logs, copies, strides, n_components):
        row_logs[members] = _mean_increments(logs, strides, np.repeat(members, copies[members]))[members]
    # In two halves, each of about the square root of the states: no second array of all states is needed.
    middle = len(copies) // 2
    low, high = (_sums(copies[part], row_logs[part]) for part in (slice(middle), slice(middle, None)))
    table = logs.reshape(len(high), len(low))
    table -= low
    table -= high[:, None]
    # State 0, the empty cluster, is left out: it has weight 1 and is not a cluster of a partition.
    cluster_log = max(0.0, float(logs[1:].max()))
    logs -= cluster_log
    scaled = np.exp(logs, out=logs)
    scaled[scaled < SMALLEST] = 0.0
    factorials = math.fsum(math.lgamma(n + 1) for n in copies.tolist())
    n_clusters = min(n_components, problem.n_rows)
    magnitude = float(np.abs(row_logs) @ copies) + n_clusters * cluster_log + factorials
    return Weights(scaled, float(row_logs @ copies) + factorials, cluster_log, magnitude)


def rounding_of_terms(
    problem: ClusteringSum, magnitude: float, n_components: int, code_length: float
) -> float:
    r"""Bound the relative error that the logs of the terms bring into their sum.

    A term of code length L is a sum of n_rows (n_variables + 1) logs, added with an error of at most
    :math:`(n_{variables} + n_{rows} + 8)\, u\, (L + magnitude)`, and the logs in the tables have an error
    of their own. The mean of L over all terms, each weighted by its share of the sum, is the code length
    of the sum plus the entropy of the shares, which is at most n_rows log n_components.

    Parameters
    ----------
    problem : ClusteringSum
        The rows and the prior.
    magnitude : float
        Bound on the logs that were divided out.
    n_components : int
        Number of components.
    code_length : float
        Code length of the sum.
    """
    n_rows, n_variables = problem.n_rows, problem.n_variables
    largest = problem.largest_log
    mean = max(code_length, 0.0) + n_rows * math.log(n_components)
    added = (n_variables + n_rows + 8) * (mean + magnitude + 2 * n_rows * largest)
    looked_up = 5 * n_rows * (n_variables + 1) * (largest + 1)
    return ROUNDING * (added + looked_up)


def _good_clustering(
    logs: FloatArray, copies: IntArray, strides: IntArray, n_components: int
) -> list[IntArray]:
    """Find a good clustering; return the distinct rows of each cluster.

    Clusters are merged, the best pair first, starting from one cluster for each distinct row. Of the
    clusterings with few enough clusters met on the way, the most probable is taken.
    """
    clusters, states = [np.array([d]) for d in range(len(copies))], copies * strides
    best, best_log = clusters, -math.inf
    while True:
        total = math.fsum(logs[states])
        if len(states) <= n_components and is_better(total, best_log):
            best, best_log = clusters, total
        if len(states) == 1:
            return best
        # The weight of a union is a look-up: states of disjoint clusters are added.
        first, second = np.tril_indices(len(states), k=-1)
        gains = logs[states[first] + states[second]] - logs[states[first]] - logs[states[second]]
        # Ties up to rounding go to the first pair, so that the scaling is reproducible.
        pair = first_best(gains, float(np.abs(logs[states]).max()))
        a, b = first[pair], second[pair]
        merged, state = np.concatenate((clusters[a], clusters[b])), states[a] + states[b]
        clusters = [*(rows for c, rows in enumerate(clusters) if c not in (a, b)), merged]
        states = np.append(np.delete(states, [a, b]), state)


def _mean_increments(logs: FloatArray, strides: IntArray, rows: IntArray) -> FloatArray:
    """Return the mean contribution of one copy of each row to the log weight of a cluster.

    The mean is over rotations of an order, because early rows cost much and late ones little. It is close to
    the Shapley value and leaves few subsets of the cluster above the sum of their rows, so that little has to
    be divided out of every cluster.
    """
    sums = np.zeros(len(strides))
    n_turns = 0
    for order in (rows, rows[::-1]):
        for turn in range(0, len(rows), -(-len(rows) // _MAX_TURNS)):
            turned = np.roll(order, turn)
            increments = np.diff(logs[np.cumsum(strides[turned])], prepend=0.0)
            sums += np.bincount(turned, increments, len(strides))
            n_turns += 1
    return sums / n_turns / np.maximum(np.bincount(rows, minlength=len(strides)), 1)


def _sums(copies: IntArray, row_logs: FloatArray) -> FloatArray:
    """Return the sums of the log factors of the rows in each state."""
    sums = np.zeros(1)
    for n_copies, row_log in zip(copies.tolist(), row_logs.tolist(), strict=True):
        sums = np.add.outer(np.arange(n_copies + 1) * row_log, sums).ravel()
    return sums
