"""What prequential terms add up to, and how they agree with the definitions."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from codelength.mixture.fixed_clustering import FixedClustering
from codelength.mixture.parameters import with_components
from codelength.naive_bayes import Predictor, pseudocounts
from codelength.prequential import naive_bayes_sequence, sample_orderings
from codelength.scores import evidence_code_length, leave_one_out
from properties.strategies import (
    Table,
    for_every_rule,
    naive_log_weights,
    naive_prior,
    priors,
    tables,
    tables_and_priors,
)


@st.composite
def orders(draw, n_rows):
    return draw(st.permutations(range(n_rows)))


@st.composite
def clusterings(draw, **options):
    """A table whose class is its last column, and a cluster for each row, with a prior that fits."""
    table = draw(tables(**options))
    n_components = draw(st.integers(1, 4))
    n_rows = len(table.rows)
    labels = draw(st.lists(st.integers(0, n_components - 1), min_size=n_rows, max_size=n_rows))
    coded = table.coded.with_class_as_column()
    wide = Table((*table.n_values, table.n_classes), n_components, table.rows, tuple(labels))
    prior = draw(priors(wide))
    rows = [(*row, label) for row, label in zip(table.rows, table.labels, strict=True)]
    model = FixedClustering.of(coded, labels, -1, prior, n_components=n_components)
    full = with_components(coded.schema, n_components)
    return model, rows, labels, naive_prior(pseudocounts(prior, full), full)


def naive_costs(table, order, rule, prior):
    """Costs by the oracle, which counts the rows before anew at every step."""
    costs = []
    for t, j in enumerate(order):
        before = table.take(order[:t])
        weights = naive_log_weights(table.rows[j], before.naive_counts(), prior, rule)
        probs = naive.probabilities_from_logs(weights) or [1 / table.n_classes] * table.n_classes
        costs.append(-naive.log(probs[table.labels[j]]))
    return costs


@for_every_rule(40)
def test_terms_are_predictions_from_the_rows_before(rule, data):
    table, prior = data.draw(tables_and_priors(rule))
    order = data.draw(orders(len(table.rows)))
    model = naive_bayes_sequence(table.coded, rule, prior)
    expected = naive_costs(table, order, rule, table.naive_prior(prior))
    np.testing.assert_allclose(model.terms(order), expected, rtol=1e-9, atol=1e-12)
    capped = naive_bayes_sequence(table.coded, rule, prior, cap=0.5)
    np.testing.assert_allclose(capped.terms(order), np.minimum(expected, 0.5), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("rule", ["evidence", "indifferent"])
@settings(max_examples=40)
@given(data=st.data())
def test_joint_terms_add_up_to_the_evidence_in_any_order(rule, data):
    """Chain rule: predicting whole rows one at a time costs exactly -log P(D)."""
    table = data.draw(tables())
    prior = "indifferent" if rule == "indifferent" else data.draw(priors(table))
    order = data.draw(orders(len(table.rows)))
    model = naive_bayes_sequence(table.coded, rule, prior)
    expected = evidence_code_length(table.counts(), pseudocounts(prior, table.schema))
    assert model.joint_terms(order).sum() == pytest.approx(expected, rel=1e-11, abs=1e-11)


@for_every_rule(25)
def test_the_last_term_of_an_ordering_is_leave_one_out(rule, data):
    """Whatever the order of the others: so leave-one-out is the mean of last terms."""
    table, prior = data.draw(tables_and_priors(rule, min_rows=1, max_rows=6))
    model = naive_bayes_sequence(table.coded, rule, prior)
    left_out = model.leave_one_out()
    for j in range(len(table.rows)):
        others = [i for i in range(len(table.rows)) if i != j]
        order = data.draw(st.permutations(others))
        np.testing.assert_allclose(model.terms([*order, j])[-1], left_out[j], rtol=1e-10, atol=1e-12)
    closed_form = leave_one_out(Predictor.of(table.counts(), rule, prior), table.coded).true_log_probs
    np.testing.assert_allclose(-left_out, closed_form, rtol=1e-9, atol=1e-12)


@settings(max_examples=40)
@given(data=st.data())
def test_fixed_clusterings_agree_with_the_oracle(data):
    model, rows, labels, prior = data.draw(clusterings(max_rows=7))
    order, column = data.draw(orders(len(rows))), model.class_column
    sequence = model.sequence()
    probs = naive.prequential_probs(rows, labels, order, column, prior)
    np.testing.assert_allclose(np.exp(-sequence.terms(order)), [float(p) for p in probs], rtol=1e-11)
    left_out = [float(p) for p in naive.leave_one_out_probs(rows, labels, column, prior)]
    np.testing.assert_allclose(np.exp(-sequence.leave_one_out()), left_out, rtol=1e-11)
    np.testing.assert_allclose(np.exp(model.leave_one_out().true_log_probs), left_out, rtol=1e-11)
    joint = naive.joint_prequential_code_length(rows, labels, order, prior)
    assert sequence.joint_terms(order).sum() == pytest.approx(joint, rel=1e-11, abs=1e-11)
    for j in range(len(rows)):
        last = [*(i for i in order if i != j), j]
        assert sequence.terms(last)[-1] == pytest.approx(sequence.leave_one_out()[j], rel=1e-10, abs=1e-12)


@settings(max_examples=5)
@given(data=st.data())
def test_the_mean_over_all_orderings_of_six_rows(data):
    """By enumeration, by the definition over subsets, and by sampling, which is unbiased in every scheme."""
    table = data.draw(tables(min_rows=6, max_rows=6, min_classes=2))
    prior = data.draw(priors(table))
    model = naive_bayes_sequence(table.coded, "evidence", prior)
    exhaustive = np.mean([model.code_length(order) for order in itertools.permutations(range(6))])
    spelled = table.naive_prior(prior)
    expected = 0.0
    for size in range(6):
        share = math.factorial(size) * math.factorial(5 - size) / math.factorial(6)
        for subset in itertools.combinations(range(6), size):
            counts = table.take(subset).naive_counts()
            for j in set(range(6)) - set(subset):
                probs = naive.probabilities(naive.evidence_weights(table.rows[j], counts, spelled))
                expected -= share * naive.log(probs[table.labels[j]])
    assert exhaustive == pytest.approx(expected, rel=1e-11)
    for scheme in ("plain", "antithetic", "rotated"):
        sample = sample_orderings(model, 800, scheme=scheme, random_state=1)
        assert abs(sample.mean - expected) <= 5 * sample.standard_error + 1e-9
