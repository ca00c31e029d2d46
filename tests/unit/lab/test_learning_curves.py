"""The learning-curve kernel against refits, and against the slow oracle."""

import math

import numpy as np
import pytest

import naive
from codelength.counts import Counts, count
from codelength.evaluation.splits import Split, partition
from codelength.naive_bayes import RULES, Offsets, Predictor, Rule
from codelength.scores import Predictions
from codelength.table import Coded, Schema
from codelength_lab.experiment import Model
from codelength_lab.tables import Source, prepare, stream_of
from codelength_lab.task import CurveRows, Task

MODELS = [
    Model("MAP", "map"),
    Model("MAP softened", "map", pseudocount=0.002),
    Model("EV", "evidence"),
    Model("SC", "stochastic_complexity"),
    Model("SC tempered", "stochastic_complexity", power=0.72),
    Model("indifferent", "indifferent"),
    Model("root", "root"),
    Model("bare", "bare"),
]


class Root(Rule):
    """A rule with a growth function of its own, which does not normalise."""

    name = "root"
    normalises = False

    def growth(self, numbers):
        return np.sqrt(numbers + 0.25)


class Bare(Rule):
    """A rule that adds nothing and normalises, so that unseen values are alike until one is seen."""

    name = "bare"
    gives_zero = True

    def offsets(self, prior, schema):
        return Offsets(np.full_like(prior.class_pseudocounts, 0.5), np.zeros_like(prior.value_pseudocounts))

    def growth(self, numbers):
        return 0.7 * super().growth(numbers)


@pytest.fixture(autouse=True)
def _toy_rules(monkeypatch):
    """Rules that are entered in the registry, and known nowhere else."""
    for rule in (Root(), Bare()):
        monkeypatch.setitem(RULES, rule.name, rule)


def made_up(seed, n_rows=40, sizes=(3, 2, 4), n_classes=3):
    """A random table in which a tenth of the cells is missing."""
    rng = np.random.default_rng(seed)
    schema = Schema.from_sizes(sizes, n_classes)
    codes = np.stack([rng.integers(0, size, n_rows) for size in sizes], axis=1)
    codes = np.where(rng.random(codes.shape) < 0.1, np.array(sizes), codes)
    return Coded.of(schema, codes, rng.integers(0, n_classes, n_rows))


def curve(coded, split, model, cap=None):
    return CurveRows(coded).curve(split, model, cap)


def refitted(coded, split, model, cap):
    """The same curve from a fresh count for every training size."""
    test = coded.take(split.test)
    for size in range(1, len(split.train) + 1):
        predictor = Predictor.of(count(coded.take(split.train[:size])), model.rule, model.prior)
        made = Predictions(*predictor.log_probs(test), test.class_codes)
        tempered = made.tempered(model.power)
        yield tempered.accuracy, tempered.capped_log_probs(cap).mean()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
@pytest.mark.parametrize("cap", [None, 3.0])
def test_a_curve_equals_refits(model, cap):
    for seed in range(3):
        coded = made_up(seed)
        split = partition(40, random_state=seed)
        scores = curve(coded, split, model, cap)
        np.testing.assert_allclose(scores, list(refitted(coded, split, model, cap)), rtol=1e-10)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_a_curve_on_a_real_table_equals_refits(model):
    coded = prepare(Source("hepatitis", "kmeans", 5, "ignore", "whole")).coded
    train, test = partition(coded.n_rows, random_state=1)
    split = Split(train[:60], test)
    np.testing.assert_allclose(
        curve(coded, split, model, 50.0), list(refitted(coded, split, model, 50.0)), rtol=1e-9
    )


def test_a_curve_equals_the_oracle():
    coded = made_up(5, n_rows=14)
    split = partition(14, random_state=0)
    rows = [
        [None if code == size else int(code) for code, size in zip(row, (3, 2, 4), strict=True)]
        for row in coded.codes
    ]
    classes = coded.class_codes.tolist()
    weights = {
        "evidence": lambda row, counts: naive.evidence_weights(
            row, counts, naive.uniform_prior([3, 2, 4], 3)
        ),
        "indifferent": naive.indifferent_weights,
        "stochastic_complexity": naive.stochastic_complexity_weights,
    }
    for rule, weigh in weights.items():
        scores = curve(coded, split, Model(rule, rule))
        for size in range(1, len(split.train) + 1):
            known = split.train[:size]
            counts = naive.count([rows[n] for n in known], [classes[n] for n in known], [3, 2, 4], 3)
            probs = [naive.probabilities(weigh(rows[n], counts)) for n in split.test]
            truth = [classes[n] for n in split.test]
            expected = [math.log(p[k]) for p, k in zip(probs, truth, strict=True)]
            hits = [naive.argmax(p) == k for p, k in zip(probs, truth, strict=True)]
            assert scores[size - 1, 1] == pytest.approx(np.mean(expected), rel=1e-11)
            assert scores[size - 1, 0] == pytest.approx(np.mean(hits))


def test_a_table_without_variables_is_predicted_from_its_classes():
    schema = Schema.from_sizes([], n_classes=2)
    coded = Coded.of(schema, np.empty((4, 0), dtype=np.uint8), [1, 1, 1, 0])
    scores = curve(coded, Split(np.array([0, 1]), np.array([2])), Model("EV", "evidence"))
    np.testing.assert_allclose(np.exp(scores[:, 1]), [2 / 3, 3 / 4])
    assert Counts.empty(schema).n_rows == 0


def test_a_task_sums_its_partitions_and_their_differences():
    source = Source("iris", "kmeans", 3, "value", "whole")
    models = (Model("MAP", "map", pseudocount=0.002), Model("EV", "evidence"))
    task = Task("learning-curve", source, models, seed=4, first=2, last=5)
    result = task.run()
    coded = prepare(source).coded
    curves = {
        model.name: np.stack(
            [
                curve(coded, partition(150, random_state=stream_of(f"4/{task.group}/{n}")), model)[:, 1]
                for n in range(2, 5)
            ]
        )
        for model in models
    }
    found = result["EV"]["log_score"]
    np.testing.assert_allclose(found["sum"], curves["EV"].sum(axis=0))
    np.testing.assert_allclose(found["lowest"], curves["EV"].min(axis=0))
    np.testing.assert_allclose(found["highest"], curves["EV"].max(axis=0))
    apart = curves["MAP"] - curves["EV"]
    np.testing.assert_allclose(result["MAP - EV"]["log_score"]["squares"], (apart**2).sum(axis=0))
