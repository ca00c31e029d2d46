"""Sequences under every rule, and under rules that nobody has thought of, are predictions made anew."""

from dataclasses import replace

import numpy as np
import pytest

from codelength.counts import Counts, count
from codelength.errors import InvalidParameter
from codelength.naive_bayes import RULES, Predictor, pseudocounts
from codelength.prequential import (
    ORDERINGS,
    compare_models,
    naive_bayes_sequence,
    sample_orderings,
)
from codelength.scores import evidence_code_length, leave_one_out
from codelength.table import Schema, encode
from toy_rules import TOY_RULES

EVERY_RULE = RULES | TOY_RULES
by_rule = pytest.mark.parametrize("rule", EVERY_RULE.values(), ids=EVERY_RULE)


def drawn(n_rows=25, missing=0.15, seed=0):
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, 3, n_rows)
    values = (classes[:, None] + rng.integers(0, 2, (n_rows, 4))) % 3
    values[rng.random(values.shape) < missing] = -1
    return encode(Schema.from_sizes([3, 3, 4, 3], 3), values, classes)


def one_after_the_other(coded, rule, order):
    """Costs of the classes, from log tables made anew for every row."""
    counts, costs = Counts.empty(coded.schema), []
    for n in order:
        row, own = coded.take([n]), int(coded.class_codes[n])
        costs.append(-Predictor.of(counts, rule).log_probs(row).log_probs[0, own])
        counts = counts.add(coded.codes[n], own)
    return costs


@by_rule
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_terms_are_predictions_made_anew(rule, missing):
    coded = drawn(missing=missing)
    order = np.random.default_rng(1).permutation(coded.n_rows)
    model = naive_bayes_sequence(coded, rule)
    expected = one_after_the_other(coded, rule, order)
    np.testing.assert_allclose(model.terms(order), expected, rtol=1e-9, atol=1e-12)


@by_rule
def test_leave_one_out_is_the_closed_form(rule):
    coded = drawn()
    expected = leave_one_out(Predictor.of(count(coded), rule), coded).true_log_probs
    terms = naive_bayes_sequence(coded, rule).leave_one_out()
    np.testing.assert_allclose(-terms, expected, rtol=1e-9, atol=1e-12)


@by_rule
@pytest.mark.parametrize("ordering", ORDERINGS)
def test_greedy_orderings_place_the_row_that_is_best_or_worst(rule, ordering):
    model = naive_bayes_sequence(drawn(14), rule)
    order = ORDERINGS[ordering](model).tolist()
    assert sorted(order) == list(range(14))
    is_worst, is_backward = ordering.startswith("worst"), ordering.endswith("last")
    for t in range(14):
        rest = order[: t + 1] if is_backward else order[t:]
        costs = [_cost(model, order, t, n, is_backward) for n in rest]
        extreme = max(costs) if is_worst else min(costs)
        placed = _cost(model, order, t, order[t], is_backward)
        assert placed == extreme or placed == pytest.approx(extreme, rel=1e-9, abs=1e-12)


def _cost(model, order, t, n, is_backward):
    """Cost of row ``n`` in place ``t``, where the ordering has filled the places before or after it."""
    others = [row for row in order if row != n]
    return model.terms([*others[:t], n, *others[t:]])[t]


@by_rule
def test_a_rule_that_averages_codes_whole_rows(rule):
    coded = drawn()
    model = naive_bayes_sequence(coded, rule)
    if not rule.averages:
        with pytest.raises(InvalidParameter, match="not a distribution over rows"):
            model.joint_terms()
        return
    prior = pseudocounts(rule.prior("uniform"), coded.schema)
    assert model.joint_terms().sum() == pytest.approx(evidence_code_length(count(coded), prior), rel=1e-11)


@by_rule
def test_samples_searches_and_races(rule):
    model, other = (naive_bayes_sequence(drawn(), one, cap=30.0) for one in (rule, "evidence"))
    assert sample_orderings(model, 4, random_state=0).best <= sample_orderings(model, 4, random_state=0).mean
    race = compare_models([model, other], random_state=0)
    assert race.best in (0, 1)


@by_rule
def test_weights_are_repetitions(rule):
    coded = drawn(12)
    weights = np.arange(12) % 3
    weighted = naive_bayes_sequence(replace(coded, weights=weights.astype(np.float64)), rule)
    repeated = naive_bayes_sequence(coded.take(np.repeat(np.arange(12), weights)), rule)
    np.testing.assert_array_equal(weighted.terms(), repeated.terms())


def test_a_registered_rule_is_found_by_its_name(monkeypatch):
    rule = TOY_RULES["rooted"]
    monkeypatch.setitem(RULES, rule.name, rule)
    coded = drawn()
    by_name, by_itself = (naive_bayes_sequence(coded, one).terms() for one in ("rooted", rule))
    np.testing.assert_array_equal(by_name, by_itself)
