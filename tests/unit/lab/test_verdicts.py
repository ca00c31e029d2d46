"""One rule decides claims, in every paper."""

import itertools
import math

import numpy as np
import pytest

from codelength_lab.claims import Claim, agreed, all_of, any_of, by_lead, by_sample, most_of
from codelength_lab.experiments.predictive_inference import TABLES, WINDOW, curve_claims
from codelength_lab.findings import Curve, Findings
from codelength_lab.registry import find, specify
from codelength_lab.run import run


@pytest.mark.parametrize(
    ("lead", "error", "verdict"),
    [
        (0.002, 0.009, "unsettled"),
        (0.2, 0.1, "held"),
        (-0.2, 0.1, "not held"),
        (0.199, 0.1, "unsettled"),
        (1e-12, 0.0, "held"),
        (0.0, 0.0, "not held"),
        (0.0, 0.1, "unsettled"),
        (1.0, math.nan, "unsettled"),
        (math.nan, 0.1, "unsettled"),
        (math.inf, math.nan, "held"),
        (-math.inf, math.nan, "not held"),
    ],
)
def test_a_lead_of_two_standard_errors_settles_a_claim(lead, error, verdict):
    assert by_lead(lead, error) == verdict


def test_a_sample_is_decided_by_its_mean_and_standard_error():
    sample = np.array([0.1, 0.3, 0.2, 0.4])
    assert by_sample(sample) == by_lead(sample.mean(), sample.std(ddof=1) / 2) == "held"
    assert by_sample(-sample) == "not held"
    assert by_sample(sample - 0.2) == "unsettled"
    assert by_sample([0.3]) == by_sample([]) == "unsettled"
    assert by_sample([math.inf, 1.0]) == "held"


@pytest.mark.parametrize(
    ("verdicts", "of_all", "of_any", "of_most"),
    [
        ("hh", "held", "held", "held"),
        ("hu", "unsettled", "held", "unsettled"),
        ("uf", "not held", "unsettled", "not held"),
        ("hhf", "not held", "held", "held"),
        ("hfu", "not held", "held", "unsettled"),
        ("ff", "not held", "not held", "not held"),
    ],
)
def test_verdicts_are_joined(verdicts, of_all, of_any, of_most):
    given = [{"h": "held", "f": "not held", "u": "unsettled"}[letter] for letter in verdicts]
    assert (all_of(given), any_of(given), most_of(given)) == (of_all, of_any, of_most)
    assert agreed(given[0], given[1]) == (given[0] if given[0] == given[1] else "unsettled")


def test_claims_of_the_paper_and_beyond_it_are_counted_apart():
    claims = [
        Claim("here", "One.", "held", ""),
        Claim("here", "Two.", "unsettled", ""),
        Claim("there", "Three.", "not held", "", is_beyond=True),
    ]
    findings = Findings("made up", "", "", False, {}, [], claims=claims)
    assert findings.verdicts() == {"held": 1, "not held": 0, "unsettled": 1}
    assert findings.verdicts(is_beyond=True) == {"held": 0, "not held": 1, "unsettled": 0}


def curves_of(jump_at, *, table="glass", n_rows=150):
    """Curves of all models on a table, of which the worst cases jump or climb."""
    rows = np.arange(1, n_rows + 1)
    made = []
    for score, model in itertools.product(("log_score", "accuracy"), ("EV", "SC")):
        at = jump_at[model]
        worst = -3 + rows / n_rows if at is None else np.where(rows > at, -1.0, -3.0)
        made.append(Curve(table, model, score, 100, worst + 1, np.full(n_rows, 0.1), worst, worst + 2))
    pairs = itertools.product(("MAP - EV", "EV - SC"), ("log_score", "accuracy"))
    return [*made, *(Curve(table, name, score, 100, *[rows * 0.0] * 4) for name, score in pairs)]


@pytest.mark.parametrize(
    ("jump_at", "verdicts"),
    [
        ({"EV": 22, "SC": 82}, ["held", "held"]),
        ({"EV": None, "SC": None}, ["not held", "not held"]),  # they cross the middle, but do not jump
        ({"EV": 120, "SC": 20}, ["not held", "not held"]),  # they jump elsewhere
    ],
)
def test_a_sudden_rise_is_a_jump_and_not_a_crossing(jump_at, verdicts):
    series = [curves_of({m: at and at + n for m, at in jump_at.items()}) for n in range(5)]
    found = [claim for claim in curve_claims(series) if "Figure 3" in claim.where]
    assert [claim.verdict for claim in found] == verdicts
    assert all(f"within {WINDOW} rows" in claim.figures for claim in found)


def test_a_jump_in_some_series_only_is_unsettled():
    sudden, slow = {"EV": 22, "SC": 82}, {"EV": None, "SC": None}
    series = [curves_of(kind) for kind in (sudden, slow, slow, sudden, slow)]
    found = [claim for claim in curve_claims(series) if "Figure 3" in claim.where]
    assert [claim.verdict for claim in found] == ["unsettled", "unsettled"]


@pytest.mark.parametrize(
    ("jump_at", "verdicts"),
    [
        ({"EV": 22, "SC": 82}, ["held", "held"]),
        ({"EV": None, "SC": 82}, ["not held", "held"]),  # one climbs, from the first row on
        ({"EV": 82, "SC": 22}, ["held", "not held"]),  # they jump in another order
    ],
)
def test_graphs_like_figure_3_are_alike_where_both_jump_in_the_same_order(jump_at, verdicts):
    alike = {"EV": 22, "SC": 82}
    series = []
    for n in range(5):
        by_table = {"glass": alike, "iris": alike, "zoo": jump_at}
        moved = {name: {m: at and at + n for m, at in where.items()} for name, where in by_table.items()}
        series.append([curve for name, where in moved.items() for curve in curves_of(where, table=name)])
    found = [claim for claim in curve_claims(series) if "look very similar" in claim.text]
    assert [claim.verdict for claim in found] == [*verdicts, *verdicts]
    others, hits = (claim.figures for claim in found[1:3])
    assert "glass" not in others
    assert all(name in hits for name in ("glass", "iris", "zoo"))


@pytest.fixture(scope="module")
def predictive_inference(tmp_path_factory):
    spec = specify("predictive-inference", quick=True, settings=["repeats=3"])
    return spec, find(spec, run(spec, tmp_path_factory.mktemp("run"), jobs=1).results)


def test_that_map_is_never_best_is_unsettled(predictive_inference):
    _, found = predictive_inference
    claim = next(claim for claim in found.claims if claim.text.startswith("MAP is never best"))
    assert claim.verdict == "unsettled"
    assert "australian -0.002 ± 0.009" in claim.figures


def test_further_series_of_partitions_are_for_extremes_alone(predictive_inference):
    spec, found = predictive_inference
    further = [task for task in spec.tasks if task.series]
    assert {(task.protocol, task.source.name) for task in further} == {
        ("learning-curve", name) for name in TABLES
    }
    assert {model.name for task in further for model in task.models} == {"EV", "SC"}
    assert {curve.n_partitions for curve in found.curves} == {3}
    first = next(task for task in spec.tasks if task.key == "glass/learning-curve/0-2")
    again = next(task for task in further if task.source.name == "glass")
    assert first.stream(0) != again.stream(0)


def test_columns_kept_as_categories_are_named(predictive_inference):
    _, found = predictive_inference
    assert any("number_of_major_vessels of heart-statlog" in note for note in found.notes)
