"""Cells that say nothing: missing ones, and values that no training row had."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from codelength import NaiveBayes, Schema
from codelength.errors import UnknownValue
from codelength.naive_bayes import pseudocounts
from properties.strategies import (
    Table,
    for_every_rule,
    naive_log_weights,
    naive_prior,
    tables,
    tables_and_priors,
)

quick = settings(max_examples=25)


def as_text(table, rows):
    """Columns of text, the form in which unknown values turn up."""
    return {
        f"c{i}": [None if row[i] is None else f"v{row[i]}" for row in rows]
        for i in range(len(table.n_values))
    }


def full(table):
    """The table and one row for every value, so that no column is all missing and every value is seen."""
    most = max(table.n_values)
    rows = tuple(tuple(min(j, n - 1) for n in table.n_values) for j in range(most))
    labels = tuple(j % table.n_classes for j in range(max(most, table.n_classes)))
    rows += rows[:1] * (len(labels) - len(rows))
    return Table(table.n_values, table.n_classes, table.rows + rows, table.labels + labels)


@for_every_rule(25)
def test_missing_everywhere_leaves_the_class_prior(rule, data):
    table, prior = data.draw(tables_and_priors(rule, min_rows=1, min_classes=2))
    model = NaiveBayes(rule, prior, schema=table.schema).fit(table.codes, table.labels)
    nothing = np.full((1, len(table.n_values)), -1)
    spelled = pseudocounts(prior, table.schema)
    expected = naive.probabilities_from_logs(
        naive_log_weights(
            (None,) * len(table.n_values), table.naive_counts(), naive_prior(spelled, table.schema), rule
        )
    )
    probs = model.predict_proba(nothing)[0]
    np.testing.assert_allclose(probs, expected, rtol=1e-11)
    h = np.bincount(table.labels, minlength=table.n_classes)
    if rule == "evidence":
        raised = h + spelled.class_pseudocounts
        np.testing.assert_allclose(probs, raised / raised.sum(), rtol=1e-12)
    elif rule == "map":
        raised = h + spelled.class_pseudocounts - 1
        np.testing.assert_allclose(probs, raised / raised.sum(), rtol=1e-12)


@for_every_rule(25)
def test_a_missing_cell_is_a_missing_column(rule, data):
    """Marginalising a variable is predicting without it, whatever it holds in training."""
    table = data.draw(tables(min_rows=1, min_classes=2, max_variables=3))
    if len(table.n_values) < 2 or rule == "indifferent":
        return  # the indifferent prior of the classes depends on how many variables there are
    model = NaiveBayes(rule, schema=table.schema).fit(table.codes, table.labels)
    rest = NaiveBayes(rule, schema=Schema.from_sizes(table.n_values[1:], table.n_classes))
    rest.fit(table.codes[:, 1:], table.labels)
    blanked = table.codes.copy()
    blanked[:, 0] = -1
    undefined = model.is_undefined(blanked)
    assert undefined.tolist() == rest.is_undefined(blanked[:, 1:]).tolist()
    known = blanked[~undefined]
    np.testing.assert_allclose(model.predict_proba(known), rest.predict_proba(known[:, 1:]), rtol=1e-9)


@for_every_rule(25)
def test_an_unknown_value_is_a_missing_cell(rule, data):
    table = full(data.draw(tables(min_rows=1, min_classes=2)))
    model = NaiveBayes(rule).fit(as_text(table, table.rows), table.labels)
    blank = data.draw(st.lists(st.sets(st.integers(0, len(table.n_values) - 1)), min_size=1, max_size=4))
    rows = [table.rows[j % len(table.rows)] for j in range(len(blank))]
    cells = [
        tuple(None if i in out else cell for i, cell in enumerate(row))
        for row, out in zip(rows, blank, strict=True)
    ]
    missing = as_text(table, cells)
    unknown = {
        name: ["never seen" if i in out else cell for cell, out in zip(column, blank, strict=True)]
        for i, (name, column) in enumerate(missing.items())
    }
    assert model.is_undefined(unknown).tolist() == model.is_undefined(missing).tolist()
    np.testing.assert_array_equal(
        model.predict_joint_log_proba(unknown), model.predict_joint_log_proba(missing)
    )


@quick
@given(data=st.data())
def test_an_unknown_value_is_refused_on_request(data):
    table = full(data.draw(tables(min_rows=1, min_classes=2)))
    model = NaiveBayes(handle_unknown="error").fit(as_text(table, table.rows), table.labels)
    row = as_text(table, table.rows[:2])
    row["c0"][1] = "never seen"
    with pytest.raises(UnknownValue, match=r"column 'c0', row 1: value 'never seen'.*handle_unknown"):
        model.predict(row)


@for_every_rule(25)
def test_missing_as_a_value_is_one_more_value(rule, data):
    """Where training has missing cells they count as a value; elsewhere they stay marginalised."""
    table = full(data.draw(tables(min_rows=1, min_classes=2)))
    frame = as_text(table, table.rows)
    spelled_out = {
        name: ["missing!" if cell is None else cell for cell in column] for name, column in frame.items()
    }
    model = NaiveBayes(rule, missing="value").fit(frame, table.labels)
    explicit = NaiveBayes(rule).fit(spelled_out, table.labels)
    assert model.evidence_code_length_ == pytest.approx(explicit.evidence_code_length_, rel=1e-12)
    np.testing.assert_allclose(
        model.predict_joint_log_proba(frame), explicit.predict_joint_log_proba(spelled_out), rtol=1e-11
    )
    for variable, column in zip(model.schema_.variables, frame.values(), strict=True):
        assert variable.missing_is_value == (None in column)


def test_missing_at_prediction_stays_marginalised_where_training_had_none():
    table = {"a": ["x", "y", "x", "y"], "b": ["p", None, "p", "q"]}
    model = NaiveBayes(missing="value").fit(table, [0, 1, 0, 1])
    ignoring = NaiveBayes(missing="value").fit({"b": table["b"]}, [0, 1, 0, 1])
    np.testing.assert_allclose(
        model.predict_proba({"a": [None], "b": ["p"]}), ignoring.predict_proba({"b": ["p"]}), rtol=1e-12
    )
