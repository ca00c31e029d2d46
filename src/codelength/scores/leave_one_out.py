"""Predict every row from all the others, without counting anything again.

Leaving a row out lowers the counts of its own class only, so the weights of the other classes are
those of the full table, and its own class needs one more set of look-ups: O(n_rows n_variables
n_classes) in all, from one counting pass.
"""

from dataclasses import replace

import numpy as np

from ..counts import Counts
from ..errors import DataError, InvalidParameter
from ..rules import Rule, Scorer, log_tables, normalised, value_entries
from ..table import Coded
from ..typing import BoolArray, FloatArray, IntArray
from .predictions import Predictions


def leave_one_out(
    counts: Counts, coded: Coded, rule: Rule, *, sample_weight: FloatArray | None = None
) -> Predictions:
    """The class distribution of each row, predicted from the other rows.

    Parameters
    ----------
    counts : Counts
        Counts of all rows, these among them.
    coded : Coded
        The rows to predict, each of which was counted.
    rule : Rule
        The predictive rule on ``counts``.
    sample_weight : array of shape (n_rows,), optional
        The weights with which the rows were counted: a row is left out with its whole weight.
    """
    # The constant is the same for every class, and without it the differences keep more digits.
    tables = replace(log_tables(counts, rule), constant=0.0)
    scorer = Scorer.of(counts.schema, tables)
    log_weights = scorer.log_weights(coded.codes)
    if sample_weight is None:
        own = _own_scores(counts, coded, rule, scorer.groups)
    else:
        own = _own_weighted_scores(counts, coded, rule, sample_weight)
    if np.isnan(own).any():
        row = int(np.argmax(np.isnan(own)))
        raise DataError(
            f"row {row}: it is not among the rows that were counted, so it cannot be left out; pass the "
            "rows (and weights) the model was fitted on"
        )
    log_weights[np.arange(coded.n_rows), np.asarray(coded.classes, dtype=np.int64)] = own
    log_probs, undefined = normalised(log_weights)
    return Predictions(log_probs, coded.classes, undefined, sample_weight)


def _own_scores(counts: Counts, coded: Coded, rule: Rule, groups: IntArray) -> FloatArray:
    """Weight of each row's own class with the row taken off; NaN where it cannot be taken off."""
    from ..rules._kernels import own_class_scores

    schema = counts.schema
    table = np.zeros_like(counts.value_counts)
    for i in range(schema.n_variables):
        start, stop = schema.offsets[i], schema.offsets[i + 1] - 1
        raised = counts.of(i) + rule.value_offsets[:, start:stop]
        totals = np.broadcast_to(raised.sum(axis=1, keepdims=True), raised.shape)
        seen = counts.of(i) >= 1
        table[:, start:stop] = _entries_without(rule, raised, totals, stop - start, seen, 1.0)
    base = _class_entries_without(rule, counts.class_counts, rule.class_offsets, 1.0)
    return np.asarray(own_class_scores(coded.codes.T, coded.classes, schema.offsets, groups, base, table))


def _own_weighted_scores(counts: Counts, coded: Coded, rule: Rule, weights: FloatArray) -> FloatArray:
    """The same with a weight for every row, which rules out a common table."""
    schema, classes = counts.schema, np.asarray(coded.classes, dtype=np.int64)
    own = _class_entries_without(rule, counts.class_counts[classes], rule.class_offsets[classes], weights)
    for i in range(schema.n_variables):
        start, stop = schema.offsets[i], schema.offsets[i + 1] - 1
        codes = np.asarray(coded.codes[:, i], dtype=np.int64)
        present = codes < stop - start
        at = classes[present], start + codes[present]
        raised = counts.value_counts[at] + rule.value_offsets[at]
        totals = (counts.of(i) + rule.value_offsets[:, start:stop]).sum(axis=1)[classes[present]]
        seen = counts.value_counts[at] >= weights[present]
        own[present] += _entries_without(rule, raised, totals, stop - start, seen, weights[present])
    return own


def _entries_without(
    rule: Rule,
    raised: FloatArray,
    totals: FloatArray,
    n_values: int,
    seen: BoolArray,
    weight: FloatArray | float,
) -> FloatArray:
    fewer = np.where(seen, raised - weight, 0.0)
    left = np.where(seen, totals - weight, 1.0)
    _check_mode(rule, fewer)
    return np.where(seen, value_entries(rule, fewer, left, n_values), np.nan)


def _class_entries_without(
    rule: Rule, class_counts: FloatArray, offsets: FloatArray, weight: FloatArray | float
) -> FloatArray:
    seen = class_counts >= weight
    fewer = np.where(seen, class_counts + offsets - weight, 0.0)
    _check_mode(rule, fewer)
    return np.where(seen, rule.growth(fewer), np.nan)


def _check_mode(rule: Rule, fewer: FloatArray) -> None:
    if fewer.min(initial=0.0) < 0:
        raise InvalidParameter(
            'rule="map": without one of the rows a count plus its pseudocount is below 1, so there is '
            'no most probable model; use pseudocounts of at least 1, or rule="evidence"'
        )
