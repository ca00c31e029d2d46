"""What was promised and what came true."""

import numpy as np
import pytest

from codelength.reporting.estimates import wilson
from codelength.reporting.sections.reliability import calibration_error, reliability
from codelength.scores import Predictions


def predictions_of(probs, labels):
    probs = np.asarray(probs, dtype=float)
    return Predictions(np.log(probs), np.zeros(len(probs), dtype=bool), np.asarray(labels, dtype=np.uint8))


def promises(seed, n_rows, n_classes, sharpened=1.0):
    """Classes drawn from distributions, and the distributions, made more certain than they are."""
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet(np.ones(n_classes), n_rows)
    labels = np.array([rng.choice(n_classes, p=row) for row in probs])
    told = probs**sharpened
    return predictions_of(told / told.sum(axis=1, keepdims=True), labels)


def test_two_classes_are_about_the_second_one():
    made = predictions_of([[0.8, 0.2]] * 30 + [[0.1, 0.9]] * 20, [0] * 24 + [1] * 24 + [0] * 2)
    found = reliability(made, ("no", "yes"))
    assert found.of == "yes"
    assert found.promised == pytest.approx([0.2, 0.9])
    assert found.observed == pytest.approx([6 / 30, 18 / 20])
    assert found.n_rows.tolist() == [30, 20]
    low, high = wilson([6, 18], [30, 20])
    assert found.low == pytest.approx(low)
    assert found.high == pytest.approx(high)


def test_more_classes_are_about_the_most_probable_one():
    made = promises(0, 200, 4)
    found = reliability(made, ("a", "b", "c", "d"))
    assert found.of == "the most probable class"
    assert found.n_rows.sum() == 200
    assert (np.diff(found.promised) > 0).all()
    assert (found.observed * found.n_rows).sum() == pytest.approx(made.hits.sum())
    assert ((found.low <= found.observed) & (found.observed <= found.high)).all()


def test_few_rows_make_one_bin():
    found = reliability(promises(1, 6, 3), ("a", "b", "c"))
    assert found.n_rows.tolist() == [6]


def test_kept_promises_are_told_from_broken_ones():
    kept, broken = (calibration_error(promises(2, 1500, 2, power), 0) for power in (1.0, 3.0))
    assert kept[0].value < 2.5 * kept[1]
    assert broken[0].value > 2.5 * broken[1]
    assert broken[0].low > kept[0].high
    assert 0 < broken[0].standard_error < 0.05


def test_the_error_is_that_of_the_predictions():
    made = promises(3, 100, 3)
    found, _ = calibration_error(made, 0)
    assert found.value == made.calibration_error
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_certain_promises_that_come_true_have_no_error():
    found, by_chance = calibration_error(predictions_of([[1.0]] * 5, [0] * 5), 0)
    assert (found.value, found.standard_error, by_chance) == (0.0, 0.0, 0.0)
