"""A model of a stream goes on after it was saved and read back, as if nothing had happened."""

import json
import math

import pytest

from codelength import OnlineNaiveBayes, Prior, Schema, Variable, load
from codelength.errors import DataError, InvalidModelFile
from codelength.estimators import documents

SCHEMA = Schema(
    [Variable("a", ("x", "y", None)), Variable("b", (1, 2, 3)), Variable("c", ("any",), "ignored")],
    Variable("class", ("k", "l")),
)
STREAM = [
    ({"a": "xyzw"[n % 4] if n % 5 else None, "b": n % 3 + 1, "d": n}, "klm"[n % 7 % 3]) for n in range(60)
]
KNOWN = [({"a": "xy"[n % 2] if n % 5 else None, "b": n % 3 + 1}, "kl"[n % 7 % 2]) for n in range(60)]
OPTIONS = [
    {"schema": SCHEMA, "rule": "stochastic_complexity"},
    {"schema": SCHEMA, "prior": Prior(0.5, 2.0), "half_life": 4.0},
    {"schema": SCHEMA, "window": 12},
    {"schema": SCHEMA, "domains": "growing", "window": 12},
    {"domains": "growing"},
    {"domains": "growing", "half_life": 4.0, "prior": Prior(0.5, 2.0)},
    {"domains": "growing", "window": 12},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("n_before", [0, 5, 40])
def test_a_model_goes_on_where_it_was(options, n_before, tmp_path):
    stream = STREAM if options.get("domains") == "growing" else KNOWN
    model = OnlineNaiveBayes(**options)
    for row, label in stream[:n_before]:
        model.score_one(row, label)
    model.save(tmp_path / "model.json")
    found = OnlineNaiveBayes.load(tmp_path / "model.json")
    assert str(found) == str(model)
    for row, label in stream[n_before:]:
        assert found.score_one(row, label) == model.score_one(row, label)
    assert (found.code_length, found.accuracy, found.n_scored) == (model.code_length, model.accuracy, 60)
    assert found.counts == model.counts
    assert found.schema == model.schema


def test_an_infinite_code_length_is_kept(tmp_path):
    schema = Schema([Variable("x", ("a", "b"))], Variable("y", ("k", "l")))
    model = OnlineNaiveBayes(schema, rule="map").learn_one({"x": "a"}, "k")
    assert model.score_one({"x": "a"}, "l") == -math.inf
    model.save(tmp_path / "model.json")
    assert OnlineNaiveBayes.load(tmp_path / "model.json").code_length == math.inf


def changed(content, *way, to):
    inner = content
    for step in way[:-1]:
        inner = inner[step]
    inner[way[-1]] = to


@pytest.mark.parametrize(
    ("way", "to"),
    [
        (("kind",), "naive-bayes"),
        (("weight",), 0),
        (("weight",), "1"),
        (("scores",), [1, 2.0]),
        (("scores", 2), 1000),
        (("scores", 1), -1.0),
        (("class_counts",), [1.0]),
        (("class_counts", 0), -1.0),
        (("class_counts", 0), 0.0),
        (("value_counts", 0, 0), 50.0),
        (("totals", 0, 0), 50.0),
        (("variables", 0, "name"), "a"),
        (("variables", 0, "met"), ["x", "x"]),
        (("variables", 0, "met"), ["x"]),
        (("variables", 0, "weight"), -1.0),
        (("classes", "met"), []),
        (("window",), None),
        (("window", 0, 0), 99),
        (("window", 0, 1), [0]),
        (("window", 0, 2), [0, 0]),
        (("options", "domains"), "fixed"),
        (("options", "window"), 3),
    ],
)
def test_what_does_not_fit_together_is_refused(way, to, tmp_path):
    path = tmp_path / "model.json"
    model = OnlineNaiveBayes(domains="growing", window=12)
    for row, label in STREAM[:20]:
        model.score_one({"a": row["a"], "b": row["b"]}, label)
    model.save(path)
    content = json.loads(path.read_text())["model"]
    changed(content, *way, to=to)
    documents.write(content, path)
    with pytest.raises(InvalidModelFile, match=r"not a consistent model"):
        OnlineNaiveBayes.load(path)


def test_files_of_other_models(tmp_path):
    path = tmp_path / "model.json"
    OnlineNaiveBayes(SCHEMA).save(path)
    with pytest.raises(InvalidModelFile, match="online-naive-bayes"):
        load(path)
    path.write_text(path.read_text()[:-30])
    with pytest.raises(InvalidModelFile, match="not complete JSON"):
        OnlineNaiveBayes.load(path)


@pytest.mark.parametrize("domains", ["fixed", "growing"])
def test_a_model_that_took_rows_back_can_be_read_again(domains, tmp_path):
    """Two rows, one of them without a value: the one without cannot be taken back twice."""
    schema = Schema([Variable("x", ("a", "b"))], Variable("y", ("k", "l")))
    model = OnlineNaiveBayes(schema, domains=domains)
    model.learn_one({"x": "a"}, "k").learn_one({}, "k").unlearn_one({}, "k")
    with pytest.raises(DataError, match="no such row left"):
        model.unlearn_one({}, "k")
    model.save(tmp_path / "model.json")
    found = OnlineNaiveBayes.load(tmp_path / "model.json").unlearn_one({"x": "a"}, "k")
    assert found.counts == OnlineNaiveBayes(schema, domains="fixed").counts


def test_no_sum_of_a_file_falls_below_zero(tmp_path):
    schema = Schema([Variable("x", ("a", "b"))], Variable("y", ("k", "l")))
    path = tmp_path / "model.json"
    OnlineNaiveBayes(schema).learn_one({"x": "a"}, "k").save(path)
    content = documents.read(path, dict)
    changed(content, "totals", 0, 0, to=1 - 1e-12)
    documents.write(content, path)
    with pytest.raises(DataError, match="no such row left"):
        OnlineNaiveBayes.load(path).unlearn_one({"x": "a"}, "k")
