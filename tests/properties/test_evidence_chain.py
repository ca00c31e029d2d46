"""The chain rule: predicting a table row after row costs its evidence, in any order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from codelength import NaiveBayes
from codelength.counts import Counts
from codelength.naive_bayes import Predictor, dirichlet_log_evidence, pseudocounts
from codelength.scores import evidence_code_length
from codelength.table import Coded
from properties.strategies import naive_prior, priors, tables


def prequential_code_length(table, prior):
    """Each row with its class predicted from the rows before it, then added to them."""
    counts, cost, coded = Counts.empty(table.schema), 0.0, table.coded
    for row, label in enumerate(coded.class_codes.tolist()):
        cost -= Predictor.of(counts, prior=prior).log_weights(coded.take([row]))[0, label]
        counts = counts.add(coded.codes[row], label)
    assert counts == table.counts()
    return cost


@settings(max_examples=60)
@given(st.data())
def test_prequential_code_is_the_evidence_in_any_row_order(data):
    table = data.draw(tables())
    prior = data.draw(priors(table))
    order = data.draw(st.permutations(range(len(table.rows))))
    evidence = evidence_code_length(table.counts(), prior)
    assert prequential_code_length(table, prior) == pytest.approx(evidence, rel=1e-11, abs=1e-11)
    assert prequential_code_length(table.take(order), prior) == pytest.approx(evidence, rel=1e-11, abs=1e-11)


@settings(max_examples=60)
@given(st.data())
def test_evidence_is_that_of_the_definition(data):
    table = data.draw(tables())
    spelled = pseudocounts(data.draw(priors(table)), table.schema)
    counts, prior = table.naive_counts(), naive_prior(spelled, table.schema)
    evidence = evidence_code_length(table.counts(), spelled)
    assert evidence == pytest.approx(-naive.log(naive.evidence(counts, prior)), rel=1e-11, abs=1e-11)
    given_classes = -naive.log(naive.evidence_given_labels(counts, prior))
    assert evidence_code_length(table.counts(), spelled, given_classes=True) == pytest.approx(
        given_classes, rel=1e-11, abs=1e-11
    )


@settings(max_examples=40)
@given(st.data())
def test_evidence_splits_into_classes_and_values_given_classes(data):
    table = data.draw(tables())
    spelled = pseudocounts(data.draw(priors(table)), table.schema)
    counts = table.counts()
    classes = -float(dirichlet_log_evidence(counts.class_counts, spelled.class_pseudocounts))
    values = evidence_code_length(counts, spelled, given_classes=True)
    assert evidence_code_length(counts, spelled) == pytest.approx(classes + values, rel=1e-12, abs=1e-12)


@settings(max_examples=20)
@given(st.data())
def test_the_estimator_pays_the_same_row_after_row(data):
    """``code_length_`` of all rows is the sum of the joint predictions made before each was counted."""
    table = data.draw(tables(min_rows=2, max_rows=6, min_classes=2))
    prior = data.draw(priors(table))
    model = NaiveBayes(prior=prior, schema=table.schema).partial_fit(table.codes[:1], table.labels[:1])
    cost = model.code_length_
    for j in range(1, len(table.rows)):
        cost -= model.predict_joint_log_proba(table.codes[j : j + 1])[0, table.labels[j]]
        model.partial_fit(table.codes[j : j + 1], table.labels[j : j + 1])
    assert model.code_length_ == pytest.approx(cost, rel=1e-11)
    assert model.counts_ == table.counts()


@settings(max_examples=40)
@given(st.data())
def test_joint_predictions_of_all_rows_and_classes_sum_to_one(data):
    """Before a row is seen, the probabilities of all the rows there could be add up to 1."""
    table = data.draw(tables(max_variables=3, max_values=3))
    prior = data.draw(priors(table))
    rule = data.draw(st.sampled_from(["evidence", "indifferent"]))
    every_row = np.stack(np.meshgrid(*map(np.arange, table.n_values)), axis=-1).reshape(
        -1, len(table.n_values)
    )
    log_weights = Predictor.of(table.counts(), rule, prior).log_weights(Coded.of(table.schema, every_row))
    assert np.exp(log_weights).sum() == pytest.approx(1, rel=1e-11)
