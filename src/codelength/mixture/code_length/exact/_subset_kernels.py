"""Weights of all possible clusters, and sums over clusters split off. Arrays in, arrays out, nothing checked.

A *state* is the number of copies of each distinct row in a cluster: a number in mixed radix whose digit
``d``, the lowest first, runs from 0 to ``caps[d]``. States that fit together are added without carry, so the
number of a union is the sum of the numbers. Sums may be reassociated for vectorisation: all terms are
positive, so every order is equally accurate.
"""

import numpy as np
from numba import njit

from ....typing import FloatArray, IntArray
from .problem import StepTables

N_BITS = 4
"""Number of lowest digits that are processed together, in registers, if each is a single row."""

Four = tuple[float, float, float, float]


@njit(cache=True, nogil=True)
def add_products(
    remainders: FloatArray,
    weights: FloatArray,
    block: int,
    partners: IntArray,
    by_bits: bool,
    share: float,
    part: FloatArray,
    total: FloatArray,
) -> None:
    """Add the products of one block of remainders and clusters, for all partners of the block.

    Parameters
    ----------
    remainders, weights : arrays of shape (n_tile,)
        Summed weights of the remainders, and weights of the clusters, of one pair of tiles.
    block : int
        The block of remainders.
    partners : array
        Blocks that fit together with it.
    by_bits : bool
        Whether a block is four single rows, rather than one digit.
    share : float
        Factor of the products.
    part : array of shape (n_low,)
        Scratch.
    total : array of shape (n_tile,)
        Sums, to which the products are added.
    """
    if by_bits:
        _products_of_bits(remainders, weights, block, partners, part)
    else:
        _products_of_digit(remainders, weights, block, partners, part)
    start = block * len(part)
    for r in range(len(part)):
        total[start + r] += share * part[r]


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _products_of_digit(
    remainders: FloatArray, weights: FloatArray, block: int, partners: IntArray, part: FloatArray
) -> None:
    """Add the products within one digit, which may hold many copies of its row."""
    n_low = len(part)
    part.fill(0.0)
    for e in range(len(partners)):
        partner = partners[e]
        left = remainders[(block + partner) * n_low : (block + partner + 1) * n_low]
        taken = weights[partner * n_low : (partner + 1) * n_low]
        for t in range(n_low):
            for r in range(n_low - t):
                part[r] += left[r + t] * taken[t]


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _products_of_bits(
    remainders: FloatArray, weights: FloatArray, block: int, partners: IntArray, part: FloatArray
) -> None:
    """Add the 81 products of disjoint subsets of four rows, as nine times the nine of two rows."""
    p0 = p1 = p2 = p3 = (0.0, 0.0, 0.0, 0.0)
    # By index: over the array itself the loop is not vectorised, and takes twice as long.
    for e in range(len(partners)):
        partner = partners[e]
        a, b = (block + partner) << N_BITS, partner << N_BITS
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
        part[r], part[4 + r], part[8 + r], part[12 + r] = p0[r], p1[r], p2[r], p3[r]


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
def count_states(caps: IntArray) -> int:
    """Return the number of states."""
    product = 1
    for d in range(len(caps)):
        product *= caps[d] + 1
    return product


@njit(cache=True, nogil=True)
def advance(held: IntArray, caps: IntArray) -> None:
    """Advance to the digits of the next block."""
    for d in range(len(caps)):
        if held[d] < caps[d]:
            held[d] += 1
            return
        held[d] = 0


@njit(cache=True, nogil=True)
def list_partners(held: IntArray, caps: IntArray, listed: IntArray) -> tuple[int, int, int]:
    """List, in increasing order, all blocks that fit together with the block held.

    Parameters
    ----------
    held : array of shape (n_digits,)
        Digits of the block.
    caps : array of shape (n_digits,)
        Largest value of each digit.
    listed : array
        Receives the partners.

    Returns
    -------
    top : int
        Topmost digit of the block held that is above 0; -1 if there is none.
    n_below : int
        Number of partners wholly below that digit.
    n_listed : int
        Number of partners.
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
def partners_within_tile(middle: IntArray) -> tuple[IntArray, IntArray]:
    """List the blocks that fit together with each block of a tile, one list after another."""
    n_blocks = count_states(middle)
    held = np.zeros(len(middle), dtype=np.int64)
    starts = np.zeros(n_blocks + 1, dtype=np.int64)
    listed = np.empty(n_blocks, dtype=np.int64)
    n_pairs = 1
    for d in range(len(middle)):
        n_pairs *= (middle[d] + 1) * (middle[d] + 2) // 2
    partners = np.empty(n_pairs, dtype=np.int64)
    for block in range(n_blocks):
        n_listed = list_partners(held, middle, listed)[2]
        starts[block + 1] = starts[block] + n_listed
        for e in range(n_listed):
            partners[starts[block] + e] = listed[e]
        advance(held, middle)
    return starts, partners


@njit(cache=True, nogil=True)
def share_with_top(held: IntArray, caps: IntArray, top: int, taken: int) -> float:
    """Return the share of clusters with ``taken`` copies of the topmost row that hold one given copy.

    For partners that lie above digit ``top`` altogether the number is larger than all copies: share 1.
    """
    if top < 0 or taken > caps[top] - held[top]:
        return 1.0
    # By symmetry: of held + taken equal copies, each is in the cluster with the same probability.
    return float(taken / (held[top] + taken))


@njit(cache=True, nogil=True)
def subset_log_weights(cells: IntArray, copies: IntArray, spares: IntArray, tables: StepTables) -> FloatArray:
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
    tables : StepTables
        Logs of counts plus pseudocounts.

    Returns
    -------
    array of shape (n_states,)
        The log weights.
    """
    size_logs, value_logs, total_logs = tables.size_logs[0], tables.value_logs[0], tables.total_logs[0]
    n_states = count_states(copies)
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
        step = 0.0
        for i in range(len(spares)):
            cell = cells[d, i]
            if cell != spares[i]:
                step += value_logs[cell, counts[cell]] - total_logs[i, size - counts[spares[i]]]
            counts[cell] += 1
        step += size_logs[size]
        held[d] += 1
        size += 1
        # Divided by the factorial of each digit, so that choices of copies are not counted several times.
        if held[d] > 1:
            step -= np.log(held[d])
        # The state without one copy of row d: exactly the rows that are counted at this point.
        log_weights[state] = log_weights[state - stride] + step
    return log_weights


@njit(cache=True, nogil=True)
def split_off(
    remainders: FloatArray,
    weights: FloatArray,
    upper: IntArray,
    middle: IntArray,
    n_low: int,
    by_bits: bool,
    smallest: float,
    out: FloatArray,
) -> None:
    r"""Split one more cluster off all remainders.

    ``remainders[s]`` is the summed weight of all ways to split clusters off the table until ``s`` is
    left. The next cluster takes the topmost row left, which makes its choice unique:

    .. math:: out(r) = \sum_t \frac{t_{top}}{r_{top} + t_{top}} w(t)\, remainders(r + t)

    over all ``t`` that hold a copy of the topmost row of ``r + t``. Every term is positive. The lowest
    digit, or the lowest four if each is a single row (``by_bits``), form blocks of ``n_low``
    states. Blocks form tiles, which fit in the cache, over the digits whose copies are ``middle``;
    ``upper`` are the copies left of the other digits. Sums below ``smallest`` become 0.
    """
    starts, partners = partners_within_tile(middle)
    n_tile = n_low * (len(starts) - 1)
    held = np.zeros(len(upper), dtype=np.int64)
    listed = np.empty(count_states(upper), dtype=np.int64)
    part = np.empty(n_low)
    # Tiles outside, partners inside: a tile of sums stays in the cache while all its partners are added.
    for tile in range(len(out) // n_tile):
        total = out[tile * n_tile : (tile + 1) * n_tile]
        total.fill(0.0)
        top, n_below, n_listed = list_partners(held, upper, listed)
        if top < 0:
            _split_within_tile(remainders, weights, middle, by_bits, part, total)
        # Only partners that hold a copy of the topmost row: they start after those wholly below it.
        for e in range(1 if top < 0 else n_below, n_listed):
            left = remainders[(tile + listed[e]) * n_tile : (tile + listed[e] + 1) * n_tile]
            taken = weights[listed[e] * n_tile : (listed[e] + 1) * n_tile]
            share = share_with_top(held, upper, top, e // n_below)
            for block in range(len(starts) - 1):
                chosen = partners[starts[block] : starts[block + 1]]
                add_products(left, taken, block, chosen, by_bits, share, part, total)
        # Sums that small may contain denormal terms without full precision: they are dropped, and
        # ``_labelled`` bounds the loss.
        for r in range(n_tile):
            if total[r] < smallest:
                total[r] = 0.0
        advance(held, upper)


@njit(cache=True, nogil=True)
def _split_within_tile(
    remainders: FloatArray,
    weights: FloatArray,
    middle: IntArray,
    by_bits: bool,
    part: FloatArray,
    total: FloatArray,
) -> None:
    """Add the part of the sum in which neither state holds anything above the lowest tile."""
    held = np.zeros(len(middle), dtype=np.int64)
    listed = np.empty(count_states(middle), dtype=np.int64)
    for block in range(len(listed)):
        top, n_below, n_listed = list_partners(held, middle, listed)
        start, step = n_below, n_below
        if top < 0:
            _split_within_block(remainders, weights, len(part), by_bits, total)
            start, step = 1, n_listed
        for first in range(start, n_listed, step):
            share = share_with_top(held, middle, top, first // n_below)
            chosen = listed[first : min(first + step, n_listed)]
            add_products(remainders, weights, block, chosen, by_bits, share, part, total)
        advance(held, middle)


@njit(cache=True, nogil=True)
def _split_within_block(
    remainders: FloatArray, weights: FloatArray, n_low: int, by_bits: bool, total: FloatArray
) -> None:
    """Add the part of the sum in which neither state holds anything above the lowest block."""
    for r in range(n_low):
        for t in range(1, n_low):
            # Disjoint bits fit together; t > r means that t has the topmost bit.
            if by_bits and t > r and r & t == 0:
                total[r] += remainders[r + t] * weights[t]
            elif not by_bits and r + t < n_low:
                total[r] += t / (r + t) * remainders[r + t] * weights[t]
