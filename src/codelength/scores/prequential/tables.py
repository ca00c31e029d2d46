"""A table and a predictive rule laid out for taking rows in one at a time.

A row has a *label*, the group whose counts it joins (its class in naive Bayes, its cluster in a mixture),
and a *class*, which is predicted before the row joins. Every entry of a log table is ``g(n + offset)`` of a
whole number ``n``, so the entries are made once for each distinct offset and looked up by ``n``.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...rules import Rule
from ...typing import BoolArray, CodeArray, FloatArray, IntArray

MAX_ENTRIES = 1 << 20
"""Tabulated entries at most; what lies beyond is computed when it is needed."""


class SequenceTables(NamedTuple):
    """What the kernels read.

    Attributes
    ----------
    cells : array of shape (n_rows, n_columns)
        Cell of each row in each predicting column; the last cell of a column stands for missing.
    labels, classes : arrays of shape (n_rows,)
        The group each row joins, and the class to predict.
    first_cells : array of shape (n_columns + 1,)
        Where each column begins.
    kinds : array of shape (n_cells, n_groups)
        Which row of ``entries`` each cell looks up; of a last cell, that of the column's total.
    entries : array of shape (n_kinds, n_tabulated)
        ``g(n + offset)`` for n = 0, 1, ...
    offsets : array of shape (n_kinds,)
        The offsets of the entries.
    base : array of shape (n_distinct, n_rows + 1)
        Class entry less the entries of the totals of complete columns, by the number of rows in the group.
    base_of : array of shape (n_groups,)
        The row of ``base`` of each group.
    gappy : array
        Columns in which a cell is missing: their totals differ from the number of rows.
    alike : array of shape (n_columns, n_groups)
        Where nothing but rows fills the totals (rule "map"): a column not seen yet is uniform there.
    start_logs, start_front : arrays of shape (n_cells, n_groups) and (n_groups,)
        Entries of the cells, and base less the totals of gappy columns, before the first row.
    class_offsets, other_offsets : arrays of shape (n_class_values, n_groups)
        Offsets of each class, and of all the other classes together, where the class is a column of a
        mixture; no rows where the class is the label itself.
    class_total : float
        Summed offsets of the labels.
    complexity : bool
        Whether ``g`` is the growth of n log n rather than the logarithm.
    """

    cells: CodeArray
    labels: IntArray
    classes: IntArray
    first_cells: IntArray
    kinds: NDArray[np.int32]
    entries: FloatArray
    offsets: FloatArray
    base: FloatArray
    base_of: IntArray
    gappy: IntArray
    alike: BoolArray
    start_logs: FloatArray
    start_front: FloatArray
    class_offsets: FloatArray
    other_offsets: FloatArray
    class_total: float
    complexity: bool


def sequence_tables(
    codes: CodeArray,
    labels: IntArray,
    classes: IntArray,
    n_values: IntArray,
    rule: Rule,
    class_offsets: FloatArray,
) -> SequenceTables:
    """Lay out rows under a rule.

    Parameters
    ----------
    codes : array of shape (n_rows, n_columns)
        The predicting columns; ``n_values`` where missing.
    labels, classes : arrays of shape (n_rows,)
        The group each row joins, and the class to predict.
    n_values : array of shape (n_columns,)
        How many values each column has.
    rule : Rule
        Offsets of the groups and of the cells of these columns.
    class_offsets : array of shape (n_class_values, n_groups)
        Offsets of the class column of a mixture, or of shape (0, n_groups).
    """
    first = np.concatenate(([0], np.cumsum(n_values + 1))).astype(np.int64)
    gappy = (codes == n_values).any(axis=0)
    raised = np.array(rule.value_offsets.T, order="C")
    totals = np.add.reduceat(raised, first[:-1]) if len(n_values) else np.zeros((0, len(rule.class_offsets)))
    alike = (totals == 0) & (not rule.is_complexity)
    # What the total's entry is when it is zero: under "map" a column that was never seen is uniform.
    filling = np.where(alike, np.log(n_values)[:, None], 0.0)
    kinds, offsets, entries = _entries(rule, raised, totals, filling, first, len(labels))
    base, base_of = _base(rule, totals[~gappy], filling[~gappy], class_offsets.sum(axis=0), len(labels))
    start = entries[kinds, 0]
    start[:-1][np.repeat(alike, n_values + 1, axis=0)[:-1]] = 0.0 if alike.any() else start[:-1][:0]
    raise NotImplementedError
