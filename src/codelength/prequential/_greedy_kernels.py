"""Greedy orderings. Arrays in, arrays out, nothing checked.

Equal rows are one *pattern*, which is placed as often as it has rows. For every group and pattern ``sums``
holds the log weight that the cells of the pattern have in the group. Placing a row moves the sums of its own
group only, and only by the differences of the entries its cells touch. The entries are whole multiples of a
power of two, so adding and taking off differences is exact, and patterns that tie by definition tie here.
"""

import numpy as np
from numba import njit

from ..typing import BoolArray, FloatArray, IntArray
from ._greedy_choice import choose
from ._greedy_field import LABEL, NEXT, Field, Search, retire, set_blocks
from ._greedy_weights import move, refer, set_fronts, set_steps, set_weights, weigh
from ._kernels import shift, shift_all, start
from .layout import SequenceLayout


@njit(cache=True, nogil=True)
def greedy_order(
    layout: SequenceLayout, exact: FloatArray, field: Field, has_gaps: BoolArray, search: Search
) -> IntArray:
    """Place one row after the other; the field is used up.

    Parameters
    ----------
    layout : SequenceLayout
        The rows and the rule, with entries rounded to the grid.
    exact : array
        The entries before rounding.
    field : Field
        The patterns to place; its arrays are overwritten.
    has_gaps : array of shape (n_columns,)
        Columns with missing cells.
    search : Search
        Direction, tolerances and range.

    Returns
    -------
    array of shape (n_rows,)
        The ordering, as row numbers.
    """
    n_rows, n_groups = len(field.members), len(field.sums)
    state, fronts, steps = start(layout), np.empty((2, n_groups)), np.zeros((4, len(field.codes)))
    # A backward search starts with all rows counted and takes one out per step.
    if search.less:
        shift_all(layout, state, np.arange(n_rows), 1)
    set_blocks(field.sizes, field.marks)
    set_fronts(layout.starts, layout.entries, state.counts, search.less, fronts)
    for k in range(n_groups):
        weigh(layout, state, field, has_gaps, k, search.less)
    refer(field.marks, field.sums, field.weights, field.notes, fronts, 0, field.sizes[0])
    keys, order = np.empty(len(field.codes[0]) if len(field.codes) else n_rows), np.empty(n_rows, np.int64)
    for t in range(n_rows):
        p = choose(layout, exact, state, field, has_gaps, fronts, search, t, keys)
        n, k = field.members[field.marks[NEXT, p]], field.marks[LABEL, p]
        order[n_rows - 1 - t if search.less else t] = n
        # The steps are differences between the counts before and after, so they have to be read before the
        # row is shifted.
        set_steps(layout, state, has_gaps, n, search.less, steps)
        shift(layout, state, n, 1 - 2 * search.less)
        set_fronts(layout.starts, layout.entries, state.counts, search.less, fronts)
        # Minus infinity minus infinity is not a number: with such entries the sums of the group are computed
        # again.
        if search.has_zeros:
            weigh(layout, state, field, has_gaps, k, search.less)
        else:
            move(field, layout.first_cells, has_gaps, p, search.less, steps)
        # Only the weights of the placed row's group change. If one step can leave the range of a float64, the
        # references of all patterns are renewed instead.
        if search.stride:
            set_weights(field, fronts, k)
        else:
            refer(field.marks, field.sums, field.weights, field.notes, fronts, 0, field.sizes[0])
        retire(field, p)
    return order
