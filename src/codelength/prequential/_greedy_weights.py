"""Weights of the groups for the rows that are still to be placed in a greedy search."""

import math

import numpy as np
from numba import njit

from ..naive_bayes._kernels import exp_of_negative
from ..typing import BoolArray, CodeArray, FloatArray, IntArray
from ._greedy_field import AT_ONCE, BLOCK, LABEL, REFERENCE, Field
from ._kernels import State
from .layout import SequenceLayout


@njit(cache=True, nogil=True)
def set_fronts(
    starts: IntArray, entries: FloatArray, counts: IntArray, less: int, fronts: FloatArray
) -> None:
    """Set the summand that all patterns of other labels, and all of the same label, share in a group."""
    for k in range(fronts.shape[1]):
        first, size = starts[len(starts) - 1, k], counts[len(counts) - 1, k]
        fronts[0, k] = entries[first + size]
        # A group without rows has no pattern of its own label, so the entry for it is never used.
        fronts[1, k] = entries[first + max(size - less, 0)]


@njit(cache=True, nogil=True)
def weigh(layout: SequenceLayout, state: State, field: Field, has_gaps: BoolArray, k: int, less: int) -> None:
    """Compute the sums of a group from the counts, for all patterns."""
    first_cells, codes, marks, sums = layout.first_cells, field.codes, field.marks, field.sums
    columns = np.zeros((2, len(layout.starts)))
    # Line 0 for patterns that are not counted in the group, line 1 for those that are.
    for own in range(2):
        set_column(layout, layout.entries, state.counts, has_gaps, k, less * own, columns[own])
    for p in range(field.sizes[0]):
        own, total = 1 if marks[LABEL, p] == k else 0, 0.0
        for i in range(len(codes)):
            total += columns[own, first_cells[i] + np.int64(codes[i, p])]
        sums[k, p] = total


@njit(cache=True, nogil=True)
def set_column(
    layout: SequenceLayout,
    entries: FloatArray,
    counts: IntArray,
    has_gaps: BoolArray,
    k: int,
    less: int,
    column: FloatArray,
) -> None:
    """Set the entries of the cells in one group, for a row that is (``less`` 1) or is not counted there."""
    first_cells, starts, alike = layout.first_cells, layout.starts, layout.alike
    for i in range(len(has_gaps)):
        spare = first_cells[i + 1] - 1
        observed = counts[len(counts) - 1, k] - counts[spare, k] - less
        total = entries[starts[spare, k] + observed] if has_gaps[i] and observed >= 0 else 0.0
        # A column without observations under a rule that adds nothing predicts all values alike; the number
        # of values is in the total already.
        unseen = observed == 0 and len(alike) > 0 and alike[min(i, len(alike) - 1), k]
        for cell in range(first_cells[i], spare):
            count = counts[cell, k] - less
            # With ``less`` 1 a count of zero means that no row of this label has the value: the entry is
            # never read.
            if count >= 0:
                column[cell] = (0.0 if unseen else entries[starts[cell, k] + count]) - total


@njit(cache=True, nogil=True)
def set_steps(
    layout: SequenceLayout, state: State, has_gaps: BoolArray, n: int, less: int, steps: FloatArray
) -> None:
    """Set the changes of the sums of a group when row ``n`` is placed, column by column.

    Lines 0 and 1 hold for patterns of other labels, with the row's value and with another one; lines 2 and 3
    for patterns of the same label, which in a backward search (``less`` 1) do not count themselves.

    Parameters
    ----------
    layout : SequenceLayout
        The rows and the rule.
    state : State
        Counts before the row is placed.
    has_gaps : array of shape (n_columns,)
        Columns with missing cells.
    n : int
        The row.
    less : int
        1 in a backward search.
    steps : array of shape (4, n_columns)
        Receives the changes.
    """
    rows, starts, entries, counts = layout.rows, layout.starts, layout.entries, state.counts
    k, step = rows[n, 0], 1 - 2 * less
    for i in range(len(has_gaps)):
        cell, spare = np.int64(rows[n, i + 2]), layout.first_cells[i + 1] - 1
        observed = counts[len(counts) - 1, k] - counts[spare, k]
        for own in range(2):
            match, rest = 0.0, 0.0
            count, first = counts[cell, k] - less * own, starts[cell, k]
            if cell != spare and count + step >= 0:
                match = entries[first + count + step] - entries[first + count]
            # Totals of columns with gaps are divided out per column, with the opposite sign. Totals of
            # complete columns are equal to the size of the group and are part of the front.
            count, first = observed - less * own, starts[spare, k]
            if cell != spare and has_gaps[i] and count + step >= 0:
                rest = entries[first + count] - entries[first + count + step]
            steps[2 * own, i], steps[2 * own + 1, i] = match + rest, rest


@njit(cache=True, nogil=True)
def move(
    field: Field, first_cells: IntArray, has_gaps: BoolArray, placed: int, less: int, steps: FloatArray
) -> None:
    """Update the sums of the placed pattern's group."""
    labels, size = field.marks[LABEL], field.sizes[0]
    k, low, high = labels[placed], size, size
    # Patterns are sorted by label, so those of the placed pattern's label are one run around it. In a forward
    # search they are treated like all others.
    if less:
        low = high = placed
        while low > 0 and labels[low - 1] == k:
            low -= 1
        while high < size and labels[high] == k:
            high += 1
    sums = field.sums[k]
    _move_run(field.codes, placed, first_cells, has_gaps, steps, 0, 0, low, sums)
    _move_run(field.codes, placed, first_cells, has_gaps, steps, 2, low, high, sums)
    _move_run(field.codes, placed, first_cells, has_gaps, steps, 0, high, size, sums)


@njit(cache=True, nogil=True)
def _move_run(
    codes: CodeArray,
    placed: int,
    first_cells: IntArray,
    has_gaps: BoolArray,
    steps: FloatArray,
    line: int,
    start: int,
    stop: int,
    sums: FloatArray,
) -> None:
    # Columns outside, patterns inside, one block at a time: the block of sums stays in the cache while all
    # columns are added. All numbers are multiples of the grid, so the order of additions is irrelevant.
    for low in range(start, stop, AT_ONCE):
        n = min(AT_ONCE, stop - low)
        moved = sums[low : low + n]
        for i in range(len(codes)):
            column, value = codes[i, low : low + n], codes[i, placed]
            match, rest = steps[line, i], steps[line + 1, i]
            if has_gaps[i]:
                missing = first_cells[i + 1] - 1 - first_cells[i]
                for p in range(n):
                    other = rest if column[p] != missing else 0.0
                    moved[p] += match if column[p] == value else other
            else:
                for p in range(n):
                    moved[p] += match if column[p] == value else 0.0


@njit(cache=True, nogil=True)
def set_weights(field: Field, fronts: FloatArray, k: int) -> None:
    """Compute the weights of a group from its sums."""
    logs, shifted, marks = np.empty(AT_ONCE), np.empty(AT_ONCE), field.marks
    of_group, weights, notes = field.sums[k], field.weights[k], field.notes[REFERENCE]
    for b in range(field.sizes[1]):
        low, high = marks[BLOCK, b], marks[BLOCK, b + 1]
        n, front = high - low, fronts[1 if marks[LABEL, low] == k else 0, k]
        sums, references = of_group[low:high], notes[low:high]
        for p in range(n):
            logs[p] = sums[p] + front - references[p]
        exp_of_negative(logs[:n], shifted[:n], weights[low:high])


@njit(cache=True, nogil=True)
def refer(
    marks: IntArray,
    sums: FloatArray,
    weights: FloatArray,
    notes: FloatArray,
    fronts: FloatArray,
    start: int,
    stop: int,
) -> None:
    """Make the heaviest group of each pattern its reference, and compute its weights anew."""
    for p in range(start, stop):
        highest = -np.inf
        for k in range(len(sums)):
            highest = max(highest, sums[k, p] + fronts[1 if marks[LABEL, p] == k else 0, k])
        # Without a group of positive weight any finite reference will do: all weights are the smallest
        # number.
        notes[REFERENCE, p] = highest if highest > -np.inf else 0.0
        for k in range(len(sums)):
            log_weight = sums[k, p] + fronts[1 if marks[LABEL, p] == k else 0, k] - notes[REFERENCE, p]
            # exp(-690) is near the smallest normal float64: below it arithmetic is slow and inexact.
            weights[k, p] = math.exp(max(log_weight, -690.0))
