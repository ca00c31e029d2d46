"""Numbers in mixed radix that stand for multisets of rows. Arrays in, arrays out, nothing checked.

A *state* says how many copies of each distinct row a cluster holds: digit ``d``, the lowest first, runs
from 0 to ``caps[d]``. States that fit together add up without carry, so the number of a union is the
sum of the numbers.
"""

import numpy as np
from numba import njit

from ....typing import IntArray


@njit(cache=True, nogil=True)
def count_states(caps: IntArray) -> int:
    """How many states there are."""
    product = 1
    for d in range(len(caps)):
        product *= caps[d] + 1
    return product


@njit(cache=True, nogil=True)
def advance(held: IntArray, caps: IntArray) -> None:
    """The digits of the next block."""
    for d in range(len(caps)):
        if held[d] < caps[d]:
            held[d] += 1
            return
        held[d] = 0


@njit(cache=True, nogil=True)
def list_partners(held: IntArray, caps: IntArray, listed: IntArray) -> tuple[int, int, int]:
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
def partners_within_tile(middle: IntArray) -> tuple[IntArray, IntArray]:
    """For each block of a tile the blocks that fit together with it, one list after another."""
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
    """Share of the clusters that hold one given copy of the topmost row, when ``taken`` copies are taken.

    Partners that lie above digit ``top`` altogether count as taking more than there are: share 1.
    """
    if top < 0 or taken > caps[top] - held[top]:
        return 1.0
    return float(taken / (held[top] + taken))
