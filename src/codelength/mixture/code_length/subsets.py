r"""Sums over all clusterings by splitting off one cluster after another: no subtraction anywhere.

Let :math:`Q_j(r)` be the summed weight of all ways to split j clusters off the table, each of which
takes the topmost row left, so that the rows r are left. :math:`Q_j(\emptyset)` is then the sum over
all partitions into j clusters, and one pass gives it for every j. The topmost j rows are gone after j
steps, so each step costs a third of the one before: about :math:`3^{N-1}/2` products for the first and
3/4 of :math:`3^{N-1}` for all. Identical rows are counted, not distinguished: a cluster is then a choice of
the number of copies of each, and :math:`2^N` sets become :math:`\prod_d (c_d + 1)` states.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from ...typing import FloatArray, IntArray
from ..costs import Cost, count_of
from .cluster_weights import ROUNDING, SMALLEST, Weights, scaled_weights
from .clustering_sum import ClusteringSum

N_BITS = 4
"""Number of single rows that form a block if there are so many: fixed by the kernels."""

TILE_STATES = 4096
"""Maximum number of states that are processed together: three arrays of this size fit in the cache."""

_SIZES_PER_SECOND = 2e4
_PRODUCTS_PER_SECOND = {True: 4e9, False: 5e8}
_STEPS_PER_SECOND = 2e8


@dataclass(frozen=True, slots=True)
class DigitOrder:
    """Order in which distinct rows become digits, lowest first.

    ``rows`` are the distinct rows in this order and ``copies`` the number of copies of each, both of shape
    (n_distinct,). With ``by_bits`` the lowest four digits are single rows, whose subsets form a block; else
    a block is a single state.
    """

    rows: IntArray
    copies: IntArray
    by_bits: bool

    @property
    def low(self) -> IntArray:
        """Copies of the digits that form a block."""
        return self.copies[: N_BITS if self.by_bits else 0]

    @property
    def middle(self) -> IntArray:
        """Copies of the digits above, over which blocks form a tile."""
        n_states = _n_states(self.low) * np.cumprod(self.copies[len(self.low) :] + 1.0)
        return self.copies[len(self.low) :][n_states <= TILE_STATES]

    @property
    def n_tile(self) -> int:
        """States in a tile."""
        return _n_states(self.low) * _n_states(self.middle)

    def left(self, n_clusters: int) -> IntArray:
        """Return the copies of the digits above that may be left after a number of clusters is split off."""
        caps = self.copies[len(self.low) + len(self.middle) :].copy()
        # Each cluster takes at least one copy of the topmost row left.
        for d in range(len(caps) - 1, -1, -1):
            taken = min(n_clusters, int(caps[d]))
            caps[d] -= taken
            n_clusters -= taken
        return caps


def digit_order(copies: IntArray) -> DigitOrder:
    """Return the order of the rows as digits.

    Single rows are at the top, where every step removes one of them: this makes the next step cheaper by a
    factor of three. But if there are four, four of them are at the bottom, as a block; else the row with most
    copies is.
    """
    rising = np.argsort(copies, kind="stable")
    by_bits = int(np.count_nonzero(copies == 1)) >= N_BITS
    n_first = N_BITS if by_bits else 0
    rows = np.concatenate((rising[:n_first], rising[n_first:][::-1]))
    return DigitOrder(rows, copies[rows], by_bits)


def subsets_cost(problem: ClusteringSum, order: DigitOrder) -> Cost:
    """Estimate the cost of the sums for all numbers of components."""
    n_states, n_clusters = _count(order.copies + 1.0), min(problem.n_components, problem.n_rows)
    within_tile = _n_pairs(order.low) * _n_pairs(order.middle)
    n_products = 0.0
    for j in range(1, n_clusters):
        upper = order.left(j)
        # Of the last step, only the sum at the state without rows is needed.
        n_products += within_tile * (_n_pairs(upper) / 2 if j + 1 < n_clusters else _count(upper + 1.0))
    seconds = n_states * (problem.n_variables + 5) / _STEPS_PER_SECOND
    seconds += n_products / _PRODUCTS_PER_SECOND[order.by_bits] + problem.n_components / _SIZES_PER_SECOND
    n_left = order.n_tile * (_count(order.left(1) + 1.0) + _count(order.left(2) + 1.0))
    return Cost(seconds, 8 * (n_states + n_left) + problem.table_bytes)


def subsets_sums(
    problem: ClusteringSum, order: DigitOrder, n_components: int
) -> tuple[FloatArray, FloatArray, float]:
    """Sum products of cluster weights over all clusterings, for 1 .. ``n_components`` components.

    Returns the log sums, bounds on the relative errors of the summation, and the log magnitude of the weights
    (:class:`~codelength.mixture.code_length.cluster_weights.Weights`), whose own errors are not in there.
    """
    weights = scaled_weights(problem, problem.distinct.cells[order.rows], order.copies, n_components)
    partitions = _partition_sums(weights.scaled, order, min(n_components, problem.n_rows))
    logs, dropped = _labelled(partitions, weights, order.copies, n_components)
    errors = _rounding_of_sums(order, len(partitions)) + dropped
    return logs + weights.rows_log, errors, weights.log_magnitude


def _partition_sums(weights: FloatArray, order: DigitOrder, n_clusters: int) -> FloatArray:
    """Sum the scaled weights of all partitions into exactly 1 .. ``n_clusters`` clusters."""
    from ._subset_kernels import add_cluster

    remainders = _after_first(weights, order)
    sums = [remainders[0]]
    n_low = _n_states(order.low)
    for j in range(2, n_clusters + 1):
        # Rows that cannot be left any more need no states; in the last step only the empty remainder is
        # needed.
        n_tiles = _n_states(order.left(j)) if j < n_clusters else 1
        out = np.empty(n_tiles * order.n_tile)
        upper = order.left(j - 1)
        add_cluster(remainders, weights, upper, order.middle, n_low, True, out)
        remainders = out
        sums.append(remainders[0])
    return np.array(sums)


def _after_first(weights: FloatArray, order: DigitOrder) -> FloatArray:
    """Return the remainders after one cluster, which holds a copy of the topmost row, is split off."""
    n_top = int(order.copies[-1])
    stride = len(weights) // (n_top + 1)
    n_states = order.n_tile * _n_states(order.left(1))
    # The complement of state s is the last state minus s, so complements are the weights in reverse order.
    remainders = weights[::-1][:n_states].copy()
    for held in range(n_top + 1):
        remainders[held * stride : (held + 1) * stride] *= (n_top - held) / n_top
    return remainders


def _labelled(
    partitions: FloatArray, weights: Weights, copies: IntArray, n_components: int
) -> tuple[FloatArray, FloatArray]:
    """Convert sums over partitions to log sums over clusterings with labels, and bound the dropped terms.

    A partition into j clusters is labelled in K (K - 1) ... (K - j + 1) ways. For one of the sums
    at most as many partial products below the smallest number were dropped as there are ways to share the
    copies of each row out over j clusters, ``(c + j - 1 choose c)`` for a row of c copies, and the further
    factors of each are at most 1.
    """
    j = np.arange(1, len(partitions) + 1)
    with np.errstate(divide="ignore"):
        logs = np.log(partitions)
    dropped = math.log(4 * SMALLEST) + np.log(j) + _log_shared_out(copies, j)
    sums, losses = np.empty(n_components), np.empty(n_components)
    for k in range(n_components):
        usable = j[: k + 1]
        labels = np.cumsum(np.log(k + 2.0 - usable)) + usable * weights.cluster_log
        sums[k] = np.logaddexp.reduce(labels + logs[: k + 1])
        losses[k] = np.exp(min(np.logaddexp.reduce(labels + dropped[: k + 1]) - sums[k], 700.0))
    return sums, losses


def _log_shared_out(copies: IntArray, n_clusters: IntArray) -> FloatArray:
    """Return the log number of ways to share all copies out over clusters, for each number of clusters."""
    kinds, how_often = np.unique(copies, return_counts=True)
    c, j = kinds[:, None], n_clusters
    ways = gammaln(c + j) - gammaln(j) - gammaln(c + 1)
    return np.asarray(how_often @ ways)


def _rounding_of_sums(order: DigitOrder, n_clusters: int) -> float:
    """Bound the relative error of sums of positive terms by the longest chain of operations."""
    return ROUNDING * (n_clusters * (2 * order.n_tile + _n_states(order.left(1)) + 8) + 16)


def _n_states(copies: IntArray) -> int:
    return math.prod((copies + 1).tolist())


def _n_pairs(copies: IntArray) -> float:
    """Pairs of states that fit together."""
    return _count((copies + 1.0) * (copies + 2.0) / 2)


def _count(factors: NDArray[np.floating]) -> float:
    return count_of(float(np.log(factors).sum()))
