"""Models compared on one table."""

import math
from dataclasses import replace

import numpy as np
import pytest

from codelength import FiniteMixture, MixtureClassifier, NaiveBayes, datasets
from codelength.counts import count
from codelength.errors import DataError, InvalidParameter
from codelength.evaluation import OPPONENTS, cross_validation, evaluate
from codelength.naive_bayes import RULES, Predictor, Rule
from codelength.scores import Predictions, leave_one_out
from codelength.sources import as_table
from codelength.table import Cutting, encode, infer_schema
from codelength.table.cutting import with_intervals_of


@pytest.fixture(scope="module")
def glass():
    return datasets.load("glass").table


def rules(*names):
    return {name: NaiveBayes(rule=name) for name in names}


def test_rules_are_left_out_in_closed_form(glass):
    coded = encode(infer_schema(glass), glass)
    found = evaluate(glass, rules(*RULES))
    assert [result.model for result in found] == list(RULES)
    assert {result.protocol for result in found} == {"leave-one-out"}
    for result in found:
        made = leave_one_out(Predictor.of(count(coded), result.model), coded)
        assert (result.accuracy, result.log_score) == (made.accuracy, made.log_score)
        assert (result.n_zero, result.n_undefined) == (made.n_zero, made.n_undefined)
        assert result.n_predictions == 214
        assert result.log_score_bits == pytest.approx(result.log_score / math.log(2))


def test_folds_share_rows_and_learn_intervals_of_their_own(glass):
    (result,) = evaluate(glass, rules("evidence"), n_folds=4, repeats=2, train_fraction=0.5, random_state=3)
    assert result.protocol == "2 x 4-fold cross-validation, 50% of the training rows"
    whole = encode(infer_schema(glass), glass)
    parts = []
    for split in cross_validation(214, 4, repeats=2, train_fraction=0.5, random_state=3):
        coded = with_intervals_of(whole, glass, split.train, Cutting())
        test = coded.take(split.test)
        parts.append(
            Predictions(*Predictor.of(count(coded.take(split.train))).log_probs(test), test.class_codes)
        )
    expected = Predictions.joined(parts)
    assert result.n_predictions == 428
    assert (result.accuracy, result.log_score) == (expected.accuracy, expected.log_score)


def test_a_model_without_closed_form_brings_folds_for_all():
    table = datasets.load("lenses").table
    mixture = MixtureClassifier(candidates=3, n_components=(1, 2), random_state=0)
    found = evaluate(table, {"mixture": mixture, "averaged": NaiveBayes()})
    assert [result.protocol for result in found] == ["1 x 10-fold cross-validation"] * 2
    assert {result.n_predictions for result in found} == {24}
    assert evaluate(table, {"averaged": NaiveBayes()}, n_folds=10)[0] == found[1]


def test_each_model_cuts_numbers_in_its_own_way(glass):
    class FittedFine(NaiveBayes._fitted_type):
        @classmethod
        def reading(cls, params):
            return replace(super().reading(params), cutting=Cutting(n_bins=9))

    class Fine(NaiveBayes):
        _fitted_type = FittedFine

    _, result = evaluate(glass, {"usual": NaiveBayes(), "fine": Fine()}, n_folds=3)
    parts = []
    for split in cross_validation(214, 3):
        whole = encode(infer_schema(glass, cutting=Cutting(n_bins=9)), glass)
        coded = with_intervals_of(whole, glass, split.train, Cutting(n_bins=9))
        test = coded.take(split.test)
        parts.append(
            Predictions(*Predictor.of(count(coded.take(split.train))).log_probs(test), test.class_codes)
        )
    assert result.log_score == Predictions.joined(parts).log_score


def test_opponents_are_scored_on_the_same_folds():
    table = datasets.load("iris").table
    opponent = OPPONENTS["logistic-regression"]()
    found = evaluate(table, {"a": NaiveBayes(), "logistic": opponent}, n_folds=3, random_state=2)
    assert found[0] == evaluate(table, {"a": NaiveBayes()}, n_folds=3, random_state=2)[0]
    parts = []
    for split in cross_validation(150, 3, random_state=2):
        probs = opponent.fit(table.take(split.train)).probabilities(table.take(split.test))
        parts.append(
            Predictions(np.log(probs), np.zeros(len(probs), bool), table.target.positions[split.test])
        )
    expected = Predictions.joined(parts)
    assert (found[1].log_score, found[1].accuracy) == (expected.log_score, expected.accuracy)
    assert found[1].calibration_error == expected.calibration_error


def test_options_about_cells_hold_for_opponents_too():
    table = as_table({"n": [1.0, 2.0, 3.0] * 20}, ["a", "b", "a"] * 20)
    logistic = {"l": OPPONENTS["logistic-regression"]()}
    as_number, as_categories = (
        evaluate(table, logistic, n_folds=3, numeric=numeric)[0] for numeric in (None, "category")
    )
    assert as_categories.accuracy == 1
    assert as_number.accuracy < 0.8


def test_progress_is_told_after_every_fit(glass):
    told = []
    evaluate(glass, rules("evidence", "map"), n_folds=3, progress=lambda *so_far: told.append(so_far))
    assert told == [(n, 6) for n in range(1, 7)]
    with pytest.raises(InvalidParameter, match="progress=1"):
        evaluate(glass, rules("evidence"), progress=1)


def test_standard_errors_are_over_rows_however_often_they_are_predicted(glass):
    """A row that is predicted in every repeat is one row, of which the mean counts."""
    models = {"evidence": NaiveBayes(), "indifferent": NaiveBayes("indifferent")}
    found = evaluate(glass, models, n_folds=4, repeats=3)
    logs, hits = (np.zeros((2, 214)) for _ in range(2))
    for split in cross_validation(214, 4, repeats=3):
        coded = with_intervals_of(encode(infer_schema(glass), glass), glass, split.train, Cutting())
        test = coded.take(split.test)
        for place, rule in enumerate(models):
            log_probs = Predictor.of(count(coded.take(split.train)), rule).log_probs(test)
            made = Predictions(*log_probs, test.class_codes)
            logs[place, split.test] += made.true_log_probs / 3
            hits[place, split.test] += made.hits / 3
    best, other = found if found[0].log_score > found[1].log_score else found[::-1]
    lost = (logs[0] - logs[1]) * (1 if best is found[0] else -1)
    for place, result in enumerate(found):
        assert result.log_score == pytest.approx(logs[place].mean())
        assert result.log_score_se == pytest.approx(logs[place].std(ddof=1) / math.sqrt(214))
        assert result.accuracy_se == pytest.approx(hits[place].std(ddof=1) / math.sqrt(214))
    assert (best.behind_best, best.behind_best_se, best.is_tied) == (0, 0, True)
    assert other.behind_best == pytest.approx(lost.mean())
    assert other.behind_best_se == pytest.approx(lost.std(ddof=1) / math.sqrt(214))
    assert other.is_tied == (lost.mean() <= 2 * lost.std(ddof=1) / math.sqrt(214))


def test_equal_models_are_tied_and_the_first_is_the_best(glass):
    found = evaluate(glass, {"one": NaiveBayes(), "two": NaiveBayes(), "never": NaiveBayes("map")})
    assert [result.behind_best for result in found] == [0, 0, math.inf]
    assert [result.is_tied for result in found] == [True, True, False]


def test_few_rows_make_few_folds():
    table = as_table({"v": ["x", "y", "x"]}, ["a", "b", "a"])
    (result,) = evaluate(table, {"l": OPPONENTS["logistic-regression"]()})
    assert result.protocol == "1 x 3-fold cross-validation"


def test_models_stay_as_they_are(glass):
    model = NaiveBayes()
    one, two = evaluate(glass, {"one": model, "two": model})
    assert one.log_score == two.log_score
    assert not model.__sklearn_is_fitted__()


def test_weights_count_rows():
    cells, classes = {"a": ["x", "y", "x", "y"]}, [0, 1, 0, 0]
    weighted = as_table(cells, classes, [2.0, 1.0, 0.0, 1.0])
    (result,) = evaluate(weighted, rules("evidence"))
    coded = encode(infer_schema(weighted.counted()), weighted.counted())
    made = leave_one_out(Predictor.of(count(coded)), coded)
    assert result.log_score == made.log_score
    assert np.isfinite(result.log_score)


class Root(Rule):
    """A rule that nobody knows but the registry."""

    name = "root"
    normalises = False

    def growth(self, numbers):
        return np.sqrt(numbers + 0.25)


def test_a_rule_of_the_registry_is_evaluated(glass, monkeypatch):
    monkeypatch.setitem(RULES, "root", Root())
    (left_out,) = evaluate(glass, rules("root"))
    (folded,) = evaluate(glass, rules("root"), n_folds=5)
    assert 0.2 < left_out.accuracy < 1
    assert 0.2 < folded.accuracy < 1


@pytest.mark.parametrize(
    ("models", "options", "message"),
    [
        ({}, {}, "there is none"),
        ({"clusters": FiniteMixture()}, {}, "'clusters': is neither a classifier of codelength nor one of"),
        ({"forest": OPPONENTS["random-forest"]}, {}, "'forest': is a class, not a model; write RandomF"),
        ({"a": NaiveBayes()}, {"repeats": 2}, "go with cross-validation"),
        ({"a": NaiveBayes()}, {"train_fraction": 0.5}, "go with cross-validation"),
        ({"a": NaiveBayes()}, {"n_folds": 1}, "n_folds=1"),
        ({"a": NaiveBayes()}, {"n_folds": 500}, "n_folds=500"),
        ({"a": NaiveBayes()}, {"n_folds": 2, "train_fraction": 0.0}, "train_fraction=0"),
        ({"a": NaiveBayes()}, {"n_folds": 2, "train_fraction": 0.001}, "leaves none of 107"),
        ({"a": NaiveBayes()}, {"missing": "drop"}, "missing='drop'"),
    ],
)
def test_options_that_do_not_fit_are_refused(glass, models, options, message):
    with pytest.raises(InvalidParameter, match=message):
        evaluate(glass, models, **options)


def test_a_table_without_a_target_is_refused():
    with pytest.raises(DataError, match="no target"):
        evaluate({"a": ["x", "y"]}, rules("evidence"))


def test_what_the_models_say_about_cells_holds():
    table = as_table({"v": ["a", None, "a", "b", None, "b"]}, ["p", "q", "p", "q", "q", "p"])
    as_value = NaiveBayes(missing="value")
    [said] = evaluate(table, {"m": as_value})
    assert said == evaluate(table, {"m": NaiveBayes()}, missing="value")[0]
    assert said != evaluate(table, {"m": NaiveBayes()})[0]
    # Each in its own way, side by side.
    both = evaluate(table, {"m": as_value, "a": NaiveBayes()})
    assert both == [said, *evaluate(table, {"a": NaiveBayes()})]
    one, other = evaluate(table, {"m": as_value, "a": NaiveBayes()}, missing="value")
    assert one == said == replace(other, model="m")
    with pytest.raises(InvalidParameter, match=r"'a': has a schema of its own.*leave schema= out"):
        evaluate(table, {"a": NaiveBayes(schema=infer_schema(table))})
