"""The classifier for river: river's own checks, and the same predictions as without river."""

import sys

import numpy as np
import pytest

from codelength import OnlineNaiveBayes, Schema, Variable
from codelength.errors import DataError, InvalidParameter
from codelength.online import RiverNaiveBayes
from codelength.online import river as adapter

river = pytest.importorskip("river", reason='needs river: pip install "codelength[river]"')


def checks():
    from river.checks import yield_checks

    for params in RiverNaiveBayes._unit_test_params():
        model = RiverNaiveBayes(**params)
        for number, check in enumerate(yield_checks(model)):
            yield pytest.param(model, check, id=f"{params} {check.__name__} {number}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("model", "check"), [*checks()])
def test_the_checks_of_river(model, check):
    check(model.clone())


STREAM = [({"a": "xyz"[n % 3], "b": n % 2, 7: n % 5}, "kl"[n % 7 % 2]) for n in range(50)]


def test_predictions_are_those_of_the_model():
    model, expected = RiverNaiveBayes(half_life=20.0), OnlineNaiveBayes(domains="growing", half_life=20.0)
    for row, label in STREAM:
        named = {str(name): cell for name, cell in row.items()}
        assert model.predict_proba_one(row) == expected.predict_proba_one(named)
        assert model.predict_one(row) == expected.predict_one(named)
        model.learn_one(row, label)
        expected.score_one(named, label)
    assert (model.n_scored, model.code_length) == (50, expected.code_length)
    assert model.log_score == expected.log_score
    assert model.model.schema.names == ("a", "b", "7")


def test_it_fits_into_pipelines_and_metrics():
    from river import compose, evaluate, metrics

    model = RiverNaiveBayes()
    metric = evaluate.progressive_val_score(STREAM, compose.Discard("b") | model, metrics.CrossEntropy())
    assert metric.get() > 0
    assert model.n_scored == 50
    assert "b" not in model.model.schema.names


def test_rows_are_taken_back():
    model = RiverNaiveBayes()
    for row, label in STREAM:
        model.learn_one(row, label)
    for row, label in STREAM[10:]:
        model.unlearn_one(row, label)
    expected = RiverNaiveBayes()
    for row, label in STREAM[:10]:
        expected.learn_one(row, label)
    assert model.predict_proba_one(STREAM[0][0]) == pytest.approx(expected.predict_proba_one(STREAM[0][0]))


def test_fixed_domains_and_wrong_uses():
    schema = Schema([Variable("a", ("x", "y"))], Variable("class", ("k", "l")))
    model = RiverNaiveBayes(schema, rule="map", domains="fixed", keep_score=False)
    model.learn_one({"a": "x"}, "k")
    assert model.predict_proba_one({"a": "x"}) == {"k": 1.0, "l": 0.0}
    assert model.n_scored == 0
    with pytest.raises(DataError, match="expected a mapping"):
        model.learn_one(["x"], "k")
    with pytest.raises(InvalidParameter, match="schema"):
        RiverNaiveBayes(domains="fixed")


def test_without_river_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "river", None)
    monkeypatch.setitem(sys.modules, "river.base", None)
    monkeypatch.delitem(sys.modules, adapter.__name__)
    from codelength.online.river import RiverNaiveBayes as Without

    with pytest.raises(InvalidParameter, match=r'river is not installed; pip install "codelength\[river\]"'):
        Without()


def test_classes_of_numpy():
    model = RiverNaiveBayes()
    for n in range(6):
        model.learn_one({"a": np.str_("xy"[n % 2])}, np.bool_(n % 2))
    assert model.predict_one({"a": "y"}) is True
