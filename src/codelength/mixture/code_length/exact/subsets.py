r"""Sums over all clusterings by splitting off one cluster after another: no subtraction anywhere.

Let :math:`Q_j(r)` be the summed weight of all ways to split j clusters off the table, each of which
takes the topmost row left, so that the rows r are left. :math:`Q_j(\emptyset)` is then the sum over
all partitions into j clusters, and one pass gives it for every j. The topmost j rows are gone after j
steps, so each step costs a third of the one before: about :math:`3^{N-1}/2` products for the first and
3/4 of :math:`3^{N-1}` for all. Identical rows are counted, not told apart: a cluster is then a choice of
how many copies of each, and :math:`2^N` sets become :math:`\prod_d (c_d + 1)` states.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....typing import FloatArray, IntArray
from .costs import Cost, count_of
from .mixture import DistinctRows, Mixture, table_bytes
from .sums import Sums
from .weights import ROUNDING, SMALLEST, Weights, scaled_weights

N_BITS = 4
"""Single rows that form the lowest block where there are so many: fixed by the kernels."""

TILE_STATES = 4096
"""Most states that are worked on together: three arrays of so many floats fit in the cache."""

_PRODUCTS_A_SECOND = {True: 4e9, False: 5e8}
_STEPS_A_SECOND = 2e8


@dataclass(frozen=True, slots=True)
class Layout:
    """In which order distinct rows become digits, lowest first.

    Attributes
    ----------
    order : array of shape (n_distinct,)
        The distinct rows, lowest digit first.
    copies : array of shape (n_distinct,)
        Copies of each, in this order.
    by_bits : bool
        Whether the lowest four digits are single rows, to be taken together; else the lowest digit
        stands alone.
    """

    order: IntArray
    copies: IntArray
    by_bits: bool

    @property
    def low(self) -> IntArray:
        """Copies of the digits that form a block."""
        return self.copies[: N_BITS if self.by_bits else 1]

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
        """Copies of the digits above that may be left when so many clusters are split off."""
        caps = self.copies[len(self.low) + len(self.middle) :].copy()
        for d in range(len(caps) - 1, -1, -1):
            taken = min(n_clusters, int(caps[d]))
            caps[d] -= taken
            n_clusters -= taken
        return caps


def layouts(copies: IntArray) -> list[Layout]:
    """The ways to lay out the rows.

    Single rows go to the top, where a step takes one of them off: it makes the next step cheaper by
    three. Four of them may form the lowest block; else the row with most copies does.
    """
    rising = np.argsort(copies, kind="stable")
    n_single = int(np.count_nonzero(copies == 1))
    falling = rising[::-1]
    found = [Layout(falling, copies[falling], False)]
    if n_single >= N_BITS:
        order = np.concatenate((rising[:N_BITS], rising[N_BITS:][::-1]))
        found.append(Layout(order, copies[order], True))
    return found


def subsets_cost(layout: Layout, mixture: Mixture) -> Cost:
    """Estimated cost of the sums for all numbers of components."""
    n_states, n_clusters = _count(layout.copies + 1.0), min(mixture.n_components, mixture.n_rows)
    within_tile = _n_pairs(layout.low) * _n_pairs(layout.middle)
    n_products = 0.0
    for j in range(1, n_clusters):
        upper = layout.left(j)
        # Of the last step, only the sum at the state of no rows is wanted.
        n_products += within_tile * (_n_pairs(upper) / 2 if j + 1 < n_clusters else _count(upper + 1.0))
    seconds = n_states * (mixture.n_variables + 5) / _STEPS_A_SECOND
    seconds += n_products / _PRODUCTS_A_SECOND[layout.by_bits]
    n_left = layout.n_tile * (_count(layout.left(1) + 1.0) + _count(layout.left(2) + 1.0))
    return Cost(seconds, 8 * (n_states + n_left) + table_bytes(mixture, 1))


def subsets_sums(mixture: Mixture, distinct: DistinctRows, layout: Layout, n_components: int) -> Sums:
    """Log sums over all clusterings into 1 .. ``n_components`` components, with bounds on their errors."""
    weights = scaled_weights(mixture, distinct.cells[layout.order], layout.copies, n_components)
    partitions = _partition_sums(weights.scaled, layout, min(n_components, mixture.n_rows))
    logs, dropped = _labelled(partitions, weights, mixture.n_rows, n_components)
    errors = _rounding_of_sums(layout, len(partitions)) + dropped
    return Sums(logs + weights.rows_log, errors, weights.log_magnitude)


def _partition_sums(weights: FloatArray, layout: Layout, n_clusters: int) -> FloatArray:
    """Summed scaled weights of all partitions into exactly 1 .. ``n_clusters`` clusters."""
    from ._subset_kernels import split_off

    remainders = _after_first(weights, layout)
    sums = [remainders[0]]
    n_low = _n_states(layout.low)
    for j in range(2, n_clusters + 1):
        n_tiles = _n_states(layout.left(j)) if j < n_clusters else 1
        out = np.empty(n_tiles * layout.n_tile)
        upper = layout.left(j - 1)
        split_off(remainders, weights, upper, layout.middle, n_low, layout.by_bits, SMALLEST, out)
        remainders = out
        sums.append(remainders[0])
    return np.array(sums)


def _after_first(weights: FloatArray, layout: Layout) -> FloatArray:
    """The remainders when one cluster, which holds a copy of the topmost row, is split off."""
    n_top = int(layout.copies[-1])
    stride = len(weights) // (n_top + 1)
    n_states = layout.n_tile * _n_states(layout.left(1))
    remainders = weights[::-1][:n_states].copy()
    for held in range(n_top + 1):
        remainders[held * stride : (held + 1) * stride] *= (n_top - held) / n_top
    return remainders


def _labelled(
    partitions: FloatArray, weights: Weights, n_rows: int, n_components: int
) -> tuple[FloatArray, FloatArray]:
    """Log sums over clusterings, whose clusters have labels and may be empty, and what dropping cost.

    A partition into j clusters is labelled in K (K - 1) ... (K - j + 1) ways. At most ``j ** n_rows``
    partial products below the smallest number were dropped on the way to one of the sums, and what
    each would have been multiplied by is at most 1.
    """
    j = np.arange(1, len(partitions) + 1)
    with np.errstate(divide="ignore"):
        logs = np.log(partitions)
    dropped = math.log(4 * SMALLEST) + (n_rows + 1) * np.log(j)
    sums, losses = np.empty(n_components), np.empty(n_components)
    for k in range(n_components):
        usable = j[: k + 1]
        labels = np.cumsum(np.log(k + 2.0 - usable)) + usable * weights.cluster_log
        sums[k] = np.logaddexp.reduce(labels + logs[: k + 1])
        losses[k] = np.exp(min(np.logaddexp.reduce(labels + dropped[: k + 1]) - sums[k], 700.0))
    return sums, losses


def _rounding_of_sums(layout: Layout, n_clusters: int) -> float:
    """Bound on the relative error of sums of positive terms: the longest chain of operations."""
    return ROUNDING * (n_clusters * (2 * layout.n_tile + _n_states(layout.left(1)) + 8) + 16)


def _n_states(copies: IntArray) -> int:
    return math.prod((copies + 1).tolist())


def _n_pairs(copies: IntArray) -> float:
    """Pairs of states that fit together."""
    return _count((copies + 1.0) * (copies + 2.0) / 2)


def _count(factors: NDArray[np.floating]) -> float:
    return count_of(float(np.log(factors).sum()))
