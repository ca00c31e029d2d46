"""How much more rows would help."""

import math

import numpy as np
import pytest

from codelength import NaiveBayes
from codelength.evaluation.fits import predictions_over
from codelength.reporting.estimates import mean_over_splits
from codelength.reporting.plan import Plan
from codelength.reporting.sections import learning_curve as curves
from codelength.reporting.sections.learning_curve import learning_curve
from codelength.reporting.sections.models import (
    AVERAGE,
    LOGISTIC,
    NAIVE_BAYES,
    PRIOR,
    Candidates,
    Compared,
    predict_with_refits,
)
from codelength.sources import as_coded, as_table


def table_of(n_rows, *, told=0.1, seed=0):
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, 2, n_rows)
    columns = {f"x{i}": (classes ^ (rng.random(n_rows) < told)).astype(str).tolist() for i in range(3)}
    return as_table(columns | {"noise": rng.integers(0, 9, n_rows).astype(str).tolist()}, classes.tolist())


def compared_of(table, best):
    """A comparison in which one model took part, and won."""
    coded = as_coded(table)
    plan = Plan.of(table.n_rows, table.n_columns, 2, seed=0)
    if best in (AVERAGE, LOGISTIC):
        return coded, Compared(
            plan, predict_with_refits(table, coded, plan.splits, {best: Candidates(0).slow[best]})
        )
    rule = next((rule for rule, name in NAIVE_BAYES.items() if name == best), "evidence")
    return coded, Compared(plan, predictions_over(table, {best: NaiveBayes(rule)}, plan.splits))


def test_more_rows_help_where_there_is_something_to_learn():
    table = table_of(300)
    name = NAIVE_BAYES["evidence"]
    found = learning_curve(table, *compared_of(table, name), Candidates(0))
    assert found.model == name
    assert found.n_rows.tolist() == [7, 14, 28, 56, 112, 225][-len(found.n_rows) :]
    assert found.loss_bits[0] > found.loss_bits[-1] > 0
    assert ((found.low < found.loss_bits) & (found.loss_bits < found.high)).all()
    assert found.loss_bits[-1] < 0.5


def test_losses_are_those_of_models_that_did_not_see_the_rows():
    """The last point again, by hand."""
    table = table_of(60)
    name = NAIVE_BAYES["evidence"]
    found = learning_curve(table, *compared_of(table, name), Candidates(3))
    losses = []
    for repeat in range(10):
        order = np.random.default_rng([3, 3, repeat]).permutation(60)
        model = NaiveBayes(schema=as_coded(table).schema).fit(table.take(order[15:]))
        losses.append(-np.mean(_own(model, table.take(order[:15]))) / math.log(2))
    assert found.loss_bits[-1] == pytest.approx(np.mean(losses), abs=1e-12)
    reach = 2.262157 * np.std(losses, ddof=1) * math.sqrt(1 / 10 + 15 / 45)  # t with 9 degrees
    assert found.high[-1] - found.loss_bits[-1] == pytest.approx(reach, rel=1e-6)


def test_bands_are_as_wide_as_the_share_of_test_rows_asks_for_at_every_size():
    """The rows learned from do not tell how much splits have in common; and no loss is below 0 bits."""
    table = table_of(60)
    name = NAIVE_BAYES["evidence"]
    coded, compared = compared_of(table, name)
    found = learning_curve(table, coded, compared, Candidates(3))
    size = int(found.n_rows[0])
    losses = []
    for repeat in range(10):
        order = np.random.default_rng([3, 3, repeat]).permutation(60)
        model = NaiveBayes(schema=coded.schema).fit(table.take(order[15 : 15 + size]))
        losses.append(-np.mean(_own(model, table.take(order[:15]))) / math.log(2))
    reach = 2.262157 * np.std(losses, ddof=1) * math.sqrt(1 / 10 + 15 / 45)
    assert found.high[0] - found.loss_bits[0] == pytest.approx(reach, rel=1e-6)
    assert (found.low >= 0).all()


def test_the_report_and_the_picture_have_bands_of_like_width():
    pytest.importorskip("matplotlib")
    from codelength.plot import LearningCurveDisplay

    table = table_of(300)
    told = learning_curve(table, *compared_of(table, NAIVE_BAYES["evidence"]), Candidates(0))
    drawn = LearningCurveDisplay.from_estimator(NaiveBayes(), table, n_folds=4, repeats=2, n_sizes=4)
    assert told.n_rows[-4:].tolist() == drawn.n_rows.tolist()
    ratios = (told.high - told.low)[-4:] / (drawn.high - drawn.low)
    assert ((ratios > 0.5) & (ratios < 2)).all(), ratios


def test_no_band_is_below_zero():
    assert curves.loss_over_splits(np.array([0.0, 0.0, 0.4]), 0.25).low == 0.0


def _own(model, rows):
    log_probs = model.predict_log_proba(rows)
    return log_probs[np.arange(rows.n_rows), rows.target.numbers.astype(int)]


def test_the_class_prior_has_no_curve_of_its_own():
    table = table_of(40, told=0.5)
    found = learning_curve(table, *compared_of(table, PRIOR), Candidates(0))
    assert found.model == NAIVE_BAYES["evidence"]
    assert "more rows are likely to help" not in found.sentence


@pytest.mark.filterwarnings("ignore::codelength.errors.OneClass")
@pytest.mark.parametrize(("n_rows", "classes"), [(19, 2), (40, 1)])
def test_there_is_no_curve_of_few_rows_or_one_class(n_rows, classes):
    table = as_table({"x": ["a", "b"] * 20}, (np.arange(40) % classes).tolist()).take(np.arange(n_rows))
    coded = as_coded(table)
    made = predictions_over(table, {PRIOR: NaiveBayes()}, (plan := Plan.of(n_rows, 1, classes, 0)).splits)
    assert learning_curve(table, coded, Compared(plan, made), Candidates(0)) is None


def test_slow_models_learn_from_parts_of_one_split(monkeypatch):
    monkeypatch.setattr(curves, "EFFORT", 0.5)
    table = table_of(60)
    coded, compared = compared_of(table, LOGISTIC)
    found = learning_curve(table, coded, compared, Candidates(0))
    split = compared.plan.splits[0]
    assert found.model == LOGISTIC
    assert found.n_rows.tolist() == [6, 13, 27, 54]
    # All rows of the split were learned from already.
    assert found.loss_bits[-1] == pytest.approx(-compared.bits(LOGISTIC)[: len(split.test)].mean())


def test_slow_models_are_split_again_where_there_is_time(monkeypatch):
    monkeypatch.setattr(curves, "N_SIZES_OF_SLOW", 2)
    monkeypatch.setattr(curves, "REPEATS", 3)
    table = table_of(40)
    found = learning_curve(table, *compared_of(table, LOGISTIC), Candidates(0))
    assert (found.model, found.n_rows.tolist()) == (LOGISTIC, [15, 30])


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ([0.1, 0.11, 0.12], "gained 0.110 ± 0.007 bits per row: more rows are likely to help"),
        ([-0.1, -0.11, -0.12], "lost 0.110 ± 0.007 bits per row, so more rows are unlikely to help"),
        ([0.1, -0.11, 0.12], "gained 0.037 ± 0.086 bits per row, which may be chance"),
        ([0.1, math.inf, 0.12], "Some rows got probability zero"),
    ],
)
def test_the_sentence_says_how_much_the_last_rows_gained(figures, words):
    gain = mean_over_splits(np.array(figures), 1 / 9)
    sentence = curves._sentence(gain, [1000, 2000])
    assert words in sentence
    assert sentence.startswith(("From 1,000 to 2,000 rows the model", "Some"))
