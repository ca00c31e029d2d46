"""Row by row: what is learned, forgotten and predicted is what a table of the same rows gives."""

import copy
import math
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from codelength import NaiveBayes, OnlineNaiveBayes, Prior, Schema, Variable
from codelength.errors import DataError, InvalidParameter, UnknownValue
from codelength.naive_bayes import RULES


def frame_of(n_rows, seed):
    rng = np.random.default_rng(seed)
    moments = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 10**6, n_rows), unit="s")
    frame = pd.DataFrame(
        {
            "colour": rng.choice(["red", "blue", ""], n_rows),
            "number": rng.normal(size=n_rows),
            "whole": rng.integers(0, 4, n_rows),
            "flag": rng.random(n_rows) < 0.5,
            "moment": moments,
        }
    )
    frame["colour"] = frame["colour"].mask(rng.random(n_rows) < 0.1)
    frame["number"] = frame["number"].mask(rng.random(n_rows) < 0.1)
    return frame, rng.choice(["yes", "no", "perhaps"], n_rows)


def rows_of(frame):
    return frame.to_dict("records")


def learned(model, frame, labels):
    for row, label in zip(rows_of(frame), labels, strict=True):
        model.learn_one(row, label)
    return model


def probs_of(model, frame):
    return np.array([list(model.predict_proba_one(row).values()) for row in rows_of(frame)])


@pytest.mark.filterwarnings("ignore::codelength.errors.CodelengthWarning")
@pytest.mark.parametrize("missing", ["ignore", "value"])
@pytest.mark.parametrize("rule", RULES)
def test_rows_one_by_one_are_a_table(rule, missing):
    frame, labels = frame_of(120, seed=1)
    schema = NaiveBayes(missing=missing).fit(frame, labels).schema_
    expected = NaiveBayes(rule=rule, schema=schema).fit(frame[:80], labels[:80])
    model = learned(OnlineNaiveBayes(schema, rule=rule), frame[:80], labels[:80])
    np.testing.assert_allclose(probs_of(model, frame), expected.predict_proba(frame), rtol=0, atol=1e-12)
    assert [model.predict_one(row) for row in rows_of(frame)] == expected.predict(frame).tolist()
    known = np.delete(np.arange(int(schema.offsets[-1])), schema.offsets[1:] - 1)
    np.testing.assert_array_equal(
        model.counts.value_counts[:, known], expected.counts_.value_counts[:, known]
    )
    np.testing.assert_array_equal(model.counts.class_counts, expected.counts_.class_counts)


def test_a_fitted_model_goes_on():
    frame, labels = frame_of(100, seed=2)
    model = NaiveBayes(prior=Prior(0.5, 0.5)).fit(frame, labels)
    schema = model.schema_
    half = NaiveBayes(prior=Prior(0.5, 0.5), schema=schema).fit(frame[:50], labels[:50])
    online = learned(OnlineNaiveBayes.of(half), frame[50:], labels[50:])
    np.testing.assert_allclose(probs_of(online, frame), model.predict_proba(frame), rtol=0, atol=1e-12)


def test_rows_are_taken_back():
    frame, labels = frame_of(100, seed=3)
    schema = NaiveBayes().fit(frame, labels).schema_
    model = learned(OnlineNaiveBayes(schema), frame, labels)
    for row, label in zip(rows_of(frame[:40]), labels[:40], strict=True):
        model.unlearn_one(row, label)
    expected = NaiveBayes(schema=schema).fit(frame[40:], labels[40:])
    np.testing.assert_allclose(probs_of(model, frame), expected.predict_proba(frame), rtol=0, atol=1e-12)
    empty = OnlineNaiveBayes(schema)
    with pytest.raises(DataError, match="no such row left"):
        empty.unlearn_one(rows_of(frame)[0], labels[0])


def test_a_window_keeps_the_last_rows():
    frame, labels = frame_of(90, seed=4)
    schema = NaiveBayes().fit(frame, labels).schema_
    model = learned(OnlineNaiveBayes(schema, window=30), frame, labels)
    expected = NaiveBayes(schema=schema).fit(frame[60:], labels[60:])
    np.testing.assert_allclose(probs_of(model, frame), expected.predict_proba(frame), rtol=0, atol=1e-12)


@pytest.mark.parametrize("half_life", [0.5, 20.0])
def test_a_half_life_is_a_weight_that_falls(half_life):
    """So fast a fall makes weights of 1e100 and more, which are made smaller on the way."""
    frame, labels = frame_of(400, seed=5)
    schema = NaiveBayes().fit(frame, labels).schema_
    model = learned(OnlineNaiveBayes(schema, half_life=half_life), frame, labels)
    weights = 0.5 ** (np.arange(399, -1, -1) / half_life)
    expected = NaiveBayes(schema=schema).fit(frame, labels, sample_weight=weights)
    np.testing.assert_allclose(probs_of(model, frame), expected.predict_proba(frame), rtol=0, atol=1e-12)


def test_scores_are_of_rows_before_they_are_learned():
    frame, labels = frame_of(60, seed=6)
    schema = NaiveBayes().fit(frame, labels).schema_
    model = OnlineNaiveBayes(schema)
    assert math.isnan(model.log_score)
    found = [model.score_one(row, label) for row, label in zip(rows_of(frame), labels, strict=True)]
    expected, hits = [], []
    for n in range(60):
        before = learned(OnlineNaiveBayes(schema), frame[:n], labels[:n])
        probs = before.predict_proba_one(rows_of(frame)[n])
        expected.append(math.log(probs[labels[n]]))
        hits.append(max(probs, key=probs.get) == labels[n])
    assert found == pytest.approx(expected, abs=1e-12)
    assert model.code_length == pytest.approx(-sum(expected), abs=1e-9)
    assert model.log_score == pytest.approx(np.mean(expected), abs=1e-12)
    assert model.accuracy == np.mean(hits)
    assert model.n_scored == 60
    assert "60" in str(model)


SCHEMA = Schema([Variable("x", ("a", "b"))], Variable("y", ("k", "l")))


def test_what_says_nothing():
    model = OnlineNaiveBayes(SCHEMA).learn_one({"x": "a"}, "k").learn_one({"x": "b"}, "l")
    for row in ({}, {"x": None}, {"x": math.nan}, {"x": "c"}, {"x": np.float64("nan")}, {"other": "a"}):
        assert model.predict_proba_one(row) == {"k": 0.5, "l": 0.5}
    with pytest.raises(UnknownValue, match="variable 'x': value 'c' is not in the schema"):
        OnlineNaiveBayes(SCHEMA, handle_unknown="error").learn_one({"x": "c"}, "k")
    for row in ({"x": ["a"]}, ["a"], None):
        with pytest.raises(DataError):
            model.predict_proba_one(row)


def test_classes_that_no_row_can_have_are_uniform():
    model = OnlineNaiveBayes(SCHEMA, rule="map")
    model.learn_one({"x": "a"}, "k").learn_one({"x": "a"}, "l")
    assert model.predict_proba_one({"x": "b"}) == {"k": 0.5, "l": 0.5}
    assert model.score_one({"x": "b"}, "k") == math.log(0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"half_life": 0}, "half_life"),
        ({"window": 0}, "window"),
        ({"half_life": 3, "window": 3}, "choose one"),
        ({"rule": "none"}, "rule"),
        ({"handle_unknown": "maybe"}, "handle_unknown"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(InvalidParameter, match=message):
        OnlineNaiveBayes(SCHEMA, **options)


def test_wrong_uses():
    with pytest.raises(DataError, match="no target"):
        OnlineNaiveBayes(Schema([Variable("x", ("a", "b"))]))
    with pytest.raises(DataError, match=r"class 'm' is not in the schema"):
        OnlineNaiveBayes(SCHEMA).learn_one({"x": "a"}, "m")
    with pytest.raises(InvalidParameter, match="unlearn_one"):
        OnlineNaiveBayes(SCHEMA, window=3).unlearn_one({"x": "a"}, "k")
    table = {"x": list("abab"), "z": list("uvvu")}
    chosen = NaiveBayes(select="leave_one_out").fit(table, list("klkl"))
    with pytest.raises(InvalidParameter, match="select=None"):
        OnlineNaiveBayes.of(chosen)
    with pytest.raises(InvalidParameter, match="window="):
        OnlineNaiveBayes.of(NaiveBayes().fit(table, list("klkl")), window=5)


@pytest.mark.parametrize("domains", ["fixed", "growing"])
@pytest.mark.parametrize("learn", ["learn_one", "score_one"])
def test_rows_from_several_threads_are_each_counted_once(domains, learn):
    names = [f"x{i}" for i in range(8)]
    schema = Schema([Variable(name, (0, 1, 2)) for name in names], Variable("y", ("k", "l")))
    model = OnlineNaiveBayes(schema, domains=domains)
    rows = [({name: (n + i) % 3 for i, name in enumerate(names)}, "kl"[n % 2]) for n in range(800)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(16) as threads:
            list(threads.map(lambda row: getattr(model, learn)(*row), rows))
    finally:
        sys.setswitchinterval(interval)
    assert model.counts.class_counts.tolist() == [400, 400]
    assert model.counts.value_counts.sum() == 800 * 8


def test_a_copy_of_a_model_learns_by_itself():
    model = OnlineNaiveBayes(SCHEMA).learn_one({"x": "a"}, "k")
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        other.learn_one({"x": "b"}, "k")
        assert (other.counts.n_rows, model.counts.n_rows) == (2, 1)


def test_the_shortest_half_life_and_the_first_that_is_refused():
    with pytest.raises(InvalidParameter, match=r"half_life=0.0001: expected a number of at least 0.001"):
        OnlineNaiveBayes(SCHEMA, half_life=1e-4)
    model = OnlineNaiveBayes(SCHEMA, half_life=0.001)
    for label in ("k", "l", "l"):
        model.learn_one({"x": "a"}, label)
    assert model.counts.class_counts.tolist() == pytest.approx([0, 1], abs=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_before_any_row_a_stream_says_what_an_empty_table_says(rule):
    model = OnlineNaiveBayes(SCHEMA, rule=rule)
    assert model.predict_proba_one({"x": "a"}) == pytest.approx({"k": 0.5, "l": 0.5})
    if RULES[rule].normalises:
        expected = -math.inf if RULES[rule].gives_zero else math.log(1 / 4)
        assert model.joint_log_prob_one({"x": "a"}, "k") == pytest.approx(expected)
