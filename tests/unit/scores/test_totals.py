"""Scores that add up over parts are the scores of all predictions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codelength._display import nats_and_bits
from codelength.errors import DataError
from codelength.scores import Predictions, Scores, totals
from codelength.scores.means import is_tied, mean_of

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
    monkeypatch.setattr(totals, "MAX_PROMISES", 4096)
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


@pytest.mark.parametrize("weighted", [False, True])
def test_models_are_compared_in_parts_as_in_one(weighted):
    """Standard errors of the scores, and of the differences between models, row by row."""
    one, other = (predictions_of(90, seed, weighted=weighted) for seed in (1, 2))
    other = Predictions(other.log_probs, other.undefined, one.class_codes, one.weights)
    pairs = zip(parts_of(one, [20, 21]), parts_of(other, [20, 21]), strict=True)
    parts = [totals.Together.of(pair) for pair in pairs]
    found = parts[0].merge(parts[1]).merge(parts[2])
    weights = one.weights
    for scores, made in zip(found.scores, (one, other), strict=True):
        assert scores.log_score_se == pytest.approx(mean_of(made.true_log_probs, weights).standard_error)
        assert scores.accuracy_se == pytest.approx(mean_of(made.hits, weights).standard_error)
        assert scores.brier_score_se == pytest.approx(mean_of(made.distances, weights).standard_error)
    expected = mean_of(one.true_log_probs - other.true_log_probs, weights)
    assert found.behind(1, 0) == pytest.approx(expected)
    assert found.behind(0, 0) == (0.0, 0.0)


def test_a_model_that_says_never_is_infinitely_far_behind():
    one, never = predictions_of(30, 1), predictions_of(30, 1)
    never.log_probs[3, one.class_codes[3]] = -np.inf
    found = totals.Together.of([one, never])
    value, error = found.behind(1, 0)
    assert (value, np.isnan(error), np.isnan(found.scores[1].log_score_se)) == (np.inf, True, True)
    assert not is_tied(value, error)


def test_weights_of_a_mean_are_numbers_of_units():
    numbers, times = np.array([1.0, 4.0, 9.0]), np.array([2, 0, 3])
    numbers[1] = -np.inf
    assert mean_of(numbers, times.astype(float)) == pytest.approx(mean_of(np.repeat(numbers, times)))
