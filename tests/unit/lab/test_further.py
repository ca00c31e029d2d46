"""Experiments beyond the papers: what is run, and what is made of it."""

from pathlib import Path

import numpy as np
import pytest

from codelength import datasets
from codelength.averages.pool import Pool
from codelength.counts import count
from codelength.estimators import EvidenceAverage
from codelength.evaluation.splits import Split, cross_validation
from codelength.naive_bayes import Predictor
from codelength.plot.drawing import figure_of
from codelength_lab import EXPERIMENTS, PUBLISHED, reproduce
from codelength_lab import pages as reports
from codelength_lab.experiments import bayes_optimal_ibl, indifferent_naive_bayes
from codelength_lab.experiments.evidence_weights import Weighed, models_for
from codelength_lab.experiments.indifferent_trees import INDIFFERENT_NAIVE, MODELS, predictions
from codelength_lab.figures import FIGURES
from codelength_lab.published import published
from codelength_lab.registry import specify
from codelength_lab.tables import prepare

FURTHER = ["indifferent-trees", "evidence-weights", "interval-averages"]

ONE = ["folds=2"]


def test_they_are_run_by_reproduce_all_and_are_no_papers():
    assert set(FURTHER) <= set(EXPERIMENTS)
    assert not set(FURTHER) & set(PUBLISHED)


@pytest.mark.parametrize(
    ("key", "paper"),
    [
        ("indifferent-trees", "indifferent-naive-bayes"),
        ("evidence-weights", "bayes-optimal-ibl"),
        ("interval-averages", "bayes-optimal-ibl"),
    ],
)
def test_tables_are_those_of_the_paper(key, paper):
    printed = published(paper)
    rows = printed["table"][0]["rows"].values()
    every = set(printed["datasets"].values()) if "datasets" in printed else {row["dataset"] for row in rows}
    used = {task.source.name for task in specify(key).tasks}
    if key != "interval-averages":
        assert used == every
    else:
        schemas = {name: prepare(_source(name)).coded.schema for name in every}
        with_numbers = {
            name for name, schema in schemas.items() if any(v.kind == "interval" for v in schema.variables)
        }
        assert used == with_numbers
    tasks = [task for task in specify(key).tasks if hasattr(task, "fraction")]
    # Iris has all shares of a figure of the paper.
    by_figure = {task for task in tasks if (key, task.source.name) == ("interval-averages", "iris")}
    assert {task.fraction for task in tasks if task not in by_figure} == {1.0, 0.1}
    assert {task.fraction for task in by_figure} == (set(bayes_optimal_ibl.SHARES) if by_figure else set())


def _source(name):
    spec = specify("bayes-optimal-ibl")
    return next(task.source for task in spec.tasks if task.source.name == name)


def test_trees_see_the_rows_that_the_paper_sees():
    """The indifferent rule in this experiment is the one in the paper's own: same splits, same cuts."""
    own = next(task for task in specify("indifferent-trees").tasks if task.source.name == "iris")
    papers = specify(indifferent_naive_bayes.KEY).tasks
    other = next(t for t in papers if t.source.name == "iris" and t.fraction == own.fraction)
    assert (own.source, own.group, own.seed) == (other.source, other.group, other.seed)
    prepared = prepare(own.source)
    split = next(iter(cross_validation(prepared.coded.n_rows, 10)))
    made = predictions(prepared, own.models, split)
    coded = prepared.learned_on(split.train)
    rule = Predictor.of(count(coded.take(split.train)), "indifferent")
    expected = rule.log_probs(coded.take(split.test)).log_probs
    np.testing.assert_array_equal(made[INDIFFERENT_NAIVE].log_probs, expected)
    assert list(made) == list(MODELS)
    assert len({one.log_score for one in made.values()}) == len(MODELS)


def test_weights_of_the_experiment_are_those_of_the_estimator(monkeypatch):
    monkeypatch.setattr("codelength_lab.experiments.evidence_weights.COMPONENTS", (2,))
    coded = prepare(_source("iris")).coded
    split = Split(np.arange(0, 150, 2), np.arange(1, 150, 2))
    train, test = coded.take(split.train), coded.take(split.test)
    weighed = Weighed.of(train)
    average = EvidenceAverage(models_for(train))._fit_coded(train)
    np.testing.assert_allclose(
        np.exp(weighed.log_weights), list(average.member_weights_.values()), atol=1e-12
    )
    made = weighed.predictions(test)
    np.testing.assert_allclose(
        made["evidence weights"].log_probs, average._fitted.log_probs(test).log_probs, atol=1e-9
    )
    assert isinstance(weighed.pool, Pool)
    assert weighed.pool.weights.shape == (len(weighed.models),)
    np.testing.assert_allclose(np.exp(made["pool"].log_probs).sum(axis=1), 1.0, atol=1e-12)
    alone = weighed.models["BIBL"].log_joint(test)
    np.testing.assert_array_equal(made["BIBL"].log_probs.argmax(axis=1), alone.argmax(axis=1))


@pytest.mark.parametrize("key", ["indifferent-trees", "interval-averages"])
def test_an_experiment_runs_from_end_to_end_and_is_resumed(key, tmp_path, monkeypatch):
    module = f"codelength_lab.experiments.{key.replace('-', '_')}"
    if key == "indifferent-trees":
        monkeypatch.setattr(f"{module}.QUICK_TABLES", ("iris",))
    else:
        monkeypatch.setattr(f"{module}.folds_by_table", lambda: {"iris": 5, "glass": 7})
    made = reproduce(key, quick=True, settings=ONE, directory=tmp_path, jobs=1)
    models = [row["model"] for row in made.findings.table("overall")]
    assert len(models) >= 3
    for row in made.findings.table("overall"):
        assert 0 < row["log loss 100%"] < np.log(datasets.describe("glass").classes)
    assert all(claim.is_beyond for claim in made.findings.claims)
    assert made.findings.claims[0].text.endswith("on average over tables.")
    assert made.outcome.n_run > 0
    again = reproduce(key, quick=True, settings=ONE, directory=tmp_path, jobs=1)
    assert again.outcome.n_run == 0
    assert again.findings.table("by_table") == made.findings.table("by_table")


def test_weights_of_whole_tables_are_shown(tmp_path, monkeypatch):
    module = "codelength_lab.experiments.evidence_weights"
    monkeypatch.setattr(f"{module}.QUICK_TABLES", ("iris",))
    monkeypatch.setattr(f"{module}.COMPONENTS", (2,))
    made = reproduce("evidence-weights", quick=True, settings=ONE, directory=tmp_path, jobs=1)
    [row] = made.findings.table("weights")
    assert row["models"] == 10
    everything = made.findings.table("all_weights")
    assert sum(model["evidence"] for model in everything) == pytest.approx(1.0)
    assert sum(model["pool"] for model in everything) == pytest.approx(1.0)
    reports.save(made.findings, tmp_path / "results" / "evidence-weights")
    page = reports.parts_of(tmp_path / "results")["evidence-weights"]
    assert "## Weights of models" in page
    assert f"| iris | 10 | {row['heaviest by evidence']} |" in page
    best = min(everything, key=lambda model: model["code length"])
    assert best["model"] == row["heaviest by evidence"]


DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("key", FURTHER)
def test_committed_results_are_of_full_runs_and_their_page_is_up_to_date(key):
    found = reports.read(DOCS / "results" / key)
    assert (found.quick, found.changed) == (False, [])
    page = (DOCS / "results" / "beyond.md").read_text(encoding="utf-8")
    assert page.count(f"<!-- table: {key} -->") == 1
    assert reports.filled(page, reports.parts_of(DOCS / "results")) == page


@pytest.mark.parametrize("key", FURTHER)
def test_the_picture_shows_what_models_gain_over_the_first(key):
    pytest.importorskip("matplotlib")
    found = reports.read(DOCS / "results" / key)
    panels = FIGURES[key](found)["log-loss"]
    rows = found.table("by_table")
    shares = list(dict.fromkeys(row["share"] for row in rows))
    assert len(panels) == len(shares)
    for axes, share in zip(figure_of(panels).axes, shares, strict=True):
        of_share = [row for row in rows if row["share"] == share]
        first, *others = [name for name in rows[0] if name not in ("table", "share")]
        drawn = {
            line.get_label(): line.get_xdata() for line in axes.get_lines() if line.get_marker() != "None"
        }
        assert list(drawn) == others
        for model in others:
            np.testing.assert_allclose(drawn[model], [row[first] - row[model] for row in of_share])
        assert [label.get_text() for label in axes.get_yticklabels()] == [row["table"] for row in of_share]
