"""Sampling and optimising over orderings: which candidates, which choices, and what is made of them."""

from dataclasses import fields

import numpy as np
import pytest

from codelength.mixture.fixed_clustering import FixedClustering
from codelength.prequential import best_first
from codelength.prequential.orderings import linked_orders
from codelength.table import Coded, Schema
from codelength_lab.experiment import Spec
from codelength_lab.experiments.clustering_choice import (
    BEST_FIRST,
    COSTS,
    LIMIT,
    LINKED,
    MOVES,
    RACE,
    Choices,
    OrderingsTask,
    SelectionTask,
    best_of,
    linked,
    own,
    rand,
    searched,
)
from codelength_lab.experiments.orderings import Studies, answers_of, claims_of
from codelength_lab.registry import specify
from codelength_lab.settings import Settings
from codelength_lab.tables import Source

IRIS = Source("iris", "kmeans", 5, "value", "train")
TASK = OrderingsTask(IRIS, 0, True, 5, (1, 2, 5, 30, 100), 0, n_plain=200, n_linked=112)


@pytest.fixture(scope="module")
def result():
    return TASK.run()


def test_candidates_are_those_of_the_paper(result):
    """Criteria that do not draw orderings choose as in the paper's own experiment."""
    paper = SelectionTask(IRIS, 0, True, 5, (1,), 0)
    assert paper.key == TASK.key
    chosen = paper.run()
    for name in ("MARGINAL", "L-O-O", BEST_FIRST):
        assert result["scores"][name] == pytest.approx(chosen[name], abs=1e-12)
    names = [field.name for field in fields(SelectionTask) if field.name != "n_orderings"]
    ours = {t.key: [getattr(t, name) for name in names] for t in specify("orderings").tasks}
    theirs = [t for t in specify("prequential-selection").tasks if t.with_class]
    for task in theirs:
        assert ours[task.key] == [getattr(task, name) for name in names]
    assert len(ours) > len(theirs)


def test_all_criteria_are_there_and_have_their_price(result):
    expected = {"MARGINAL", "L-O-O", LIMIT, BEST_FIRST, RACE, *map(searched, MOVES)}
    expected |= {name(n) for n in TASK.n_orderings for name in (rand, own, best_of)}
    expected |= {linked(scheme, n) for scheme, sizes in LINKED.items() for n in sizes}
    assert set(result["scores"]) == expected
    free = {"MARGINAL", "L-O-O", LIMIT, RACE}
    assert expected - free <= set(COSTS)
    assert COSTS[rand(30)] == COSTS[best_of(30)] == COSTS[linked("antithetic", 30)] == 30


def test_the_same_figures_come_out_again(result):
    assert TASK.run() == result


def test_one_ordering_is_its_own_mean_and_its_own_least(result):
    scores = result["scores"]
    assert scores[rand(1)] == scores[best_of(1)]
    # A study of the paper's size sees the groups of the largest sample.
    assert np.mean(result["nested"], axis=0)[-1] == pytest.approx(scores[rand(100)][0])
    assert np.shape(result["nested"]) == (2, 5)
    assert 0 < result["race"] <= 112


@pytest.fixture(scope="module")
def choices():
    """Three clusterings of few rows, with test scores that tell which of them was chosen."""
    rng = np.random.default_rng(0)
    rows = Coded.of(Schema.from_sizes([2, 3, 2]), rng.integers(0, (2, 3, 2), (12, 3)))
    clusterings = [FixedClustering.of(rows, rng.integers(0, 2, 12), n_components=2) for _ in range(3)]
    task = OrderingsTask(IRIS, 0, True, 3, (1, 2, 5), 0, n_plain=10, n_linked=16)
    return Choices(task, clusterings, np.eye(3), 7), clusterings


def test_choices_are_means_over_disjoint_groups_of_orderings(choices):
    made, clusterings = choices
    seed = int(np.random.default_rng([7, 1]).integers(2**31))
    seeds = np.random.default_rng(seed).integers(0, 2**63 - 1, 10)
    orders = [next(linked_orders(12, int(each), "plain")) for each in seeds]
    lengths = np.array(
        [[clustering.sequence().code_length(order) for order in orders] for clustering in clusterings]
    )
    found = made.result()["scores"]
    for n in (1, 2, 5):
        groups = [lengths[:, start : start + n] for start in range(0, 10, n)]
        by_mean = [group.mean(axis=1).argmin() for group in groups]
        by_least = [group.min(axis=1).argmin() for group in groups]
        np.testing.assert_allclose(found[rand(n)], np.bincount(by_mean, minlength=3) / len(groups))
        np.testing.assert_allclose(found[best_of(n)], np.bincount(by_least, minlength=3) / len(groups))
    greedy = [model.code_length(best_first(model)) for model in made.models]
    np.testing.assert_array_equal(found[BEST_FIRST], np.eye(3)[int(np.argmin(greedy))])


def _studies(log_scores, nested, n_splits=4):
    """Made-up results: a log score per criterion, the same on two tables but for a little noise."""
    sources = [Source(name, "kmeans", 5, "value", "train") for name in ("iris", "zoo")]
    tasks = tuple(
        OrderingsTask(source, split, True, 5, (1, 30, 100, 400), 0, n_plain=400)
        for source in sources
        for split in range(n_splits)
    )
    noise = np.random.default_rng(1)
    names = ["MARGINAL", "L-O-O", LIMIT, RACE, BEST_FIRST, *map(searched, MOVES), rand(10)]
    names += [name(n) for n in tasks[0].n_orderings for name in (rand, own, best_of)]
    names += [linked(scheme, n) for scheme, sizes in LINKED.items() for n in sizes]
    results = {}
    for task in tasks:
        scores = {
            name: [log_scores.get(name, -1.0) + noise.normal(0, 1e-4) * (name != "MARGINAL"), 0.5, 3.0]
            for name in names
        }
        results[task.key] = {
            "scores": scores,
            "race": 20.0,
            "nested": nested,
            "efficiency": {"antithetic": 2.0},
        }
    return Studies(Spec("orderings", False, Settings(), tasks), results)


def test_leads_are_relative_to_the_marginal_likelihood():
    found = _studies({"MARGINAL": -2.0, rand(30): -1.0, rand(100): -1.5}, [[-1.0, -1.0, -1.5]])
    lead = found.lead(rand(30), rand(100))
    assert lead.value == pytest.approx(25.0, abs=0.1)
    assert 0 < lead.standard_error < 0.01
    assert found.gains.mean(model=rand(30), score="log").value == pytest.approx(50.0, abs=0.1)
    assert found.efficiency("antithetic") == pytest.approx(2.0)
    np.testing.assert_allclose(found.drawn, np.tile([50.0, 50.0, 25.0], (10_000, 1)), atol=1e-9)


@pytest.mark.parametrize(
    ("scores", "nested", "verdicts"),
    [
        ({rand(30): -0.8, rand(100): -0.9, LIMIT: -0.9}, [[-1.0, -0.8, -0.9]], ("held", "not held")),
        ({rand(30): -0.9, rand(100): -0.8, LIMIT: -0.8}, [[-1.0, -0.9, -0.8]], ("not held", "not held")),
        ({}, [[-1.0, -0.8, -0.9], [-1.0, -0.9, -0.8]], ("unsettled", "held")),
    ],
)
def test_a_fall_is_told_from_an_accident(scores, nested, verdicts):
    found = _studies({"MARGINAL": -1.5, **scores}, nested)
    made, answers = claims_of(found), answers_of(found)
    real = next(claim for claim in made if "the fall is real" in claim.text)
    accident = next(claim for claim in made if "accident" in claim.text)
    assert (real.verdict, accident.verdict) == verdicts
    told = {"held": "yes", "not held": "no, the other way round", "unsettled": "it cannot be told from noise"}
    assert answers[0]["answer"] == told[verdicts[0]]
    share = found.falls
    assert answers[1]["answer"] == f"in {share:.0%} of studies drawn from ours; in 50% if there were no fall"
    # Two samples that differ by as much either way: a coin, tossed for each split.
    assert 0.4 < share < 0.6 if len(nested) > 1 else share == (verdicts[0] == "held")


def test_optimising_is_judged_at_equal_time():
    made = claims_of(_studies({rand(100): -0.5, rand(400): -0.5, searched(400): -0.4}, [[-1.0] * 3]))
    [verdict] = [claim.verdict for claim in made if "local search for the best" in claim.text]
    assert verdict == "not held"
    assert _studies({}, [[-1.0, -0.8, -0.8]]).falls == 0.0
