"""Weights of all possible clusters, and sums over clusters split off. Arrays in, arrays out, nothing checked.

Clusters are states as ``_states`` numbers them.
"""

import numpy as np
from numba import njit

from ....typing import FloatArray, IntArray
from ._products import add_products
from ._states import advance, count_states, list_partners, partners_within_tile, share_with_top
from .problem import StepTables


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
