"""Exported graphs, run by a runtime nobody here wrote, say what ``predict_proba`` says."""

import sys

import numpy as np
import pandas as pd
import pytest

from codelength import NaiveBayes, Schema, Variable
from codelength.errors import InvalidParameter
from codelength.export.onnx import to_onnx
from codelength.naive_bayes import RULES
from codelength.networks.look_ups import LookUps
from unit.export.engines import in_onnx

pytest.importorskip("onnxruntime")


def run(model, frame):
    """Classes and probabilities by the graph of a model."""
    return in_onnx(to_onnx(LookUps.of(model._fitted.predictor)), frame)


def frame_of(n_rows, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "class": rng.choice(["a'b", 'quo"te', "líne\n"], n_rows),
            "_number": rng.normal(size=n_rows),
            "whole": rng.integers(-2, 4, n_rows).astype(np.float64),
            "probabilities": rng.choice([0.5, 1.25, 2.0], n_rows),
            "flag": rng.random(n_rows) < 0.5,
        }
    )
    for name in ("class", "_number", "whole"):
        frame[name] = frame[name].mask(rng.random(n_rows) < 0.1)
    return frame, rng.choice(["yes", "no", "perhaps"], n_rows)


@pytest.mark.filterwarnings("ignore::codelength.errors.CodelengthWarning")
@pytest.mark.parametrize("missing", ["ignore", "value"])
@pytest.mark.parametrize("rule", RULES)
def test_graphs_say_what_the_model_says(rule, missing):
    frame, labels = frame_of(400, seed=1)
    model = NaiveBayes(rule=rule, missing=missing).fit(frame[:150], labels[:150])
    new = frame.copy()
    new.loc[::5, "class"] = "new"
    new.loc[1::7, "whole"] = 99.0
    new.loc[2::7, "_number"] = model.schema_.variables[1].cuts[0]  # an edge belongs to the interval above
    classes, probs = run(model, new)
    np.testing.assert_allclose(probs, model.predict_proba(new), rtol=0, atol=1e-12)
    assert classes.tolist() == model.predict(new).tolist()


def test_rows_that_no_class_can_have_are_uniform():
    schema = Schema((Variable("x", ("a", "b")), Variable("y", ("u", "v", "w"))), Variable("c", (3, 5)))
    rows = pd.DataFrame({"x": list("aabb"), "y": list("uvuv")})
    model = NaiveBayes(rule="map", schema=schema).fit(rows, [3, 3, 5, 5])
    new = pd.DataFrame({"x": list("ab"), "y": list("wu")})
    with pytest.warns(Warning, match="0/0"):
        expected = model.predict_proba(new)
    classes, probs = run(model, new)
    assert expected[0].tolist() == [0.5, 0.5]
    np.testing.assert_allclose(probs, expected, rtol=0, atol=1e-12)
    assert classes.tolist() == [3, 5]


def test_what_onnx_has_no_type_for_is_refused():
    times = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(40), unit="D")
    of_times = NaiveBayes().fit({"when": times}, list("ab") * 20)
    with pytest.raises(InvalidParameter, match="column 'when': ONNX has no type for times"):
        to_onnx(LookUps.of(of_times._fitted.predictor))
    of_both = NaiveBayes().fit({"x": [1, "one"] * 20}, list("ab") * 20)
    with pytest.raises(InvalidParameter, match="column 'x': text and numbers"):
        to_onnx(LookUps.of(of_both._fitted.predictor))


@pytest.mark.parametrize("cells", [[2**53, 2**53 + 1], [2**53, 5], [1e300, 5.0], [-(2**60) - 1, 0.5]])
def test_numbers_that_doubles_do_not_tell_apart_are_refused(cells):
    model = NaiveBayes(numeric="category").fit({"x": np.array(cells * 2, dtype=object)}, list("abba"))
    with pytest.raises(InvalidParameter, match=r"column 'x': the number .* does not keep numbers of"):
        model.to_onnx()


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([1, "1", True, 2], "column 'x': text and numbers; a column in ONNX has one type"),
        (["1 day", "2 days"] * 2, "column 'x': durations, such as"),
        (
            [pd.Timestamp("2020-01-01", tz="UTC"), "2020-01-02T12:30+02:00"] * 2,
            "column 'x': times of a time zone",
        ),
        (["2020-01-01", "2020-01-01T00:00"] * 2, "column 'x': '2020-01-01' and .* are the same time"),
    ],
)
def test_what_text_does_not_tell_apart_is_refused(cells, message):
    model = NaiveBayes(numeric="category").fit({"x": np.array(cells, dtype=object)}, list("aabb"))
    with pytest.raises(InvalidParameter, match=message):
        model.to_onnx()


def test_times_in_the_spellings_of_other_programs():
    moments = [pd.Timestamp("2020-01-01") + pd.Timedelta(hours=12 * i, milliseconds=i // 2) for i in range(4)]
    train = [moment for i, moment in enumerate(moments) for _ in range(i + 2)]
    labels = ["ab"[j > 0] for i in range(len(moments)) for j in range(i + 2)]
    model = NaiveBayes().fit({"x": pd.Series(train)}, labels)
    assert model.schema_.variables[0].kind == "category"
    spellings = (
        str,
        pd.Timestamp.isoformat,
        lambda one: str(one.to_datetime64()),
        lambda one: f"{one:%F %T.%f}",
    )
    new = [*moments, pd.Timestamp("2020-02-01")]
    rows = pd.DataFrame({"x": [spelt(one) for one in new for spelt in spellings]})
    _, probs = run(model, rows)
    np.testing.assert_allclose(probs, model.predict_proba(rows), rtol=0, atol=1e-12)
    assert len(np.unique(probs.round(9), axis=0)) == len(moments) + 1


def test_without_onnx_its_installation_is_advised(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    model = NaiveBayes().fit({"x": list("aabb")}, list("kkll"))
    with pytest.raises(InvalidParameter, match=r"codelength\[onnx\]"):
        to_onnx(LookUps.of(model._fitted.predictor))


def test_classes_beyond_whole_numbers_of_64_bits_are_text():
    rows = pd.DataFrame({"x": list("aabb")})
    model = NaiveBayes().fit(rows, [2**70, 2**70, 5, 5])
    assert run(model, rows)[0].tolist() == [str(2**70)] * 2 + ["5"] * 2
