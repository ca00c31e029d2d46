"""Equal rows merged into one with their weight say the same as the rows themselves."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from codelength.counts import count, expected_counts
from codelength.naive_bayes import Predictor
from codelength.scores import evidence_code_length, leave_one_out
from codelength.table.copies import copy_weights
from properties.comparisons import assert_same_scores
from properties.strategies import for_every_rule, priors, row_weights, tables, tables_and_priors

few_values = {"max_variables": 3, "max_values": 2, "max_classes": 2, "max_rows": 14}
"""So few rows are possible that many of them are equal."""


@settings(max_examples=60)
@given(st.data())
def test_counts_and_evidence(data):
    table = data.draw(tables(**few_values))
    coded = table.weighted(data.draw(st.one_of(st.none(), row_weights(table))))
    prior = data.draw(priors(table))
    distinct = coded.distinct()
    assert count(distinct) == count(coded)
    assert evidence_code_length(count(distinct), prior) == evidence_code_length(count(coded), prior)
    assert distinct.total_weight == coded.total_weight
    rows = np.column_stack((distinct.codes, distinct.class_codes))
    assert len(np.unique(rows, axis=0)) == distinct.n_rows


@settings(max_examples=40)
@given(st.data())
def test_counts_of_rows_shared_out(data):
    """Equal rows have equal shares, as they do in a mixture."""
    table = data.draw(tables(**few_values))
    coded = table.weighted(data.draw(st.one_of(st.none(), row_weights(table, zero=False))))
    first, places = coded.groups()
    share = data.draw(
        st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=len(first), max_size=len(first))
    )
    shares = np.array([[s, 1 - s] if table.n_classes == 2 else [s] for s in share]).reshape(
        -1, table.n_classes
    )
    merged = expected_counts(coded.distinct(), shares)
    assert merged == expected_counts(coded, shares[places])


@for_every_rule(40)
def test_predictions(rule, data):
    table, prior = data.draw(tables_and_priors(rule, min_rows=1, **few_values))
    coded = table.coded
    first, places = coded.groups()
    distinct = coded.distinct()
    whole, merged = (Predictor.of(count(rows), rule, prior) for rows in (coded, distinct))
    np.testing.assert_array_equal(distinct.codes[places], coded.codes)
    np.testing.assert_array_equal(distinct.weights, np.bincount(places))
    assert len(first) == distinct.n_rows
    for one, other in zip(merged.log_probs(distinct), whole.log_probs(coded), strict=True):
        np.testing.assert_array_equal(one[places], other)
    np.testing.assert_array_equal(merged.log_weights(distinct)[places], whole.log_weights(coded))


@for_every_rule(40)
def test_leave_one_out(rule, data):
    """One row at a time is left out of each set of equal ones, which then counts as often as it occurs."""
    table, prior = data.draw(tables_and_priors(rule, min_rows=1, **few_values))
    coded, distinct = table.coded, table.coded.distinct()
    row_by_row = leave_one_out(Predictor.of(count(coded), rule, prior), coded)
    merged = leave_one_out(Predictor.of(count(distinct), rule, prior), distinct)
    np.testing.assert_array_equal(merged.log_probs[coded.groups()[1]], row_by_row.log_probs)
    assert_same_scores(merged, row_by_row)


@for_every_rule(40)
def test_leaving_out_one_copy_of_a_weighted_row(rule, data):
    """It is predicting the row from all rows with one copy less of it."""
    table, prior = data.draw(tables_and_priors(rule, min_rows=1, **few_values))
    distinct = table.weighted(data.draw(row_weights(table, zero=False))).distinct()
    result = Predictor.of(count(distinct), rule, prior).leave_one_out(distinct)
    for row in range(distinct.n_rows):
        fewer = distinct.weights.copy()
        fewer[row] -= copy_weights(fewer)[row]
        others = count(replace(distinct, weights=fewer))
        log_probs, undefined = Predictor.of(others, rule, prior).log_probs(distinct.take([row]))
        assert result.undefined[row] == undefined[0]
        np.testing.assert_allclose(
            np.exp(result.log_probs[row]), np.exp(log_probs[0]), rtol=1e-10, atol=1e-300
        )
