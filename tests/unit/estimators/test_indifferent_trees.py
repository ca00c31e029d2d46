"""The classifier on forests under the principle of indifference."""

import json

import numpy as np
import pytest

from codelength import IndifferentTrees, NaiveBayes, Schema, load
from codelength.errors import InvalidModelFile, InvalidParameter

TABLE = {
    "a": ["x", "y", "x", "y", "x", "x", "y", "y"] * 3,
    "b": ["x", "y", "x", "y", "x", "y", "y", "y"] * 3,
    "c": ["u", "v", "w", "u", "v", "w", "w", "u"] * 3,
    "constant": ["k"] * 24,
    "empty": [None] * 24,
}
CLASSES = ["no", "yes", "no"] * 8

MODELS = {
    "all": {},
    "best": {"forest": "best"},
    "best uniform": {"forest": "best", "law": "uniform"},
    "given": {"forest": [("a", "b"), ("c", "b"), ("constant", "c")]},
}


@pytest.mark.filterwarnings("ignore::codelength.errors.CodelengthWarning")
@pytest.mark.parametrize("options", MODELS.values(), ids=MODELS)
def test_a_model_predicts_the_same_after_it_was_saved(options, tmp_path):
    model = IndifferentTrees(**options).fit(TABLE, CLASSES)
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    np.testing.assert_array_equal(model.predict_log_proba(TABLE), again.predict_log_proba(TABLE))
    assert again.code_length_ == model.code_length_
    assert again._summary_document() == model._summary_document()
    rows = {
        "a": ["x", None],
        "b": ["y", "new"],
        "c": [None, "u"],
        "constant": ["k", "l"],
        "empty": [None] * 2,
    }
    probs = model.predict_proba(rows)
    np.testing.assert_allclose(probs.sum(axis=1), 1.0, atol=1e-12)


def test_without_edges_it_is_the_indifferent_rule():
    few = {name: TABLE[name] for name in "abc"}
    model = IndifferentTrees(forest=(), law="uniform").fit(few, CLASSES)
    rule = NaiveBayes("indifferent").fit(few, CLASSES)
    np.testing.assert_allclose(model.predict_log_proba(few), rule.predict_log_proba(few), atol=1e-12)
    assert model.code_length_ == pytest.approx(rule.code_length_, rel=1e-12)
    assert model.edges_ == []
    assert model.is_exact_


def test_weights_are_numbers_of_rows():
    weights = np.arange(24) % 3
    repeated = {name: np.repeat(TABLE[name], weights) for name in "abc"}
    few = {name: TABLE[name] for name in "abc"}
    for options in (MODELS["all"], MODELS["best"], MODELS["best uniform"], {"forest": [("a", "b")]}):
        heavy = IndifferentTrees(**options).fit(few, CLASSES, sample_weight=weights)
        many = IndifferentTrees(**options).fit(repeated, np.repeat(CLASSES, weights))
        assert heavy.code_length_ == pytest.approx(many.code_length_, rel=1e-12)
        np.testing.assert_allclose(heavy.predict_proba(few), many.predict_proba(few), rtol=1e-10)


def test_edges_tell_what_depends_on_what():
    few = {name: TABLE[name] for name in "abc"}
    assert ("a", "b") in IndifferentTrees("best").fit(few, CLASSES).edges_
    model = IndifferentTrees().fit(few | {"constant": ["k"] * 24}, CLASSES)
    probs = model.edge_probs_
    assert probs.shape == (4, 4)
    assert probs[0, 1] > 0.9 > probs[0, 2]
    assert not probs[3].any()
    with pytest.raises(AttributeError, match="all forests are averaged"):
        _ = model.edges_
    with pytest.raises(AttributeError, match="one forest"):
        _ = IndifferentTrees("best").fit(few, CLASSES).edge_probs_


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"law": "uniform"}, "no sum over all forests"),
        ({"forest": "worst"}, "forest"),
        ({"forest": [("a", "b"), ("b", "c"), ("c", "a")]}, "closes a ring"),
        ({"forest": [("a", "a")]}, "closes a ring"),
        ({"forest": [("a", "d")]}, "no variable 'd'"),
        ({"forest": ["ab"]}, "is not an edge"),
        ({"law": "flat"}, "law"),
    ],
)
def test_what_is_no_forest_is_refused(options, match):
    few = {name: TABLE[name] for name in "abc"}
    with pytest.raises(InvalidParameter, match=match):
        IndifferentTrees(**options).fit(few, CLASSES)


def test_a_model_that_saw_nothing_predicts_what_the_prior_says():
    schema = Schema.from_sizes([2, 3], n_classes=2)
    for forest in ("all", "best", [("x0", "x1")]):
        model = IndifferentTrees(forest, schema=schema).fit(np.empty((0, 2)), [])
        np.testing.assert_allclose(model.predict_proba([[0, 2]]), [[0.5, 0.5]])
        assert model.code_length_ == pytest.approx(0.0, abs=1e-12)


def test_a_file_with_a_ring_is_refused(tmp_path):
    few = {name: TABLE[name] for name in "abc"}
    model = IndifferentTrees([("a", "b")]).fit(few, CLASSES)
    document = model._fitted.to_document()
    from codelength._packing import packed
    from codelength.estimators import documents

    document["fitted"]["parents"] = packed(np.array([1, 0, -1], dtype=np.int32))
    documents.write(json.loads(json.dumps(document)), tmp_path / "ring.json")
    with pytest.raises(InvalidModelFile, match="ring"):
        load(tmp_path / "ring.json")
