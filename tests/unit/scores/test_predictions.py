"""Scores of predicted distributions."""

import math

import numpy as np
import pytest

from codelength import accuracy, brier_score, log_score
from codelength.errors import CodelengthError, InvalidParameter
from codelength.scores import Predictions

PROBS = np.array([[0.7, 0.2, 0.1], [0.25, 0.25, 0.5], [0.4, 0.4, 0.2], [0.0, 1.0, 0.0]])
CLASSES = np.array([0, 1, 1, 1])
with np.errstate(divide="ignore"):
    LOG_PROBS = np.log(PROBS)


def test_scores_written_out():
    expected = (math.log(0.7) + math.log(0.25) + math.log(0.4) + 0) / 4
    assert log_score(LOG_PROBS, CLASSES) == pytest.approx(expected, rel=1e-15)
    # The third row is a tie, which goes to the first class.
    assert accuracy(LOG_PROBS, CLASSES) == 0.5
    squares = [0.3**2 + 0.2**2 + 0.1**2, 0.25**2 + 0.75**2 + 0.5**2, 0.4**2 + 0.6**2 + 0.2**2, 0.0]
    assert brier_score(LOG_PROBS, CLASSES) == pytest.approx(sum(squares) / 4, rel=1e-14)


def test_the_score_of_something_impossible_is_minus_infinity():
    impossible = np.array([2, 1, 1, 0])
    assert log_score(LOG_PROBS, impossible) == -math.inf
    floored = (math.log(0.1) + math.log(0.25) + math.log(0.4) - 100) / 4
    assert log_score(LOG_PROBS, impossible, floor=100) == pytest.approx(floored)
    assert log_score(LOG_PROBS, CLASSES, floor=0) == 0


def test_weights_are_numbers_of_rows():
    weights, rows = np.array([1.0, 2.0, 3.0, 1.0]), [0, 1, 1, 2, 2, 2, 3]
    for score in (log_score, accuracy, brier_score):
        weighted = score(LOG_PROBS, CLASSES, sample_weight=weights)
        assert weighted == pytest.approx(score(LOG_PROBS[rows], CLASSES[rows]), rel=1e-14)


@pytest.mark.parametrize("score", [log_score, accuracy, brier_score])
def test_a_row_of_weight_zero_does_not_count(score):
    """Not even one that was predicted to be impossible."""
    classes, weights = np.array([0, 1, 1, 0]), np.array([1.0, 1.0, 1.0, 0.0])
    assert score(LOG_PROBS, classes, sample_weight=weights) == pytest.approx(
        score(LOG_PROBS[:3], classes[:3])
    )


def test_an_undefined_row_is_a_guess():
    undefined = np.array([False, True, False, False])
    assert accuracy(LOG_PROBS, CLASSES, undefined=undefined) == pytest.approx((1 + 1 / 3 + 0 + 1) / 4)


def test_predictions_put_it_all_together():
    undefined = np.array([False, True, False, False])
    predictions = Predictions(LOG_PROBS, np.array([0, 1, 1, 0], dtype=np.uint8), undefined)
    np.testing.assert_array_equal(predictions.true_log_probs, LOG_PROBS[[0, 1, 2, 3], [0, 1, 1, 0]])
    assert (predictions.n_undefined, predictions.n_zero) == (1, 1)
    assert predictions.log_score == -math.inf
    assert predictions.accuracy == pytest.approx((1 + 1 / 3 + 0 + 0) / 4)
    assert predictions.brier_score == brier_score(LOG_PROBS, predictions.classes)


@pytest.mark.parametrize("score", [log_score, accuracy, brier_score])
class TestBadInput:
    def test_nothing_to_score(self, score):
        with pytest.raises(InvalidParameter, match="at least one row"):
            score(np.empty((0, 2)), np.empty(0, dtype=int))

    @pytest.mark.parametrize("classes", [[0, 1, 1, 3], [0, 1, 1, -1]])
    def test_classes_out_of_range(self, score, classes):
        with pytest.raises(CodelengthError, match="row 3"):
            score(LOG_PROBS, np.array(classes))

    @pytest.mark.parametrize("classes", [[0], [0, 1], [0, 1, 1, 1, 1]])
    def test_another_number_of_classes(self, score, classes):
        with pytest.raises(CodelengthError, match=f"4.*{len(classes)}|{len(classes)}.*4"):
            score(LOG_PROBS, np.array(classes))

    def test_labels_instead_of_codes(self, score):
        with pytest.raises(CodelengthError, match="code"):
            score(LOG_PROBS, np.array(["a", "b", "b", "b"]))

    def test_lists_do_as_well(self, score):
        assert score(LOG_PROBS.tolist(), CLASSES.tolist()) == score(LOG_PROBS, CLASSES)

    def test_weights_of_nothing(self, score):
        with pytest.raises(CodelengthError, match="weight"):
            score(LOG_PROBS, CLASSES, sample_weight=np.zeros(4))

    def test_the_arrays_are_not_changed(self, score):
        log_probs, classes = LOG_PROBS.copy(), CLASSES.copy()
        score(log_probs, classes)
        np.testing.assert_array_equal(log_probs, LOG_PROBS)
        np.testing.assert_array_equal(classes, CLASSES)


@pytest.mark.parametrize("floor", [-1, math.nan])
def test_floors_that_are_none(floor):
    with pytest.raises(InvalidParameter, match="floor"):
        log_score(LOG_PROBS, CLASSES, floor=floor)
