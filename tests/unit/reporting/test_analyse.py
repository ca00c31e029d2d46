"""Whole tables: usual ones, and hostile ones."""

import json
import math
import warnings
from dataclasses import fields, replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from codelength import NaiveBayes, report
from codelength.errors import DataError, InvalidParameter
from codelength.export import score
from codelength.reporting import analyse as whole
from codelength.reporting import plan
from codelength.reporting.analyse import analyse
from codelength.reporting.results import Analysis
from codelength.reporting.sections import models as scores
from codelength.reporting.sections import settings
from codelength.reporting.sections.models import AVERAGE, NAIVE_BAYES, PRIOR
from codelength.reporting.sections.table import table_facts
from codelength.sources import as_table


def table_of(n_rows=60, *, told=0.1, n_noise=2, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, n_classes, n_rows)
    sign = np.where(rng.random(n_rows) < told, rng.integers(0, n_classes, n_rows), classes)
    columns = {"sign": sign.astype(str).tolist(), "size": rng.normal(classes, 2).tolist()}
    columns |= {f"noise {i}": rng.integers(0, 3, n_rows).astype(str).tolist() for i in range(n_noise)}
    return as_table(columns, [f"class {k}" for k in classes])


@pytest.fixture(scope="module")
def usual():
    return analyse(table_of())


def test_every_figure_is_there(usual):
    assert (usual.table.n_rows, usual.table.n_columns, usual.table.target) == (60, 4, "y")
    assert usual.table.classes == ("class 0", "class 1")
    assert usual.table.class_counts.sum() == 60
    assert {model.protocol for model in usual.models} == {"10-fold cross-validation"}
    assert {AVERAGE, *NAIVE_BAYES.values(), PRIOR} < {model.name for model in usual.models}
    assert usual.models[0].name == usual.best
    scores = [model.log_score_bits for model in usual.models]
    assert scores == sorted(scores, reverse=True)
    prior = next(model for model in usual.models if model.name == PRIOR)
    assert usual.prior_bits == -prior.log_score_bits
    assert usual.variables[0].name == "sign"
    assert usual.reliability.n_rows.sum() == 60
    assert usual.learning_curve is not None
    assert all(surprise.cells == () for surprise in usual.surprises)
    assert usual.command == "codelength report table.csv --target y"
    assert usual.seconds > 0
    assert all(isinstance(text, str) for pair in usual.settings for text in pair)


def test_a_signal_is_found(usual):
    assert usual.gain.low > 0.2
    assert usual.gain.value == pytest.approx(
        -usual.models[0].log_score_bits * -1 + usual.prior_bits, abs=0.15
    )
    assert usual.accuracy.low > 0.6
    assert usual.variables[0].bits_alone.low > 0
    assert usual.variables[0].bits_given_others.low > 0


@pytest.mark.usefixtures("quick_analyses")
@pytest.mark.parametrize("seed", [1, 2])
def test_noise_gains_nothing(seed):
    found = analyse(table_of(120, told=1.0, n_noise=4, seed=seed).drop(["size"]))
    assert found.gain.low <= 0 <= found.gain.high or found.gain.high < 0
    assert found.gain.value < 0.02
    assert found.variables[0].bits_alone.low < 0.02


def test_scorers_predict_what_the_model_of_all_rows_predicts(usual):
    table = table_of()
    case = {"sign": "1", "size": 0.7, "noise 1": None}
    row = {"sign": ["1"], "size": [0.7], "noise 0": [None], "noise 1": [None]}
    assert set(usual.scorers) == set(NAIVE_BAYES)
    for rule, document in usual.scorers.items():
        expected = NaiveBayes(rule).fit(table).predict_proba(row)[0].tolist()
        read = json.loads(json.dumps(document, allow_nan=False))
        assert score(read, case).probabilities == pytest.approx(expected, abs=1e-10)


@pytest.mark.usefixtures("quick_analyses")
def test_the_same_seed_gives_the_same_analysis():
    first, again = (analyse(table_of(40), random_state=2) for _ in range(2))
    for one, other in zip(first.models, again.models, strict=True):
        assert (one.name, one.log_score_bits) == (other.name, other.log_score_bits)
    assert first.learning_curve.loss_bits.tolist() == again.learning_curve.loss_bits.tolist()
    assert first.calibration.standard_error == again.calibration.standard_error
    assert first.scorers == again.scorers


@pytest.mark.usefixtures("quick_analyses")
def test_contents_of_rows_are_told_only_when_asked_for():
    found = analyse(table_of(30, told=0.6), rows=True)
    assert found.surprises
    for surprise in found.surprises:
        assert [name for name, _ in surprise.cells] == ["sign", "size", "noise 0", "noise 1", "y"]
        assert dict(surprise.cells)["y"] == surprise.occurred != surprise.expected
    assert found.command.endswith("--rows")


@pytest.mark.usefixtures("quick_analyses")
def test_directories_of_a_file_are_told_nowhere():
    """Pages are passed on, and paths name people and clients."""
    path = "secret dir/client-acme/t.csv"
    table = replace(table_of(30), name=path)
    found = analyse(table)
    assert found.table.name == "t.csv"
    assert found.command == "codelength report t.csv --target y"
    facts = table_facts(table, NaiveBayes().fit(table).schema_, None, [f"{path}: 1 missing cell"])
    assert facts.notes == ("t.csv: 1 missing cell",)
    assert "client-acme" not in report(found).html


@pytest.mark.usefixtures("quick_analyses")
def test_progress_goes_up_to_the_end():
    told = []
    analyse(table_of(20), progress=lambda done, of: told.append(done / of))
    assert told == sorted(told)
    assert told[-1] == 1
    assert len(told) > 8


HOSTILE = {
    "one row": as_table({"x": ["a"], "y": [1.5]}, ["yes"]),
    "two rows": as_table({"x": ["a", "b"]}, ["yes", "no"]),
    "one class": as_table({"x": ["a", "b"] * 15}, ["yes"] * 30),
    "no columns": as_table({"y": ["a", "b"] * 15}, "y"),
    "nothing to learn from": as_table(
        {"id": [f"i{j}" for j in range(30)], "gone": [None] * 30, "same": ["a"] * 30}, ["yes", "no"] * 15
    ),
    "only singletons": as_table({"x": ["a", "b"] * 6}, [f"c{i}" for i in range(12)]),
    "scripts": as_table(
        {
            "<script>alert('x')</script>\n\u202e": ["</script>", "\n", "💥"] * 4,
            "__proto__": [None, "", "x"] * 4,
        },
        ["<b>", "&", "é\x00"] * 4,
    ),
    "many classes": as_table(np.arange(300).reshape(100, 3) % 7).with_target(np.arange(100) % 50),
}


@pytest.mark.usefixtures("quick_analyses")
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_tables_are_analysed(name):
    table = HOSTILE[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = analyse(table, rows=True)
    assert found.table.n_rows == table.n_rows
    assert len(found.variables) == table.n_columns
    for model in found.models:
        assert model.log_score_bits <= 0
        assert 0 <= model.accuracy <= 1
    assert found.reliability.n_rows.sum() == len(found.reliability.promised) or table.n_rows > 1
    assert math.isfinite(found.gain.value)
    json.dumps(found.scorers, allow_nan=False)
    assert [field.name for field in fields(found)] == [field.name for field in fields(Analysis)]


@pytest.mark.usefixtures("quick_analyses")
def test_where_nothing_can_be_learned_the_class_prior_is_best():
    for name in ("one row", "one class", "no columns", "nothing to learn from"):
        found = analyse(HOSTILE[name])
        assert found.best == PRIOR
        assert found.gain.value == 0
        assert all(not document["variables"] for document in found.scorers.values()) or name == "one class"


@pytest.mark.usefixtures("quick_analyses")
def test_what_was_said_is_noted_once():
    found = analyse(HOSTILE["nothing to learn from"])
    [note] = found.table.notes
    assert note.startswith("column 'id': 30 distinct values in 30 cells look like identifiers")
    assert dict(found.table.ignored) == {
        "id": "30 distinct values in 30 cells look like identifiers or free text",
        "gone": "every cell is missing",
    }


@pytest.mark.usefixtures("quick_analyses")
def test_wide_tables_are_screened_in_every_fold(monkeypatch):
    for module in (plan, scores, settings):
        monkeypatch.setattr(module, "MAX_COLUMNS", 3)
    found = analyse(table_of(40, n_noise=6))
    told = dict(found.settings)["model average, logistic regression and a model of your own"]
    assert told == "on the 3 variables with most bits alone among the rows learned from"
    assert found.variables[0].name == "sign"
    assert len(found.variables) == 8
    assert found.gain.value > 0


@pytest.mark.usefixtures("quick_analyses")
def test_long_tables_are_sampled_without_losing_a_class(monkeypatch):
    monkeypatch.setattr(whole, "MAX_ROWS", 40)
    classes = np.arange(200) % 2 == 0
    rare = classes.copy()
    rare[:] = True
    rare[7] = False
    for target in (classes, rare, rare.astype(int), np.where(rare, "often", "once")):
        table = as_table({"x": (classes ^ (np.arange(200) % 9 == 0)).tolist()}, target.tolist())
        found = analyse(table, random_state=5)
        assert ("rows compared on", "40 of 200, drawn at random") in found.settings
        assert found.table.n_rows == 200
        assert found.table.class_counts.sum() == 200
        assert len(found.table.classes) == 2
        for surprise in found.surprises:
            row = surprise.row - 1
            assert surprise.occurred == str(target[row])


def test_what_cannot_be_analysed_is_refused():
    table = table_of(20)
    with pytest.raises(DataError, match="no target"):
        analyse({"x": ["a", "b"]})
    with pytest.raises(DataError, match="no rows"):
        analyse(table.take(np.zeros(0, dtype=np.int64)))
    with pytest.raises(DataError, match="have weights"):
        analyse(table.with_weights(np.ones(20)))
    with pytest.raises(DataError, match="501 classes, more than 500"):
        analyse(as_table({"x": ["a"] * 501}, np.arange(501)))
    with pytest.raises(InvalidParameter, match="rows="):
        analyse(table, rows="yes")
    with pytest.raises(InvalidParameter, match="progress"):
        analyse(table, progress=3)


def test_a_model_of_the_users_own_is_compared_on_the_same_rows():
    table = table_of(60)
    model = NaiveBayes("evidence").fit(table.drop(["size"]))
    found = {one.name: one for one in analyse(table, model=model).models}
    own, same = found["your NaiveBayes"], found["naive Bayes, evidence"]
    assert own.log_score_bits == same.log_score_bits
    assert own.protocol == same.protocol
    assert not own.is_baseline
    with pytest.raises(InvalidParameter, match="a classifier of codelength"):
        analyse(table, model=LogisticRegression())


def test_hidden_classes_are_part_of_it(usual):
    found = usual
    assert found.latent.table.target is None
    assert found.table.target not in found.latent.model.schema_.names
    assert dict(found.settings)["hidden classes"].startswith("a first look at all rows; 1 to ")
