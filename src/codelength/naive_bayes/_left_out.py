"""Leave-one-out weights of each row's own class.

Leaving a row out lowers the counts of its own class only, so the weights of the other classes are those of
the full table, and its own class needs one more set of look-ups: O(n_rows n_variables n_classes) in all, from
one counting pass. The weight of the row is subtracted from the count before a pseudocount is added, because
the sum of a count and a tiny pseudocount would lose the latter. One copy of a weighted row is left out; see
:mod:`codelength.table.copies`.
"""

import numpy as np

from ..counts import Counts
from ..table import Coded
from ..table.copies import copy_weights
from ..typing import BoolArray, FloatArray, IntArray
from ._loops import loops_for
from .log_tables import value_entries
from .rules.rule import Offsets, Rule


def own_scores(counts: Counts, coded: Coded, rule: Rule, offsets: Offsets, groups: IntArray) -> FloatArray:
    """Return the weight of each row's own class without one copy of the row.

    NaN if the row cannot be left out, because it is not among the counted rows.
    """
    removed = None if coded.weights is None else copy_weights(coded.weights)
    if removed is not None and (removed != 1.0).any():
        return _own_weighted_scores(counts, coded, removed, rule, offsets)
    schema = counts.schema
    # All copies have weight 1: one table of entries without one row serves all rows.
    table = np.zeros_like(counts.value_counts)
    for i in range(schema.n_variables):
        start, stop = schema.offsets[i], schema.offsets[i + 1] - 1
        added = offsets.value_offsets[:, start:stop]
        table[:, start:stop] = _entries_without(
            rule, counts.of(i), added, counts.of(i).sum(axis=1, keepdims=True), stop - start, 1.0
        )
    base = _class_entries_without(rule, counts.class_counts, offsets.class_offsets, 1.0)
    scores = loops_for(coded.codes.size).own_class_scores
    return np.asarray(scores(coded.codes.T, coded.class_codes, schema.offsets, groups, base, table))


def _own_weighted_scores(
    counts: Counts, coded: Coded, weights: FloatArray, rule: Rule, offsets: Offsets
) -> FloatArray:
    """Return the same for copies of different weights, which have no common table."""
    schema, labels = counts.schema, np.asarray(coded.class_codes, dtype=np.int64)
    own = _class_entries_without(rule, counts.class_counts[labels], offsets.class_offsets[labels], weights)
    for i in range(schema.n_variables):
        start, stop = schema.offsets[i], schema.offsets[i + 1] - 1
        codes = np.asarray(coded.codes[:, i], dtype=np.int64)
        present = codes < stop - start
        of_class = labels[present]
        at = of_class, start + codes[present]
        added = offsets.value_offsets[:, start:stop].sum(axis=1)
        seen = counts.value_counts[at]
        # A count below the weight means that the row was not counted; 1.0 is a placeholder with a finite
        # logarithm.
        left = seen >= weights[present]
        fewer = np.where(left, seen - weights[present] + offsets.value_offsets[at], 1.0)
        rest = np.maximum(counts.of(i).sum(axis=1)[of_class] - weights[present], 0.0)
        totals = rest + added[of_class]
        rule.check(float(fewer.min(initial=0.0)), "without one of the rows ")
        own[present] += np.where(left, value_entries(rule, fewer, totals, stop - start), np.nan)
    return own


def _entries_without(
    rule: Rule, seen: FloatArray, added: FloatArray, totals: FloatArray, n_values: int, weight: float
) -> FloatArray:
    """Return log table entries with counts lowered by a weight; NaN if a count is smaller."""
    left: BoolArray = seen >= weight
    fewer = np.where(left, seen - weight + added, 1.0)
    rule.check(float(fewer.min(initial=0.0)), "without one of the rows ")
    rest = np.maximum(totals - weight, 0.0) + added.sum(axis=1, keepdims=True)
    entries = value_entries(rule, fewer, np.broadcast_to(rest, fewer.shape), n_values)
    return np.where(left, entries, np.nan)


def _class_entries_without(
    rule: Rule, class_counts: FloatArray, added: FloatArray, weight: FloatArray | float
) -> FloatArray:
    """Return class entries with counts lowered by a weight; NaN if a count is smaller."""
    left: BoolArray = class_counts >= weight
    fewer = np.where(left, class_counts - weight + added, 1.0)
    rule.check(float(fewer.min(initial=0.0)), "without one of the rows ")
    return np.where(left, rule.growth(fewer), np.nan)
