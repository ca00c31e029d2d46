"""Models and their parts come back from JSON, pickle and clone as they went, to the last bit."""

import copy
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from codelength import NaiveBayes, Prior, Schema, Variable, load
from codelength.counts import Counts
from codelength.table import interval_variable
from properties.strategies import RULE_NAMES, priors, row_weights, tables

COLUMNS = {
    "colour": ["red", "blue", "grün", None, "red", "blue", "red", "gr\u0308un"],
    "size": [1.5, 2.25, -0.0, 7.125, np.nan, 1e-3, 123456.789, 0.1],
    "rooms": [1, 2, 3, 1, 2, 3, 1, 2],
    "new": [True, False, True, True, False, True, False, False],
}
TARGETS = {
    "text": ["no", "yes", "no", "maybe", "yes", "no", "yes", "maybe"],
    "whole": [3, -1, 3, 10, -1, 3, -1, 10],
    "truth": [True, False, True, False, True, True, False, True],
    "float": [0.0, 1.0, 0.0, 2.0, 1.0, 0.0, 1.0, 2.0],
}
DECLARED = Schema(
    [
        Variable("colour", ("blue", "red", "grün", "gr\u0308un", "unseen", None)),
        interval_variable("size", [0.1, 0.2, 1 / 3], missing_is_value=True),
        Variable("rooms", (3, 2, 1, 0.5)),
        Variable("new", (True, False)),
    ]
)
EXPLICIT = Prior(1 / 3, [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], 1.5, [1, 2, 3, 4], 1 / 7])
MODELS = {
    "plain": NaiveBayes(),
    "missing as value": NaiveBayes(missing="value"),
    "intervals": NaiveBayes(numeric="discretize", prior="jeffreys"),
    "categories": NaiveBayes(numeric="category", prior=2.5),
    "strict": NaiveBayes(handle_unknown="error", prior=np.float64(1 / 3)),
    "declared": NaiveBayes(schema=DECLARED, prior=EXPLICIT),
    **{rule: NaiveBayes(rule) for rule in RULE_NAMES},
}
by_target = pytest.mark.parametrize("target", TARGETS)
by_model = pytest.mark.parametrize("name", MODELS)
pytestmark = pytest.mark.filterwarnings("ignore::codelength.errors.UndefinedPrediction")


def assert_same_model(first, second):
    assert type(second.classes_) is type(first.classes_)
    assert second.classes_.dtype == first.classes_.dtype
    assert second.classes_.tolist() == first.classes_.tolist()
    assert [type(c) for c in second.classes_.tolist()] == [type(c) for c in first.classes_.tolist()]
    assert second.schema_ == first.schema_
    assert second.counts_ == first.counts_
    assert second.evidence_code_length_ == first.evidence_code_length_
    assert second.get_params() == first.get_params()
    assert second.n_features_in_ == first.n_features_in_
    named = [getattr(model, "feature_names_in_", None) for model in (first, second)]
    assert (named[0] is None) == (named[1] is None)
    assert named[0] is None or named[0].tolist() == named[1].tolist()


def assert_same_predictions(first, second, table):
    for method in ("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"):
        np.testing.assert_array_equal(getattr(second, method)(table), getattr(first, method)(table))
    np.testing.assert_array_equal(second.explain(table).contributions, first.explain(table).contributions)


@by_target
@by_model
def test_saved_models_come_back(name, target, tmp_path):
    model = clone(MODELS[name]).fit(COLUMNS, TARGETS[target])
    path = tmp_path / "model.json"
    model.save(path)
    loaded = load(path)
    assert_same_model(model, loaded)
    assert_same_predictions(model, loaded, COLUMNS)
    loo, again = (one.leave_one_out(COLUMNS, TARGETS[target]) for one in (model, loaded))
    np.testing.assert_array_equal(loo.log_probs, again.log_probs)
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


@by_target
@by_model
def test_pickled_and_copied_models_come_back(name, target):
    model = clone(MODELS[name]).fit(COLUMNS, TARGETS[target])
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert_same_model(model, other)
        assert_same_predictions(model, other, COLUMNS)


@by_model
def test_clones_are_unfitted_and_alike(name):
    model = MODELS[name]
    cloned = clone(clone(model).fit(COLUMNS, TARGETS["text"]))
    assert not hasattr(cloned, "counts_")
    assert cloned.get_params() == model.get_params()
    refitted, fitted = cloned.fit(COLUMNS, TARGETS["text"]), clone(model).fit(COLUMNS, TARGETS["text"])
    assert_same_predictions(fitted, refitted, COLUMNS)


@by_model
def test_a_loaded_model_goes_on_learning(name, tmp_path):
    model = clone(MODELS[name]).fit(COLUMNS, TARGETS["text"])
    model.save(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json").partial_fit(COLUMNS, TARGETS["text"])
    model.partial_fit(COLUMNS, TARGETS["text"])
    assert_same_model(model, loaded)
    assert_same_predictions(model, loaded, COLUMNS)


@settings(max_examples=25)
@given(data=st.data())
def test_any_coded_model_comes_back(data, tmp_path_factory):
    table = data.draw(tables(min_rows=1, min_classes=2))
    prior, weights = data.draw(priors(table)), data.draw(row_weights(table, zero=False))
    model = NaiveBayes(prior=prior, schema=table.schema)
    model.fit(table.codes, table.labels, sample_weight=weights / 3)
    path = tmp_path_factory.getbasetemp() / "any.json"
    model.save(path)
    loaded = load(path)
    assert_same_model(model, loaded)
    assert_same_predictions(model, loaded, table.codes)


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
scalars = st.one_of(names, st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans())
categories = st.builds(Variable, names, st.lists(scalars, min_size=1, max_size=4, unique=True), origin=names)
cut_lists = st.lists(st.floats(-1e300, 1e300), max_size=4, unique=True).map(sorted)
intervals = st.builds(interval_variable, names, cut_lists, missing_is_value=st.booleans(), origin=names)


@given(
    st.lists(st.one_of(categories, intervals), max_size=4, unique_by=lambda variable: variable.name),
    st.one_of(st.none(), categories),
)
def test_schemas_come_back_from_json(variables, target):
    schema = Schema(variables, target)
    again = Schema.from_json(json.loads(json.dumps(schema.to_json(), allow_nan=False)))
    assert again == schema
    assert hash(again) == hash(schema)
    for one, other in zip((*schema.variables, schema.target), (*again.variables, again.target), strict=True):
        if one is not None:
            assert [type(value) for value in one.values] == [type(value) for value in other.values]
    assert pickle.loads(pickle.dumps(schema)) == schema


@settings(max_examples=50)
@given(st.data())
def test_counts_come_back_from_json(data):
    table = data.draw(tables())
    counts = table.counts(data.draw(st.one_of(st.none(), row_weights(table))))
    again = Counts.from_json(json.loads(json.dumps(counts.to_json(), allow_nan=False)), table.schema)
    assert again == counts


def test_counts_without_variables_come_back_from_json():
    counts = Counts.empty(Schema([], Variable("y", ("a", "b")))).add([], 1)
    assert Counts.from_json(json.loads(json.dumps(counts.to_json())), counts.schema) == counts


@settings(max_examples=50)
@given(st.data())
def test_priors_come_back_from_json(data):
    table = data.draw(tables())
    prior = data.draw(priors(table))
    if isinstance(prior, Prior):
        again = Prior.from_json(json.loads(json.dumps(prior.to_json(), allow_nan=False)))
        assert again == prior
        assert hash(again) == hash(prior)
        spread, respread = prior.spread(table.schema), again.spread(table.schema)
        np.testing.assert_array_equal(respread.value_pseudocounts, spread.value_pseudocounts)
