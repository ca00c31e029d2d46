"""Hostile tables from Python: a model that keeps its promises, or an error of ours."""

from contextlib import nullcontext
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from codelength import FiniteMixture, MixtureClassifier, NaiveBayes, load
from codelength.errors import CodelengthError
from codelength.estimators import capabilities_of

from . import cells, tables
from .harness import Fault, attempts, promised

GOOD = {"a": ["x", "y", "x", None, "y", "x"], "b": [1, 2, 3, 1, 2, 3]}
GOOD_TARGET = ["p", "q", "p", "q", "p", "q"]


def test_hostile_tables(tmp_path):
    attempts("tables", Tables(tmp_path), range(400)).check()


@pytest.mark.long
def test_many_hostile_tables(tmp_path):
    attempts("tables", Tables(tmp_path), range(11_000)).check()


class Tables:
    """Fit a model to a table, and hold it to what models promise."""

    def __init__(self, directory: Any) -> None:
        self.path = directory / "model.json"

    def __call__(self, rng: Random) -> None:
        table = tables.made(rng, tame=rng.random() < 0.4)
        labels = tables.target(rng, table.n_rows)
        model = model_of(rng)
        weighted = "weights" in capabilities_of(model) and rng.random() < 0.3
        weights = cells.weights(rng, table.n_rows) if weighted else None
        before = as_it_was(model) if rng.random() < 0.3 else None
        X = table.X
        try:
            model.fit(X, labels, **({} if weights is None else {"sample_weight": weights}))
        except CodelengthError:
            check_unchanged(model, before)
            raise
        if weights is not None and not all(weights):
            return  # rows of weight zero may have values and classes that no other row has
        check_predictions(model, X, table.n_rows if table.columns else len(model.predict(X)))
        if isinstance(model, NaiveBayes):
            check_naive_bayes(model, X, labels, weights)
        self.check_file(model, X)
        check_order(rng, model, table, labels, weights)

    def check_file(self, model: Any, X: Any) -> None:
        """What is saved can be loaded, and predicts the same bits."""
        with promised("save and load"):
            model.save(self.path)
            same = load(self.path)
            found, expected = same.predict_proba(X), model.predict_proba(X)
        if found.tobytes() != expected.tobytes():
            raise Fault("silent difference", "a model read from its file predicts otherwise")


def model_of(rng: Random) -> Any:
    """An estimator with options drawn at random, all of which exist."""
    options: dict[str, Any] = {
        "missing": rng.choice(("ignore", "value")),
        "numeric": rng.choice(("auto", "auto", "auto", "discretize", "category", "category", "error")),
        "handle_unknown": rng.choice(("ignore", "error")),
    }
    kind = rng.random()
    if kind < 0.7:
        rule = rng.choice(("evidence", "map", "stochastic_complexity", "indifferent"))
        prior = rng.choice(("uniform", "uniform", "jeffreys", 1.0, 1e-300, 1e12))
        select = rng.choice((None, None, None, None, "prequential", "leave_one_out", "evidence"))
        return NaiveBayes(rule, prior, select=select, **options)
    if kind < 0.95:
        return FiniteMixture(
            rng.choice((1, 2, 3, "auto")), n_init=2, max_iter=20, max_components=3, random_state=0, **options
        )
    return MixtureClassifier(candidates=2, n_components=(1, 2), n_orderings=2, random_state=0, **options)


def as_it_was(model: Any) -> Any:
    """Fit a model to a good table first; its predictions."""
    try:
        return model.fit(GOOD, GOOD_TARGET).predict_proba(GOOD)
    except CodelengthError:
        return None


def check_unchanged(model: Any, before: Any) -> None:
    """A fit that failed leaves the model as it was."""
    if before is None:
        if model.__sklearn_is_fitted__():
            raise Fault("broken promise", "a failed fit leaves a fitted model behind")
    elif model.predict_proba(GOOD).tobytes() != before.tobytes():
        raise Fault("silent difference", "a failed fit changes what the model predicts")


def check_predictions(model: Any, X: Any, n_rows: int) -> None:
    """One distribution per row, and labels that are classes."""
    with promised("predict the training rows"):
        probs, labels = model.predict_proba(X), model.predict(X)
    check_distributions(probs, (n_rows, len(model._fitted.outcomes)))
    if len(labels) != n_rows:
        raise Fault("broken promise", f"{len(labels)} labels for {n_rows} rows")
    if hasattr(model, "classes_") and not set(labels.tolist()) <= set(model.classes_.tolist()):
        raise Fault("silent difference", f"labels {labels[:5]} among {model.classes_}")
    model.summary()
    model._summary_document()


def check_distributions(probs: Any, shape: tuple[int, int]) -> None:
    """Rows of probabilities that add up to 1."""
    if probs.shape != shape:
        raise Fault("broken promise", f"probabilities of shape {probs.shape}, not {shape}")
    if np.isnan(probs).any() or (probs < 0).any() or (probs > 1 + 1e-12).any():
        raise Fault("silent difference", f"not probabilities: {probs[:3]}")
    if not np.allclose(probs.sum(axis=1), 1.0, rtol=0, atol=1e-9):
        raise Fault("silent difference", f"probabilities that do not add up to 1: {probs[:3]}")


def check_naive_bayes(model: NaiveBayes, X: Any, labels: Any, weights: Any) -> None:
    """Leave-one-out and explanations of the training rows."""
    if np.isnan(model.evidence_code_length_):
        raise Fault("silent difference", "the code length is not a number")
    # Without a row there may be no most probable model.
    with nullcontext() if model.rule == "map" else promised("leave one out"):
        left_out = model.leave_one_out(X, labels, weights)
    check_distributions(np.exp(left_out.log_probs), left_out.log_probs.shape)
    with promised("explain"):
        explanation = model.explain(X)
    if np.isnan(explanation.log_odds).any():
        raise Fault("silent difference", "log-odds that are not numbers")


def check_order(rng: Random, model: Any, table: tables.Made, labels: Any, weights: Any) -> None:
    """The order of the rows does not change the code length."""
    if not isinstance(model, NaiveBayes) or model.select is not None:
        return
    order = rng.sample(range(table.n_rows), table.n_rows)
    try:
        X, y = tables.in_order(table.X, order), tables.in_order(labels, order)
    except pa.ArrowNotImplementedError:
        return
    with promised("fit in another order"):
        other = type(model)(**model.get_params()).fit(
            X, y, None if weights is None else tables.in_order(weights, order)
        )
    if not np.isclose(other.evidence_code_length_, model.evidence_code_length_, rtol=1e-9, atol=1e-9):
        told = f"code length {model.evidence_code_length_}, in another order {other.evidence_code_length_}"
        raise Fault("silent difference", told)
