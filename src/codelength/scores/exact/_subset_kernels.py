"""Loops over all ways to fill one cluster. Arrays in, arrays out, nothing checked.

A *state* says how many copies of each distinct row a cluster holds. It is a number in mixed radix:
digit ``d``, the lowest first, runs from 0 to ``copies[d]``. States that fit together add up without
carry, so the index of a union is the sum of the indices.
"""

import numpy as np
from numba import njit

from ...typing import FloatArray, IntArray

N_BITS = 4
"""Lowest digits that are taken together, in registers, where each of them is a single row."""

CHUNK = 256
"""Blocks that are summed before the sum is added to the total: it keeps chains of additions short."""

Four = tuple[float, float, float, float]


@njit(cache=True, nogil=True)
def subset_log_weights(
    cells: IntArray,
    copies: IntArray,
    spares: IntArray,
    size_logs: FloatArray,
    value_logs: FloatArray,
    total_logs: FloatArray,
) -> FloatArray:
    """Log weight of every state: its evidence as one cluster, over the factorials of its digits.

    Each is the log weight of the state with one row less, plus the log predictive probability of
    that row, so no chain is longer than the number of rows.
    """
    n_states = 1
    for n_copies in copies:
        n_states *= n_copies + 1
    log_weights = np.zeros(n_states)
    held = np.zeros(len(copies), dtype=np.int64)
    counts = np.zeros(len(value_logs), dtype=np.int64)
    size = 0
    for state in range(1, n_states):
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
        if held[d] > 1:
            step -= np.log(held[d])
        log_weights[state] = log_weights[state - stride] + step
    return log_weights


@njit(cache=True, nogil=True)
def split_off(
    remainders: FloatArray,
    weights: FloatArray,
    caps: IntArray,
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
    digit, or the lowest four where each is a single row (``by_bits``), form blocks of ``n_low``
    states; ``caps`` are the copies left of the others. Sums below ``smallest`` become 0.
    """
    held = np.zeros(len(caps), dtype=np.int64)
    n_most = 1
    for cap in caps:
        n_most *= cap + 1
    listed = np.empty(n_most, dtype=np.int64)
    part = np.empty(n_low)
    for block in range(len(out) // n_low):
        total = out[block * n_low : (block + 1) * n_low]
        total[:] = 0.0
        top, n_below, n_listed = _list_partners(held, caps, listed)
        start = 1
        if top < 0:
            _split_within_block(remainders, weights, n_low, by_bits, total)
        else:
            free = caps[top] - held[top]
            for j in range(1, free + 1):
                share = j / (held[top] + j)
                chosen = listed[n_below * j : n_below * (j + 1)]
                _add_products(remainders, weights, block, chosen, by_bits, share, part, total)
            start = n_below * (free + 1)
        _add_products(remainders, weights, block, listed[start:n_listed], by_bits, 1.0, part, total)
        for r in range(n_low):
            if total[r] < smallest:
                total[r] = 0.0
        _advance(held, caps)


@njit(cache=True, nogil=True)
def _list_partners(held: IntArray, caps: IntArray, listed: IntArray) -> tuple[int, int, int]:
    """List, in increasing order, all blocks that fit together with the block held.

    Returns its topmost digit above 0 (-1 without one), how many partners lie wholly below that digit,
    and how many there are in all.
    """
    listed[0] = 0
    n_listed, stride, top, n_below = 1, 1, -1, 1
    for d in range(len(caps)):
        if held[d] > 0:
            top, n_below = d, n_listed
        for j in range(1, caps[d] - held[d] + 1):
            for e in range(n_listed):
                listed[j * n_listed + e] = listed[e] + j * stride
        n_listed *= caps[d] - held[d] + 1
        stride *= caps[d] + 1
    return top, n_below, n_listed


@njit(cache=True, nogil=True)
def _advance(held: IntArray, caps: IntArray) -> None:
    """The digits of the next block."""
    for d in range(len(caps)):
        if held[d] < caps[d]:
            held[d] += 1
            return
        held[d] = 0


@njit(cache=True, nogil=True)
def _split_within_block(
    remainders: FloatArray, weights: FloatArray, n_low: int, by_bits: bool, total: FloatArray
) -> None:
    """The part of the sum in which neither state holds anything above the lowest block."""
    for r in range(n_low):
        for t in range(1, n_low):
            if by_bits and t > r and r & t == 0:
                total[r] += remainders[r + t] * weights[t]
            elif not by_bits and r + t < n_low:
                total[r] += t / (r + t) * remainders[r + t] * weights[t]


@njit(cache=True, nogil=True)
def _add_products(
    remainders: FloatArray,
    weights: FloatArray,
    block: int,
    partners: IntArray,
    by_bits: bool,
    share: float,
    part: FloatArray,
    total: FloatArray,
) -> None:
    for start in range(0, len(partners), CHUNK):
        chunk = partners[start : start + CHUNK]
        if by_bits:
            _products_of_bits(remainders, weights, block, chunk, part)
        else:
            _products_of_digit(remainders, weights, block, chunk, part)
        for r in range(len(part)):
            total[r] += share * part[r]


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _products_of_digit(
    remainders: FloatArray, weights: FloatArray, block: int, partners: IntArray, part: FloatArray
) -> None:
    n_low = len(part)
    part[:] = 0.0
    for partner in partners:
        left = remainders[(block + partner) * n_low : (block + partner + 1) * n_low]
        taken = weights[partner * n_low : (partner + 1) * n_low]
        for t in range(n_low):
            for r in range(n_low - t):
                part[r] += left[r + t] * taken[t]


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _products_of_bits(
    remainders: FloatArray, weights: FloatArray, block: int, partners: IntArray, part: FloatArray
) -> None:
    """The 81 products of disjoint subsets of four rows, as nine times the nine of two rows."""
    p0 = p1 = p2 = p3 = (0.0, 0.0, 0.0, 0.0)
    for partner in partners:
        a, b = (block + partner) << N_BITS, partner << N_BITS
        q0, q1, q2, q3 = (
            _four(remainders, a),
            _four(remainders, a + 4),
            _four(remainders, a + 8),
            _four(remainders, a + 12),
        )
        w0, w1, w2, w3 = (
            _four(weights, b),
            _four(weights, b + 4),
            _four(weights, b + 8),
            _four(weights, b + 12),
        )
        p0 = _pair(_pair(_pair(_pair(p0, q0, w0), q1, w1), q2, w2), q3, w3)
        p1 = _pair(_pair(p1, q1, w0), q3, w2)
        p2 = _pair(_pair(p2, q2, w0), q3, w1)
        p3 = _pair(p3, q3, w0)
    part[0], part[1], part[2], part[3] = p0
    part[4], part[5], part[6], part[7] = p1
    part[8], part[9], part[10], part[11] = p2
    part[12], part[13], part[14], part[15] = p3


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
