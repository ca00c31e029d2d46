"""Compiled counting loops, without checks: codes must be within the sizes of their columns.

Layout: ``codes`` has one row per column of the table. Groups of neighbouring columns are counted in one joint
table, indexed by the mixed-radix key of class and codes, and then summed to counts of single columns. The
cells of pairs are those of :class:`codelength.counts.pairs.PairCounts`.

Functions with one caller are inlined before they are compiled: otherwise they would be compiled twice, by
themselves and within their caller.
"""

import numpy as np
from numba import njit

from ..typing import CodeArray, FloatArray, IntArray

_ROWS_AT_ONCE = 8192
_PAIR_ROWS_AT_ONCE = 1024


@njit(cache=True, nogil=True)
def count_groups(
    codes: CodeArray,
    classes: CodeArray,
    sizes: IntArray,
    groups: IntArray,
    n_classes: int,
    start: int,
    stop: int,
) -> IntArray:
    """Return value counts of rows ``start .. stop - 1``, shape (n_classes, cells of all columns).

    One increment counts a whole group of columns in a joint table, which is then summed to the columns. Four
    joint tables take turns, so that an increment of the same cell does not wait for the previous one.

    Parameters
    ----------
    codes : array of shape (n_columns, n_rows)
        Codes of the cells.
    classes : array of shape (n_rows,)
        Codes of the classes.
    sizes : array of shape (n_columns,)
        Number of codes of each column, including the one for missing.
    groups : array of shape (n_groups + 1,)
        First column of each group; groups have at most three columns.
    n_classes : int
        Number of classes.
    start, stop : int
        Rows to count.
    """
    n_cells = np.int64(0)  # a loop and typed numbers compile faster than a sum of an array
    for i in range(len(sizes)):
        n_cells += sizes[i]
    counts = np.zeros((n_classes, n_cells), dtype=np.int64)
    # Keys are written as uint16 and read four at a time as uint64, through two views of the same memory.
    packed = np.empty(_ROWS_AT_ONCE // 4, dtype=np.uint64)
    keys = packed.view(np.uint16)
    offset = np.int64(0)
    for g in range(len(groups) - 1):
        first, last = groups[g], groups[g + 1]
        n_joint = np.int64(1)
        for i in range(first, last):
            n_joint *= sizes[i]
        joint = np.zeros((4, n_classes * n_joint), dtype=np.uint32)
        # Keys of a block of rows stay in the first-level cache between the two loops.
        for low in range(start, stop, _ROWS_AT_ONCE):
            high = min(low + _ROWS_AT_ONCE, stop)
            _joint_keys(codes[first:last, low:high], classes[low:high], sizes[first:last], keys)
            _increment(packed, keys, high - low, joint)
        offset = _sum_down(joint, sizes[first:last], n_joint, offset, counts)
    return counts


@njit(cache=True, nogil=True, inline="always")
def _joint_keys(codes: CodeArray, classes: CodeArray, sizes: IntArray, keys: CodeArray) -> None:
    """Write mixed-radix keys of the class and one, two or three columns.

    Every intermediate result is cast to 16 bits: wider numbers would halve the number of lanes per vector.
    """
    size = np.uint16(sizes[0])
    if len(sizes) == 1:
        for t in range(len(classes)):
            keys[t] = np.uint16(np.uint16(np.uint16(classes[t]) * size) + np.uint16(codes[0, t]))
        return
    second = np.uint16(sizes[1])
    if len(sizes) == 2:
        for t in range(len(classes)):
            key = np.uint16(np.uint16(np.uint16(classes[t]) * size) + np.uint16(codes[0, t]))
            keys[t] = np.uint16(np.uint16(key * second) + np.uint16(codes[1, t]))
        return
    third = np.uint16(sizes[2])
    for t in range(len(classes)):
        key = np.uint16(np.uint16(np.uint16(classes[t]) * size) + np.uint16(codes[0, t]))
        key = np.uint16(np.uint16(key * second) + np.uint16(codes[1, t]))
        keys[t] = np.uint16(np.uint16(key * third) + np.uint16(codes[2, t]))


@njit(cache=True, nogil=True, inline="always")
def _increment(packed: CodeArray, keys: CodeArray, n_rows: int, joint: CodeArray) -> None:
    """Count the keys in four joint tables."""
    # Four keys per load, because loads are the bottleneck, not increments.
    one, mask = np.uint32(1), np.uint64(0xFFFF)
    joint_0, joint_1, joint_2, joint_3 = joint[0], joint[1], joint[2], joint[3]
    for t in range(n_rows // 4):
        four = packed[t]
        joint_0[four & mask] += one
        joint_1[(four >> np.uint64(16)) & mask] += one
        joint_2[(four >> np.uint64(32)) & mask] += one
        joint_3[four >> np.uint64(48)] += one
    for t in range(n_rows - n_rows % 4, n_rows):
        joint_0[keys[t]] += one


@njit(cache=True, nogil=True, inline="always")
def _sum_down(
    joint: CodeArray, sizes: IntArray, n_joint: np.int64, offset: np.int64, counts: IntArray
) -> np.int64:
    """Add the counts of a joint table to those of its columns; return the end of their cells."""
    end = offset
    for i in range(len(sizes)):
        end += sizes[i]
    for key in range(joint.shape[1]):
        count = np.int64(joint[0, key]) + joint[1, key] + joint[2, key] + joint[3, key]
        if count > 0:
            k, rest, cell = key // n_joint, key % n_joint, end
            for i in range(len(sizes) - 1, -1, -1):
                cell -= sizes[i]
                counts[k, cell + rest % sizes[i]] += count
                rest //= sizes[i]
    return end


@njit(cache=True, nogil=True)
def count_one_by_one(
    codes: CodeArray, classes: CodeArray, offsets: IntArray, n_classes: int, start: int, stop: int
) -> IntArray:
    """Return the same counts, one cell at a time, for columns too large for a joint table."""
    counts = np.zeros((n_classes, offsets[len(offsets) - 1]), dtype=np.int64)
    for i in range(codes.shape[0]):
        for n in range(start, stop):
            counts[classes[n], offsets[i] + np.int64(codes[i, n])] += 1
    return counts


@njit(cache=True, nogil=True)
def count_weighted(
    codes: CodeArray,
    classes: CodeArray,
    weights: FloatArray,
    offsets: IntArray,
    n_classes: int,
    start: int,
    stop: int,
) -> FloatArray:
    """Return summed weights of rows ``start .. stop - 1``, shape (n_classes, cells of all columns)."""
    counts = np.zeros((n_classes, offsets[len(offsets) - 1]))
    for i in range(codes.shape[0]):
        for n in range(start, stop):
            counts[classes[n], offsets[i] + np.int64(codes[i, n])] += weights[n]
    return counts


@njit(cache=True, nogil=True)
def add_soft_counts(codes: CodeArray, offsets: IntArray, shares: FloatArray, counts: FloatArray) -> None:
    """Add the shares of every row to its cells; ``counts`` has shape (n_cells, n_components)."""
    for i in range(codes.shape[0]):
        for n in range(codes.shape[1]):
            cell = offsets[i] + np.int64(codes[i, n])
            for k in range(shares.shape[1]):
                counts[cell, k] += shares[n, k]


@njit(cache=True, nogil=True)
def add_pairs(
    codes: IntArray,
    labels: IntArray,
    weights: FloatArray,
    sizes: IntArray,
    starts: IntArray,
    cells: FloatArray,
) -> None:
    """Add the weight of every row to its cell of every pair.

    Parameters
    ----------
    codes : array of int of shape (n_variables, n_rows)
        Codes of the values; the number of values for a cell without one.
    labels, weights : array of shape (n_rows,)
        Class and weight of each row.
    sizes : array of int of shape (n_variables,)
        Number of codes of each variable.
    starts : array of int of shape (n_pairs + 1,)
        First cell of each pair.
    cells : array of shape (n_cells, n_classes)
        Updated in place.
    """
    n_rows = len(labels)
    # The codes of a block of rows stay in the cache for all pairs, and the table of a pair for the block.
    for low in range(0, n_rows, _PAIR_ROWS_AT_ONCE):
        high = min(low + _PAIR_ROWS_AT_ONCE, n_rows)
        pair = 0
        for u in range(1, len(sizes)):
            for v in range(u):
                start, size = starts[pair], sizes[v]
                for n in range(low, high):
                    cells[start + codes[u, n] * size + codes[v, n], labels[n]] += weights[n]
                pair += 1


@njit(cache=True, nogil=True)
def add_margins(n_values: IntArray, cells: FloatArray) -> None:
    """Replace the cells for missing of every pair by sums over values, in place."""
    start = 0
    for u in range(1, len(n_values)):
        for v in range(u):
            rows, columns = n_values[u], n_values[v]
            size = columns + 1
            last = start + rows * size
            cells[last : last + size] = 0.0
            for a in range(rows):
                row = start + a * size
                for c in range(cells.shape[1]):
                    in_row = 0.0
                    for b in range(columns):
                        in_row += cells[row + b, c]
                        cells[last + b, c] += cells[row + b, c]
                    cells[row + columns, c] = in_row
                    cells[last + columns, c] += in_row
            start = last + size
