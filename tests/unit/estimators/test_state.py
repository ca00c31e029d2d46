"""What a model learned stays apart from its parameters, and a fit that fails changes nothing."""

import json
import threading

import numpy as np
import pytest

from codelength import FiniteMixture, MixtureClassifier, NaiveBayes, load
from codelength.errors import CodelengthError, InvalidModelFile
from codelength.estimators import documents

# The tables are too small to identify classes, which fits are warned about.
pytestmark = pytest.mark.filterwarnings("ignore::codelength.errors.DoubtfulFit")

TABLE = {"v": ["a", "b"] * 9, "w": ["c", "d", "d"] * 6}
OTHER = {"v": ["b", "c"] * 4, "w": ["d", "e"] * 4}
CLASSES = ["yes", "no", "no"] * 6

MODELS = {
    "naive-bayes": lambda: NaiveBayes(),
    "finite-mixture": lambda: FiniteMixture(2, n_init=2, random_state=0),
    "mixture-classifier": lambda: MixtureClassifier(
        candidates=2, n_components=2, n_orderings=2, random_state=0
    ),
}
CHANGES = {
    "naive-bayes": {"rule": "stochastic_complexity", "prior": 7.0, "handle_unknown": "error", "strict": True},
    "finite-mixture": {"prior": 30.0, "criterion": "bic", "n_components": 3, "handle_unknown": "error"},
    "mixture-classifier": {"prior": 3.0, "criterion": "evidence", "average": True, "strict": True},
}
FAILURES = {
    "naive-bayes": {"prior": -1},
    "finite-mixture": {"tol": -1},
    "mixture-classifier": {"candidates": 0},
}


def seen(model):
    """All that a model says about two tables."""
    return json.dumps([model.predict_proba(TABLE).tolist(), model._summary_document()], sort_keys=True)


@pytest.mark.parametrize("kind", MODELS)
def test_parameters_set_after_a_fit_wait_for_the_next_one(kind, tmp_path):
    model = MODELS[kind]().fit(TABLE, CLASSES)
    before = seen(model)
    model.set_params(**CHANGES[kind])
    assert seen(model) == before
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert seen(again) == before
    assert again.get_params() == MODELS[kind]().get_params()
    assert seen(model.fit(TABLE, CLASSES)) != before


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("how", ["parameter", "table", "interrupt"])
def test_a_fit_that_fails_leaves_the_model_as_it_was(kind, how, monkeypatch):
    model = MODELS[kind]().fit(TABLE, CLASSES)
    before = seen(model)
    rows = OTHER, CLASSES[:8]
    if how == "parameter":
        model.set_params(**FAILURES[kind])
    elif how == "table":
        rows = OTHER | {"x": [1j] * 8}, CLASSES[:8]
    else:

        def interrupted(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr(model._fitted_type, "learn", interrupted)
    with pytest.raises((CodelengthError, KeyboardInterrupt)):
        model.fit(*rows)
    assert seen(model) == before


def test_a_batch_that_fails_is_not_counted():
    model = NaiveBayes().fit(TABLE, CLASSES)
    before = model.counts_
    with pytest.raises(CodelengthError):
        model.partial_fit(TABLE, ["maybe"] * 18)
    assert model.counts_ is before


def test_batches_of_several_threads_are_all_counted():
    model = NaiveBayes().fit(TABLE, CLASSES)

    def count():
        for _ in range(20):
            model.partial_fit(TABLE, CLASSES)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert model.counts_.n_rows == 18 * 81


@pytest.mark.parametrize("rule", ["evidence", "map", "stochastic_complexity", "indifferent"])
@pytest.mark.parametrize("tiny", [5e-324, 1e-320, 1e-310, 1e-300])
def test_a_model_file_with_tiny_counts_gives_probabilities(rule, tiny, tmp_path):
    """Weights as small as these are allowed; whatever a file says, no prediction is NaN."""
    model = NaiveBayes(rule).fit({"a": ["x", "y", None], "b": ["p", "q", "p"]}, ["no", "yes", "no"])
    document = model._fitted.to_document()
    counts = document["fitted"]["counts"]
    for row in (counts["class_counts"], *counts["value_counts"]):
        row[:] = [tiny * count for count in row]
    documents.write(document, tmp_path / "model.json")
    try:
        again = load(tmp_path / "model.json")
    except InvalidModelFile:
        return
    new = {"a": ["x", "y", None], "b": [None, "q", None]}
    with np.errstate(all="raise"):
        probs = again.predict_proba(new)
    np.testing.assert_allclose(probs.sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("rule", ["evidence", "stochastic_complexity", "indifferent"])
@pytest.mark.parametrize("tiny", [5e-324, 1e-310])
def test_tiny_weights_beside_ordinary_ones(rule, tiny):
    table = {"a": ["x", None, "y"], "b": ["p", "q", "p"]}
    model = NaiveBayes(rule).fit(table, ["no", "yes", "no"], [tiny, 1, 1])
    without = NaiveBayes(rule, schema=model.schema_).fit(
        {name: cells[1:] for name, cells in table.items()}, ["yes", "no"]
    )
    np.testing.assert_allclose(model.predict_proba(table), without.predict_proba(table), rtol=1e-9)
