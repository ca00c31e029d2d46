"""What naive Bayes says its training table costs, by the code of each rule."""

import math

import numpy as np
import pytest

from codelength import NaiveBayes
from codelength.code_lengths import evidence_code_length, nml_code_length
from codelength.errors import DataError

ROWS = {"wind": ["no", "yes", "no", "yes"], "sky": ["sun", "sun", "rain", "rain"]}
CLASSES = ["out", "out", "in", "out"]


def test_the_code_of_a_rule_is_its_own():
    models = {
        rule: NaiveBayes(rule, prior="jeffreys").fit(ROWS, CLASSES)
        for rule in ("evidence", "indifferent", "stochastic_complexity")
    }
    counts = models["evidence"].counts_
    assert models["stochastic_complexity"].code_length_ == nml_code_length(counts)
    for rule, prior in (("evidence", "jeffreys"), ("indifferent", "indifferent")):
        assert models[rule].code_length_ == evidence_code_length(counts, prior)
    for rule in ("evidence", "stochastic_complexity"):
        assert models[rule].evidence_code_length_ == evidence_code_length(counts, "jeffreys")


def test_one_model_is_no_code():
    model = NaiveBayes("map").fit(ROWS, CLASSES)
    with pytest.raises(AttributeError, match='rule="map" settles on one model'):
        _ = model.code_length_
    assert model.evidence_code_length_ == evidence_code_length(model.counts_)
    document = model._summary_document()
    assert document["code_length_nats"] is None
    assert document["evidence_code_length_nats"] == model.evidence_code_length_


def test_the_summary_tells_nats_and_bits():
    model = NaiveBayes("stochastic_complexity").fit(ROWS, CLASSES)
    told = dict(model.summary()[1].items)
    nats, evidence = model.code_length_, model.evidence_code_length_
    assert told["code length"] == f"{nats:.1f} nats ({nats / math.log(2):.1f} bits)"
    assert told["evidence code length"] == f"{evidence:.1f} nats ({evidence / math.log(2):.1f} bits)"


@pytest.mark.parametrize(
    ("rows", "weights", "reason"),
    [
        ({"wind": ["no", None, "no", "yes"]}, None, "cells are missing"),
        ({"wind": ["no", "yes", "no", "yes"]}, [0.5, 1, 1, 1], "weights are not whole numbers"),
    ],
)
def test_where_the_code_is_not_defined_the_summary_says_why(rows, weights, reason):
    model = NaiveBayes("stochastic_complexity").fit(rows, CLASSES, weights)
    assert ("code length", f"not defined: {reason}") in model.summary()[1].items
    assert model._summary_document()["code_length_nats"] is None
    with pytest.raises(DataError, match="normalised maximum likelihood"):
        _ = model.code_length_


def test_missing_as_a_value_has_a_code():
    rows = {"wind": ["no", None, "no", "yes"]}
    model = NaiveBayes("stochastic_complexity", missing="value").fit(rows, CLASSES)
    spelled = NaiveBayes("stochastic_complexity").fit({"wind": ["no", "?", "no", "yes"]}, CLASSES)
    assert model.code_length_ == spelled.code_length_


def test_it_is_the_code_of_the_variables_that_predict():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, size=(60, 4))
    labels = rows[:, 2] ^ (rng.random(60) < 0.1)
    model = NaiveBayes("stochastic_complexity", select="leave_one_out").fit(rows, labels)
    chosen = model.selection_.selected
    alone = NaiveBayes("stochastic_complexity").fit(rows[:, list(chosen)], labels)
    assert len(chosen) < 4
    assert model.code_length_ == alone.code_length_
