"""Predicted distributions: those of the definitions, summing to one, however many rows and classes."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

import naive
from codelength import NaiveBayes, _threads
from codelength.counts import count
from codelength.errors import UndefinedPrediction
from codelength.naive_bayes import LogTables, Predictor, Scorer, normalised
from codelength.table import Coded, Schema
from properties.strategies import (
    by_rule,
    for_every_rule,
    naive_log_weights,
    row_weights,
    seeds,
    tables,
    tables_and_priors,
)


def every_row(table):
    """All rows there could be, missing cells among them."""
    grid = np.meshgrid(*(np.arange(n + 1) for n in table.n_values), indexing="ij")
    codes = np.stack(grid, axis=-1).reshape(-1, len(table.n_values))
    rows = [
        tuple(None if cell == n else int(cell) for cell, n in zip(row, table.n_values, strict=True))
        for row in codes
    ]
    return rows, Coded.of(table.schema, codes)


@for_every_rule(40)
def test_predictions_are_those_of_the_definition(rule, data):
    table, prior = data.draw(tables_and_priors(rule, max_variables=3, max_values=3))
    weights = data.draw(st.one_of(st.none(), row_weights(table)))
    predictor = Predictor.of(table.counts(weights), rule, prior)
    rows, coded = every_row(table)
    log_weights, (log_probs, undefined) = predictor.log_weights(coded), predictor.log_probs(coded)

    spelled = table.naive_prior(prior)
    slow_counts = table.naive_counts(weights)
    for j, row in enumerate(rows):
        expected = naive_log_weights(row, slow_counts, spelled, rule)
        np.testing.assert_allclose(log_weights[j], expected, rtol=1e-10, atol=1e-10)
        probs = naive.probabilities_from_logs(expected)
        assert undefined[j] == (probs is None)
        uniform = [1 / table.n_classes] * table.n_classes
        np.testing.assert_allclose(np.exp(log_probs[j]), probs or uniform, rtol=1e-10)


@settings(max_examples=40)
@given(data=st.data())
def test_whole_counts_agree_with_exact_fractions(data):
    """The definition of stochastic complexity in whole numbers, without a single logarithm."""
    table = data.draw(tables(max_variables=3, max_values=3))
    rows, coded = every_row(table)
    log_probs, _ = Predictor.of(table.counts(), "stochastic_complexity").log_probs(coded)
    for j, row in enumerate(rows):
        exact = naive.probabilities(naive.stochastic_complexity_weights(row, table.naive_counts()))
        np.testing.assert_allclose(np.exp(log_probs[j]), [float(prob) for prob in exact], rtol=1e-11)


@pytest.mark.filterwarnings("ignore::codelength.errors.UndefinedPrediction")
@for_every_rule(25)
def test_probabilities_sum_to_one_and_agree_with_their_logs(rule, data):
    table, prior = data.draw(tables_and_priors(rule, min_rows=1, min_classes=2, max_classes=7))
    model = NaiveBayes(rule, prior, schema=table.schema).fit(table.codes, table.labels)
    codes = every_row(table)[1].codes
    probs, log_probs = model.predict_proba(codes), model.predict_log_proba(codes)
    np.testing.assert_allclose(probs.sum(axis=1), 1, rtol=1e-14)
    assert (probs >= 0).all()
    np.testing.assert_array_equal(probs, np.exp(log_probs))
    assert model.predict(codes).tolist() == model.classes_[np.argmax(probs, axis=1)].tolist()

    joint, undefined = model.predict_joint_log_proba(codes), model.is_undefined(codes)
    assert undefined.tolist() == np.isneginf(joint).all(axis=1).tolist()
    defined = ~undefined
    expected = joint[defined] - logsumexp(joint[defined], axis=1, keepdims=True)
    np.testing.assert_allclose(log_probs[defined], expected, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(probs[undefined], 1 / table.n_classes, rtol=1e-15)


@settings(max_examples=60)
@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=7),
    st.one_of(st.integers(1, 9), st.sampled_from([30, 700, 2100])),
    st.sampled_from([0, 1, 2, 511, 512, 513, 1025]),
    st.sampled_from([0.1, 5.0, 300.0]),
    seeds,
)
def test_scoring_is_a_sum_of_look_ups(sizes, n_classes, n_rows, scale, seed):
    """Any tables, not only those of a rule: groups of columns, lanes of classes, blocks of rows."""
    generator = np.random.default_rng(seed)
    n_rows = min(n_rows, 100_000 // n_classes)
    schema = Schema.from_sizes(sizes, n_classes)
    tables = LogTables(
        generator.normal(scale=scale, size=n_classes),
        generator.normal(scale=scale, size=(n_classes, schema.n_cells)),
        float(generator.normal()),
    )
    codes = generator.integers(0, np.array(sizes) + 1, size=(n_rows, len(sizes)))
    plain = tables.class_table + tables.value_table.T[codes + schema.offsets[:-1]].sum(axis=1)
    scorer, coded = Scorer.of(schema, tables), Coded.of(schema, codes)
    scores = scorer.log_weights(coded)
    np.testing.assert_allclose(scores, plain + tables.constant, rtol=1e-12, atol=1e-11 * scale)
    log_probs, undefined = scorer.log_probs(coded)
    assert not undefined.any()
    expected = plain - logsumexp(plain, axis=1, keepdims=True)
    np.testing.assert_allclose(log_probs, expected, rtol=1e-11, atol=1e-11 * scale)


@settings(max_examples=60)
@given(st.integers(1, 6), st.sampled_from([1, 2, 400, 683, 2049]), seeds)
def test_normalising_log_weights(n_classes, n_rows, seed):
    """Weights that are zero, huge, tiny or equal, beside rows in which all of them are zero."""
    generator = np.random.default_rng(seed)
    choices = np.array([-np.inf, -1e5, -800.0, -745.5, -700.0, -36.0, -1.0, 0.0, 1.0, 1e4])
    log_weights = generator.choice(choices, size=(n_rows, n_classes))
    log_weights[generator.random(n_rows) < 0.2] = -np.inf
    log_probs, undefined = normalised(log_weights)
    zero = np.isneginf(log_weights).all(axis=1)
    assert undefined.tolist() == zero.tolist()
    np.testing.assert_allclose(log_probs[zero], -np.log(n_classes))
    below = log_weights[~zero] - log_weights[~zero].max(axis=1, keepdims=True)
    expected = below - np.log(np.exp(below).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(log_probs[~zero], expected, rtol=1e-14, atol=1e-15)
    assert np.isneginf(log_probs[np.isneginf(log_weights) & ~zero[:, None]]).all()
    np.testing.assert_allclose(np.exp(log_probs).sum(axis=1), 1, rtol=1e-14)


@by_rule
def test_scores_do_not_depend_on_threads_or_on_the_other_rows(rule):
    generator = np.random.default_rng(5)
    sizes, n_classes = [2, 3, 40, 5, 300], 6
    codes = np.column_stack([generator.integers(0, size, 700) for size in sizes])
    labels = generator.integers(0, n_classes, 700)
    coded = Coded.of(Schema.from_sizes(sizes, n_classes), codes, labels)
    predictor = Predictor.of(count(coded), rule)
    whole = predictor.log_probs(coded, n_threads=1).log_probs
    with mock.patch.object(_threads, "BLOCK_ROWS", 13):
        for n_threads in (1, 2, 8):
            np.testing.assert_array_equal(predictor.log_probs(coded, n_threads).log_probs, whole)
    one_by_one = [predictor.log_probs(coded.take([row])).log_probs[0] for row in range(0, 700, 50)]
    np.testing.assert_array_equal(one_by_one, whole[::50])
    backwards = predictor.log_probs(coded.take(np.arange(700)[::-1])).log_probs
    np.testing.assert_array_equal(backwards[::-1], whole)


def test_undefined_rows_are_warned_about_and_told():
    model = NaiveBayes("map").fit([["a", "p"], ["b", "q"]], ["yes", "no"])
    rows = [["a", "q"], ["a", "p"]]
    with pytest.warns(UndefinedPrediction, match=r"1 of 2 rows.*0/0.*is_undefined"):
        probs = model.predict_proba(rows)
    np.testing.assert_allclose(probs, [[0.5, 0.5], [0.0, 1.0]])
    assert model.is_undefined(rows).tolist() == [True, False]
