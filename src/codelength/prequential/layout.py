"""A table and a predictive rule laid out for taking rows in one at a time.

A row has a *label*, the group whose counts it joins (its class in naive Bayes, its cluster in a mixture),
and a *class*, which is predicted before the row joins. Every entry of a log table is ``g(n + offset)`` of a
whole number ``n``, so the entries are made once for each distinct offset and looked up by ``n``.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..rules import Rule
from ..typing import BoolArray, CodeArray, FloatArray, IntArray


class SequenceTables(NamedTuple):
    """What the kernels read: few arrays, because each takes its time to compile.

    Attributes
    ----------
    rows : array of shape (n_rows, 2 + n_columns)
        Label and class of each row, then its cell in each predicting column; the last cell of a column
        stands for missing.
    first_cells : array of shape (n_columns + 1,)
        Where each column begins.
    entries : array
        ``g(n + offset)`` for n = 0, 1, ..., one list after the other.
    starts : array of shape (n_cells + 1, n_groups)
        Where the list of each cell begins; that of the last cell of a column is the list of its total. At the
        end the list of the group: its own entry less those of the totals of complete columns, by its size.
    gaps : array
        Last cells of the columns in which something is missing: their totals are not the size of the group.
    alike : array of shape (n_columns, n_groups)
        Where nothing but rows fills the totals (rule "map"): a column not seen yet is uniform there. No rows
        where there is no such column.
    logs : array of shape (n_cells + 2, n_groups)
        Entries of the cells before the first row; then the front, which is the group's entry less those of
        the totals of columns with gaps; then a line for scratch.
    class_offsets : array of shape (2, n_class_values, n_groups)
        Offsets of each class, and of all the other classes together, where the class is a column of a
        mixture; no values where the class is the label itself.
    """

    rows: CodeArray
    first_cells: IntArray
    entries: FloatArray
    starts: IntArray
    gaps: IntArray
    alike: BoolArray
    logs: FloatArray
    class_offsets: FloatArray

    @property
    def labels(self) -> IntArray:
        """The group each row joins."""
        return self.rows[:, 0].astype(np.int64)

    @property
    def classes(self) -> IntArray:
        """The class of each row."""
        return self.rows[:, 1].astype(np.int64)

    @property
    def codes(self) -> IntArray:
        """The codes of the predicting columns."""
        return np.asarray(self.rows[:, 2:] - self.first_cells[:-1])

    @property
    def n_values(self) -> IntArray:
        """Number of values of each predicting column."""
        return np.diff(self.first_cells) - 1

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.starts.shape[1])


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
    sizes = np.bincount(labels, minlength=len(rule.class_offsets))
    seen = _seen(codes, labels, n_values, len(sizes))
    has_gaps = seen[spare].any(axis=1)
    raised = np.array(rule.value_offsets.T, order="C")
    totals = np.add.reduceat(raised, first[:-1]) if len(n_values) else raised
    alike = (totals == 0) & (not rule.is_complexity)
    # The imaginary part says over how many values a column is uniform while its total is zero.
    of_totals = totals + 1j * np.where(alike, n_values[:, None], 0)
    of_cells = raised.astype(np.complex128)
    of_cells[spare] = of_totals
    of_class = class_offsets.sum(axis=0, keepdims=True)[: len(class_offsets)]
    base = _base(rule, np.concatenate((of_totals[~has_gaps], of_class)), int(sizes.max(initial=0)))
    most = seen.copy()
    most[spare] = sizes
    entries, starts = _lists(rule, of_cells, most, base)
    logs = np.vstack((entries[starts], np.zeros((1, len(sizes)))))
    unseen = np.repeat(alike, n_values + 1, axis=0)
    unseen[spare] = False
    logs[:-2][unseen] = 0.0
    logs[-2] -= logs[spare[has_gaps]].sum(axis=0)
    return SequenceTables(
        rows=_rows(codes, labels, classes, first),
        first_cells=first,
        entries=entries,
        starts=starts,
        gaps=spare[has_gaps],
        alike=alike if alike.any() else alike[:0],
        logs=logs,
        class_offsets=np.stack((class_offsets, (1 - np.eye(len(class_offsets))) @ class_offsets)),
    )


def _rows(codes: CodeArray, labels: IntArray, classes: IntArray, first: IntArray) -> CodeArray:
    """The group, the class and the cells of each row, as narrow as they can be."""
    largest = max(int(first[-1]), int(labels.max(initial=0)) + 1, int(classes.max(initial=0)) + 1)
    rows = np.empty((len(codes), codes.shape[1] + 2), dtype=np.uint16 if largest <= 1 << 16 else np.uint32)
    rows[:, 0], rows[:, 1] = labels, classes
    for i in range(codes.shape[1]):
        np.add(codes[:, i], first[i], out=rows[:, i + 2], casting="unsafe")
    return rows


def _seen(codes: CodeArray, labels: IntArray, n_values: IntArray, n_groups: int) -> IntArray:
    """How often each cell occurs in each group, shape (n_cells, n_groups)."""
    parts = [
        np.bincount(codes[:, i].astype(np.int64) * n_groups + labels, minlength=(size + 1) * n_groups)
        for i, size in enumerate(n_values.tolist())
    ]
    flat = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
    counts: IntArray = flat.reshape(-1, n_groups)
    return counts


def _lists(
    rule: Rule, keys: NDArray[np.complex128], most: IntArray, base: FloatArray
) -> tuple[FloatArray, IntArray]:
    """Entries by count, a list for each distinct key and one for each group, and where each begins."""
    distinct, which = np.unique(keys, return_inverse=True)
    lengths = np.ones(len(distinct), dtype=np.int64)
    np.maximum.at(lengths, which.ravel(), most.ravel() + 1)
    firsts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    numbers = np.arange(firsts[-1]) - np.repeat(firsts[:-1], lengths)
    entries = rule.growth(np.repeat(distinct.real, lengths) + numbers)
    uniform = distinct.imag > 0
    entries[firsts[:-1][uniform]] = np.log(distinct.imag[uniform])
    of_groups = firsts[-1] + np.arange(len(base)) * base.shape[1]
    return np.concatenate((entries, base.ravel())), np.vstack((firsts[which.reshape(keys.shape)], of_groups))


def _base(rule: Rule, of_totals: NDArray[np.complex128], most: int) -> FloatArray:
    """Entries of the groups less those of their totals, shape (n_groups, most + 1)."""
    # Groups with the same offsets are done once.
    distinct, which = np.unique(np.vstack((rule.class_offsets, of_totals)), axis=1, return_inverse=True)
    numbers = np.arange(most + 1.0)
    base = np.empty((distinct.shape[1], most + 1))
    for line, column in zip(base, distinct.T, strict=True):
        # Many large terms: summed with more digits, so that only one rounding is left.
        row = rule.growth(column[0].real + numbers).astype(np.longdouble)
        totals, how_often = np.unique(column[1:], return_counts=True)
        for total, times in zip(totals, how_often, strict=True):
            entries = rule.growth(total.real + numbers)
            if total.imag > 0:
                entries[0] = np.log(total.imag)
            row -= times * entries.astype(np.longdouble)
        line[:] = row
    return base[which.reshape(-1)]
