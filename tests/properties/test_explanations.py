"""An explanation splits the log-odds of a prediction, and the parts add up to it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codelength import NaiveBayes, Schema, Variable
from codelength.errors import CodelengthError, InvalidParameter
from codelength.estimators import capabilities_of, constructor_of, model_names
from properties.strategies import for_every_rule, tables, tables_and_priors


@for_every_rule(30)
def test_contributions_add_up_to_the_log_odds(rule, data):
    table, prior = data.draw(tables_and_priors(rule, min_rows=1, min_classes=2))
    model = NaiveBayes(rule, prior, schema=table.schema).fit(table.codes, table.labels)
    against = data.draw(st.one_of(st.none(), st.sampled_from(model.classes_.tolist())))
    explanation = model.explain(table.codes, against)
    reference = 0 if against is None else against
    assert explanation.reference == reference
    assert explanation.contributions.shape == (len(table.rows), len(table.n_values), table.n_classes)

    joint = model.predict_joint_log_proba(table.codes)
    possible = np.isfinite(joint) & np.isfinite(joint[:, [reference]])
    with np.errstate(invalid="ignore"):  # infinite differences, which the last test is about
        parts = explanation.intercept + np.array([row.sum(axis=0) for row in explanation.contributions])
        expected = joint - joint[:, [reference]]
        log_odds = explanation.log_odds
    np.testing.assert_allclose(parts[possible], expected[possible], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(log_odds[possible], expected[possible], rtol=1e-9, atol=1e-9)
    assert (log_odds[:, reference] == 0).all()
    missing = table.codes < 0
    assert (explanation.contributions[missing] == 0).all()


@settings(max_examples=25)
@given(data=st.data())
def test_log_odds_turn_round_with_the_reference(data):
    table = data.draw(tables(min_rows=1, min_classes=2))
    model = NaiveBayes(schema=table.schema).fit(table.codes, table.labels)
    first, last = 0, table.n_classes - 1
    forth, back = model.explain(table.codes, first), model.explain(table.codes, last)
    np.testing.assert_allclose(
        forth.contributions[:, :, last], -back.contributions[:, :, first], rtol=1e-12, atol=1e-13
    )
    assert forth.intercept[last] == pytest.approx(-back.intercept[first], abs=1e-13)


def test_the_strongest_variables_come_first():
    table = {"a": ["x", "x", "y", "y"] * 3, "b": ["p", "q"] * 6, "c": ["u", "u", "u", "v"] * 3}
    model = NaiveBayes().fit(table, ["no", "no", "yes", "yes"] * 3)
    explanation = model.explain({"a": ["y"], "b": ["p"], "c": ["v"]})
    ranked = explanation.ranked(0, "yes")
    assert ranked[0][0] == "a"
    sizes = [abs(size) for _, size in ranked]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(size for _, size in ranked) + explanation.intercept[1] == pytest.approx(
        explanation.log_odds[0, 1]
    )


def test_unknown_classes_and_rows_are_named():
    model = NaiveBayes().fit([["a"], ["b"]], ["yes", "no"])
    with pytest.raises(InvalidParameter, match=r"against='maybe'.*'no', 'yes'"):
        model.explain([["a"]], against="maybe")
    explanation = model.explain([["a"]])
    with pytest.raises(CodelengthError, match=r"'maybe'"):
        explanation.ranked(0, "maybe")
    with pytest.raises(CodelengthError, match=r"row 5"):
        explanation.ranked(5, "yes")


def test_certain_and_impossible_cells_have_infinite_log_odds_but_no_nan():
    """One cell rules out the class, another the reference: under MAP nothing is left to say between them."""
    model = NaiveBayes("map").fit([["a", "p"], ["b", "q"], ["a", "q"]], ["1", "2", "3"])
    explanation = model.explain([["a", "q"], ["b", "p"], ["a", "p"]], against="1")
    assert not np.isnan(explanation.contributions).any()
    assert explanation.log_odds[2].tolist() == [0.0, -np.inf, -np.inf]
    assert not np.isnan(explanation.log_odds).any()


@pytest.mark.parametrize(
    "kind", [kind for kind in model_names() if "explain" in capabilities_of(constructor_of(kind)())]
)
def test_every_model_explains_rows_with_gaps_and_classes_that_were_never_seen(kind):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 60)
    cells = [np.where(rng.random(60) < 0.6, y, rng.integers(0, 3, 60)) for _ in range(3)]
    names = ("a", "b", "c")
    schema = Schema([Variable(name, (0, 1, 2)) for name in names], Variable("y", (0, 1, 2, "never", "nor")))
    model = constructor_of(kind)(schema=schema).fit(dict(zip(names, cells, strict=True)), y)
    rows = {"a": [0, 1, None, 2, None], "b": [1, None, None, 2, None], "c": [0, 2, 1, None, None]}
    gaps = np.array([[cell is None for cell in rows[name]] for name in names]).T
    log_probs = model.predict_log_proba(rows)
    for reference, label in enumerate(schema.classes):
        explanation = model.explain(rows, against=label)
        expected = log_probs - log_probs[:, reference, None]
        np.testing.assert_allclose(explanation.log_odds, expected, atol=1e-10)
        np.testing.assert_allclose(explanation.intercept, expected[-1], atol=1e-10)
        assert (explanation.contributions[gaps] == 0).all()
