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
    entries : array
        ``g(n + offset)`` for n = 0, 1, ..., one list after the other.
    starts : array of shape (n_cells, n_groups)
        Where the list of each cell begins; that of a last cell is the list of the column's total.
    base : array of shape (n_groups, n_sizes)
        Entry of the group less those of the totals of complete columns, by the number of rows in the group.
    gaps : array
        Last cells of the columns in which something is missing: their totals are not the size of the group.
    alike : array of shape (n_columns, n_groups)
        Where nothing but rows fills the totals (rule "map"): a column not seen yet is uniform there. No rows
        where there is no such column.
    start_logs, start_front : arrays of shape (n_cells, n_groups) and (n_groups,)
        Entries of the cells, and base less the totals of columns with gaps, before the first row.
    class_offsets, other_offsets : arrays of shape (n_class_values, n_groups)
        Offsets of each class, and of all the other classes together, where the class is a column of a
        mixture; no rows where the class is the label itself.
    """

    cells: CodeArray
    labels: IntArray
    classes: IntArray
    first_cells: IntArray
    entries: FloatArray
    starts: IntArray
    base: FloatArray
    gaps: IntArray
    alike: BoolArray
    start_logs: FloatArray
    start_front: FloatArray
    class_offsets: FloatArray
    other_offsets: FloatArray

    @property
    def n_values(self) -> IntArray:
        """Number of values of each column."""
        return np.diff(self.first_cells) - 1


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
    spare = first[1:] - 1
    has_gaps = (codes == n_values).any(axis=0)
    raised = np.array(rule.value_offsets.T, order="C")
    totals = np.add.reduceat(raised, first[:-1]) if len(n_values) else raised
    alike = (totals == 0) & (not rule.is_complexity)
    # The imaginary part says over how many values a column is uniform while its total is zero.
    of_totals = totals + 1j * np.where(alike, n_values[:, None], 0)
    of_cells = raised.astype(np.complex128)
    of_cells[spare] = of_totals
    narrow = first[-1] <= 1 << 16
    cells: CodeArray = (first[:-1] + codes).astype(np.uint16 if narrow else np.uint32, order="C")
    sizes = np.bincount(labels, minlength=len(rule.class_offsets))
    entries, starts = _lists(rule, of_cells, _most(cells, labels, sizes, spare))
    of_class = class_offsets.sum(axis=0, keepdims=True)[: len(class_offsets)]
    base = _base(rule, np.concatenate((of_totals[~has_gaps], of_class)), int(sizes.max(initial=0)))
    start = entries[starts]
    unseen = np.repeat(alike, n_values + 1, axis=0)
    unseen[spare] = False
    start[unseen] = 0.0
    return SequenceTables(
        cells=cells,
        labels=labels,
        classes=classes,
        first_cells=first,
        entries=entries,
        starts=starts,
        base=base,
        gaps=spare[has_gaps],
        alike=alike if alike.any() else alike[:0],
        start_logs=start,
        start_front=base[:, 0] - start[spare[has_gaps]].sum(axis=0),
        class_offsets=class_offsets,
        other_offsets=np.asarray((1 - np.eye(len(class_offsets))) @ class_offsets),
    )


def _most(cells: CodeArray, labels: IntArray, sizes: IntArray, spare: IntArray) -> IntArray:
    """How high the count of each cell and each total goes, shape (n_cells, n_groups)."""
    n_cells, n_groups = int(spare[-1]) + 1 if len(spare) else 0, len(sizes)
    flat = np.zeros(n_cells * n_groups, dtype=np.int64)
    for column in cells.T:
        flat += np.bincount(column * np.int64(n_groups) + labels, minlength=len(flat))
    most: IntArray = flat.reshape(n_cells, n_groups)
    most[spare] = sizes
    return most


def _lists(rule: Rule, keys: NDArray[np.complex128], most: IntArray) -> tuple[FloatArray, IntArray]:
    """Entries by count, one list for each distinct key, and where the list of each cell begins."""
    distinct, which = np.unique(keys, return_inverse=True)
    lengths = np.ones(len(distinct), dtype=np.int64)
    np.maximum.at(lengths, which.ravel(), most.ravel() + 1)
    firsts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    numbers = np.arange(firsts[-1]) - np.repeat(firsts[:-1], lengths)
    entries = rule.growth(np.repeat(distinct.real, lengths) + numbers)
    uniform = distinct.imag > 0
    entries[firsts[:-1][uniform]] = np.log(distinct.imag[uniform])
    return entries, firsts[which.reshape(keys.shape)]


def _base(rule: Rule, of_totals: NDArray[np.complex128], most: int) -> FloatArray:
    """Entries of the groups less those of their totals; groups with the same offsets are done once."""
    keys = np.vstack((rule.class_offsets, of_totals))
    distinct, which = np.unique(keys, axis=1, return_inverse=True)
    numbers = np.arange(most + 1.0)
    base = np.empty((distinct.shape[1], most + 1))
    for row, column in zip(base, distinct.T, strict=True):
        row[:] = rule.growth(column[0].real + numbers)
        totals, how_often = np.unique(column[1:], return_counts=True)
        for total, times in zip(totals, how_often, strict=True):
            entries = rule.growth(total.real + numbers)
            if total.imag > 0:
                entries[0] = np.log(total.imag)
            row -= times * entries
    return np.ascontiguousarray(base[which.reshape(-1)])
