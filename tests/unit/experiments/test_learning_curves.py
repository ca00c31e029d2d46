"""The learning-curve kernel against refits, and against the slow oracle."""

import math

import numpy as np
import pytest

import naive
from codelength.counts import Counts, count
from codelength.experiments.evaluation import predict
from codelength.experiments.prepared import Table, prepare, rows_of
from codelength.experiments.protocols import curve, run_cell
from codelength.experiments.spec import Cell, Model, Source
from codelength.experiments.splits import Split, partition
from codelength.rules import normalised
from codelength.scores import accuracy, log_score
from codelength.table import Coded, Schema

MODELS = [
    Model("MAP", "map"),
    Model("MAP softened", "map", pseudocount=0.002),
    Model("EV", "evidence"),
    Model("SC", "stochastic_complexity"),
    Model("SC tempered", "stochastic_complexity", power=0.72),
    Model("indifferent", "indifferent"),
]
SOURCE = Source("made up", "kmeans", 5, "ignore", "whole")


def made_up(seed, n_rows=40, sizes=(3, 2, 4), n_classes=3):
    """A random table in which a tenth of the cells is missing."""
    rng = np.random.default_rng(seed)
    schema = Schema.from_sizes(sizes, n_classes)
    codes = np.stack([rng.integers(0, size, n_rows) for size in sizes], axis=1)
    codes = np.where(rng.random(codes.shape) < 0.1, np.array(sizes), codes)
    classes = rng.integers(0, n_classes, n_rows).astype(np.uint8)
    return Table(SOURCE, schema, Coded(np.asfortranarray(codes.astype(np.uint8)), classes), {})


def refitted(table, split, model, floor):
    """The same curve from a fresh count for every training size."""
    test = rows_of(table.coded, split.test)
    for size in range(1, len(split.train) + 1):
        counts = count(table.schema, rows_of(table.coded, split.train[:size]))
        made = predict(counts, model.rule, model.prior, test)
        log_probs, _ = normalised(model.power * made.log_probs)
        yield (
            accuracy(log_probs, made.classes, undefined=made.undefined),
            log_score(log_probs, made.classes, floor=floor),
            made.n_zero,
            made.n_undefined,
        )


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
@pytest.mark.parametrize("floor", [None, 3.0])
def test_a_curve_equals_refits(model, floor):
    for seed in range(3):
        table = made_up(seed)
        split = partition(40, random_state=seed)
        scores = curve(table, split, model, floor)
        np.testing.assert_allclose(scores, list(refitted(table, split, model, floor)), rtol=1e-10)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_a_curve_on_a_real_table_equals_refits(model):
    table = prepare(Source("hepatitis", "kmeans", 5, "ignore", "whole"))
    train, test = partition(table.coded.n_rows, random_state=1)
    split = Split(train[:60], test)
    np.testing.assert_allclose(
        curve(table, split, model, 50.0), list(refitted(table, split, model, 50.0)), rtol=1e-9
    )


def test_a_curve_equals_the_oracle():
    table = made_up(5, n_rows=14)
    split = partition(14, random_state=0)
    rows = [
        [None if code == size else int(code) for code, size in zip(row, (3, 2, 4), strict=True)]
        for row in table.coded.codes
    ]
    classes = table.coded.classes.tolist()
    weights = {
        "evidence": lambda row, counts: naive.evidence_weights(
            row, counts, naive.uniform_prior([3, 2, 4], 3)
        ),
        "indifferent": naive.indifferent_weights,
        "stochastic_complexity": naive.stochastic_complexity_weights,
    }
    for rule, weigh in weights.items():
        scores = curve(table, split, Model(rule, rule))
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
    coded = Coded(np.empty((4, 0), dtype=np.uint8), np.array([1, 1, 1, 0], dtype=np.uint8))
    table = Table(SOURCE, schema, coded, {})
    scores = curve(table, Split(np.array([0, 1]), np.array([2])), Model("EV", "evidence"))
    np.testing.assert_allclose(np.exp(scores[:, 1]), [2 / 3, 3 / 4])
    assert Counts.empty(schema).n_rows == 0


def test_a_cell_sums_its_partitions_and_their_differences():
    source = Source("iris", "kmeans", 3, "value", "whole")
    models = (Model("MAP", "map", pseudocount=0.002), Model("EV", "evidence"))
    cell = Cell("learning-curve", source, models, seed=4, first=2, last=5)
    result = run_cell(cell)
    table = prepare(source)
    curves = {
        model.name: np.stack(
            [curve(table, partition(150, random_state=cell.stream(n)), model)[:, 1] for n in range(2, 5)]
        )
        for model in models
    }
    found = result["EV"]["log_score"]
    np.testing.assert_allclose(found["sum"], curves["EV"].sum(axis=0))
    np.testing.assert_allclose(found["lowest"], curves["EV"].min(axis=0))
    np.testing.assert_allclose(found["highest"], curves["EV"].max(axis=0))
    apart = curves["MAP"] - curves["EV"]
    np.testing.assert_allclose(result["MAP - EV"]["log_score"]["squares"], (apart**2).sum(axis=0))
