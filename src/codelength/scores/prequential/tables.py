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
        Where nothing but rows fills the totals (rule "map"): a column not seen yet is uniform there. No rows
        where there is no such column.
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
    spare, column_of = first[1:] - 1, np.repeat(np.arange(len(n_values)), n_values + 1)
    raised = np.array(rule.value_offsets.T, order="C")
    totals = np.add.reduceat(raised, first[:-1]) if len(first) > 1 else raised
    alike = (totals == 0) & (not rule.is_complexity)
    gaps = (codes == n_values).any(axis=0)
    # The imaginary part names what a total of zero stands for: the column is uniform over its values.
    of_totals = totals + 1j * np.where(alike, n_values[:, None], 0)
    of_cells = raised.astype(np.complex128)
    of_cells[spare] = of_totals
    kinds, entries, offsets = _entries(rule, of_cells, len(labels))
    of_class = class_offsets.sum(axis=0, keepdims=True)[: len(class_offsets)]
    base, base_of = _base(rule, np.concatenate((of_totals[~gaps], of_class)), len(labels))
    start = entries[kinds, 0]
    unseen = alike[column_of]
    unseen[spare] = False
    start[unseen] = 0.0
    return SequenceTables(
        cells=(first[:-1] + codes).astype(np.uint16 if first[-1] <= 1 << 16 else np.uint32, order="C"),
        labels=np.ascontiguousarray(labels, dtype=np.int64),
        classes=np.ascontiguousarray(classes, dtype=np.int64),
        first_cells=first,
        kinds=kinds,
        entries=entries,
        offsets=offsets,
        base=base,
        base_of=base_of,
        gappy=np.flatnonzero(gaps),
        alike=alike if alike.any() else alike[:0],
        start_logs=start,
        start_front=base[base_of, 0] - start[spare[gaps]].sum(axis=0),
        class_offsets=class_offsets,
        other_offsets=_sums_of_others(class_offsets),
        class_total=float(rule.class_offsets.sum()),
        complexity=rule.is_complexity,
    )


def _entries(
    rule: Rule, keys: NDArray[np.complex128], n_rows: int
) -> tuple[NDArray[np.int32], FloatArray, FloatArray]:
    """Entries of the distinct keys for n = 0, 1, ..., and which cell has which key."""
    distinct, kinds = np.unique(keys, return_inverse=True)
    n_tabulated = min(n_rows + 1, max(1, MAX_ENTRIES // max(1, len(distinct))))
    entries = _by_count(rule, distinct, n_tabulated)
    return kinds.reshape(keys.shape).astype(np.int32), entries, np.ascontiguousarray(distinct.real)


def _by_count(rule: Rule, keys: NDArray[np.complex128], n_counts: int) -> FloatArray:
    entries = rule.growth(keys.real[:, None] + np.arange(n_counts))
    uniform = keys.imag > 0
    entries[uniform, 0] = np.log(keys.imag[uniform])
    return entries


def _base(rule: Rule, of_totals: NDArray[np.complex128], n_rows: int) -> tuple[FloatArray, IntArray]:
    """Entries of the groups less those of their totals; groups with the same offsets share a row."""
    keys = np.vstack((rule.class_offsets, of_totals))
    distinct, base_of = np.unique(keys, axis=1, return_inverse=True)
    base = np.empty((distinct.shape[1], n_rows + 1))
    for row, column in zip(base, distinct.T, strict=True):
        row[:] = rule.growth(column[0].real + np.arange(n_rows + 1.0))
        totals, how_often = np.unique(column[1:], return_counts=True)
        row -= how_often @ _by_count(rule, totals, n_rows + 1)
    return base, base_of.reshape(-1).astype(np.int64)


def _sums_of_others(offsets: FloatArray) -> FloatArray:
    """For each class the summed offsets of all the others, without the rounding of a difference."""
    others = 1 - np.eye(len(offsets))
    return np.asarray(others @ offsets)
