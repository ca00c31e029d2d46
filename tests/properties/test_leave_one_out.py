"""Leave-one-out in closed form is leave-one-out by refitting, whatever the rule."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from codelength import NaiveBayes
from codelength.naive_bayes import Distributions, Predictor
from codelength.scores import leave_one_out
from properties.comparisons import assert_same_distributions, assert_same_scores
from properties.strategies import for_every_rule, naive_log_weights, row_weights, tables, tables_and_priors


def left_out(table, rule, prior, weights=None):
    return leave_one_out(Predictor.of(table.counts(weights), rule, prior), table.weighted(weights))


def by_the_oracle(table, rule, prior, weights):
    """Class distributions from counts made anew without each row; None where they are 0/0."""
    spelled = table.naive_prior(prior)
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
        fewer = np.ones(len(table.rows)) if weights is None else weights.copy()
        fewer[j] -= fewer[j] / max(1, int(fewer[j]))
        counts = table.counts(fewer)
        row = Predictor.of(counts, rule, prior).log_probs(table.coded.take([j]))
        log_probs.append(row.log_probs[0])
        undefined.append(row.undefined[0])
    return Distributions(np.array(log_probs), np.array(undefined))


@for_every_rule(40)
def test_leave_one_out_is_refitting(rule, data):
    table, prior = data.draw(tables_and_priors(rule, min_rows=1))
    weights = data.draw(st.one_of(st.none(), row_weights(table)))
    result = left_out(table, rule, prior, weights)

    assert_same_distributions(result, by_refitting(table, rule, prior, weights))
    for row, expected in enumerate(by_the_oracle(table, rule, prior, weights)):
        assert result.undefined[row] == (expected is None)
        uniform = [1 / table.n_classes] * table.n_classes
        np.testing.assert_allclose(np.exp(result.log_probs[row]), expected or uniform, rtol=1e-9)


@for_every_rule(25)
def test_weights_of_one_are_no_weights(rule, data):
    table, prior = data.draw(tables_and_priors(rule, min_rows=1))
    plain = left_out(table, rule, prior)
    weighted = left_out(table, rule, prior, np.ones(len(table.rows)))
    assert_same_distributions(weighted, plain, rtol=1e-11, atol=0)


@for_every_rule(25)
def test_decimal_weights_are_left_out_too(rule, data):
    """Weights whose sums are rounded: a row that was counted can always be left out."""
    table = data.draw(tables(min_rows=1))
    weight = st.integers(1, 99).map(lambda n: n / 100)
    n_rows = len(table.rows)
    weights = np.array(data.draw(st.lists(weight, min_size=n_rows, max_size=n_rows)))
    result = left_out(table, rule, "uniform", weights)
    refitted = by_refitting(table, rule, "uniform", weights)
    if rule != "map":  # a remainder of rounding is not a zero, and MAP tells them apart
        assert_same_distributions(result, refitted, rtol=1e-8, atol=0)


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
    assert_same_scores(result, absent)


@for_every_rule(20)
def test_the_estimator_leaves_out_what_it_was_fitted_on(rule, data):
    table, prior = data.draw(tables_and_priors(rule, min_rows=2, min_classes=2))
    model = NaiveBayes(rule, prior, schema=table.schema).fit(table.codes, table.labels)
    result = model.leave_one_out(table.codes, table.labels)
    assert_same_distributions(result, by_refitting(table, rule, prior, None))
    own = result.log_probs[np.arange(len(table.labels)), list(table.labels)]
    assert result.true_log_probs.tolist() == own.tolist()
    assert result.n_zero == int(np.isneginf(own).sum())
