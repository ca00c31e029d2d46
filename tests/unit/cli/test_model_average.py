"""What ``codelength fit`` learns by default, and each kind of model there is, through every command."""

import csv
import io
import json

import numpy as np
import pytest

from codelength import ModelAverage, datasets, load
from codelength.averages.members import DEFAULT_MEMBERS, MEMBERS
from codelength.estimators import capabilities_of, constructor_of, model_names, name_of


@pytest.fixture(scope="module")
def vote():
    return datasets.load("vote", backend="columns")


@pytest.fixture(scope="module")
def average(vote):
    return ModelAverage().fit(vote.frame, vote.target)


def probs_of(text):
    rows = csv.DictReader(io.StringIO(text))
    return np.array([[float(cell) for name, cell in row.items() if name.startswith("p_")] for row in rows])


def lines_of(text):
    return [line.split() for line in text.splitlines()]


def test_a_bundled_table_needs_nothing_but_a_place_for_the_model(run, vote, average, tmp_path):
    path = tmp_path / "vote.json"
    code, out, err = run("fit", "vote", "-o", path)
    assert (code, err) == (0, "")
    assert load(path).members_ == average.members_
    lines = lines_of(out)
    assert lines[0] == ["model", "model-average"]
    assert ["rows", "435"] in lines
    assert ["democrat", "267"] in lines
    assert ["republican", "168"] in lines
    assert {line[0] for line in lines if line} >= {*DEFAULT_MEMBERS, "class", "all"}
    assert not [line for line in lines if line[:1] == ["handle_unknown"]]
    assert run("inspect", path)[1] == out.removesuffix(f"\nWrote {path}.\n")
    np.testing.assert_array_equal(
        probs_of(run("predict", path, "vote")[1]), average.predict_proba(vote.frame)
    )


def test_a_prediction_is_explained(run, vote, average, tmp_path):
    average.save(tmp_path / "vote.json")
    code, out, _ = run("explain", tmp_path / "vote.json", "vote", "--row", "1")
    assert code == 0
    assert out.startswith("row 1: republican with probability 0.9")
    (part,) = json.loads(run("explain", tmp_path / "vote.json", "vote", "--row", "3", "--json")[1])
    assert list(part["contributions"]) == list(vote.schema.names)
    total = part["before"]["republican"] + sum(
        terms["republican"] for terms in part["contributions"].values()
    )
    odds = part["probabilities"]["republican"] / part["probabilities"]["democrat"]
    assert total == pytest.approx(np.log(odds), abs=1e-9)


def test_what_is_averaged_may_be_chosen(run, train, tmp_path):
    path = tmp_path / "m.json"
    call = ["fit", train, "-t", "play", "-o", path, "--param", 'members=["forests", "kernel"]']
    code, out, err = run(*call)
    assert code == 0, err
    assert [line[0] for line in lines_of(out) if line and line[0] in MEMBERS] == ["forests", "kernel"]
    assert list(load(path).member_weights_) == ["forests", "kernel"]
    assert json.loads(run("inspect", path, "--json")[1])["params"]["members"] == ["forests", "kernel"]


def test_settings_are_shown_where_they_are_not_the_usual_ones(run, train, tmp_path):
    call = ["fit", train, "-t", "play", "-o", tmp_path / "m.json", "--seed", 0]
    usual = lines_of(run(*call)[1])
    other = lines_of(run(*call[:-1], 7, "--missing", "ignore", "--identifiers", "keep")[1])
    assert usual[:3] == [["model", "model-average"], [], ["rows", "6"]]
    assert other[1:4] == [["identifiers", "keep"], ["missing", "ignore"], ["random_state", "7"]]


def test_the_seed_decides(run, tmp_path):
    def fitted(*options):
        assert (
            run("fit", "lenses", "--param", 'members=["trees"]', "-o", tmp_path / "m.json", *options)[0] == 0
        )
        return probs_of(run("predict", tmp_path / "m.json", "lenses")[1])

    np.testing.assert_array_equal(fitted(), fitted("--seed", 0))
    assert np.abs(fitted() - fitted("--seed", 1)).max() > 1e-6


def test_the_number_of_threads_changes_nothing(run, train, tmp_path):
    models = []
    for n_jobs in (1, 3):
        path = tmp_path / f"{n_jobs}.json"
        assert run("fit", train, "-t", "play", "-o", path, "--param", f"n_jobs={n_jobs}")[0] == 0
        models.append(json.loads(path.read_text())["model"]["fitted"])
    assert models[0] == models[1]


@pytest.mark.parametrize("kind", model_names())
def test_every_kind_is_fitted_inspected_and_predicts(run, train, tmp_path, kind):
    path, capable = tmp_path / "m.json", capabilities_of(constructor_of(kind)())
    options = ["-t", "play"] if "classes" in capable else ["--drop", "play"]
    code, out, err = run("fit", train, "--model", kind, "-o", path, *options)
    assert code == 0, err
    assert run("inspect", path)[1] == out.removesuffix(f"\nWrote {path}.\n")
    told = json.loads(run("inspect", path, "--json")[1])
    assert told["kind"] == kind
    assert [variable["name"] for variable in told["schema"]["variables"]] == ["outlook", "wind", "degrees"]
    model = load(path)
    assert name_of(model) == kind
    code, out, err = run("predict", path, train)
    assert code == 0, err
    probs = probs_of(out)
    assert probs.shape == (6, len(model._fitted.outcomes))
    np.testing.assert_allclose(probs.sum(axis=1), 1, atol=1e-12)
    if "explain" in capable:
        (part,) = json.loads(run("explain", path, train, "--row", 2, "--json")[1])
        total = part["before"]["yes"] + sum(terms["yes"] for terms in part["contributions"].values())
        assert total == pytest.approx(np.log(probs[1, 1] / probs[1, 0]), abs=1e-9)
