"""Rows in batches, models in parts, and predictions from many threads at once."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from codelength import NaiveBayes, Schema, Variable
from codelength.errors import CodelengthError, InvalidParameter, SchemaMismatch
from properties.strategies import by_rule, for_every_rule, row_weights, tables, tables_and_priors

quick = settings(max_examples=25)


def batches(n_rows, cuts):
    bounds = [0, *sorted(cuts), n_rows]
    return [slice(low, high) for low, high in pairwise(bounds) if high > low]


@for_every_rule(25)
def test_batches_are_the_whole(rule, data):
    table, prior = data.draw(tables_and_priors(rule, min_rows=2, min_classes=2))
    weights = data.draw(st.one_of(st.none(), row_weights(table, zero=False)))
    cuts = data.draw(st.lists(st.integers(1, len(table.rows) - 1), max_size=3, unique=True))
    codes, labels = table.codes, np.array(table.labels)
    model = NaiveBayes(rule, prior, schema=table.schema)
    whole = clone(model).fit(codes, labels, sample_weight=weights)
    parts = []
    for batch in batches(len(table.rows), cuts):
        weight = None if weights is None else weights[batch]
        model.partial_fit(codes[batch], labels[batch], sample_weight=weight)
        parts.append(clone(model).fit(codes[batch], labels[batch], sample_weight=weight))
    assert model.counts_ == whole.counts_
    np.testing.assert_array_equal(model.predict_joint_log_proba(codes), whole.predict_joint_log_proba(codes))
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merge(part)
    assert merged.counts_ == whole.counts_
    np.testing.assert_array_equal(merged.predict_joint_log_proba(codes), whole.predict_joint_log_proba(codes))


@quick
@given(data=st.data())
def test_classes_may_come_later_when_they_are_named(data):
    table = data.draw(tables(min_rows=3, min_classes=2, missing=False, max_values=2))
    domain = {f"c{i}": Variable(f"c{i}", ("v0", "v1")) for i in range(len(table.n_values))}
    frame = {name: [f"v{row[i]}" for row in table.rows] for i, name in enumerate(domain)}
    labels = [f"class {label}" for label in table.labels]
    classes = [f"class {k}" for k in range(table.n_classes)]
    schema = Schema(list(domain.values()))
    model = NaiveBayes(schema=schema)
    for j in range(len(labels)):
        row = {name: column[j : j + 1] for name, column in frame.items()}
        model.partial_fit(row, labels[j : j + 1], classes=classes if j == 0 else None)
    whole = NaiveBayes(schema=Schema(list(domain.values()), Variable("y", classes))).fit(frame, labels)
    assert model.classes_.tolist() == classes
    np.testing.assert_array_equal(model.counts_.value_counts, whole.counts_.value_counts)
    np.testing.assert_array_equal(model.predict_proba(frame), whole.predict_proba(frame))


def test_the_order_in_which_classes_are_named_does_not_matter():
    models = [
        NaiveBayes().partial_fit([["a"], ["b"]], ["no", "yes"], classes=classes)
        for classes in (["no", "yes", "maybe"], ["yes", "maybe", "no"], np.array(["maybe", "yes", "no"]))
    ]
    assert {tuple(model.classes_) for model in models} == {("maybe", "no", "yes")}


def test_classes_that_contradict_the_schema_are_refused():
    schema = Schema([Variable("x0", ("a", "b"))], Variable("y", ("no", "yes")))
    with pytest.raises(CodelengthError, match=r"classes"):
        NaiveBayes(schema=schema).partial_fit([["a"], ["b"]], ["no", "yes"], classes=["no", "yes", "maybe"])
    with pytest.raises(SchemaMismatch, match=r"classes.*first call"):
        NaiveBayes().partial_fit([["a"], ["b"]], ["no", "yes"]).partial_fit(
            [["a"]], ["no"], classes=["no", "maybe"]
        )


def test_fit_begins_anew():
    model = NaiveBayes().fit([["a"], ["b"]], ["no", "yes"])
    model.fit([["c"], ["d"], ["d"]], ["left", "right", "left"])
    assert model.classes_.tolist() == ["left", "right"]
    assert model.counts_.n_rows == 3


def test_models_of_different_schemas_do_not_merge():
    one = NaiveBayes().fit([["a"], ["b"]], ["no", "yes"])
    two = NaiveBayes().fit([["a"], ["c"]], ["no", "yes"])
    with pytest.raises(SchemaMismatch, match="schema="):
        one.merge(two)


def test_how_a_domain_was_found_does_not_keep_models_apart():
    """The same values in the same order are the same schema, seen or declared."""
    pandas = pytest.importorskip("pandas")
    seen = NaiveBayes().fit({"c": ["a", "b", "b"]}, ["no", "yes", "yes"])
    frame = pandas.DataFrame({"c": pandas.Categorical(["b", "a"], categories=["a", "b"])})
    declared = NaiveBayes().fit(frame, ["no", "yes"])
    assert seen.merge(declared).counts_.n_rows == 5


def test_a_batch_that_is_refused_leaves_the_model_as_it_was():
    model = NaiveBayes().fit([["a"], ["b"]], ["no", "yes"])
    before = model.counts_, model.predict_proba([["a"]])
    model.set_params(prior="no such prior")
    with pytest.raises(InvalidParameter, match="prior"):
        model.partial_fit([["a"]], ["no"])
    model.set_params(prior="uniform")
    assert model.counts_ == before[0]
    np.testing.assert_array_equal(model.predict_proba([["a"]]), before[1])


def test_a_fit_that_is_refused_leaves_no_model_behind():
    model = NaiveBayes(prior="no such prior")
    with pytest.raises(InvalidParameter, match="prior"):
        model.fit([["a"], ["b"]], ["no", "yes"])
    assert not hasattr(model, "counts_")


def test_all_methods_speak_of_the_same_rule():
    """Options changed after fitting wait for the next fit, or hold everywhere at once."""
    model = NaiveBayes().fit([["a"], ["b"], ["a"]], ["no", "yes", "yes"])
    model.set_params(rule="map")
    odds = model.explain([["a"]]).log_odds[0, 1]
    log_probs = model.predict_log_proba([["a"]])[0]
    assert odds == pytest.approx(log_probs[1] - log_probs[0])


@by_rule
def test_many_threads_predict_the_same(rule):
    generator = np.random.default_rng(11)
    codes = generator.integers(0, 5, size=(4000, 6))
    labels = generator.integers(0, 3, size=4000)
    model = NaiveBayes(rule, schema=Schema.from_sizes([5] * 6, 3)).fit(codes, labels)
    expected = model.predict_proba(codes)
    with ThreadPoolExecutor(8) as pool:
        for result in pool.map(lambda _: model.predict_proba(codes), range(24)):
            np.testing.assert_array_equal(result, expected)


def test_many_threads_fit_models_of_their_own():
    generator = np.random.default_rng(12)
    codes = generator.integers(0, 4, size=(2000, 5))
    labels = generator.integers(0, 3, size=2000)
    expected = NaiveBayes().fit(codes, labels).counts_
    with ThreadPoolExecutor(8) as pool:
        for counts in pool.map(lambda _: NaiveBayes().fit(codes, labels).counts_, range(16)):
            assert counts == expected
