"""The rows that are still to be placed in a greedy search."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..typing import CodeArray, FloatArray, IntArray

AT_ONCE = 512
"""Maximum number of patterns per block, so that a block's arrays fit into the first-level cache."""

LABEL, CLASS, NEXT, END, BLOCK = range(5)
"""Lines of ``marks``."""

REFERENCE, GONE = range(2)
"""Lines of ``notes``."""


class Field(NamedTuple):
    """The patterns still to be placed, sorted by label and then by class.

    Attributes
    ----------
    members : array of shape (n_rows,)
        The rows, those of one pattern side by side and in increasing order.
    sizes : array of shape (3,)
        Number of patterns, number of blocks, and number of patterns used up.
    codes : array of shape (n_columns, n_patterns)
        The codes of the patterns.
    marks : array of shape (5, n_patterns + 1)
        Labels; classes; positions of the next member, and of the end of the members; and first patterns of
        the blocks, which are runs of patterns with the same label and class.
    sums, weights : arrays of shape (n_groups, n_patterns)
        Log weights of the cells, and weights of the groups relative to the pattern's reference.
    notes : array of shape (2, n_patterns)
        References on the log scale; and zero, or infinity for a pattern that is used up.
    """

    members: IntArray
    sizes: IntArray
    codes: CodeArray
    marks: IntArray
    sums: FloatArray
    weights: FloatArray
    notes: FloatArray


class Search(NamedTuple):
    """Options of a greedy search, and the limits of its arithmetic.

    Attributes
    ----------
    less : int
        1 to fill the last place first, by rows predicted from all the others left; 0 to fill the first.
    worst : bool
        Place the row that is predicted worst next, rather than the one predicted best.
    coarse, fine : float
        Largest difference of log odds that counts as a tie: for sums on the grid, and for sums of the entries
        before rounding.
    stride : int
        Number of steps after which the weights may have drifted far from 1; 0 if a single step may do it.
    has_zeros : bool
        Whether entries can be minus infinity: then sums cannot be updated by differences.
    """

    less: int
    worst: bool
    coarse: float
    fine: float
    stride: int
    has_zeros: bool


@njit(cache=True, nogil=True)
def set_blocks(sizes: IntArray, marks: IntArray) -> None:
    """Find the runs of patterns with the same label and class; long runs are cut."""
    n_blocks, first = 0, 0
    for p in range(sizes[0]):
        same = marks[LABEL, p] == marks[LABEL, first] and marks[CLASS, p] == marks[CLASS, first]
        # Patterns are sorted by label and class, so equal ones are consecutive.
        if p == 0 or not same or p - first == AT_ONCE:
            marks[BLOCK, n_blocks] = first = p
            n_blocks += 1
    marks[BLOCK, n_blocks] = sizes[0]
    sizes[1] = n_blocks


@njit(cache=True, nogil=True)
def retire(field: Field, placed: int) -> None:
    """Use up a member of a pattern; drop used-up patterns once they are many."""
    sizes, marks = field.sizes, field.marks
    marks[NEXT, placed] += 1
    if marks[NEXT, placed] < marks[END, placed]:
        return
    field.notes[GONE, placed] = np.inf
    sizes[2] += 1
    # Compaction moves all arrays. With a share of an eighth it costs a constant number of moves per pattern,
    # and dead patterns slow a step by at most an eighth.
    if sizes[2] * 8 <= sizes[0]:
        return
    kept = np.empty(sizes[0] - sizes[2], dtype=np.int64)
    n_kept = 0
    for p in range(sizes[0]):
        if marks[NEXT, p] < marks[END, p]:
            kept[n_kept] = p
            n_kept += 1
    _close_ranks(field.codes, kept)
    _close_ranks(marks, kept)
    _close_ranks(field.sums, kept)
    _close_ranks(field.weights, kept)
    _close_ranks(field.notes, kept)
    sizes[0], sizes[2] = n_kept, 0
    set_blocks(sizes, marks)


@njit(cache=True, nogil=True)
def _close_ranks(table: NDArray[Any], kept: IntArray) -> None:
    # Line by line and in place: ``kept`` increases, so a pattern is never overwritten before it is read.
    for line in range(len(table)):
        numbers = table[line]
        for p in range(len(kept)):
            numbers[p] = numbers[kept[p]]
