"""A table and a predictive rule laid out for predicting and counting rows one at a time.

A row has a *label*, the group whose counts it joins (its class in naive Bayes, its cluster in a mixture),
and a *class*, which is predicted before the row joins. Counts are whole numbers, so every entry of a log
table is looked up in the lists of :func:`codelength.naive_bayes.log_tables.growth_lists`.

Order of reading: :class:`SequenceLayout` (the arrays), :func:`lay_out`, then its parts: columns that predict,
lists of entries, the front. The *front* of a group is the part of its log weight that does not depend on the
cells of a row: the entry of its size less the totals of the columns. Depends on
:mod:`codelength.naive_bayes.log_tables`; the kernels of this folder read nothing else.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..counts import count
from ..naive_bayes import Offsets, PriorLike, Rule
from ..naive_bayes.log_tables import growth_lists
from ..table import Coded, Schema
from ..typing import BoolArray, CodeArray, FloatArray, IntArray


class SequenceLayout(NamedTuple):
    """Arrays that the kernels read; few of them, because each adds to the compile time.

    Attributes
    ----------
    rows : array of shape (n_rows, 2 + n_columns)
        Label and class of each row, then its cell in each predicting column; the last cell of a column
        stands for missing.
    first_cells : array of shape (n_columns + 1,)
        First cell of each column.
    entries : array
        ``g(n + offset)`` for n = 0, 1, ..., one list after the other.
    starts : array of shape (n_cells + 1, n_groups)
        Start of the list of each cell; that of the last cell of a column is the list of its total. At the end
        the list of the group: its own entry less those of the totals of complete columns, by its size.
    gaps : array
        Last cells of the columns in which something is missing: their totals are not the size of the group.
    alike : array of shape (n_columns, n_groups)
        Columns to which a rule that normalises adds nothing (rule "map" under the uniform prior): all values
        are alike until one is observed. The array is empty if there is no such column.
    logs : array of shape (n_cells + 2, n_groups)
        Entries of the cells before the first row; then the front, which is the group's entry less those of
        the totals of columns with gaps; then a line for scratch.
    class_offsets : array of shape (2, n_class_values, n_groups)
        Offsets of each class, and of all the other classes together, if the class is a column of a mixture;
        empty if the class is the label itself.
    """

    rows: CodeArray
    first_cells: IntArray
    entries: FloatArray
    starts: IntArray
    gaps: IntArray
    alike: BoolArray
    logs: FloatArray
    class_offsets: FloatArray


def checked_offsets(rule: Rule, prior: PriorLike, schema: Schema) -> Offsets:
    """Return the offsets of a rule; raise if it cannot predict from no rows at all."""
    offsets = rule.offsets_under(prior, schema)
    rule.check(float(min(offsets.class_offsets.min(), offsets.value_offsets.min(initial=0.0))))
    return offsets


def lay_out(coded: Coded, rule: Rule, offsets: Offsets, class_column: int | None = None) -> SequenceLayout:
    """Lay out rows under a rule.

    Parameters
    ----------
    coded : Coded
        The rows; each joins the group that its class code names. One of weight 3 is taken for three rows.
    rule : Rule
        The predictive rule.
    offsets : Offsets
        Pseudocounts that the rule adds to the counts.
    class_column : int, optional
        Position of the column to predict, in a mixture; by default the group itself is predicted.
    """
    predicting, of_values, classes, of_classes = _apart(coded.repeated(), offsets.value_offsets, class_column)
    schema, counts = predicting.schema, count(predicting)
    first, spare, of_cells = schema.offsets, schema.offsets[1:] - 1, of_values.T
    totals = np.add.reduceat(of_cells, first[:-1]) if schema.n_variables else of_cells
    # Nothing seen and nothing added: the total begins with the number of values, over which it is uniform.
    alike = (totals == 0) & rule.normalises
    firsts = np.where(alike, schema.n_values[:, None], totals)
    most, seen = counts.class_counts.astype(np.int64), counts.value_counts.T.astype(np.int64)
    has_gaps: BoolArray = np.asarray(seen[spare].any(axis=1))
    # The spare cell of a column is never predicted, so its list is free for the total of the column.
    entries, starts = growth_lists(
        rule, _put(of_cells, spare, totals), _put(seen, spare, most), first=_put(of_cells, spare, firsts)
    )
    of_class = of_classes.sum(axis=0, keepdims=True)[: len(of_classes)]
    # In complete columns the total is the size of the group. Their entries are summed into one list per
    # group, so that a row costs one look-up for all of them.
    of_groups = _of_groups(
        rule,
        np.vstack((offsets.class_offsets, totals[~has_gaps], of_class)),
        np.vstack((offsets.class_offsets, firsts[~has_gaps], of_class)),
        int(most.max()),
    )
    starts = np.vstack((starts, len(entries) + np.arange(len(of_groups)) * of_groups.shape[1]))
    entries = np.concatenate((entries, of_groups.ravel()))
    return SequenceLayout(
        rows=_rows(predicting, classes),
        first_cells=first,
        entries=entries,
        starts=starts,
        gaps=spare[has_gaps],
        alike=alike if alike.any() else alike[:0],
        logs=_first_logs(entries[starts], alike, schema.n_values, spare, has_gaps),
        class_offsets=np.stack((of_classes, (1 - np.eye(len(of_classes))) @ of_classes)),
    )


def _put(cells: NDArray[Any], places: IntArray, numbers: NDArray[Any]) -> NDArray[Any]:
    """Return a copy of the array with other lines in some places."""
    changed = np.array(cells, order="C")
    changed[places] = numbers
    return changed


def _apart(
    coded: Coded, value_offsets: FloatArray, class_column: int | None
) -> tuple[Coded, FloatArray, CodeArray, FloatArray]:
    """The columns that predict and their offsets, and the classes and theirs, one row per class."""
    if class_column is None:
        return coded, value_offsets, coded.class_codes, np.zeros((0, len(value_offsets)))
    schema = coded.schema
    # The cell for missing of the class is left out: a class that is predicted is never missing.
    others = [i for i in range(schema.n_variables) if i != class_column]
    start, stop = schema.offsets[class_column], schema.offsets[class_column + 1]
    return (
        coded.select(others),
        np.delete(value_offsets, np.s_[start:stop], axis=1),
        coded.codes[:, class_column],
        np.ascontiguousarray(value_offsets[:, start : stop - 1].T),
    )


def _rows(predicting: Coded, classes: CodeArray) -> CodeArray:
    """Return group, class and cells of each row in the narrowest type."""
    first, codes = predicting.schema.offsets, predicting.codes
    largest = max(int(first[-1]), predicting.schema.n_classes, int(classes.max(initial=0)) + 1)
    # Cells instead of codes: the kernels index the tables without an addition per column. Two bytes per cell
    # keep a row within one or two cache lines.
    rows = np.empty((len(codes), codes.shape[1] + 2), dtype=np.uint16 if largest <= 1 << 16 else np.uint32)
    rows[:, 0], rows[:, 1] = predicting.class_codes, classes
    for i in range(codes.shape[1]):
        np.add(codes[:, i], first[i], out=rows[:, i + 2], casting="unsafe")
    return rows


def _first_logs(
    logs: FloatArray, alike: BoolArray, n_values: IntArray, spare: IntArray, has_gaps: BoolArray
) -> FloatArray:
    """Return the entries before the first row, a front that accounts for the gaps, and a scratch line."""
    unseen = np.repeat(alike, n_values + 1, axis=0)
    unseen[spare] = False
    # A column without observations predicts uniformly through its total; its cells add nothing.
    logs[:-1][unseen] = 0.0
    logs[-1] -= logs[spare[has_gaps]].sum(axis=0)
    return np.vstack((logs, np.zeros((1, logs.shape[1]))))


def _of_groups(rule: Rule, offsets: FloatArray, firsts: FloatArray, most: int) -> FloatArray:
    """Compute the entries of the groups (first line of ``offsets``) less those of their totals, by size.

    The result has shape (n_groups, most + 1).
    """
    # Groups with the same offsets are computed once; complex numbers sort both parts together.
    distinct, which = np.unique(offsets + 1j * firsts, axis=1, return_inverse=True)
    entries, starts = growth_lists(rule, distinct.real, np.full(distinct.shape, most), first=distinct.imag)
    sizes, sums = np.arange(most + 1), np.empty((distinct.shape[1], most + 1))
    for line, own in zip(sums, starts.T, strict=True):
        # Many large terms: summed with more digits, so that only one rounding is left.
        total = entries[own[0] + sizes].astype(np.longdouble)
        for start, times in zip(*np.unique(own[1:], return_counts=True), strict=True):
            total -= times * entries[start + sizes].astype(np.longdouble)
        line[:] = total
    return sums[which.reshape(-1)]
