"""The 2001 paper on prequential criteria: its tasks by the definitions, its gains, its claims."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import naive
from codelength.mixture.fixed_clustering import FixedClustering
from codelength.table import Coded, Schema
from codelength_lab import pages as reports
from codelength_lab.experiment import Spec
from codelength_lab.experiments.clustering_choice import (
    GREEDY,
    MAX_CLUSTERS,
    MIN_CLUSTERS,
    N_ORDERINGS,
    best_of,
    criteria,
    rand,
)
from codelength_lab.experiments.prequential_selection import (
    EXPERIMENT,
    PRINTED_SPLITS,
    SPLITS,
    SUPERVISED,
    SelectionTask,
    claims,
    gains_of,
)
from codelength_lab.published import published
from codelength_lab.registry import find
from codelength_lab.run import run
from codelength_lab.tables import Source

DOCS = Path(__file__).parents[2] / "docs"
IRIS = Source("iris", "kmeans", 3, "value", "train")


def small_task(**changes):
    options = {
        "source": IRIS,
        "split": 0,
        "with_class": True,
        "n_candidates": 3,
        "n_orderings": (1, 4),
        "seed": 0,
    }
    return SelectionTask(**(options | changes))


def test_the_paper_asks_for_14_tables_at_least_15_splits_and_40_clusterings_of_3_to_20_clusters():
    tasks = EXPERIMENT.tasks(False, EXPERIMENT.defaults)
    assert SPLITS >= PRINTED_SPLITS == 15
    assert len(tasks) == len({task.key for task in tasks}) == 2 * 14 * SPLITS
    assert len({task.source.name for task in tasks}) == 14
    assert {task.n_candidates for task in tasks} == {40}
    assert (MIN_CLUSTERS, MAX_CLUSTERS) == (3, 20)
    assert EXPERIMENT.defaults.learned == "train"


def test_every_criterion_is_the_one_defined():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (7, 3)).astype(np.uint8)
    labels = rng.integers(0, 2, 7)
    coded = Coded.of(Schema.from_sizes([2, 2, 2]), codes)
    fixed = FixedClustering.of(coded, labels, n_components=2)
    found = criteria(fixed, (1, 6), 0)
    rows, prior = codes.tolist(), naive.uniform_prior([2, 2, 2], 2)
    counts = naive.clustering_counts(rows, labels.tolist(), prior)
    expected = {
        "MARGINAL": -naive.log_evidence_given_labels(counts, prior),
        "MARGINAL(D,Z)": -naive.log_evidence(counts, prior),
        "L-O-O": naive.code_length(naive.leave_one_out_probs(rows, labels.tolist(), 2, prior)),
    }
    for name in GREEDY:
        order = getattr(naive, f"{name.lower().replace('-', '_')}_order")(rows, labels.tolist(), 2, prior)
        expected[name] = naive.code_length(naive.prequential_probs(rows, labels.tolist(), order, 2, prior))
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-12)
    assert found[rand(1)] == found[best_of(1)]
    assert found[best_of(6)] <= min(found[rand(6)], found[best_of(1)])


def test_a_task_depends_on_itself_alone_and_tells_the_scores_of_each_choice():
    first, again = small_task().run(), small_task().run()
    assert first == again
    assert first != small_task(split=1).run()
    assert list(first)[-2:] == ["ANY", "BEST"]
    for name, (log_score, accuracy, clusters) in first.items():
        assert log_score < 0
        assert 0 <= accuracy <= 1
        assert MIN_CLUSTERS <= clusters <= MAX_CLUSTERS
        assert log_score <= first["BEST"][0], name
        assert accuracy <= first["BEST"][1], name


def test_both_ways_of_clustering_use_the_same_split(monkeypatch):
    from codelength_lab.experiments import clustering_choice as module

    seen = []

    def partition(n_rows, share, *, random_state):
        seen.append(random_state)
        return original(n_rows, share, random_state=random_state)

    original = module.partition
    monkeypatch.setattr(module, "partition", partition)
    with_class, without = small_task().run(), small_task(with_class=False).run()
    assert seen[0] == seen[1]
    assert with_class != without


def made_up(scores):
    """Gains of made-up test scores: two tables, two splits."""
    tasks = [
        small_task(source=Source(name, "kmeans", 3, "value", "train"), split=split)
        for name in ("iris", "zoo")
        for split in (0, 1)
    ]
    results = {task.key: {name: values[i] for name, values in scores.items()} for i, task in enumerate(tasks)}
    return gains_of(Spec("prequential-selection", False, EXPERIMENT.defaults, tuple(tasks)), results)


def test_gains_are_relative_to_the_marginal_likelihood_and_averaged_over_tables():
    gains = made_up(
        {
            "MARGINAL": [[-1.0, 0.5, 3], [-3.0, 0.7, 3], [-0.5, 1.0, 3], [-0.5, 1.0, 3]],
            "L-O-O": [[-1.0, 0.6, 5], [-2.0, 0.8, 5], [-1.0, 0.9, 4], [-0.5, 1.0, 4]],
        }
    )
    np.testing.assert_allclose(gains.units(model="L-O-O", score="log"), [25, -50])
    # Nothing can be gained on errors where there are none.
    np.testing.assert_allclose(gains.units(model="L-O-O", score="error"), [25, 0])
    np.testing.assert_allclose(gains.units(model="L-O-O", score="accuracy"), [100 / 6, -5])
    assert gains.mean(model="L-O-O", score="log") == pytest.approx((-12.5, 37.5))
    assert gains.mean(model="MARGINAL", score="log") == (0, 0)
    assert gains.lead("L-O-O", "MARGINAL", score="log") == gains.mean(model="L-O-O", score="log")
    np.testing.assert_allclose(gains.units(model="L-O-O", score="mean number of clusters"), [5, 4])


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    tasks = [
        replace(task, n_candidates=2)
        for task in EXPERIMENT.tasks(True, EXPERIMENT.defaults)
        if task.source.name in ("iris", "zoo") and task.split == 0
    ]
    spec = Spec("prequential-selection", True, EXPERIMENT.defaults, tuple(tasks))
    results = run(spec, tmp_path_factory.mktemp("run"), jobs=1).results
    return find(spec, results)


def test_every_claim_is_decided_and_shows_both_ways_of_clustering(found):
    assert len(found.claims) == 17
    assert all("clustered without the class" in claim.figures for claim in found.claims)
    assert len({claim.text for claim in found.claims}) == 17


def test_tables_hold_every_criterion_and_table(found):
    averages, without, by_table = found.tables
    criteria_named = [row["criterion"] for row in averages.rows]
    assert criteria_named == [row["criterion"] for row in without.rows]
    assert {rand(n) for n in N_ORDERINGS} | {best_of(n) for n in N_ORDERINGS} <= set(criteria_named)
    assert len(by_table.rows) == 2 * 2 * len(criteria_named)


def test_that_nothing_is_printed_to_compare_is_said(found):
    assert published("prequential-selection")["table"] == []
    assert found.comparisons == []
    assert "pictures without numbers" in found.notes[0]


def test_the_committed_run_is_a_full_one_under_the_usual_settings():
    findings = reports.read(DOCS / "results" / "prequential-selection")
    assert not findings.quick
    assert not findings.changed
    gains = {row["criterion"]: row for row in findings.table("gains-with-class")}
    # What the paper is about: predicting the class in sequence chooses better than the evidence.
    assert all(gains[rand(n)]["log gain, %"] > 0 for n in N_ORDERINGS)
    assert gains["MARGINAL"]["log gain, %"] == 0
    assert all(row["log gain, %"] <= gains["BEST"]["log gain, %"] for row in gains.values())


def gains_from(one, other):
    """Gains over the marginal likelihood in which all criteria are alike, on two tables of two splits."""
    base = {"MARGINAL": [[-1.0, 0.5, 3]] * 4}
    criteria_named = {*SUPERVISED, "BEST-LAST", "WORST-FIRST"}
    return made_up(base | {name: [one, one, other, other] for name in criteria_named})


def verdict_on(gains, text):
    return next(claim.verdict for claim in claims(gains, gains) if claim.text.startswith(text))


def test_claims_are_decided_by_leads_of_two_standard_errors_over_tables():
    better = gains_from([-0.90, 0.60, 3], [-0.89, 0.61, 3])
    mixed = gains_from([-0.90, 0.60, 3], [-1.05, 0.45, 3])
    worse = gains_from([-1.10, 0.40, 3], [-1.11, 0.41, 3])
    for loss in ("log loss", "0/1 loss"):
        text = f"Every criterion of Table 1 gains over the marginal likelihood on average, in the {loss}"
        found = [verdict_on(gains, text) for gains in (better, mixed, worse)]
        assert found == ["held", "unsettled", "not held"]
    assert verdict_on(better, "Optimising over orderings") == "held"
    # All criteria are alike, so that no lead is above zero, and there is no noise.
    assert verdict_on(better, "Worst-last gains more") == "not held"


def test_claims_on_the_0_1_loss_need_the_error_and_the_accuracy():
    # A third of the errors, but only a thirtieth of the accuracy.
    base = {"MARGINAL": [[-1.0, 0.1, 3]] * 2 + [[-1.0, 0.9, 3]] * 2}
    scores = [[-1.0, 0.1, 3]] * 2 + [[-1.0, 0.97, 3]] * 2
    gains = made_up(base | dict.fromkeys({*SUPERVISED, "BEST-LAST", "WORST-FIRST"}, scores))
    assert (
        gains.units(model="L-O-O", score="error").max()
        > 50
        > gains.units(model="L-O-O", score="accuracy").max()
    )
    assert verdict_on(gains, "In many cases, say one pair in ten, the gain is over 50 %") == "unsettled"
