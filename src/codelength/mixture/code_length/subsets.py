r"""Sums over all clusterings by splitting off one cluster after another: no subtraction anywhere.

Let :math:`Q_j(r)` be the summed weight of all ways to split j clusters off the table, each of which
takes the topmost row left, so that the rows r are left. :math:`Q_j(\emptyset)` is then the sum over
all partitions into j clusters, and one pass gives it for every j. The topmost j rows are gone after j
steps, so each step costs a third of the one before: about :math:`3^{N-1}/2` products for the first and
3/4 of :math:`3^{N-1}` for all. Identical rows are counted, not distinguished: a cluster is then a choice of
the number of copies of each, and :math:`2^N` sets become :math:`\prod_d (c_d + 1)` states.

With a prior that is the same for all components, P(Z, D) is a product of one weight for each cluster, which
depends on the rows in it alone. Every row is in exactly one cluster, so a factor for each row and one for
each cluster can be divided out of the weights and multiplied into the sum. They are chosen so that no weight
is above 1: then nothing overflows, every partial product of a term is at least the term itself, and numbers
that underflow are below any term that counts.

Order of reading: :class:`Weights` and :func:`scaled_weights`, :class:`DigitOrder`, :func:`subsets_sums`.
Depends on ``clustering_sum`` (rows and prior) and ``_subset_kernels``.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from ...decisions import first_best, is_better
from ...typing import FloatArray, IntArray
from ..costs import Cost, count_of
from .clustering_sum import ClusteringSum

SMALLEST = 1e-290
"""Weights and sums of weights below this are dropped."""

ROUNDING = 2.0**-53
"""Largest relative error of one operation."""

_MAX_TURNS = 32

N_BITS = 4
"""Number of single rows that form a block if there are so many: fixed by the kernels."""

MIN_COPIES = 8
"""Number of copies from which those of one row form a block."""

TILE_STATES = 4096
"""Maximum number of states that are processed together: three arrays of this size fit in the cache."""

_SIZES_PER_SECOND = 2e4
_PRODUCTS_PER_SECOND = {True: 4e9, False: 5e8}
_STEPS_PER_SECOND = 2e8


@dataclass(frozen=True, slots=True)
class Weights:
    """Scaled weights of all states, which are numbered as in the kernels.

    Attributes
    ----------
    scaled : array of shape (n_states,)
        Each at most 1; its log plus ``cluster_log``, plus the logs taken out of its rows, is the log weight.
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
    low, high = (_log_factors(copies[part], row_logs[part]) for part in (slice(middle), slice(middle, None)))
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
    of the sum plus the entropy of the shares, which is at most n_rows log n_components. ``magnitude`` bounds
    the logs that were divided out.
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


def _log_factors(copies: IntArray, row_logs: FloatArray) -> FloatArray:
    """Return the sums of the log factors of the rows in each state."""
    sums = np.zeros(1)
    for n_copies, row_log in zip(copies.tolist(), row_logs.tolist(), strict=True):
        sums = np.add.outer(np.arange(n_copies + 1) * row_log, sums).ravel()
    return sums


@dataclass(frozen=True, slots=True)
class DigitOrder:
    """Order in which distinct rows become digits, lowest first.

    ``rows`` are the distinct rows in this order and ``copies`` the number of copies of each, both of shape
    (n_distinct,). The lowest ``n_low`` digits form a block: four single rows with all their subsets, or one
    row with many copies. With none a block is a single state.
    """

    rows: IntArray
    copies: IntArray
    n_low: int

    @property
    def by_bits(self) -> bool:
        """True if four single rows form a block."""
        return self.n_low == N_BITS

    @property
    def low(self) -> IntArray:
        """Copies of the digits that form a block."""
        return self.copies[: self.n_low]

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
    copies is, as a block if loops over its copies are long enough to be faster than look-ups.
    """
    rising = np.argsort(copies, kind="stable")
    if int(np.count_nonzero(copies == 1)) >= N_BITS:
        rows = np.concatenate((rising[:N_BITS], rising[N_BITS:][::-1]))
        return DigitOrder(rows, copies[rows], N_BITS)
    rows = rising[::-1]
    return DigitOrder(rows, copies[rows], int(copies[rows[0]] >= MIN_COPIES))


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
    (:class:`Weights`), whose own errors are not in there.
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
        add_cluster(remainders, weights, upper, order.middle, n_low, order.by_bits, True, out)
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
