"""Models weighted by their evidence: equation (4) of the 1998 paper."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

import naive_trees
from codelength import EvidenceAverage, FiniteMixture, IndifferentTrees, NaiveBayes, load
from codelength.errors import InvalidModelFile, InvalidParameter, SchemaMismatch
from codelength.mixture.code_length import CRITERIA
from codelength.research import OnVariables
from codelength.sources import as_coded
from unit.estimators.test_model_files import places, replaced

ROWS = [((0, 1), 0), ((1, 1), 1), ((0, 0), 0), ((1, 0), 1), ((0, 1), 1), ((1, 1), 1)]
TABLE = {name: [values[i] for values, _ in ROWS] for i, name in enumerate("ab")}
CLASSES = [label for _, label in ROWS]
NEW = [((a, b), c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]


def one_after_the_other(rows, using):
    """Probability of rows where the variables in ``using`` depend on the class and the others do not."""
    total, seen = Fraction(1), []
    for values, label in rows:
        same = [v for v, c in seen if c == label]
        total *= Fraction(len(same) + 1, len(seen) + 2)
        for i, value in enumerate(values):
            others = same if i in using else [v for v, _ in seen]
            total *= Fraction(sum(v[i] == value for v in others) + 1, len(others) + 2)
        seen.append((values, label))
    return total


SUBSETS = [(), (0,), (1,), (0, 1)]


def average_over_subsets(prior=None):
    names = [tuple("ab"[i] for i in subset) for subset in SUBSETS]
    models = [OnVariables(NaiveBayes(), name) for name in names]
    return EvidenceAverage(models, prior=prior, numeric="category").fit(TABLE, CLASSES)


@pytest.mark.parametrize("known", [{}, {"a": [1]}, {"b": [0]}])
def test_questions_are_answered_from_the_joint_distribution(known):
    average = average_over_subsets()
    joint = np.exp(average.predict_joint_log_proba({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})).reshape(2, 2, 2)
    for axis, name in enumerate("ab"):
        if name in known:
            joint = joint.take(known[name], axis=axis)
    asked = [*(name for name in "ab" if name not in known), average.schema_.target.name]
    answer = average.query({"a": [None], "b": [None]} | known, asked)
    np.testing.assert_allclose(answer.probs[0], joint.squeeze() / joint.sum(), rtol=1e-12)
    alone = average.query({"a": [0, 1], "b": [1, 1]}, asked[-1])
    np.testing.assert_allclose(
        alone.probs, average.predict_proba({"a": [0, 1], "b": [1, 1]}), rtol=1e-12, atol=0
    )


@pytest.mark.parametrize("prior", [None, [1, 2, 3, 4]])
def test_weights_and_predictions_are_those_of_the_equation(prior):
    """Every evidence in fractions, row after row; a prediction is a ratio of two of them."""
    average, shares = average_over_subsets(prior), [1, 1, 1, 1] if prior is None else prior

    def evidences(rows):
        return [
            share * one_after_the_other(rows, subset) for share, subset in zip(shares, SUBSETS, strict=True)
        ]

    before = evidences(ROWS)
    weights = [float(evidence / sum(before)) for evidence in before]
    np.testing.assert_allclose(list(average.member_weights_.values()), weights, rtol=1e-12)
    assert math.exp(-average.code_length_) == pytest.approx(float(sum(before) / sum(shares)), rel=1e-12)
    joint = np.exp(average.predict_joint_log_proba({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})).ravel()
    for row, found in zip(NEW, joint, strict=True):
        assert found == pytest.approx(float(sum(evidences([*ROWS, row])) / sum(before)), rel=1e-12)
    assert joint.sum() == pytest.approx(1.0, abs=1e-12)


def test_code_lengths_are_shown_with_the_weights():
    average = average_over_subsets()
    for row, subset in zip(average.models_, SUBSETS, strict=True):
        assert row["code_length"] == pytest.approx(-math.log(one_after_the_other(ROWS, subset)), rel=1e-12)
    assert [row["name"] for row in average.models_][:2] == ["naive-bayes on nothing", "naive-bayes on a"]
    assert average._summary_document()["models"] == average.models_


@pytest.mark.parametrize(
    "model", [NaiveBayes(prior=2.0), NaiveBayes("indifferent"), IndifferentTrees("best"), IndifferentTrees()]
)
def test_one_model_is_that_model(model):
    average = EvidenceAverage([model], numeric="category").fit(TABLE, CLASSES)
    alone = model.set_params(numeric="category").fit(TABLE, CLASSES)
    np.testing.assert_allclose(average.predict_proba(TABLE), alone.predict_proba(TABLE), rtol=1e-12)
    assert average.code_length_ == pytest.approx(alone.code_length_, rel=1e-12)


def test_structures_are_weighted_by_their_evidence():
    models = {"apart": IndifferentTrees(()), "joined": IndifferentTrees([("a", "b")])}
    average = EvidenceAverage(models, numeric="category").fit(TABLE, CLASSES)
    evidences = [naive_trees.even_probability(ROWS, [2, 2], 2, parents, 4) for parents in ((-1, -1), (-1, 0))]
    expected = [float(evidence / sum(evidences)) for evidence in evidences]
    np.testing.assert_allclose(list(average.member_weights_.values()), expected, rtol=1e-12)


def test_a_mixture_of_one_component_is_independence_and_costs_what_its_criterion_says():
    """With one component nothing is hidden: Cheeseman-Stutz is exact, and so is the prediction."""
    mixtures = [FiniteMixture(k, n_init=2, random_state=0) for k in (1, 2)]
    average = EvidenceAverage(mixtures, numeric="category").fit(TABLE, CLASSES)

    def independent(rows):
        total = Fraction(1)
        for column in ([label for _, label in rows], *zip(*(values for values, _ in rows), strict=True)):
            ones = sum(column)
            total *= Fraction(
                math.factorial(ones) * math.factorial(len(rows) - ones), math.factorial(len(rows) + 1)
            )
        return total

    lengths = [row["code_length"] for row in average.models_]
    assert lengths[0] == pytest.approx(-math.log(independent(ROWS)), rel=1e-9)
    wide = as_coded(TABLE | {"class": CLASSES}, numeric="category")
    alone = FiniteMixture(2, n_init=2, random_state=0, numeric="category").fit(TABLE | {"class": CLASSES})
    expected = CRITERIA["cheeseman_stutz"](wide.distinct(), alone.parameters_, "uniform")
    assert lengths[1] == pytest.approx(expected, rel=1e-6)
    only = EvidenceAverage(mixtures[:1], numeric="category").fit(TABLE, CLASSES)
    joint = np.exp(only.predict_joint_log_proba({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})).ravel()
    for row, found in zip(NEW, joint, strict=True):
        assert found == pytest.approx(float(independent([*ROWS, row]) / independent(ROWS)), rel=1e-9)


def test_a_saved_average_predicts_the_same(tmp_path):
    models = {
        "trees": IndifferentTrees("best", law="uniform"),
        "mixture": FiniteMixture(2, prior=20.0, n_init=2, random_state=0),
        "b": OnVariables(NaiveBayes("indifferent"), ("b",)),
        "after others": NaiveBayes(prior=NaiveBayes(numeric="category").fit(TABLE, CLASSES)),
        "hidden b": OnVariables(FiniteMixture(2, n_init=2, random_state=0), ("b",)),
    }
    rows = TABLE | {"a": [0, None, 1, 0, None, 1]}
    average = EvidenceAverage(models, prior=(0.5, 0.25, 0.125, 0.0625, 0.0625), numeric="category").fit(
        rows, CLASSES
    )
    average.save(tmp_path / "average.json")
    again = load(tmp_path / "average.json")
    np.testing.assert_array_equal(average.predict_log_proba(rows), again.predict_log_proba(rows))
    assert again.models_ == average.models_
    assert again.code_length_ == average.code_length_
    assert list(again.get_params()["models"]) == list(models)
    assert again.fit(rows, CLASSES).code_length_ == pytest.approx(average.code_length_, rel=1e-12)


@pytest.mark.filterwarnings("ignore::codelength.errors.CodelengthWarning")
@pytest.mark.parametrize(
    "model",
    [
        EvidenceAverage([OnVariables(FiniteMixture(2, n_init=1, reached=1, random_state=0), ("b",))]),
        EvidenceAverage([OnVariables(NaiveBayes(), ("b",))]),
        IndifferentTrees([("a", "b")]),
    ],
    ids=["mixture", "variables", "forest"],
)
def test_whatever_a_file_says_a_model_that_predicts_or_invalid_model_file_comes_out(model, tmp_path):
    path = tmp_path / "model.json"
    model.set_params(numeric="category").fit(TABLE, CLASSES).save(path)
    document, n_refused = json.loads(path.read_text()), 0
    for place in places(document["model"]["fitted"], ("fitted",)):
        for value in (None, -1, "?", [["?"]]):
            path.write_text(json.dumps(replaced(document, place, value)))
            try:
                probs = load(path).predict_proba(TABLE)
            except InvalidModelFile:
                n_refused += 1
            else:
                np.testing.assert_allclose(probs.sum(axis=1), 1.0, atol=1e-12)
    assert n_refused > 40


def test_missing_cells_are_summed_out():
    average = average_over_subsets()
    whole = np.exp(average.predict_joint_log_proba({"a": [0, 1], "b": [1, 1]}))
    blank = np.exp(average.predict_joint_log_proba({"a": [None], "b": [1]}))
    np.testing.assert_allclose(blank[0], whole.sum(axis=0), rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"models": []}, "there is none"),
        ({"models": [NaiveBayes("map")]}, "has no evidence"),
        ({"models": [NaiveBayes(select="evidence")]}, "OnVariables"),
        ({"models": ["naive-bayes"]}, "no evidence of whole rows"),
        ({"models": [OnVariables(OnVariables(NaiveBayes()))]}, "OnVariables of OnVariables"),
        ({"models": [OnVariables(NaiveBayes(), ("a", "a"))]}, "given twice"),
        ({"models": {1: NaiveBayes()}}, "names that are text"),
        ({"models": [NaiveBayes()], "prior": [1, 2]}, "expected 1 numbers"),
        ({"models": [NaiveBayes()], "prior": [0.0]}, "not all of them zero"),
        ({"models": [NaiveBayes(rule="best")]}, "rule"),
    ],
)
def test_what_cannot_be_averaged_is_refused(options, match):
    with pytest.raises(InvalidParameter, match=match):
        EvidenceAverage(**options).fit(TABLE, CLASSES)


def test_a_variable_that_is_not_there_is_refused():
    with pytest.raises(SchemaMismatch, match="'z'"):
        EvidenceAverage([OnVariables(NaiveBayes(), ("z",))]).fit(TABLE, CLASSES)
