"""Weights of rows: numbers of rows, or no more than a relation between them."""

import numpy as np
import pytest

from codelength import FiniteMixture, NaiveBayes
from codelength.errors import DataError, InvalidParameter

# The tables are too small to identify classes, which fits are warned about.
pytestmark = pytest.mark.filterwarnings("ignore::codelength.errors.DoubtfulFit")

QUICK = {"n_init": 2, "random_state": 0}
ROWS = {"a": ["x", "y", "x", "y", "x"], "b": ["p", "p", "q", "q", "p"]}
TARGET = ["no", "no", "yes", "yes", "yes"]
SURVEY = np.array([1500.0, 250.0, 0.0, 3000.0, 750.0])


def test_relative_weights_add_up_to_the_rows_that_have_one():
    model = NaiveBayes(weighting="relative").fit(ROWS, TARGET, SURVEY)
    assert model.counts_.n_rows == pytest.approx(4, rel=1e-15)
    by_hand = NaiveBayes().fit(ROWS, TARGET, SURVEY * 4 / SURVEY.sum())
    np.testing.assert_allclose(model.predict_proba(ROWS), by_hand.predict_proba(ROWS), rtol=1e-12)
    assert model.code_length_ == pytest.approx(by_hand.code_length_, rel=1e-12)
    # As numbers of rows they make the table one of 5,500 rows, and its description that much longer.
    assert NaiveBayes().fit(ROWS, TARGET, SURVEY).code_length_ > 100 * model.code_length_


def test_the_unit_of_relative_weights_plays_no_part():
    one, other = (NaiveBayes(weighting="relative").fit(ROWS, TARGET, SURVEY * unit) for unit in (1e-60, 1e60))
    np.testing.assert_allclose(one.counts_.value_counts, other.counts_.value_counts, rtol=1e-12)


def test_leaving_out_takes_the_same_weights_in_any_unit():
    model = NaiveBayes(weighting="relative").fit(ROWS, TARGET, SURVEY)
    by_hand = SURVEY * 4 / SURVEY.sum()
    expected = NaiveBayes().fit(ROWS, TARGET, by_hand)
    for weights in (SURVEY, 7 * SURVEY):
        left_out = model.leave_one_out(ROWS, TARGET, weights)
        np.testing.assert_allclose(
            left_out.log_probs[[0, 1, 3, 4]],
            expected.leave_one_out(ROWS, TARGET, by_hand).log_probs[[0, 1, 3, 4]],
            rtol=1e-9,
        )


def test_mixtures():
    model = FiniteMixture(2, weighting="relative", **QUICK).fit(ROWS, sample_weight=SURVEY)
    by_hand = SURVEY * 4 / SURVEY.sum()
    expected = FiniteMixture(2, **QUICK).fit(ROWS, sample_weight=by_hand)
    np.testing.assert_allclose(model.predict_proba(ROWS), expected.predict_proba(ROWS), rtol=1e-9)
    for criterion in ("cheeseman_stutz", "bic", "aic"):
        assert model.code_length(criterion) == pytest.approx(expected.code_length(criterion), rel=1e-9)
        again = model.code_length(criterion, ROWS, SURVEY * 10)
        assert again == pytest.approx(expected.code_length(criterion), rel=1e-9)


@pytest.mark.parametrize("name", ["bic", "aic"])
def test_information_criteria_take_weights(name):
    times = np.array([2, 1, 0, 3, 1])
    model = FiniteMixture(2, **QUICK).fit(ROWS)
    repeated = {column: np.repeat(cells, times) for column, cells in ROWS.items()}
    weighted = getattr(model, name)(ROWS, sample_weight=times)
    assert weighted == pytest.approx(getattr(model, name)(repeated), rel=1e-12)
    assert weighted != pytest.approx(getattr(model, name)(ROWS), rel=1e-3)


def test_batches_cannot_be_compared():
    model = NaiveBayes(weighting="relative")
    with pytest.raises(InvalidParameter, match=r'weighting="relative".*call fit'):
        model.partial_fit(ROWS, TARGET, sample_weight=SURVEY)
    parts = [NaiveBayes(weighting="relative").fit(ROWS, TARGET, SURVEY) for _ in range(2)]
    with pytest.raises(InvalidParameter, match=r'weighting="relative".*fit all rows at once'):
        parts[0].merge(parts[1])
    model.partial_fit(ROWS, TARGET).partial_fit(ROWS, TARGET)
    assert model.counts_.n_rows == 10


def test_leaving_out_without_the_weights_of_the_fit():
    model = NaiveBayes().fit(ROWS, TARGET, SURVEY)
    with pytest.raises(DataError, match="fitted with sample_weight; leave one out with the same"):
        model.leave_one_out(ROWS, TARGET)
    model = NaiveBayes().fit(ROWS, TARGET)
    with pytest.raises(DataError, match="fitted without sample_weight; leave one out with the same"):
        model.leave_one_out(ROWS, TARGET, SURVEY)


@pytest.mark.parametrize("estimator", [NaiveBayes, FiniteMixture])
def test_another_word(estimator):
    with pytest.raises(InvalidParameter, match="weighting='survey': expected one of 'counts', 'relative'"):
        estimator(weighting="survey").fit(ROWS, TARGET)
