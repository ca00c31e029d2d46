"""A weight is a number of equal rows: through the whole of ``fit``, on raw tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codelength import NaiveBayes
from properties.strategies import by_rule

pytestmark = pytest.mark.filterwarnings("ignore::codelength.errors.UndefinedPrediction")
quick = settings(max_examples=30)

cells = st.tuples(
    st.sampled_from(["red", "green", "blue", None]),
    st.one_of(st.integers(-50, 50).map(lambda number: number / 4), st.none()),
    st.integers(0, 30),
)
raw_rows = st.lists(st.tuples(cells, st.sampled_from(["yes", "no", "maybe"])), min_size=1, max_size=12)


def as_table(rows):
    """Columns of text, of floats and of whole numbers, none of them missing altogether; and two classes."""
    rows = [*rows, (("red", 0.25, 3), "yes"), (("blue", -1.5, 4), "no")]
    text, floats, whole = zip(*(row for row, _ in rows), strict=True)
    numbers = [np.nan if number is None else number for number in floats]
    return {"text": list(text), "float": numbers, "whole": list(whole)}, [label for _, label in rows]


def taken(table, labels, positions):
    return {name: [column[j] for j in positions] for name, column in table.items()}, [
        labels[j] for j in positions
    ]


def assert_same_model(first, second, table):
    assert second.schema_ == first.schema_
    assert second.counts_ == first.counts_
    assert second.evidence_code_length_ == first.evidence_code_length_
    np.testing.assert_array_equal(second.predict_log_proba(table), first.predict_log_proba(table))


@by_rule
@quick
@given(rows=raw_rows, data=st.data())
def test_a_weight_is_a_number_of_rows(rule, rows, data):
    table, labels = as_table(rows)
    weight = st.integers(1, 4)
    weights = data.draw(st.lists(weight, min_size=len(labels), max_size=len(labels)))
    numeric = data.draw(st.sampled_from(["auto", "discretize", "category"]))
    missing = data.draw(st.sampled_from(["ignore", "value"]))
    weighted = NaiveBayes(rule, missing=missing, numeric=numeric).fit(table, labels, sample_weight=weights)
    repeated_table, repeated_labels = taken(table, labels, np.repeat(np.arange(len(labels)), weights))
    repeated = NaiveBayes(rule, missing=missing, numeric=numeric).fit(repeated_table, repeated_labels)
    assert_same_model(repeated, weighted, table)


@quick
@given(rows=raw_rows, data=st.data())
def test_a_weight_of_zero_is_no_row(rows, data):
    """Whatever values and classes the row has: they do not enter the schema, and are not complained about."""
    table, labels = as_table(rows)
    n_rows = len(labels)
    kept = [*data.draw(st.lists(st.booleans(), min_size=n_rows - 2, max_size=n_rows - 2)), True, True]
    weighted = NaiveBayes().fit(table, labels, sample_weight=np.array(kept, dtype=float))
    part, part_labels = taken(table, labels, np.flatnonzero(kept))
    absent = NaiveBayes().fit(part, part_labels)
    assert_same_model(absent, weighted, part)


@pytest.mark.parametrize("handle_unknown", ["ignore", "error"])
def test_a_row_of_weight_zero_may_hold_a_value_of_its_own(handle_unknown):
    model = NaiveBayes(handle_unknown=handle_unknown)
    model.fit([["a"], ["b"], ["c"]], ["yes", "no", "no"], sample_weight=[1, 1, 0])
    assert model.schema_.variables[0].values == ("a", "b")
    assert model.counts_.n_rows == 2


def test_a_row_of_weight_zero_may_hold_a_class_of_its_own():
    model = NaiveBayes().fit([["a"], ["b"], ["b"]], ["yes", "no", "maybe"], sample_weight=[1, 1, 0])
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.counts_.n_rows == 2


def test_rows_of_weight_zero_are_left_out_of_every_form_of_table():
    """An integer array under a schema of codes takes a road of its own."""
    codes = np.array([[0, 1], [1, 1], [1, 0]])
    weighted = NaiveBayes().fit(codes, [0, 1, 0], sample_weight=[1, 2, 0])
    absent = NaiveBayes().fit(codes[[0, 1, 1]], [0, 1, 1])
    assert weighted.counts_.n_rows == absent.counts_.n_rows == 3
    np.testing.assert_array_equal(weighted.predict_proba(codes[:2]), absent.predict_proba(codes[:2]))


def test_one_number_weighs_every_row_alike():
    table, labels = [["a"], ["b"], ["a"]], ["yes", "no", "no"]
    scalar = NaiveBayes().fit(table, labels, sample_weight=2)
    assert scalar.counts_ == NaiveBayes().fit(table * 2, labels * 2).counts_
