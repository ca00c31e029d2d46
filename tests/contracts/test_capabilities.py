"""Every model does what its capabilities say, as it comes and on tables of every kind."""

from typing import get_args

import numpy as np
import pytest
from sklearn.base import clone

from codelength import NaiveBayes
from codelength.estimators import Capability, capabilities_of, constructor_of, model_names

RNG = np.random.default_rng(0)
Y = RNG.choice(["no", "yes"], 40)
NOISY = np.where(RNG.random(40) < 0.8, Y, "maybe")
TABLES = {
    "categories": {"a": NOISY, "b": RNG.choice(["u", "v", "w"], 40)},
    "numbers": {"a": RNG.normal(size=40) + (Y == "yes"), "b": RNG.integers(0, 4, 40)},
    "gaps": {
        "a": [None if n % 7 == 0 else cell for n, cell in enumerate(NOISY.tolist())],
        "b": RNG.random(40),
    },
}
TRIED = {
    "classes": lambda model, X: model.predict_proba(X).shape == (40, 2),
    "components": lambda model, X: model.predict_proba(X).shape[0] == 40,
    "leave_one_out": lambda model, X: np.isfinite(model.leave_one_out(X, Y).log_score),
    "explain": lambda model, X: np.isfinite(model.explain(X).log_odds).all(),
    "weights": lambda model, X: fitted(model, X, sample_weight=np.arange(40) % 3).n_features_in_ == 2,
    "partial_fit": lambda model, X: clone(model).partial_fit(X, Y).partial_fit(X, Y).n_features_in_ == 2,
    "export": lambda model, X: all([model.to_sql("t"), model.to_onnx(), model.to_scorer()]),
    "network": lambda model, X: model.to_bif() and model.to_xmlbif(),
    "query": lambda model, X: np.isfinite(model.query(X, "a").probs).all(),
    "fit_table": lambda model, X: streamed(model, X).n_features_in_ == 2,
}


def fitted(model, X, **options):
    again = clone(model)
    return again.fit(X, Y, **options) if "classes" in capabilities_of(model) else again.fit(X, **options)


def streamed(model, X):
    again = clone(model)
    return again.fit_table({**X, "y": Y}, target="y")


def test_every_capability_is_tried():
    assert set(TRIED) == set(get_args(Capability))
    assert set().union(*(capabilities_of(constructor_of(name)()) for name in model_names())) == set(TRIED)


@pytest.mark.filterwarnings("ignore::codelength.errors.CodelengthWarning")
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kind", model_names())
def test_models_do_what_they_say(kind, table):
    X = TABLES[table]
    model = fitted(constructor_of(kind)(), X)
    for capability in sorted(capabilities_of(model)):
        assert TRIED[capability](model, X), capability


def test_models_that_refuse_unknown_values_are_not_exported():
    assert "export" in capabilities_of(NaiveBayes())
    assert "export" not in capabilities_of(NaiveBayes(handle_unknown="error"))
