"""0/1 losses, and means over all orderings, against enumeration of the orderings."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from codelength import NaiveBayes, Schema
from codelength.decisions import first_best
from codelength.errors import Infeasible, InvalidParameter
from codelength.mixture.fixed_clustering import FixedClustering
from codelength.prequential import naive_bayes_sequence, sample_orderings
from codelength.table import Coded
from codelength_lab.row_orderings import all_orderings
from properties.strategies import rule_names, tables


def by_enumeration(model):
    """Mean terms and errors at each place over all permutations, one after the other."""
    orders = list(itertools.permutations(range(model.n_rows)))
    with np.errstate(invalid="ignore"):
        return [
            np.mean([losses(order) for order in orders], axis=0) for losses in (model.terms, model.errors)
        ]


@settings(max_examples=30)
@given(tables(min_rows=1, max_rows=5, min_classes=2, max_variables=2, max_values=2), rule_names)
def test_the_mean_over_all_orderings_of_naive_bayes(table, rule):
    """Equal rows, missing cells and impossible classes included."""
    for cap in (None, 2.0):
        model = naive_bayes_sequence(table.coded, rule, cap=cap)
        found, (terms, errors) = all_orderings(model), by_enumeration(model)
        np.testing.assert_allclose(found.log_losses, terms, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(found.errors, errors, rtol=1e-11, atol=1e-13)
        assert found.mean == pytest.approx(terms.sum(), rel=1e-12)
        assert found.mean_errors == pytest.approx(errors.sum(), rel=1e-12)


def exact_errors(probs_of, rows, order, column):
    """0/1 losses from exact class distributions; of classes that tie the first is predicted."""
    errors = []
    for t, j in enumerate(order):
        probs = probs_of(j, order[:t])
        errors.append(float(rows[j][column] != probs.index(max(probs))))
    return errors


@settings(max_examples=20)
@given(st.data())
def test_a_mixture_with_its_clusters_summed_out(data):
    n_values = [2, 3, 2]
    cells = st.tuples(*(st.integers(0, n - 1) for n in n_values))
    rows = data.draw(st.lists(cells, min_size=2, max_size=4))
    labels = data.draw(st.lists(st.integers(0, 1), min_size=len(rows), max_size=len(rows)))
    labels[0], labels[-1] = 0, 1
    prior = naive.uniform_prior(n_values, 2)
    model = FixedClustering.of(Coded.of(Schema.from_sizes(n_values), rows), labels).sequence()

    def probs_of(j, history):
        known, own = [rows[i] for i in history], [labels[i] for i in history]
        return naive.predict_from_clustering(rows[j], known, own, 2, prior)

    lengths = []
    for order in itertools.permutations(range(len(rows))):
        lengths.append(naive.code_length(naive.prequential_probs(rows, labels, list(order), 2, prior)))
        assert model.errors(order).tolist() == exact_errors(probs_of, rows, order, 2)
    every, (_, errors) = all_orderings(model), by_enumeration(model)
    assert every.mean == pytest.approx(np.mean(lengths), rel=1e-12)
    np.testing.assert_allclose(every.errors, errors, rtol=1e-12, atol=1e-13)


def test_errors_are_those_of_the_predictions_made_on_the_way():
    """Each row predicted by a model that was fitted on the rows before it."""

    rng = np.random.default_rng(0)
    codes, labels = rng.integers(0, [2, 3], size=(25, 2)), rng.integers(0, 3, 25)
    schema = Schema.from_sizes([2, 3], n_classes=3)
    errors = naive_bayes_sequence(Coded.of(schema, codes, labels)).errors()
    for t in range(1, 25):
        model = NaiveBayes(schema=schema).fit(codes[:t], labels[:t])
        probs = model.predict_proba(codes[t : t + 1])[0]
        assert errors[t] == float(first_best(probs) != labels[t])


@pytest.mark.parametrize("seed", range(3))
def test_errors_against_fractions_where_classes_often_tie(seed):
    """Few rows with several columns: many rows are predicted with classes that tie exactly."""
    n_values, n_classes, n_tied = [2, 2, 3, 2], 3, 0
    rng = np.random.default_rng(seed)
    for _ in range(20):
        rows = [tuple(row) for row in rng.integers(0, n_values, (15, 4)).tolist()]
        labels = rng.integers(0, n_classes, 15).tolist()
        schema = Schema.from_sizes(n_values, n_classes)
        errors = naive_bayes_sequence(Coded.of(schema, rows, labels)).errors().tolist()
        prior = naive.uniform_prior(n_values, n_classes)
        for t in range(15):
            weights = naive.evidence_weights(
                rows[t], naive.count(rows[:t], labels[:t], n_values, n_classes), prior
            )
            n_tied += weights.count(max(weights)) > 1
            assert errors[t] == float(weights.index(max(weights)) != labels[t])
    assert n_tied > 20


def test_a_sample_is_within_its_standard_error_of_the_exact_mean():
    rng = np.random.default_rng(1)
    coded = Coded.of(
        Schema.from_sizes([2, 2], n_classes=2), rng.integers(0, 2, (14, 2)), rng.integers(0, 2, 14)
    )
    model = naive_bayes_sequence(coded)
    sample, every = sample_orderings(model, 400, errors=True, random_state=0), all_orderings(model)
    assert abs(sample.mean - every.mean) < 4 * sample.standard_error
    by_group = sample.errors.reshape(-1, sample.n_linked).mean(axis=1)
    assert abs(sample.mean_errors - every.mean_errors) < 4 * by_group.std(ddof=1) / np.sqrt(len(by_group))


def test_many_equal_rows_are_few_sets():
    """Thirty rows of three kinds: too many orderings to enumerate, but only some thousand sets."""
    schema = Schema.from_sizes([2], n_classes=2)
    rows, labels = [[0]] * 10 + [[1]] * 20, [0] * 10 + [0] * 8 + [1] * 12
    model = naive_bayes_sequence(Coded.of(schema, rows, labels))
    every = all_orderings(model)
    assert every.n_sets == 11 * 9 * 13
    sample = sample_orderings(model, 2000, random_state=0)
    assert abs(sample.mean - every.mean) < 4 * sample.standard_error


def test_the_joint_costs_do_not_depend_on_the_order_but_these_do():
    """One variable that says nothing: the class alone is predicted, and its cost is the same in any order."""
    coded = Coded.of(Schema.from_sizes([1], n_classes=2), [[0]] * 6, [0, 0, 1, 1, 1, 1])
    model = naive_bayes_sequence(coded)
    assert all_orderings(model).mean == pytest.approx(model.code_length(), rel=1e-13)


def test_no_rows_cost_nothing():
    every = all_orderings(
        naive_bayes_sequence(Coded.of(Schema.from_sizes([2], n_classes=2), np.zeros((0, 1), int), []))
    )
    assert (every.mean, every.mean_errors, every.n_sets) == (0, 0, 1)


def test_too_many_rows_are_refused():
    rng = np.random.default_rng(2)
    coded = Coded.of(
        Schema.from_sizes([2] * 9, n_classes=2), rng.integers(0, 2, (40, 9)), rng.integers(0, 2, 40)
    )
    with pytest.raises(Infeasible, match="use sample_orderings"):
        all_orderings(naive_bayes_sequence(coded))
    with pytest.raises(InvalidParameter, match="model: expected"):
        all_orderings(coded)
