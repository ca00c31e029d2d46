"""The three rules with hidden classes: whose rows, which predictions, and what is made of the scores."""

import numpy as np
import pytest

import naive
import naive_hidden
from codelength.counts import count
from codelength.evaluation.splits import partition
from codelength.naive_bayes import Predictor, Prior
from codelength.table import Coded, Schema
from codelength_lab import pages as reports
from codelength_lab import reproduce
from codelength_lab.experiment import Spec
from codelength_lab.experiments.hidden_classes import (
    CHAINS,
    IF_OBSERVED,
    MODELS,
    ONE_OPTIMUM,
    RULES,
    HiddenTask,
    hidden,
)
from codelength_lab.experiments.predictive_inference_mixtures import (
    SMALL,
    claims_of,
    conclusions_of,
    leads_of,
    ranking,
    results_of,
    sizes_of,
)
from codelength_lab.registry import specify
from codelength_lab.settings import Settings
from codelength_lab.tables import Source, prepare

KEY = "predictive-inference-mixtures"
SMOOTHED = Prior(1.002, 1.002)


def _first(key, table, protocol):
    return next(t for t in specify(key).tasks if (t.source.name, t.protocol) == (table, protocol))


def test_tables_and_partitions_are_those_of_the_paper():
    assert {task.source for task in specify(KEY).tasks} == {
        task.source for task in specify("predictive-inference").tasks
    }
    task = _first(KEY, "glass", "learning-curve")
    [(_, _, split)] = task._units()
    stream = _first("predictive-inference", "glass", "learning-curve").stream(0)
    expected = partition(214, random_state=stream)
    np.testing.assert_array_equal(split.train, expected.train)
    np.testing.assert_array_equal(split.test, expected.test)
    assert task.sizes == (1, 2, 5, 10, 20, 40, 80, 150)


def test_every_row_is_left_out_once():
    tasks = [t for t in specify(KEY).tasks if t.group == "hepatitis/leave-one-out/10 components"]
    units = [unit for task in tasks for unit in task._units()]
    assert [number for number, _, _ in units] == list(range(155))
    assert sorted(int(split.test[0]) for _, _, split in units) == list(range(155))
    for _, _, split in units[::50]:
        assert sorted([*split.train.tolist(), *split.test.tolist()]) == list(range(155))


ROWS = [[0, 0, 0], [0, 1, 0], [1, 1, 1], [1, 0, 1], [0, 0, 1]]
NEW = [[0, 0, 0], [1, 1, 0], [0, 1, 1]]


def _coded(rows):
    codes = np.array(rows)
    return Coded.of(Schema.from_sizes([2, 2], n_classes=2), codes[:, :-1], codes[:, -1])


@pytest.fixture(scope="module")
def predicted():
    return hidden(_coded(ROWS), _coded(NEW), 2, SMOOTHED, 3)


def test_evidence_of_few_rows_is_the_sum_over_all_clusterings(predicted):
    prior = naive.uniform_prior([2, 2, 2], 2)
    for place, row in enumerate(NEW):
        expected = naive_hidden.evidence(ROWS, [*row[:-1], None], [2], prior)
        prob = float(expected[row[-1],])
        assert predicted["EV"].log_probs[place] == pytest.approx(np.log(prob), abs=1e-9)
        assert predicted["EV"].hits[place] == (prob > 0.5)
    assert (predicted["EV"].errors < 1e-9).all()


@pytest.mark.parametrize("name", [CHAINS, ONE_OPTIMUM])
def test_chains_are_off_by_what_they_say(predicted, name):
    away = np.abs(predicted[name].log_probs - predicted["EV"].log_probs)
    assert (predicted[name].errors > 0).all()
    assert (away < 5 * predicted[name].errors + 0.01).all()


def test_rules_differ_and_none_gives_probability_zero(predicted):
    scores = {name: own.log_probs.mean() for name, own in predicted.items()}
    assert len({round(score, 6) for score in scores.values()}) == len(scores)
    assert all(np.isfinite(own.log_probs).all() for own in predicted.values())


def test_naive_bayes_stands_beside_on_the_same_rows(monkeypatch):
    monkeypatch.setattr("codelength_lab.experiments.hidden_classes.SIZES", ())
    source = Source("iris", "kmeans", 3, "value", "whole")
    task = HiddenTask("leave-one-out", source, 2, 7, 8, 0.002)
    made, coded = task.run(), prepare(source).coded
    [(_, _, split)] = task._units()
    counts, test = count(coded.take(split.train)), coded.take(split.test)
    for name, rule in RULES.items():
        rule_of = Predictor.of(counts, rule, SMOOTHED if rule == "map" else "uniform")
        log_probs = rule_of.log_probs(test).log_probs
        assert made[f"{name}{IF_OBSERVED}"]["log_score"] == [[log_probs[0, int(test.class_codes[0])]]]
    assert list(made) == list(MODELS)
    # The same figures again, wherever and whenever the task is run.
    assert task.run() == made


def _results(task, offsets):
    """Scores of a task in which models differ by known leads, with a little noise."""
    n_units = task.last - task.first
    noise = np.random.default_rng(0).normal(0, 1e-3, (len(MODELS), n_units, len(task.sizes)))
    return {
        model: {
            name: (offsets.get(model, 0.0) + noise[place]).tolist()
            for name in ("log_score", "accuracy", "error")
        }
        for place, model in enumerate(MODELS)
    }


def _collected(offsets, tables=("glass", "hepatitis")):
    sources = [Source(name, "kmeans", 5, "value", "whole") for name in tables]
    tasks = [
        HiddenTask(protocol, source, 4, 0, 20)
        for source in sources
        for protocol in ("leave-one-out", "learning-curve")
    ]
    spec = Spec(KEY, False, Settings(), tuple(tasks))
    return results_of(spec, {task.key: _results(task, offsets) for task in tasks})


def test_conclusions_follow_the_scores():
    found = _collected({"MAP": -1.0, "EV": -0.5, "SC": -0.3})
    verdicts = [verdict for verdict, _ in conclusions_of(found, "hidden, 4 components").values()]
    assert verdicts == ["held", "held", "not held", "not held", "held", "not held"]
    found = _collected({"MAP": -0.2, "EV": -0.1, "SC": -0.3})
    verdicts = [verdict for verdict, _ in conclusions_of(found, "hidden, 4 components").values()]
    assert verdicts == ["not held", "not held", "held", "held", "not held", "not held"]
    best_hits = _collected({"MAP": 0.5})
    assert conclusions_of(best_hits, "hidden, 4 components")["map_hits"][0] == "held"


def test_the_class_observed_is_judged_by_its_own_scores():
    found = _collected({"SC": 1.0, f"EV{IF_OBSERVED}": 1.0})
    by_way = {way: conclusions_of(found, way)["sc_leads"][0] for way in ("hidden, 4 components", "observed")}
    assert by_way == {"hidden, 4 components": "held", "observed": "not held"}
    assert leads_of(found, "observed", "EV", "MAP")["glass"].value == pytest.approx(1.0, abs=0.01)
    assert {claim.is_beyond for claim in claims_of(found, [4]) if "(observed)" in claim.text} == {True}


def test_small_sizes_are_up_to_a_tenth_of_the_table():
    found = _collected({})
    assert sizes_of(found, "glass", SMALL) == [1, 2, 5, 10, 20]
    assert sizes_of(found, "hepatitis", SMALL) == [1, 2, 5, 10]
    assert sizes_of(found, "glass") == [1, 2, 5, 10, 20, 40, 80, 150]
    assert ranking({"MAP": 0.1, "EV": 0.3, "SC": 0.2}) == "EV, SC, MAP"


def test_the_experiment_runs_from_end_to_end_and_is_resumed(tmp_path, monkeypatch):
    module = "codelength_lab.experiments.predictive_inference_mixtures"
    monkeypatch.setattr(f"{module}.QUICK_TABLES", ("hepatitis",))
    monkeypatch.setattr(f"{module}.QUICK_ROWS", 2)
    monkeypatch.setattr("codelength_lab.experiments.hidden_classes.SIZES", (10,))
    made = reproduce(KEY, quick=True, directory=tmp_path, jobs=1)
    assert made.outcome.n_run == 3
    curves = made.findings.table("learning-curves")
    assert {row["rows"] for row in curves} == {10, 108}
    assert all(-5 < row["log_score"] < 0 for row in curves if row["model"] in ("EV", "SC"))
    exact = made.findings.table("approximations")[0]
    assert 0 < exact[f"{CHAINS}: distance"] < 0.1
    written = {path.name for path in reports.save(made.findings, tmp_path / "saved")}
    assert {"log-score-hepatitis.svg", "answers.csv", "learning-curves.csv"} <= written
    assert reports.blocks_of(reports.read(tmp_path / "saved")) == reports.blocks_of(made.findings)
    again = reproduce(KEY, quick=True, directory=tmp_path, jobs=1)
    assert (again.outcome.n_run, repr(again.findings)) == (0, repr(made.findings))
