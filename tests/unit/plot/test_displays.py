"""Displays draw the numbers that they should, where they should."""

import subprocess
import sys

import numpy as np
import pytest

from codelength import FiniteMixture, ModelAverage, NaiveBayes, datasets
from codelength.errors import DataError, InvalidParameter
from codelength.plot import (
    CalibrationDisplay,
    ComponentProfilesDisplay,
    CriterionPathDisplay,
    EvidenceByVariableDisplay,
    ExplanationDisplay,
    LearningCurveDisplay,
)

matplotlib = pytest.importorskip("matplotlib")

from matplotlib.figure import Figure  # noqa: E402 (where matplotlib is not installed this file is skipped)


@pytest.fixture(scope="module")
def vote():
    return datasets.load("vote").table


@pytest.fixture(scope="module")
def model(vote):
    return NaiveBayes().fit(vote)


@pytest.fixture(scope="module")
def mixture():
    rng = np.random.default_rng(0)
    classes = rng.random(200) < 0.4
    table = {f"question {i}": np.where(rng.random(200) < 0.2, ~classes, classes) for i in range(5)}
    return FiniteMixture(max_components=3, patience=3, n_init=5, random_state=0).fit(table)


@pytest.fixture
def axes():
    return Figure().subplots()


def test_calibration_is_what_counting_gives(model, vote):
    """Rows sorted by promise and cut into parts of about equal size, in plain loops."""
    left_out = model.leave_one_out(vote)
    display = CalibrationDisplay.from_estimator(model, vote, leave_one_out=True)
    promised = np.exp(left_out.log_probs[:, 1])
    parts, order = [[] for _ in range(10)], sorted(range(435), key=lambda row: promised[row])
    while order:  # promises within a hundredth of the lowest stay together
        rows = [row for row in order if promised[row] <= promised[order[0]] + 0.01]
        parts[min(int(10 * (435 - len(order) + len(rows) / 2) / 435), 9)] += rows
        order = order[len(rows) :]
    parts = [part for part in parts if part]
    points = display.ax_.collections[1].get_offsets()
    assert display.of == "republican"
    assert len(points) == len(parts)
    for (x, y), part, low, high in zip(points, parts, display.low, display.high, strict=True):
        share = np.mean([left_out.class_codes[row] == 1 for row in part])
        assert x == pytest.approx(np.mean([promised[row] for row in part]), abs=1e-12)
        assert y == pytest.approx(share, abs=1e-12)
        # Wilson: the ends are where the share is 1.96 standard errors away.
        for end in (low, high):
            if 1e-9 < end < 1 - 1e-9:
                assert (share - end) ** 2 == pytest.approx(3.841458820694124 * end * (1 - end) / len(part))


def test_calibration_agrees_with_the_calibration_error():
    glass = datasets.load("glass").table
    left_out = NaiveBayes().fit(glass).leave_one_out(glass)
    display = CalibrationDisplay.from_predictions(
        np.exp(left_out.log_probs), left_out.class_codes, classes=range(6)
    )
    gaps = display.n_rows * np.abs(display.promised - display.observed)
    assert gaps.sum() / 214 == pytest.approx(left_out.calibration_error, abs=1e-12)
    assert display.ax_.get_xlabel() == "probability given to the most probable class"


def test_calibration_of_new_rows_and_of_weights(model, vote):
    weights = 1 + np.arange(435) % 3
    whole = CalibrationDisplay.from_estimator(model, vote, sample_weight=weights, of="democrat")
    copies = vote.take(np.repeat(np.arange(435), weights))
    same = CalibrationDisplay.from_estimator(model, copies, of="democrat")
    np.testing.assert_allclose(whole.promised, same.promised)
    np.testing.assert_allclose(whole.observed, same.observed)
    np.testing.assert_allclose(whole.n_rows, same.n_rows)
    assert whole.of == "democrat"


def test_calibration_of_an_average_needs_no_rows(vote):
    fitted = ModelAverage(members=["subsets"]).fit(vote)
    display = CalibrationDisplay.from_estimator(fitted, leave_one_out=True)
    assert display.n_rows.sum() == 435


def test_bad_predictions_are_refused(model, vote):
    with pytest.raises(DataError, match="row 0: not a distribution"):
        CalibrationDisplay.from_predictions([[0.5, 0.6]], ["a"], classes=["a", "b"])
    with pytest.raises(InvalidParameter, match="of='green'"):
        CalibrationDisplay.from_estimator(model, vote, of="green")
    with pytest.raises(InvalidParameter, match="a classifier of codelength"):
        CalibrationDisplay.from_estimator(object(), vote)
    with pytest.raises(DataError, match="same length"):
        CalibrationDisplay([0.5], [0.5, 0.6])


def test_the_learning_curve_scores_rows_that_were_not_learned_from():
    """With one repetition it is what cross-validation gives, here refitted by hand."""
    from codelength.evaluation import cross_validation

    table = datasets.load("lenses").table
    display = LearningCurveDisplay.from_estimator(NaiveBayes(), table, n_sizes=2, n_folds=3, repeats=1)
    assert display.n_rows.tolist() == [8, 16]
    schema = NaiveBayes().fit(table).schema_
    for fraction, loss in zip((0.5, 1.0), display.ax_.lines[0].get_ydata(), strict=True):
        logs = []
        for train, test in cross_validation(24, 3, train_fraction=fraction):
            fold = NaiveBayes(schema=schema).fit(table.take(train))
            codes = NaiveBayes(schema=schema).fit(table)._coded_for(table).class_codes[test]
            logs += list(fold.predict_log_proba(table.take(test))[np.arange(len(test)), codes.astype(int)])
        assert loss == pytest.approx(-np.mean(logs) / np.log(2), abs=1e-12)


def test_the_band_of_a_learning_curve_allows_for_folds_that_share_rows(axes):
    """Nadeau and Bengio's correction, by hand, with the t-distribution of 11 degrees."""
    from codelength.evaluation import cross_validation

    table = datasets.load("lenses").table
    display = LearningCurveDisplay.from_estimator(
        NaiveBayes(), table, n_sizes=2, n_folds=4, repeats=3, ax=axes
    )
    assert display.ax_ is axes
    schema = NaiveBayes().fit(table).schema_
    codes = NaiveBayes()._coded_for(table).class_codes.astype(int)
    losses = []
    for train, test in cross_validation(24, 4, repeats=3, train_fraction=0.5):
        logs = NaiveBayes(schema=schema).fit(table.take(train)).predict_log_proba(table.take(test))
        losses.append(-np.mean(logs[np.arange(len(test)), codes[test]]) / np.log(2))
    assert display.loss_bits[0] == pytest.approx(np.mean(losses))
    reach = 2.200985 * np.std(losses, ddof=1) * np.sqrt(1 / 12 + 6 / 18)
    assert display.high[0] - display.loss_bits[0] == pytest.approx(reach, rel=1e-6)
    assert display.low[0] == pytest.approx(max(display.loss_bits[0] - reach, 0.0), rel=1e-6)


def test_a_learning_curve_can_be_given(axes):
    display = LearningCurveDisplay([10, 20], [0.5, 0.4], [0.4, 0.3], [0.6, 0.5], prior_bits=1.0).plot(axes)
    assert display.ax_.lines[0].get_xdata().tolist() == [10, 20]
    assert display.ax_.lines[1].get_ydata()[0] == 1.0
    assert display.ax_.get_ylabel() == "log loss, bits per row"
    with pytest.raises(InvalidParameter, match="n_sizes"):
        LearningCurveDisplay.from_estimator(NaiveBayes(), {"a": [1, 2]}, [0, 1], n_sizes=0)


@pytest.mark.parametrize("name", ["vote", "lenses"])
def test_evidence_is_what_hiding_variables_gives(name):
    table = datasets.load(name).table
    fitted = NaiveBayes(prior="jeffreys" if name == "lenses" else "uniform").fit(table)
    display = EvidenceByVariableDisplay.from_estimator(fitted, table)
    labels = [list(fitted.classes_).index(label) for label in np.asarray(table.target.cells)]

    def bits(known):
        rows = {
            name: table.column(name).cells if name in known else [None] * table.n_rows for name in table.names
        }
        return np.log2(fitted.predict_proba(rows))[np.arange(table.n_rows), labels]

    for place, variable in enumerate(display.names):
        others = set(table.names) - {variable}
        alone, beside = bits({variable}) - bits(set()), bits(set(table.names)) - bits(others)
        assert display.alone[place] == pytest.approx(alone.mean(), abs=1e-10)
        assert display.given_others[place] == pytest.approx(beside.mean(), abs=1e-10)
        error = alone.std(ddof=1) / np.sqrt(table.n_rows)
        assert display.alone_errors[place] == pytest.approx(error, abs=1e-10)
    assert display.alone.tolist() == sorted(display.alone, reverse=True)
    points = display.ax_.lines[0].get_xdata()
    np.testing.assert_allclose(points, display.alone[: len(points)])


def test_evidence_shows_a_few_variables(model, vote, axes):
    display = EvidenceByVariableDisplay.from_estimator(model, vote, n_variables=3, ax=axes)
    drawn = [label.get_text().removesuffix("…") for label in axes.get_yticklabels()]
    assert len(drawn) == 3
    assert all(name.startswith(text) for text, name in zip(drawn, display.names, strict=False))
    assert "13 variables left out" in axes.get_xlabel()
    with pytest.raises(InvalidParameter, match="give one for each"):
        EvidenceByVariableDisplay(["a"], [1.0, 2.0], [1.0, 2.0])
    with pytest.raises(InvalidParameter, match="no rows"):
        EvidenceByVariableDisplay.from_estimator(model, vote.take(np.arange(0)))


def test_explanations_add_up_to_the_log_odds(model, vote):
    display = ExplanationDisplay.from_estimator(model, vote, 3, n_variables=4)
    democrat, republican = model.predict_proba(vote.take([3]))[0]
    assert (display.of, display.against) == ("democrat", "republican")
    assert display.total_bits == pytest.approx(np.log2(democrat / republican))
    assert display.bits.sum() == pytest.approx(display.total_bits)
    assert display.names[-1] == "11 further variables"
    assert [bar.get_width() for bar in display.ax_.patches] == pytest.approx(display.bits.tolist())
    strongest = model.explain(vote.take([3]), against="republican").ranked(0, "democrat")[0]
    assert display.names[1] == f"{strongest[0]} = n"
    assert display.bits[1] == pytest.approx(strongest[1] / np.log(2))


def test_what_is_impossible_is_drawn_beyond_the_rest():
    fitted = NaiveBayes(rule="map").fit(
        {"a": ["x", "x", "y", "y"], "b": ["u", "v", "u", "v"]}, ["n", "n", "p", "p"]
    )
    display = ExplanationDisplay.from_estimator(fitted, {"a": ["x"], "b": ["u"]})
    assert display.bits[1] == np.inf
    assert np.isfinite([bar.get_width() for bar in display.ax_.patches]).all()
    assert "+∞" in [text.get_text() for text in display.ax_.texts]


def test_explanations_ask_for_two_classes(model, vote):
    explanation = model.explain(vote.take([0]), against="republican")
    assert ExplanationDisplay(explanation).of == "democrat"
    with pytest.raises(InvalidParameter, match="the others are set against"):
        ExplanationDisplay(explanation, of="republican")
    with pytest.raises(InvalidParameter, match="counted from 0"):
        ExplanationDisplay(explanation, row=7)
    with pytest.raises(InvalidParameter, match="row"):
        ExplanationDisplay.from_estimator(model, vote, 435)
    with pytest.raises(InvalidParameter, match="labels: 1 for 16"):
        ExplanationDisplay(explanation, labels=["a"])
    with pytest.raises(InvalidParameter, match=r"what model\.explain"):
        ExplanationDisplay(vote)


def test_names_from_a_table_are_shown_and_not_obeyed(axes):
    """Matplotlib would take what stands between dollar signs for mathematics, and fail on this."""
    name = r"$\frac{$ and\nmore $x^$"
    fitted = NaiveBayes().fit({name: ["$_$", "b"] * 5}, ["$\\$", "no"] * 5)
    display = ExplanationDisplay.from_estimator(fitted, {name: ["$_$"]})
    assert r"$\frac{$" in display._repr_svg_()
    evidence = EvidenceByVariableDisplay.from_estimator(fitted, {name: ["$_$"]}, ["no"])
    assert r"$\frac{$" in evidence._repr_svg_()
    hidden = FiniteMixture(1, random_state=0).fit({name: ["$_$", "b"] * 5, "b": ["$^$", "c"] * 5})
    assert r"$\frac{$" in ComponentProfilesDisplay.from_estimator(hidden)._repr_svg_()


def test_the_criterion_path_is_the_comparison(mixture):
    display = CriterionPathDisplay.from_estimator(mixture, criteria=["bic", "aic"])
    for line, name in zip(display.ax_.lines, ("bic", "aic"), strict=False):
        column = np.array(mixture.comparison_[name])
        np.testing.assert_allclose(line.get_ydata(), column - column.min())
    assert len(CriterionPathDisplay.from_estimator(mixture).figure_.axes) == 2


def test_one_pair_of_axes_gets_the_criterion_that_chose(mixture, axes):
    display = CriterionPathDisplay.from_estimator(mixture, ax=axes)
    assert display.ax_ is axes
    assert axes.get_title() == "code length in nats"
    both = Figure().subplots(1, 2)
    assert CriterionPathDisplay.from_estimator(mixture, ax=both).ax_ is both[0]
    assert both[1].get_title() == "code length in nats"
    with pytest.raises(InvalidParameter, match="a list of 2 axes"):
        CriterionPathDisplay(mixture).plot(axes)
    with pytest.raises(InvalidParameter, match="a fitted FiniteMixture"):
        CriterionPathDisplay.from_estimator("zoo")


def test_profiles_are_the_probabilities_of_values(mixture, axes):
    display = ComponentProfilesDisplay.from_estimator(mixture, ax=axes)
    assert display.figure_ is axes.figure
    image = axes.images[0].get_array()
    names = [label.get_text() for label in axes.get_yticklabels()]
    for row, label in zip(image, names, strict=True):
        np.testing.assert_allclose(row, mixture.profiles()[label.removesuffix(" = True")][True])
    with pytest.raises(InvalidParameter, match="a fitted FiniteMixture"):
        ComponentProfilesDisplay.from_estimator(NaiveBayes())


def test_axes_are_axes(mixture):
    with pytest.raises(InvalidParameter, match="ax='here': expected axes of matplotlib"):
        ComponentProfilesDisplay.from_estimator(mixture, ax="here")
    removed = Figure().subplots()
    removed.remove()
    with pytest.raises(InvalidParameter, match="removed from their figure"):
        ComponentProfilesDisplay.from_estimator(mixture, ax=removed)


def test_displays_show_themselves_in_notebooks(model, vote, axes):
    display = ExplanationDisplay.from_estimator(model, vote)
    assert display._repr_svg_().startswith("<?xml")
    assert display.plot(axes)._repr_svg_() is None
    assert ExplanationDisplay(model.explain(vote.take([0])))._repr_svg_() is None


def test_the_module_is_light():
    heavy = ("matplotlib", "numba", "sklearn", "scipy", "pandas")
    code = f"import sys, codelength.plot; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
