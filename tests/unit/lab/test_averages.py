"""ModelAverage beside other classifiers: what is run, and what is made of it."""

import re
from itertools import combinations

import numpy as np
import pytest

from codelength import datasets
from codelength.evaluation import OPPONENTS
from codelength.plot.drawing import figure_of, save_figure
from codelength.render.terminal import lines
from codelength_lab import EXPERIMENTS, reproduce
from codelength_lab import pages as reports
from codelength_lab.experiment import Spec
from codelength_lab.experiments.averages import EXPERIMENT, SHARES, Cell, Comparison, losses
from codelength_lab.experiments.model_comparison import (
    SCORES,
    TABLES,
    TWINS,
    ComparisonTask,
    learned,
    small,
    split_of,
    title_of,
)
from codelength_lab.figures import FIGURES
from codelength_lab.registry import find, specify
from codelength_lab.significance import Ranking, holm


def made_up(kinds, losses_of, n_tables=6, n_repetitions=3):
    """A specification and results: log losses by kind, table, share and repetition."""
    tasks, results = [], {}
    for number, table in enumerate(TABLES[:n_tables]):
        for share in SHARES:
            for kind in kinds:
                task = ComparisonTask(kind, table, share, 0, n_repetitions)
                values = [losses_of(kind, number, share, r) for r in range(n_repetitions)]
                results[task.key] = {
                    score: values if score == "log_loss" else [0.5] * n_repetitions for score in SCORES
                }
                tasks.append(task)
    return Spec("averages", False, EXPERIMENT.defaults, tuple(tasks)), results


KINDS = ["model-average", "random-forest", "logistic-regression", "naive-bayes", "kernel", "class-prior"]


def ahead(kind, table, share, repetition):
    """The average is ahead of all others by a tenth of a nat or so, but on one table."""
    base = {"model-average": 0.4, "random-forest": 0.5, "logistic-regression": 0.55}.get(kind, 0.8)
    if (kind, table, share) == ("random-forest", 2, 0.25):
        base = 0.3
    return base + 0.01 * repetition + 0.003 * table


def test_every_bundled_table_counts_once():
    assert set(TABLES) | set(TWINS) == set(datasets.names())
    assert set(TWINS.values()) <= set(TABLES)
    assert not set(TWINS) & set(TABLES)


@pytest.mark.parametrize("name", ["iris", "letter"])
def test_splits_are_nested_and_apart(name):
    n_rows = small(name).n_rows
    assert n_rows <= 1500
    before = np.array([], dtype=int)
    for share in SHARES:
        train, test = split_of(name, share, 3, seed=1)
        assert len(train) == round(share * n_rows)
        assert len(test) == min(n_rows - len(train), 1000)
        assert not set(train) & set(test)
        np.testing.assert_array_equal(train[: len(before)], before)
        before = train
    assert split_of(name, 0.1, 3, seed=2).train.tolist() != split_of(name, 0.1, 3, seed=1).train.tolist()
    assert split_of(name, 0.1, 4, seed=1).train.tolist() != split_of(name, 0.1, 3, seed=1).train.tolist()


def test_a_task_scores_what_a_model_predicts():
    result = ComparisonTask("class-prior", "lenses", 0.66, 0, 2, seed=5).run()
    assert set(result) == set(SCORES)
    table = small("lenses")
    for repetition in range(2):
        train, test = split_of("lenses", 0.66, repetition, seed=5)
        counts = np.bincount(table.target.positions[train], minlength=3)
        prior = (counts + 0.5) / (len(train) + 1.5)
        labels = table.target.positions[test]
        assert result["log_loss"][repetition] == pytest.approx(-np.log(prior[labels]).mean())
        assert result["accuracy"][repetition] == pytest.approx((labels == counts.argmax()).mean())


@pytest.mark.parametrize("kind", ["model-average", "naive-bayes", "logistic-regression", "class-prior"])
def test_models_predict_all_classes_that_the_table_declares(kind):
    table = small("zoo")
    rows = np.flatnonzero(np.isin(table.target.positions, [0, 1]))
    log_probs = learned(kind, table.take(rows[:20]), seed=0)(table.take(np.arange(5)))
    assert log_probs.shape == (5, 7)
    np.testing.assert_allclose(np.exp(log_probs).sum(axis=1), 1)
    assert np.isfinite(log_probs).all()


def test_holm_multiplies_by_what_is_left():
    p = np.array([0.02, 0.001, 0.04, 0.5])
    expected = np.empty(4)
    largest = 0.0
    for step, i in enumerate(np.argsort(p)):
        largest = max(largest, min((4 - step) * p[i], 1))
        expected[i] = largest
    np.testing.assert_allclose(holm(p), expected)


def test_models_that_share_a_letter_do_not_differ():
    rng = np.random.default_rng(0)
    centres = np.array([0.0, 0.05, 0.3, 0.32, 0.9])
    ranking = Ranking.of(centres + 0.1 * rng.standard_normal((20, 2, 5)))
    assert ranking.friedman < 1e-6
    assert ranking.differ.any()
    assert not ranking.differ.all()
    for i, j in combinations(range(5), 2):
        if set(ranking.letters[i]) & set(ranking.letters[j]):
            assert not ranking.differ[i, j]
    assert all(ranking.letters)
    np.testing.assert_allclose(ranking.mean_ranks.sum(), 15)


def test_equal_losses_share_ranks_and_nothing_differs():
    ranking = Ranking.of(np.ones((4, 3, 3)))
    np.testing.assert_array_equal(ranking.ranks, np.full((4, 3), 2.0))
    assert ranking.letters == ["a", "a", "a"]


def test_gains_wins_and_losses_are_those_of_the_figures():
    comparison = Comparison(*made_up(KINDS, ahead))
    np.testing.assert_allclose(comparison.gains("random-forest"), [0.1, 0.1, 0.1 / 3, 0.1, 0.1, 0.1])
    np.testing.assert_allclose(comparison.gains("random-forest", shares=[0.25])[2], -0.1)
    assert [comparison.n_wins(kind) for kind in comparison.field] == [17, 1, 0]
    (row,) = losses(comparison)
    assert (row["table"], row["share"]) == (TABLES[2], "25%")
    assert row["ahead"] == "random forest -0.100 ± 0.000"
    assert comparison.members == ["kernel"]
    assert comparison.best_opponent(Cell(TABLES[2], 0.25)) == "random-forest"
    assert comparison.gain(Cell(TABLES[0], 0.1), "class-prior").value == pytest.approx(0.4)


def test_claims_hold_where_the_average_is_ahead_and_fail_where_it_is_not():
    spec, results = made_up(KINDS, ahead)
    verdicts = {claim.text: claim.verdict for claim in find(spec, results).claims}
    assert verdicts["Its mean rank by log loss is at most 2 of 3."] == "held"
    assert verdicts["It is ahead of random forest by at least 0.04 nats, on average over tables."] == "held"
    never = next(text for text in verdicts if "turns out best there" in text)
    assert verdicts[never] == "not held"
    worse, results = made_up(KINDS, lambda kind, *place: -ahead(kind, *place))
    verdicts = {claim.text: claim.verdict for claim in find(worse, results).claims}
    assert verdicts["Its mean rank by log loss is at most 2 of 3."] == "not held"
    prior = next(text for text in verdicts if "worse than the class prior" in text)
    assert verdicts[prior] == "not held"


def test_the_cell_that_leaves_a_claim_open_is_named():
    """A gain with a large standard error can be less sure than the smallest gain."""

    def noisy(kind, table, share, repetition):
        if kind != "class-prior":
            return 0.5
        return 0.5 + {0: 0.01, 1: 0.1 + 2 * (repetition - 1)}.get(table, 0.1)

    (claim,) = (
        claim for claim in find(*made_up(KINDS, noisy)).claims if "worse than the class prior" in claim.text
    )
    assert claim.verdict == "unsettled"
    sure, least = claim.figures.split("; ")
    assert sure.startswith("least sure gain ")
    assert TABLES[1] in sure
    assert TABLES[0] in least


def test_absent_opponents_are_named():
    notes = find(*made_up(KINDS, ahead)).notes
    absent = next(note for note in notes if note.startswith("Absent"))
    names = [title_of(kind) for kind in OPPONENTS if kind not in KINDS]
    assert absent == f'Absent: {", ".join(names)} (pip install "codelength[bench]" brings them).'


def test_findings_are_read_back_and_drawn_and_shown(tmp_path):
    pytest.importorskip("matplotlib")
    findings = find(*made_up(KINDS, ahead))
    reports.save(findings, tmp_path)
    again = reports.read(tmp_path)
    assert reports.blocks_of(again)[2:] == reports.blocks_of(findings)[2:]
    assert {path.stem for path in tmp_path.glob("*.svg")} == set(FIGURES["averages"](again))
    page = [text.plain for text in lines(reports.blocks_of(findings), 80)]
    assert max(map(len, page)) <= 80
    text = "\n".join(page)
    assert "1 of 18 cells, on 1 of 6 tables" in text
    assert re.search(rf"{TABLES[2]} .*\(-0\.100 RF\)", text)
    # Table 1 stands before the claims, ranks behind them.
    assert text.index("Table 1") < text.index("Claims in words") < text.index("Mean ranks")
    for name, panels in FIGURES["averages"](findings).items():
        assert (
            save_figure(figure_of(panels), tmp_path / "again.svg").read_bytes()
            == (tmp_path / f"{name}.svg").read_bytes()
        )


def test_a_quick_run_has_few_tables_and_scikit_learn_alone():
    spec = specify("averages", quick=True)
    kinds = {task.model for task in spec.tasks}
    assert {"model-average", "naive-bayes", "class-prior", "random-forest"} <= kinds
    assert not kinds & {"catboost", "lightgbm"}
    assert {task.last for task in spec.tasks} == {1}
    sizes = sorted((datasets.describe(name).rows, name) for name in TABLES)
    assert {task.table for task in spec.tasks} == set([name for n_rows, name in sizes if n_rows >= 100][:4])
    full = specify("averages", settings=["repeats=2", "seed=3"])
    assert {task.table for task in full.tasks} == set(TABLES)
    assert {(task.last, task.seed) for task in full.tasks} == {(2, 3)}
    assert len({task.key for task in full.tasks}) == len(full.tasks)


def test_the_comparison_runs_from_end_to_end(tmp_path, monkeypatch):
    monkeypatch.setattr("codelength_lab.experiments.averages.QUICK_TABLES", ("lenses", "iris"))
    monkeypatch.setattr("codelength_lab.experiments.averages.QUICK_SHARES", (0.25,))
    monkeypatch.setattr("codelength.evaluation.opponents.random_forest.TREES", 20)
    made = reproduce("averages", quick=True, directory=tmp_path, jobs=1)
    assert made.outcome.n_run == len(made.outcome.results) > 10
    overall = {row["model"]: row for row in made.findings.table("overall")}
    assert overall["ModelAverage"]["mean"] < overall["class prior"]["mean"]
    assert made.findings.title.startswith("ModelAverage")
    assert "no paper" in made.findings.citation
    assert EXPERIMENTS["averages"] is EXPERIMENT
