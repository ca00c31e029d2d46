"""Scores that add up over parts are the scores of all predictions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codelength._display import nats_and_bits
from codelength.errors import DataError
from codelength.scores import Predictions, Scores, totals

SCORES = ("n_rows", "n_zero", "n_undefined", "optimistic")
MEANS = ("log_score", "accuracy", "brier_score", "calibration_error")


def predictions_of(n_rows, seed, *, n_classes=3, n_distinct=None, weighted=False, certain=False):
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet(np.ones(n_classes), n_distinct or n_rows)[
        rng.integers(0, n_distinct, n_rows) if n_distinct else np.arange(n_rows)
    ]
    undefined = rng.random(n_rows) < 0.05
    probs[undefined] = 1 / n_classes
    if certain:
        probs[0] = np.eye(n_classes)[0]
        undefined[0] = False
    codes = rng.integers(0, n_classes, n_rows)
    weights = rng.integers(0, 3, n_rows) * 0.75 if weighted else None
    if weighted:
        weights[0] = 1.0
    with np.errstate(divide="ignore"):
        return Predictions(np.log(probs), undefined, codes, weights)


def parts_of(made, ends):
    for start, end in zip([0, *ends], [*ends, made.n_rows], strict=True):
        weights = None if made.weights is None else made.weights[start:end]
        yield Predictions(
            made.log_probs[start:end], made.undefined[start:end], made.class_codes[start:end], weights
        )


@given(
    st.integers(1, 400),
    st.integers(0, 10**6),
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, 1, 7]),
    st.data(),
)
@settings(max_examples=60, deadline=None)
def test_parts_add_up_to_the_scores_of_all(n_rows, seed, weighted, certain, n_distinct, data):
    made = predictions_of(n_rows, seed, n_distinct=n_distinct, weighted=weighted, certain=certain)
    ends = sorted(data.draw(st.lists(st.integers(0, n_rows), max_size=4)))
    found = Scores.empty()
    for part in parts_of(made, ends):
        found = found.merge(Scores.of(part))
    for name in SCORES:
        assert getattr(found, name) == getattr(made, name)
    for name in MEANS:
        assert getattr(found, name) == pytest.approx(getattr(made, name), rel=1e-12, abs=1e-12)


def test_many_promises_are_rounded(monkeypatch):
    made = predictions_of(20_000, 5)
    exact = made.calibration_error
    monkeypatch.setattr(totals, "MOST_PROMISES", 4096)
    found = Scores.empty()
    for part in parts_of(made, [3_000, 10_000]):
        found = found.merge(Scores.of(part))
    assert len(found.promises) <= 4097
    assert found.calibration_error == pytest.approx(exact, abs=2e-3)
    assert found.log_score == pytest.approx(made.log_score, rel=1e-12)


def test_there_is_nothing_to_score_without_rows():
    for name in MEANS:
        with pytest.raises(DataError, match="no predictions"):
            getattr(Scores.empty(), name)
    assert repr(Scores.empty()) == "<Scores: 0 rows>"


def test_scores_show_themselves():
    made = predictions_of(50, 1)
    assert f"log score {nats_and_bits(made.log_score, 4)}" in repr(Scores.of(made))
    assert "Brier score" in str(Scores.of(made))
