"""The rows that a greedy search has still to place."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..typing import CodeArray, FloatArray, IntArray

AT_ONCE = 512
"""Most patterns per block: what is computed for a block stays within the first-level cache."""

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
        How many patterns there are, in how many blocks, and how many of them are used up.
    codes : array of shape (n_columns, n_patterns)
        The codes of the patterns.
    marks : array of shape (5, n_patterns + 1)
        Labels; classes; positions of the next member, and of the end of the members; and where blocks begin,
        which are runs of patterns with the same label and class.
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
    """What is asked for, and how far numbers can go.

    Attributes
    ----------
    less : int
        1 to fill the last place first, by rows predicted from all the others left; 0 to fill the first.
    worst : bool
        Whether the row predicted worst goes next, rather than the one predicted best.
    coarse, fine : float
        By how much the log odds of rows may differ that tie: as sums on the grid, and as sums of the entries
        themselves.
    stride : int
        After how many steps the weights may have drifted far from 1; 0 where a single step may do it.
    has_zeros : bool
        Whether entries can be minus infinity, which differences do not move.
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
        if p == 0 or not same or p - first == AT_ONCE:
            marks[BLOCK, n_blocks] = first = p
            n_blocks += 1
    marks[BLOCK, n_blocks] = sizes[0]
    sizes[1] = n_blocks


@njit(cache=True, nogil=True)
def retire(field: Field, placed: int) -> None:
    """Use up a member, mark a pattern that has none left, and close ranks when there are many such."""
    sizes, marks = field.sizes, field.marks
    marks[NEXT, placed] += 1
    if marks[NEXT, placed] < marks[END, placed]:
        return
    field.notes[GONE, placed] = np.inf
    sizes[2] += 1
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
    for line in range(len(table)):
        numbers = table[line]
        for p in range(len(kept)):
            numbers[p] = numbers[kept[p]]
