"""Scores of predicted distributions."""

import math

import numpy as np
import pytest

from codelength.errors import CodelengthError, DataError, InvalidParameter, UnknownValue
from codelength.scores import Predictions, accuracy, brier_score, log_score, predictions_of
from codelength.scores.calibration import calibration

PROBS = np.array([[0.7, 0.2, 0.1], [0.25, 0.25, 0.5], [0.4, 0.4, 0.2], [0.0, 1.0, 0.0]])
CLASSES = [0, 1, 2]
LABELS = np.array([0, 1, 1, 1])
with np.errstate(divide="ignore"):
    LOG_PROBS = np.log(PROBS)


def predictions(class_codes=LABELS, weights=None, undefined=(False,) * 4):
    return Predictions(LOG_PROBS, np.array(undefined), np.array(class_codes, dtype=np.uint8), weights)


def test_scores_written_out():
    expected = (math.log(0.7) + math.log(0.25) + math.log(0.4) + 0) / 4
    assert log_score(PROBS, LABELS, classes=CLASSES) == pytest.approx(expected, rel=1e-15)
    # The third row is a tie, which goes to the first class.
    assert accuracy(PROBS, LABELS, classes=CLASSES) == 0.5
    squares = [0.3**2 + 0.2**2 + 0.1**2, 0.25**2 + 0.75**2 + 0.5**2, 0.4**2 + 0.6**2 + 0.2**2, 0.0]
    assert brier_score(PROBS, LABELS, classes=CLASSES) == pytest.approx(sum(squares) / 4, rel=1e-14)


def test_the_score_of_something_impossible_is_minus_infinity():
    impossible = np.array([2, 1, 1, 0])
    assert log_score(PROBS, impossible) == -math.inf
    capped = (math.log(0.1) + math.log(0.25) + math.log(0.4) - 100) / 4
    assert log_score(PROBS, impossible, cap=100) == pytest.approx(capped)
    assert log_score(PROBS, LABELS, classes=CLASSES, cap=0) == 0


def test_weights_are_numbers_of_rows():
    weights, rows = np.array([1.0, 2.0, 3.0, 1.0]), [0, 1, 1, 2, 2, 2, 3]
    for score in (log_score, accuracy, brier_score):
        weighted = score(PROBS, LABELS, classes=CLASSES, sample_weight=weights)
        repeated = score(PROBS[rows], LABELS[rows], classes=CLASSES)
        assert weighted == pytest.approx(repeated, rel=1e-14)


@pytest.mark.parametrize("score", [log_score, accuracy, brier_score])
def test_a_row_of_weight_zero_does_not_count(score):
    """Not even one that was predicted to be impossible."""
    labels, weights = np.array([0, 1, 1, 0]), np.array([1.0, 1.0, 1.0, 0.0])
    assert score(PROBS, labels, classes=CLASSES, sample_weight=weights) == pytest.approx(
        score(PROBS[:3], labels[:3], classes=CLASSES)
    )


def test_an_undefined_row_is_a_guess():
    guessed = predictions(undefined=(False, True, False, False))
    assert guessed.accuracy == pytest.approx((1 + 1 / 3 + 0 + 1) / 4)
    assert guessed.hits.tolist() == [1, 1 / 3, 0, 1]


def test_predictions_put_it_all_together():
    made = predictions([0, 1, 1, 0], undefined=(False, True, False, False))
    np.testing.assert_array_equal(made.true_log_probs, LOG_PROBS[[0, 1, 2, 3], [0, 1, 1, 0]])
    assert (made.n_rows, made.n_undefined, made.n_zero) == (4, 1, 1)
    assert made.log_score == -math.inf
    assert made.accuracy == pytest.approx((1 + 1 / 3 + 0 + 0) / 4)
    assert made.brier_score == brier_score(PROBS, [0, 1, 1, 0], classes=CLASSES)


def test_a_cap_holds_row_by_row():
    made = predictions([0, 1, 1, 0])
    assert made.capped_log_probs(None).tolist() == made.true_log_probs.tolist()
    np.testing.assert_allclose(made.capped_log_probs(1.0), [math.log(0.7), -1, math.log(0.4), -1])


@pytest.mark.parametrize("weights", [None, np.array([1.0, 2.0, 0.5, 3.0])])
def test_parts_are_joined_in_order(weights):
    whole = predictions(weights=weights, undefined=(True, False, False, True))
    parts = [
        Predictions(
            whole.log_probs[rows],
            whole.undefined[rows],
            whole.class_codes[rows],
            None if weights is None else weights[rows],
        )
        for rows in (slice(0, 1), slice(1, 1), slice(1, 4))
    ]
    joined = Predictions.joined(parts)
    np.testing.assert_array_equal(joined.log_probs, whole.log_probs)
    np.testing.assert_array_equal(joined.undefined, whole.undefined)
    np.testing.assert_array_equal(joined.class_codes, whole.class_codes)
    assert (joined.log_score, joined.accuracy, joined.brier_score) == (
        whole.log_score,
        whole.accuracy,
        whole.brier_score,
    )


@pytest.mark.parametrize("power", [0.5, 1, 3])
def test_tempered_probabilities_are_powers_normalised_again(power):
    made = predictions()
    tempered = made.tempered(power)
    expected = PROBS**power / (PROBS**power).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.exp(tempered.log_probs), expected, rtol=1e-14)
    assert tempered.class_codes is made.class_codes
    np.testing.assert_array_equal(made.log_probs, LOG_PROBS)


class TestLabels:
    """Classes are labels, of any kind."""

    def test_text(self):
        labels = ["low", "mid", "mid", "mid"]
        assert accuracy(PROBS, labels, classes=["low", "mid", "high"]) == 0.5
        assert accuracy(PROBS[:, :2] / PROBS[:, :2].sum(axis=1, keepdims=True), labels) == 0.5

    def test_the_order_of_classes_is_that_of_the_columns(self):
        backwards = PROBS[:, ::-1]
        for score in (log_score, accuracy, brier_score):
            if score is not accuracy:  # the first of several equally probable classes is another one
                assert score(backwards, LABELS, classes=[2, 1, 0]) == score(PROBS, LABELS, classes=CLASSES)
        assert accuracy(backwards, LABELS, classes=[2, 1, 0]) == 0.75

    @pytest.mark.parametrize("kind", [list, tuple, np.array, lambda labels: np.array(labels, dtype=object)])
    def test_any_sequence(self, kind):
        for labels in ([0, 1, 1, 1], ["a", "b", "b", "b"], [False, True, True, True]):
            probs = np.array([[0.75, 0.25]] * 4)
            assert accuracy(probs, kind(labels)) == 0.25

    def test_series_of_data_frames(self):
        pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
        names = ["low", "mid", "mid", "mid"]
        expected = log_score(PROBS, names, classes=["low", "mid", "high"])
        assert log_score(PROBS, pandas.Series(names), classes=["low", "mid", "high"]) == expected
        assert log_score(PROBS, polars.Series(names), classes=["low", "mid", "high"]) == expected
        # A declared domain names the columns, also those of classes that do not occur.
        declared = pandas.Series(pandas.Categorical(names, categories=["low", "mid", "high"]))
        assert log_score(PROBS, declared) == expected

    def test_class_codes_are_positions_among_the_classes(self):
        made = predictions_of(PROBS, ["c", "a", "a", "b"], ["a", "b", "c"])
        assert made.class_codes.tolist() == [2, 0, 0, 1]


@pytest.mark.parametrize("score", [log_score, accuracy, brier_score])
class TestBadInput:
    def test_nothing_to_score(self, score):
        with pytest.raises(DataError, match="at least one row"):
            score(np.empty((0, 2)), np.empty(0, dtype=int), classes=[0, 1])

    @pytest.mark.parametrize("labels", [[0, 1, 1, 3], [0, 1, 1, -1], ["0", "1", "1", "x"]])
    def test_labels_that_are_no_classes(self, score, labels):
        classes = [str(k) for k in CLASSES] if "x" in labels else CLASSES
        with pytest.raises(UnknownValue, match="row 3"):
            score(PROBS, np.array(labels), classes=classes)

    @pytest.mark.parametrize("labels", [[0], [0, 1], [0, 1, 1, 1, 1]])
    def test_another_number_of_labels(self, score, labels):
        with pytest.raises(CodelengthError, match=f"4.*{len(labels)}|{len(labels)}.*4"):
            score(PROBS, np.array(labels), classes=CLASSES)

    @pytest.mark.parametrize("classes", [None, [0, 1], [0, 1, 2, 3]])
    def test_another_number_of_classes_than_columns(self, score, classes):
        with pytest.raises(DataError, match=r"3 columns.*classes="):
            score(PROBS, LABELS, classes=classes)

    @pytest.mark.parametrize(
        ("row", "match"),
        [([0.5, 0.6, 0.1], "row 2"), ([-0.1, 0.6, 0.5], "row 2"), ([np.nan, 0.5, 0.5], "row 2")],
    )
    def test_rows_that_are_no_distributions(self, score, row, match):
        probs = PROBS.copy()
        probs[2] = row
        with pytest.raises(DataError, match=match):
            score(probs, LABELS, classes=CLASSES)

    @pytest.mark.parametrize("probs", [PROBS[0], PROBS[None], [["a", "b"]], [[0.5, 0.5], [1]], None], ids=str)
    def test_no_table_of_probabilities(self, score, probs):
        with pytest.raises(DataError, match="probabilities"):
            score(probs, LABELS, classes=CLASSES)

    def test_labels_that_are_missing(self, score):
        with pytest.raises(DataError, match=r"row 1.*missing"):
            score(PROBS, ["a", None, "b", "b"], classes=["a", "b", "c"])

    def test_lists_do_as_well(self, score):
        assert score(PROBS.tolist(), LABELS.tolist(), classes=CLASSES) == score(
            PROBS, LABELS, classes=CLASSES
        )

    def test_weights_of_nothing(self, score):
        with pytest.raises(CodelengthError, match="weight"):
            score(PROBS, LABELS, classes=CLASSES, sample_weight=np.zeros(4))

    def test_the_arrays_are_not_changed(self, score):
        probs, labels = PROBS.copy(), LABELS.copy()
        score(probs, labels, classes=CLASSES)
        np.testing.assert_array_equal(probs, PROBS)
        np.testing.assert_array_equal(labels, LABELS)


def test_predictions_of_no_weight_cannot_be_scored():
    with pytest.raises(DataError, match="at least one row"):
        _ = predictions(weights=np.zeros(4)).log_score


@pytest.mark.parametrize("cap", [-1, math.nan, "much", True])
def test_caps_that_are_none(cap):
    with pytest.raises(InvalidParameter, match="cap"):
        log_score(PROBS, LABELS, classes=CLASSES, cap=cap)


def made_of(promised, came_true, weights=None):
    """Predictions of two classes, of which the first is promised and did or did not come true."""
    probs = np.array([[p, 1 - p] for p in promised])
    codes = np.array([0 if true else 1 for true in came_true], dtype=np.uint8)
    none = np.zeros(len(codes), dtype=bool)
    return Predictions(np.log(probs), none, codes, None if weights is None else np.array(weights, float))


def test_calibration_error_sets_promises_against_what_came_true():
    """Ten parts of ten rows: in part k the promise is .5 + .05 k, and 5 of 10 rows come true."""
    promised = np.repeat(0.5 + 0.05 * np.arange(10), 10)
    made = made_of(promised, [True, False] * 50)
    assert made.calibration_error == pytest.approx(np.mean(0.05 * np.arange(10)), rel=1e-12)


def test_perfectly_kept_promises_have_no_calibration_error():
    assert made_of([0.75] * 100, ([True] * 3 + [False]) * 25).calibration_error < 1e-12
    assert made_of([1 - 1e-12] * 20, [True] * 20).calibration_error < 1e-11


@pytest.mark.parametrize("n_rows", [30, 400])
def test_the_class_prior_is_calibrated_though_each_row_is_left_out(n_rows):
    """Without a row its own class is a little less probable; told apart, these promises are never kept."""
    codes = np.arange(n_rows) % 5 // 3
    counts = np.bincount(codes, minlength=2) - np.eye(2)[codes]
    none = np.zeros(n_rows, dtype=bool)
    left_out = Predictions(np.log(counts / (n_rows - 1)), none, codes.astype(np.uint8))
    assert left_out.calibration_error < 1e-12


def test_close_promises_stay_together():
    """By hand: .6 and .605 are one promise, .62 is another; ten times as many rows change nothing."""
    promised, came_true = [0.6, 0.605, 0.605, 0.62], [True, False, False, True]
    expected = (abs(3 * (0.6 + 2 * 0.605) / 3 - 1) + abs(0.62 - 1)) / 4
    for times in (100, 1000):
        made = made_of(np.repeat(promised, times), np.repeat(came_true, times))
        assert made.calibration_error == pytest.approx(expected, rel=1e-12)


def test_a_weight_counts_as_so_many_rows_in_the_calibration_error():
    promised = np.repeat(0.5 + 0.05 * np.arange(10), 2)
    weighted = made_of(promised, [True, False] * 10, [3, 1] * 10)
    repeated = made_of(np.repeat(promised, [3, 1] * 10), np.repeat([True, False] * 10, [3, 1] * 10))
    assert weighted.calibration_error == pytest.approx(repeated.calibration_error, rel=1e-12)


@pytest.mark.parametrize("width", [0.04, 0.04 + 3e-16, 0.04 - 3e-16])
def test_promises_as_far_apart_as_the_limit_stay_together_whatever_their_last_bit(width):
    """50 rows: promises within two rows of all, .04, stay together. 13 of 25 and 13 of 25 came true."""
    made = made_of(np.repeat([0.5, 0.5 + width], 25), ([True] * 13 + [False] * 12) * 2)
    assert made.calibration_error == pytest.approx(0.0, abs=1e-12)


def test_parts_do_not_change_with_the_last_bit_of_weights():
    """Ten promises of equal weight in four parts: the middles of two of them fall on the edge of a part."""
    promised, came_true = 0.05 + 0.09 * np.arange(10), np.arange(10) % 2.0
    whole = calibration(promised, came_true, np.ones(10), 4)
    for weight in (0.7, 1 / 3, 0.1, 1e-3, 0.45):
        found = calibration(promised, came_true, np.full(10, weight), 4, n_rows=10)
        assert len(found.weights) == len(whole.weights)
        np.testing.assert_allclose(found.promised, whole.promised, rtol=1e-12)


def test_the_first_of_equally_probable_classes_counts_whatever_their_last_bit():
    probs = np.array([[0.5, 0.5], [0.5 - 1e-16, 0.5 + 1e-16], [0.5 - 1e-6, 0.5 + 1e-6]])
    made = Predictions(np.log(probs), np.zeros(3, dtype=bool), np.zeros(3, dtype=np.uint8))
    assert made.hits.tolist() == [1.0, 1.0, 0.0]
