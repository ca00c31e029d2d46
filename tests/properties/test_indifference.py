"""The indifferent rule and Jeffreys' prior beside the evidence rule, and all of them beside scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import CategoricalNB

from codelength import NaiveBayes, Prior
from codelength.naive_bayes import pseudocounts
from properties.strategies import priors, tables

quick = settings(max_examples=40)


def fitted(table, rule="evidence", prior="uniform"):
    return NaiveBayes(rule, prior, schema=table.schema).fit(table.codes, table.labels)


@quick
@given(data=st.data())
def test_the_indifferent_rule_is_evidence_under_the_indifferent_prior(data):
    """Whatever prior stands beside it."""
    table = data.draw(tables(min_rows=1, min_classes=2))
    rule = fitted(table, "indifferent", data.draw(priors(table)))
    prior = fitted(table, "evidence", "indifferent")
    np.testing.assert_array_equal(
        rule.predict_joint_log_proba(table.codes), prior.predict_joint_log_proba(table.codes)
    )
    assert rule.code_length_ == prior.code_length_
    loo = [model.leave_one_out(table.codes, table.labels).log_probs for model in (rule, prior)]
    np.testing.assert_array_equal(*loo)


@quick
@given(tables())
def test_pseudocounts_of_the_named_priors(table):
    indifferent = pseudocounts("indifferent", table.schema)
    of_class = 1 + sum(n - 1 for n in table.n_values)
    assert indifferent.class_pseudocounts.tolist() == [of_class] * table.n_classes
    jeffreys = pseudocounts("jeffreys", table.schema)
    np.testing.assert_array_equal(2 * jeffreys.class_pseudocounts, indifferent.class_pseudocounts)
    np.testing.assert_array_equal(2 * jeffreys.value_pseudocounts, indifferent.value_pseudocounts)
    uniform = pseudocounts("uniform", table.schema)
    np.testing.assert_array_equal(uniform.value_pseudocounts, indifferent.value_pseudocounts)
    assert uniform.class_pseudocounts.tolist() == [1] * table.n_classes


@quick
@given(tables(), st.sampled_from([0.5, 1.0, 7.0]))
def test_an_equivalent_sample_size_is_shared_out(table, size):
    """Over the classes, and within each variable over the cells of the joint table with the class."""
    spelled = pseudocounts(size, table.schema)
    assert spelled.class_pseudocounts.sum() == pytest.approx(size)
    for i in range(len(table.n_values)):
        start, stop = table.schema.offsets[i], table.schema.offsets[i + 1]
        assert spelled.value_pseudocounts[:, start:stop].sum() == pytest.approx(size)
        assert (spelled.value_pseudocounts[:, stop - 1] == 0).all()


@quick
@given(data=st.data())
def test_named_priors_are_explicit_ones(data):
    table = data.draw(tables(min_rows=1, min_classes=2))
    of_class = 1.0 + sum(n - 1 for n in table.n_values)
    for name, explicit in {
        "uniform": Prior(),
        "indifferent": Prior(of_class, 1),
        "jeffreys": Prior(of_class / 2, 0.5),
    }.items():
        np.testing.assert_array_equal(
            fitted(table, prior=name).predict_proba(table.codes),
            fitted(table, prior=explicit).predict_proba(table.codes),
        )


@quick
@given(tables(min_rows=2, max_rows=20, min_classes=2, missing=False, all_classes=True))
def test_evidence_is_categorical_nb_with_its_classes_smoothed_too(table):
    labels = np.array(table.labels)
    peer = CategoricalNB(alpha=1.0, min_categories=list(table.n_values)).fit(table.codes, labels)
    h = np.bincount(labels, minlength=table.n_classes)
    peer.class_log_prior_ = np.log((h + 1) / (len(labels) + table.n_classes))
    np.testing.assert_allclose(
        fitted(table).predict_log_proba(table.codes),
        peer.predict_log_proba(table.codes),
        rtol=1e-9,
        atol=1e-12,
    )


@quick
@given(
    tables(min_rows=2, max_rows=20, min_classes=2, missing=False, all_classes=True),
    st.sampled_from([0.25, 1.0, 3.0]),
)
def test_any_smoothing_of_categorical_nb_is_a_prior(table, alpha):
    """Its class prior is the relative frequency: a pseudocount that is as good as zero."""
    labels = np.array(table.labels)
    peer = CategoricalNB(alpha=alpha, min_categories=list(table.n_values)).fit(table.codes, labels)
    own = fitted(table, prior=Prior(1e-13, alpha))
    np.testing.assert_allclose(
        own.predict_proba(table.codes), peer.predict_proba(table.codes), rtol=1e-9, atol=1e-12
    )


@quick
@given(tables(min_rows=2, max_rows=20, min_classes=2, missing=False, all_classes=True))
def test_maximum_likelihood_is_map_under_the_uniform_prior(table):
    """Relative frequencies, straight from the rows."""
    model = NaiveBayes("map", schema=table.schema).fit(table.codes, table.labels)
    codes, labels = table.codes, np.array(table.labels)
    joint = model.predict_joint_log_proba(codes)
    for j, row in enumerate(codes):
        for k in range(table.n_classes):
            own = codes[labels == k]
            likelihood = np.prod([(own[:, i] == cell).mean() for i, cell in enumerate(row)])
            expected = likelihood * len(own) / len(codes)
            assert np.exp(joint[j, k]) == pytest.approx(expected, rel=1e-11, abs=0)
