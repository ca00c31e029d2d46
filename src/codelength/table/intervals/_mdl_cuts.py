"""Cut points by the minimum description length criterion of Fayyad and Irani (1993).

A split is accepted if the class entropy that it saves exceeds its cost; both sides of it are then split in
the same way. The work depends on the number of distinct pairs of value and class, not on that of rows. The
reference is in :func:`codelength.table.intervals.cuts.cut_points`.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...decisions import first_best, is_better
from ...typing import BoolArray, FloatArray, IntArray
from ._distinct import between, distinct_values


def mdl_cuts(values: FloatArray, classes: IntArray, weights: FloatArray | None) -> FloatArray:
    """Return cut points between values at which the class changes and a split pays."""
    kept = ~np.isnan(values) if weights is None else ~np.isnan(values) & (weights > 0)
    distinct, places = np.unique(values[kept], return_inverse=True)
    if len(distinct) < 2:
        return np.empty(0)
    names, codes = np.unique(classes[kept], return_inverse=True)
    # One cell per pair of value and class, so that the work does not depend on the number of rows.
    cells = (places * len(names) + codes).astype(np.float64)
    cells, totals = distinct_values(cells, None if weights is None else weights[kept])
    places, codes = np.divmod(cells.astype(np.int64), len(names))
    starts = _block_starts(places, codes, len(distinct))
    blocks = np.searchsorted(starts, places, side="right") - 1
    right = starts[_accepted_splits(blocks, codes, totals)]
    return between(distinct[right - 1], distinct[right])


def _block_starts(places: IntArray, codes: IntArray, n_places: int) -> IntArray:
    """Return starts of blocks of values, given the class codes at each place.

    Neighbouring values with one and the same class are a block: the best split never parts them.
    """
    alone = np.bincount(places, minlength=n_places)[places] == 1
    only = np.full(n_places, -1)
    only[places[alone]] = codes[alone]
    return np.flatnonzero(np.append(True, (only[1:] != only[:-1]) | (only[1:] < 0)))


def _accepted_splits(blocks: IntArray, codes: IntArray, totals: FloatArray) -> IntArray:
    """Return blocks that start a new bin; ``totals`` are the weights of the classes in each block."""
    splits: list[int] = []
    # A list of nodes instead of recursion: a column may have more splits than Python has stack frames.
    open_nodes = [(0, int(blocks[-1]) + 1)]
    while open_nodes:
        low, high = open_nodes.pop()
        node = slice(*np.searchsorted(blocks, (low, high)))
        split = _best_split(blocks[node] - low, codes[node], totals[node])
        if split and _pays(codes[node], totals[node], blocks[node] < low + split):
            splits.append(low + split)
            open_nodes += [(low, low + split), (low + split, high)]
    return np.sort(np.array(splits, dtype=np.int64))


def _best_split(blocks: IntArray, codes: IntArray, totals: FloatArray) -> int:
    """Return the first block to the right of the split of least class entropy; 0 if none is possible."""
    # Less than two rows cannot be parted, and the criterion is not defined for them.
    if blocks[-1] == 0 or is_better(2.0, totals.sum()):
        return 0
    sums = np.cumsum(np.bincount(blocks, totals))
    left, total = sums[:-1], sums[-1]
    # Class by class, what changes when one cell after the other moves from the right side to the left.
    order = np.argsort(codes, kind="stable")
    weights, ends = totals[order], np.cumsum(np.bincount(codes, totals))
    whole = np.bincount(codes, totals)[codes[order]]
    after = np.cumsum(weights) - (ends[codes[order]] - whole)
    before = after - weights
    change = _n_log_n(before) - _n_log_n(after) + _n_log_n(whole - before) - _n_log_n(whole - after)
    changes = np.cumsum(np.bincount(blocks[order], change))[:-1]
    # Up to a constant, the entropies of both sides times their weights.
    uncertainty = _n_log_n(left) + _n_log_n(total - left) + changes
    return first_best(-uncertainty, scale=float(_n_log_n(total))) + 1


def _pays(codes: IntArray, totals: FloatArray, left: BoolArray) -> bool:
    r"""Return True if a split saves more than it costs (Fayyad and Irani's criterion, times the weight).

    The split is accepted if the gain times the weight :math:`W` exceeds its cost,

    .. math:: W H - W_1 H_1 - W_2 H_2 > \log(W - 1) + \log(3^k - 2) - k H + k_1 H_1 + k_2 H_2

    for class entropies :math:`H` and numbers of classes :math:`k` of the bin and of its two sides.
    """
    whole = np.bincount(codes, totals)
    parts = [np.bincount(codes[side], totals[side]) for side in (left, ~left)]
    before = _entropy(whole) * whole.sum()
    saved = before - sum(_entropy(part) * part.sum() for part in parts)
    n_classes = np.count_nonzero(whole)
    # log(3**k - 2) without the power, which overflows for many classes.
    cost = n_classes * math.log(3) + math.log1p(-2 * 3.0**-n_classes)
    cost -= n_classes * _entropy(whole) - sum(np.count_nonzero(part) * _entropy(part) for part in parts)
    return is_better(saved, math.log(whole.sum() - 1) + cost, scale=before)


def _entropy(counts: NDArray[Any]) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def _n_log_n(counts: NDArray[Any]) -> FloatArray:
    # What a subtraction leaves of an empty count may be a little below zero.
    return np.asarray(counts * np.log(np.where(counts > 0, counts, 1.0)), dtype=np.float64)
