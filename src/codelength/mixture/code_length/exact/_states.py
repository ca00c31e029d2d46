"""Numbers in mixed radix that stand for multisets of rows. Arrays in, arrays out, nothing checked.

A *state* is the number of copies of each distinct row in a cluster: digit ``d``, the lowest first, runs from
0 to ``caps[d]``. States that fit together are added without carry, so the number of a union is the sum of the
numbers.
"""

import numpy as np
from numba import njit

from ....typing import IntArray


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
