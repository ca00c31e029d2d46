"""Models compared on the same rows."""

import math

import numpy as np
import pytest

from codelength import NaiveBayes
from codelength.evaluation import evaluate
from codelength.evaluation.fits import Fits
from codelength.reporting.plan import Plan
from codelength.reporting.sections.models import (
    AVERAGE,
    LOGISTIC,
    NAIVE_BAYES,
    PRIOR,
    Candidates,
    Compared,
    compare,
    strongest,
)
from codelength.scores import Predictions
from codelength.sources import as_coded, as_table

LABELS = np.arange(40) % 2


def fits_of(own, *, undefined=()):
    """Predictions that give the class that occurred some probabilities."""
    own = np.broadcast_to(np.asarray(own, dtype=float), LABELS.shape)
    with np.errstate(divide="ignore"):
        log_probs = np.log(np.where(np.arange(2) == LABELS[:, None], own[:, None], 1 - own[:, None]))
    flags = np.zeros(len(LABELS), dtype=bool)
    flags[list(undefined)] = True
    return Fits(Predictions(log_probs, flags, LABELS.astype(np.uint8)), 0.1, np.arange(40))


def compared_of(**probabilities):
    fits = {name: own if isinstance(own, Fits) else fits_of(own) for name, own in probabilities.items()}
    plan = Plan((), "made up", np.arange(40), np.arange(40) // 10)
    return Compared(plan, fits | {PRIOR: fits_of(0.5)})


def test_differences_are_paired_over_rows():
    good = np.where(np.arange(40) < 30, 0.9, 0.4)
    scores = compared_of(good=good, fair=0.7).scores()
    assert [score.name for score in scores] == ["good", "fair", PRIOR]
    lost = np.log2(good) - math.log2(0.7)
    behind = scores[1].behind_best
    assert behind.value == pytest.approx(lost.mean())
    assert behind.standard_error == pytest.approx(lost.std(ddof=1) / math.sqrt(40))
    assert (scores[0].behind_best.value, scores[0].behind_best.standard_error) == (0.0, 0.0)
    assert scores[0].log_score_bits == pytest.approx(np.log2(good).mean())
    assert [score.is_baseline for score in scores] == [False, False, True]
    assert scores[0].log_score_bits_se == pytest.approx(np.log2(good).std(ddof=1) / math.sqrt(40))
    assert scores[0].accuracy_se == pytest.approx(math.sqrt(0.75 * 0.25 / 39))


def test_a_model_within_two_standard_errors_is_tied():
    noisy = np.where(np.arange(40) % 3, 0.95, 0.3)
    scores = {score.name: score for score in compared_of(noisy=noisy, steady=0.65, poor=0.51).scores()}
    for score in scores.values():
        behind = score.behind_best
        assert score.is_tied == (behind.value <= 2 * behind.standard_error)
    assert {name: score.is_tied for name, score in scores.items()} == {
        "noisy": True,
        "steady": True,
        "poor": False,
        PRIOR: False,
    }


def test_a_model_that_falls_back_to_the_class_prior_is_tied_with_it():
    """It is behind by the same small amount on every row, so the standard error is 0."""
    best, other = compared_of(average=0.49999).scores()
    assert (best.name, other.name) == (PRIOR, "average")
    assert other.behind_best.value > 2 * other.behind_best.standard_error
    assert other.is_tied


def test_a_class_of_probability_zero_costs_everything():
    never = np.where(np.arange(40) == 7, 0.0, 0.99)
    scores = compared_of(never=never, fair=0.7).scores()
    assert [score.name for score in scores] == ["fair", PRIOR, "never"]
    assert scores[-1].n_zero == 1
    assert scores[-1].log_score_bits == -math.inf
    assert scores[-1].behind_best.value == math.inf


def test_a_model_without_a_prediction_is_not_the_best():
    compared = compared_of(lucky=fits_of(0.8, undefined=[3]), fair=0.7)
    assert compared.best == "fair"


def test_a_model_that_says_never_is_not_chosen_for_any_part():
    """On the other parts it looks best, and on its own it would cost everything."""
    compared = compared_of(never=np.where(np.arange(40) == 7, 0.0, 0.99), fair=0.7)
    assert np.exp(compared.chosen().true_log_probs) == pytest.approx(np.full(40, 0.7))


def test_the_class_prior_is_best_where_nothing_is_better():
    assert compared_of(same=0.5, rounded=0.5 + 1e-15).best == PRIOR


def test_rows_are_scored_by_the_model_that_is_best_without_them():
    """Each model is good on its own quarter, so the model chosen elsewhere is never the one that flatters."""
    quarter = np.arange(40) // 10
    compared = compared_of(**{f"m{q}": np.where(quarter == q, 0.95, 0.55 + q / 100) for q in range(4)})
    chosen = np.exp(compared.chosen().true_log_probs)
    for q in range(4):
        others = [m for m in range(4) if m != q]
        best = max(
            range(4),
            key=lambda m: sum(math.log(0.95 if m == o else 0.55 + m / 100) for o in others),
        )
        assert best != q
        assert chosen[quarter == q] == pytest.approx(np.full(10, 0.55 + best / 100))
    assert chosen.mean() < np.exp(compared.bits(compared.best) * math.log(2)).mean()


def test_one_winner_everywhere_keeps_its_predictions():
    compared = compared_of(good=0.9, fair=0.7)
    assert np.array_equal(compared.chosen().log_probs, compared.fits["good"].predictions.log_probs)


@pytest.fixture(scope="module")
def small():
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 2, 40)
    table = as_table(
        {"x": (classes ^ (rng.random(40) < 0.2)).tolist(), "y": rng.normal(size=40)}, classes.tolist()
    )
    coded, plan, told = as_coded(table), Plan.of(40, 2, 2, seed=1), []
    return (
        table,
        coded,
        compare(table, coded, plan, Candidates(1), lambda done, of: told.append(done / of)),
        told,
    )


def test_all_models_predict_the_same_rows_from_the_same_rows(small):
    _, coded, compared, told = small
    plan = compared.plan
    assert list(compared.fits) == [AVERAGE, *NAIVE_BAYES.values(), LOGISTIC, PRIOR]
    assert told == sorted(told)
    assert told[-1] == 1
    for fits in compared.fits.values():
        assert np.array_equal(fits.predictions.class_codes, coded.class_codes[plan.rows])
    labels = coded.class_codes.astype(int)
    expected = []
    for split in plan.splits:
        seen = labels[split.train].tolist()
        expected += [math.log((seen.count(label) + 1) / (len(seen) + 2)) for label in labels[split.test]]
    assert compared.fits[PRIOR].predictions.true_log_probs == pytest.approx(expected)


def test_scores_are_those_that_evaluate_gives(small):
    """The same folds, models and columns through the public door."""
    table, _, compared, _ = small
    name = NAIVE_BAYES["evidence"]
    [expected] = evaluate(table, {name: NaiveBayes()}, n_folds=10, random_state=1)
    [found] = [score for score in compared.scores() if score.name == name]
    assert found.log_score_bits == pytest.approx(expected.log_score_bits, abs=1e-12)
    assert found.accuracy == pytest.approx(expected.accuracy)
    assert found.calibration_error == pytest.approx(expected.calibration_error)


def test_columns_are_chosen_from_the_training_rows_alone():
    """A column that tells the class of the test rows, and of no others, is not among the strongest."""
    classes = np.array([0, 1] * 20)
    train, half = np.arange(20), np.arange(40) < 20
    weak = np.where(np.arange(40) % 10 == 0, 1 - classes, classes)
    table = as_table(
        {"leak": np.where(half, 0, classes), "weak": weak, "noise": np.arange(40) // 2 % 2}, classes
    )
    coded = as_coded(table)
    assert strongest(coded, train, 1) == ["weak"]
    assert strongest(coded, np.flatnonzero(~half), 1) == ["leak"]
