"""Leave-one-out in closed form is leave-one-out by refitting, whatever the rule."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from codelength import NaiveBayes
from codelength.rules import Predictor, pseudocounts
from codelength.scores import leave_one_out
from properties.strategies import (
    RULE_NAMES,
    least_pseudocount,
    naive_log_weights,
    naive_prior,
    priors,
    row_weights,
    tables,
)

by_rule = pytest.mark.parametrize("rule", RULE_NAMES)


def left_out(table, rule, prior, weights=None):
    return leave_one_out(Predictor.of(table.counts(weights), rule, prior), table.weighted(weights))


def by_the_oracle(table, rule, prior, weights):
    """Class distributions from counts made anew without each row; None where they are 0/0."""
    spelled = naive_prior(pseudocounts(prior, table.schema), table.schema)
    left_out = naive.leave_one_out_counts(
        table.rows, table.labels, table.n_values, table.n_classes, None if weights is None else list(weights)
    )
    return [
        naive.probabilities_from_logs(naive_log_weights(row, counts, spelled, rule))
        for row, counts in zip(table.rows, left_out, strict=True)
    ]


def by_refitting(table, rule, prior, weights):
    log_probs, undefined = [], []
    for j in range(len(table.rows)):
        others = [i for i in range(len(table.rows)) if i != j]
        counts = table.take(others).counts(None if weights is None else weights[others])
        row = Predictor.of(counts, rule, prior).log_probs(table.coded.take([j]))
        log_probs.append(row.log_probs[0])
        undefined.append(row.undefined[0])
    return np.array(log_probs), np.array(undefined)


@by_rule
@settings(max_examples=40)
@given(data=st.data())
def test_leave_one_out_is_refitting(rule, data):
    table = data.draw(tables(min_rows=1))
    prior = data.draw(priors(table, at_least=least_pseudocount(rule)))
    weights = data.draw(st.one_of(st.none(), row_weights(table)))
    result = left_out(table, rule, prior, weights)

    log_probs, undefined = by_refitting(table, rule, prior, weights)
    assert result.undefined.tolist() == undefined.tolist()
    np.testing.assert_allclose(np.exp(result.log_probs), np.exp(log_probs), rtol=1e-10, atol=1e-300)

    for row, expected in enumerate(by_the_oracle(table, rule, prior, weights)):
        assert result.undefined[row] == (expected is None)
        uniform = [1 / table.n_classes] * table.n_classes
        np.testing.assert_allclose(np.exp(result.log_probs[row]), expected or uniform, rtol=1e-9)


@by_rule
@settings(max_examples=25)
@given(data=st.data())
def test_weights_of_one_are_no_weights(rule, data):
    table = data.draw(tables(min_rows=1))
    prior = data.draw(priors(table, at_least=least_pseudocount(rule)))
    plain = left_out(table, rule, prior)
    weighted = left_out(table, rule, prior, np.ones(len(table.rows)))
    np.testing.assert_allclose(np.exp(weighted.log_probs), np.exp(plain.log_probs), rtol=1e-11)
    assert weighted.undefined.tolist() == plain.undefined.tolist()


@by_rule
@settings(max_examples=25)
@given(data=st.data())
def test_decimal_weights_are_left_out_too(rule, data):
    """Weights whose sums are rounded: a row that was counted can always be left out."""
    table = data.draw(tables(min_rows=1))
    weight = st.integers(1, 99).map(lambda n: n / 100)
    n_rows = len(table.rows)
    weights = np.array(data.draw(st.lists(weight, min_size=n_rows, max_size=n_rows)))
    result = left_out(table, rule, "uniform", weights)
    log_probs, undefined = by_refitting(table, rule, "uniform", weights)
    if rule != "map":  # a remainder of rounding is not a zero, and MAP tells them apart
        assert result.undefined.tolist() == undefined.tolist()
        np.testing.assert_allclose(np.exp(result.log_probs), np.exp(log_probs), rtol=1e-8)


@settings(max_examples=25)
@given(st.data())
def test_a_row_of_weight_zero_takes_no_part_in_the_scores(data):
    """Under MAP its class may have probability zero, and 0 times infinity is not a score."""
    table = data.draw(tables(min_rows=3, min_classes=2))
    weights = data.draw(row_weights(table))
    kept = np.flatnonzero(weights)
    if not len(kept):
        return
    predictor = Predictor.of(table.counts(weights), "map")
    result = leave_one_out(predictor, table.weighted(weights))
    absent = leave_one_out(predictor, table.take(kept).weighted(weights[kept]))
    assert result.log_score == pytest.approx(absent.log_score, rel=1e-12)
    assert result.accuracy == pytest.approx(absent.accuracy, rel=1e-12)
    assert result.brier_score == pytest.approx(absent.brier_score, rel=1e-12)


@by_rule
@settings(max_examples=20)
@given(data=st.data())
def test_the_estimator_leaves_out_what_it_was_fitted_on(rule, data):
    table = data.draw(tables(min_rows=2, min_classes=2))
    prior = data.draw(priors(table, at_least=least_pseudocount(rule)))
    model = NaiveBayes(rule, prior, schema=table.schema).fit(table.codes, table.labels)
    result = model.leave_one_out(table.codes, table.labels)
    log_probs, undefined = by_refitting(table, rule, prior, None)
    assert result.undefined.tolist() == undefined.tolist()
    np.testing.assert_allclose(np.exp(result.log_probs), np.exp(log_probs), rtol=1e-10, atol=1e-300)
    own = result.log_probs[np.arange(len(table.labels)), list(table.labels)]
    assert result.true_log_probs.tolist() == own.tolist()
    assert result.n_zero == int(np.isneginf(own).sum())
