"""Weights of all possible clusters, and sums over pairs of states. Arrays in, arrays out, nothing checked.

A *state* is the number of copies of each distinct row in a cluster: a number in mixed radix whose digit
``d``, the lowest first, runs from 0 to ``caps[d]``. States that fit together are added without carry, so the
number of a union is the sum of the numbers. Sums may be reassociated for vectorisation: all terms are
positive, so every order is equally accurate. Order of reading: :func:`subset_log_weights`,
:func:`add_cluster`.
"""

import numpy as np
from numba import njit

from ...typing import FloatArray, IntArray
from .subsets import SMALLEST

Four = tuple[float, float, float, float]


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _add_products(
    remainders: FloatArray,
    weights: FloatArray,
    block: int,
    partners: IntArray,
    n_low: int,
    by_bits: bool,
    share: float,
    total: FloatArray,
) -> None:
    """Add the products of one block of remainders and clusters, for all partners of the block.

    A block is a single state, the copies of one row, or the 16 subsets of four single rows: then it adds the
    81 products of disjoint subsets, as nine times the nine of two rows.
    """
    if n_low == 1:
        product = 0.0
        for e in range(len(partners)):
            product += remainders[block + partners[e]] * weights[partners[e]]
        total[block] += share * product
        return
    if not by_bits:
        _add_copies(remainders, weights, block, partners, share, total[block * n_low : (block + 1) * n_low])
        return
    p0 = p1 = p2 = p3 = (0.0, 0.0, 0.0, 0.0)
    # By index: over the array itself the loop is not vectorised, and takes twice as long.
    for e in range(len(partners)):
        a, b = (block + partners[e]) * n_low, partners[e] * n_low
        q0, q1 = _four(remainders, a), _four(remainders, a + 4)
        q2, q3 = _four(remainders, a + 8), _four(remainders, a + 12)
        w0, w1 = _four(weights, b), _four(weights, b + 4)
        w2, w3 = _four(weights, b + 8), _four(weights, b + 12)
        # p0 to p3 are the sums for the remainders whose upper two bits are 00, 01, 10, 11. A remainder r
        # pairs with r + t for t disjoint from r, so 00 takes all four combinations and 11 only one.
        p0 = _pair(_pair(_pair(_pair(p0, q0, w0), q1, w1), q2, w2), q3, w3)
        p1 = _pair(_pair(p1, q1, w0), q3, w2)
        p2 = _pair(_pair(p2, q2, w0), q3, w1)
        p3 = _pair(p3, q3, w0)
    for r in range(4):
        at = block * n_low + r
        total[at] += share * p0[r]
        total[at + 4] += share * p1[r]
        total[at + 8] += share * p2[r]
        total[at + 12] += share * p3[r]


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _add_copies(
    remainders: FloatArray,
    weights: FloatArray,
    block: int,
    partners: IntArray,
    share: float,
    total: FloatArray,
) -> None:
    """Add the products of one block, whose states are the numbers of copies of one row."""
    n_low = len(total)
    part = np.zeros(n_low)
    for e in range(len(partners)):
        left, taken = remainders[(block + partners[e]) * n_low :], weights[partners[e] * n_low :]
        for t in range(n_low):
            for r in range(n_low - t):
                part[r] += left[r + t] * taken[t]
    for r in range(n_low):
        total[r] += share * part[r]


@njit(cache=True, nogil=True, inline="always")
def _four(numbers: FloatArray, at: int) -> Four:
    return numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]


@njit(cache=True, nogil=True, inline="always", fastmath={"contract", "reassoc"})
def _pair(p: Four, q: Four, w: Four) -> Four:
    """Add the products of disjoint subsets of two rows."""
    return (
        p[0] + q[0] * w[0] + q[1] * w[1] + q[2] * w[2] + q[3] * w[3],
        p[1] + q[1] * w[0] + q[3] * w[2],
        p[2] + q[2] * w[0] + q[3] * w[1],
        p[3] + q[3] * w[0],
    )


@njit(cache=True, nogil=True)
def _count_states(caps: IntArray) -> int:
    product = 1
    for d in range(len(caps)):
        product *= caps[d] + 1
    return product


@njit(cache=True, nogil=True)
def _advance(held: IntArray, caps: IntArray) -> None:
    """Advance to the digits of the next block."""
    for d in range(len(caps)):
        if held[d] < caps[d]:
            held[d] += 1
            return
        held[d] = 0


@njit(cache=True, nogil=True)
def _list_partners(held: IntArray, caps: IntArray, listed: IntArray) -> tuple[int, int, int]:
    """List, in increasing order, all blocks that fit together with the block of digits ``held``.

    Returns the topmost digit held that is above 0, or -1; the number of partners wholly below that digit, or
    1; and the number of partners.
    """
    listed[0] = 0
    n_listed, stride, top, n_below = 1, 1, -1, 1
    for d in range(len(caps)):
        if held[d] > 0:
            top, n_below = d, n_listed
        # The list of the lower digits is repeated for each value of this digit: the result is in increasing
        # order, and all partners with the same digit are consecutive.
        for j in range(1, caps[d] - held[d] + 1):
            for e in range(n_listed):
                listed[j * n_listed + e] = listed[e] + j * stride
        n_listed *= caps[d] - held[d] + 1
        stride *= caps[d] + 1
    return top, n_below, n_listed


@njit(cache=True, nogil=True)
def _partners_within_tile(middle: IntArray) -> tuple[IntArray, IntArray]:
    """List the blocks that fit together with each block of a tile, one list after another."""
    n_blocks = _count_states(middle)
    held, listed = np.zeros(len(middle), dtype=np.int64), np.empty(n_blocks, dtype=np.int64)
    starts = np.zeros(n_blocks + 1, dtype=np.int64)
    n_pairs = 1
    for d in range(len(middle)):
        n_pairs *= (middle[d] + 1) * (middle[d] + 2) // 2
    partners = np.empty(n_pairs, dtype=np.int64)
    for block in range(n_blocks):
        n_listed = _list_partners(held, middle, listed)[2]
        starts[block + 1] = starts[block] + n_listed
        for e in range(n_listed):
            partners[starts[block] + e] = listed[e]
        _advance(held, middle)
    return starts, partners


@njit(cache=True, nogil=True)
def _share_with_top(held: IntArray, caps: IntArray, top: int, taken: int) -> float:
    """Return the share of clusters with ``taken`` copies of the topmost row that hold one given copy.

    For partners that lie above digit ``top`` altogether the number is larger than all copies: share 1.
    """
    if top < 0 or taken > caps[top] - held[top]:
        return 1.0
    # By symmetry: of held + taken equal copies, each is in the cluster with the same probability.
    return float(taken / (held[top] + taken))


@njit(cache=True, nogil=True)
def subset_log_weights(
    cells: IntArray,
    copies: IntArray,
    spares: IntArray,
    size_logs: FloatArray,
    value_logs: FloatArray,
    total_logs: FloatArray,
) -> FloatArray:
    """Compute the log weight of every state: its evidence in one component, over factorials of its digits.

    Each is the log weight of the state with one row less, plus the log predictive probability of
    that row, so no chain is longer than the number of rows.

    Parameters
    ----------
    cells : array of shape (n_distinct, n_variables)
        Cells of the distinct rows.
    copies : array of shape (n_distinct,)
        Number of copies of each.
    spares : array of shape (n_variables,)
        Cells for missing.
    size_logs, value_logs, total_logs : arrays
        Logs of counts plus pseudocounts, from :meth:`ClusteringSum.step_tables`.

    Returns
    -------
    array of shape (n_states,)
        The log weights.
    """
    n_states = _count_states(copies)
    log_weights = np.zeros(n_states)
    held = np.zeros(len(copies), dtype=np.int64)
    counts = np.zeros(len(value_logs), dtype=np.int64)
    size = 0
    for state in range(1, n_states):
        # Increment in mixed radix: full digits are reset, and the counts of their rows with them.
        d, stride = 0, 1
        while held[d] == copies[d]:
            stride *= copies[d] + 1
            size -= held[d]
            for cell in cells[d]:
                counts[cell] -= held[d]
            held[d] = 0
            d += 1
        step = size_logs[size]
        for i in range(len(spares)):
            cell = cells[d, i]
            # A missing cell is marginalised: it is not a factor, but it is counted, so that the number of
            # rows with an observed value is size minus missing.
            if cell != spares[i]:
                step += value_logs[cell, counts[cell]] - total_logs[i, size - counts[spares[i]]]
            counts[cell] += 1
        held[d] += 1
        size += 1
        # Divided by the factorial of each digit, so that choices of copies are not counted several times.
        if held[d] > 1:
            step -= np.log(held[d])
        # The state without one copy of row d: exactly the rows that are counted at this point.
        log_weights[state] = log_weights[state - stride] + step
    return log_weights


@njit(cache=True, nogil=True)
def add_cluster(
    remainders: FloatArray,
    weights: FloatArray,
    upper: IntArray,
    middle: IntArray,
    n_low: int,
    by_bits: bool,
    takes_top: bool,
    out: FloatArray,
) -> None:
    r"""Give rows that are left to one more cluster.

    ``remainders[s]`` is the summed weight of all ways to share rows out over some clusters until ``s`` is
    left. With one cluster more it is

    .. math:: out(r) = \sum_t share(r, t)\, w(t)\, remainders(r + t)

    over all ``t`` that fit together with ``r``, with a share of 1. If the cluster has to take a copy of the
    topmost row left (``takes_top``), which makes its choice unique, the sum is over all ``t`` that hold a
    copy of the topmost row of ``r + t``, and the share is that of one given copy. Every term is positive.

    The lowest digits form blocks of ``n_low`` states: none of them, one, or four single rows (``by_bits``).
    Blocks form tiles, which fit in the cache, over the digits whose copies are ``middle``; ``upper`` are the
    copies left of the other digits.
    """
    starts, partners = _partners_within_tile(middle)
    n_tile = n_low * (len(starts) - 1)
    held, listed = np.zeros(len(upper), dtype=np.int64), np.empty(_count_states(upper), dtype=np.int64)
    # Tiles outside, partners inside: a tile of sums stays in the cache while all its partners are added.
    for tile in range(len(out) // n_tile):
        total = out[tile * n_tile : (tile + 1) * n_tile]
        total.fill(0.0)
        top, n_below, n_listed = _list_partners(held, upper, listed)
        if takes_top and top < 0:
            _add_within_tile(remainders, weights, middle, n_low, by_bits, total)
        # Partners that hold a copy of the topmost row start after those wholly below it.
        for e in range(n_below if takes_top else 0, n_listed):
            left = remainders[(tile + listed[e]) * n_tile : (tile + listed[e] + 1) * n_tile]
            taken = weights[listed[e] * n_tile : (listed[e] + 1) * n_tile]
            share = _share_with_top(held, upper, top, e // n_below) if takes_top else 1.0
            for block in range(len(starts) - 1):
                chosen = partners[starts[block] : starts[block + 1]]
                _add_products(left, taken, block, chosen, n_low, by_bits, share, total)
        # Sums that small may contain denormal terms without full precision: they are dropped, and the callers
        # bound the loss.
        for r in range(n_tile):
            if total[r] < SMALLEST:
                total[r] = 0.0
        _advance(held, upper)


@njit(cache=True, nogil=True)
def _add_within_tile(
    remainders: FloatArray,
    weights: FloatArray,
    middle: IntArray,
    n_low: int,
    by_bits: bool,
    total: FloatArray,
) -> None:
    """Add the part of the sum in which neither state holds anything above the lowest tile."""
    for r in range(n_low):
        for t in range(1, n_low):
            # Within the lowest block, disjoint bits fit together; t > r means that t has the topmost bit.
            if by_bits and t > r and r & t == 0:
                total[r] += remainders[r + t] * weights[t]
            elif not by_bits and r + t < n_low:
                total[r] += t / (r + t) * remainders[r + t] * weights[t]
    held, listed = np.zeros(len(middle), dtype=np.int64), np.empty(_count_states(middle), dtype=np.int64)
    for block in range(len(listed)):
        top, n_below, n_listed = _list_partners(held, middle, listed)
        step = n_below if top >= 0 else n_listed
        for first in range(n_below, n_listed, step):
            share = _share_with_top(held, middle, top, first // n_below)
            chosen = listed[first : min(first + step, n_listed)]
            _add_products(remainders, weights, block, chosen, n_low, by_bits, share, total)
        _advance(held, middle)
