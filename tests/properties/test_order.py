"""The order of rows, columns, values and classes is a matter of naming."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codelength import NaiveBayes
from codelength.naive_bayes import Predictor
from codelength.scores import evidence_code_length
from properties.comparisons import assert_same_distributions
from properties.strategies import Table, for_every_rule, tables

quick = settings(max_examples=25)


def log_probs_of(table, rule, rows):
    """Predictions of coded rows (``None`` missing) from a table, under the uniform prior."""
    asked = Table(table.n_values, table.n_classes, rows, (0,) * len(rows))
    return Predictor.of(table.counts(), rule).log_probs(asked.coded)


def code_length_of(table):
    return evidence_code_length(table.counts())


def assert_same(rule, table, renamed, new_code=None):
    """The rows of both tables mean the same: their classes too, once they are in the old order."""
    before, after = (log_probs_of(each, rule, each.rows) for each in (table, renamed))
    classes = list(range(table.n_classes) if new_code is None else new_code)
    assert_same_distributions(after._replace(log_probs=after.log_probs[:, classes]), before, rtol=1e-11)
    assert code_length_of(renamed) == pytest.approx(code_length_of(table), rel=1e-12)


@for_every_rule(25)
def test_rows(rule, data):
    table = data.draw(tables(min_rows=1))
    order = data.draw(st.permutations(range(len(table.rows))))
    shuffled = table.take(order)
    assert shuffled.counts() == table.counts()
    assert code_length_of(shuffled) == code_length_of(table)
    log_probs = log_probs_of(table, rule, table.rows)[0]
    np.testing.assert_array_equal(log_probs_of(shuffled, rule, shuffled.rows)[0], log_probs[list(order)])


@for_every_rule(25)
def test_columns(rule, data):
    table = data.draw(tables(min_rows=1))
    order = data.draw(st.permutations(range(len(table.n_values))))
    moved = Table(
        tuple(table.n_values[i] for i in order),
        table.n_classes,
        tuple(tuple(row[i] for i in order) for row in table.rows),
        table.labels,
    )
    assert_same(rule, table, moved)


@for_every_rule(25)
def test_values(rule, data):
    table = data.draw(tables(min_rows=1))
    renaming = [data.draw(st.permutations(range(n))) for n in table.n_values]
    rows = tuple(
        tuple(None if cell is None else renaming[i][cell] for i, cell in enumerate(row)) for row in table.rows
    )
    assert_same(rule, table, Table(table.n_values, table.n_classes, rows, table.labels))


@for_every_rule(25)
def test_classes(rule, data):
    table = data.draw(tables(min_rows=1))
    new_code = data.draw(st.permutations(range(table.n_classes)))
    labels = tuple(new_code[label] for label in table.labels)
    assert_same(rule, table, Table(table.n_values, table.n_classes, table.rows, labels), new_code)


@quick
@given(data=st.data())
def test_columns_of_a_frame_are_matched_by_name(data):
    table = data.draw(tables(min_rows=3, min_classes=2, missing=False, all_classes=True))
    frame = {f"column {i}": [f"v{row[i]}" for row in table.rows] for i in range(len(table.n_values))}
    model = NaiveBayes().fit(frame, table.labels)
    moved = {name: frame[name] for name in data.draw(st.permutations(sorted(frame)))}
    np.testing.assert_array_equal(model.predict_proba(moved), model.predict_proba(frame))
    refitted = NaiveBayes().fit(moved, table.labels)
    np.testing.assert_allclose(refitted.predict_proba(frame), model.predict_proba(frame), rtol=1e-12)
