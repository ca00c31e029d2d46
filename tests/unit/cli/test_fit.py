"""``codelength select``, run as a user would run it."""

import json

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from codelength import datasets
from codelength.cli.select import select
from codelength.errors import InvalidParameter, SchemaMismatch
from codelength.estimators import MODELS, load
from codelength.estimators.mixture_classifier import MixtureClassifier

app = typer.Typer()
app.command()(select)


@pytest.fixture(autouse=True)
def _known_to_load(monkeypatch):
    monkeypatch.setitem(MODELS, "MixtureClassifier", MixtureClassifier)


def run(*arguments):
    return CliRunner().invoke(app, ["iris", "--candidates", "6", "--components", "2-6", *map(str, arguments)])


def test_the_table_is_printed_and_the_model_written(tmp_path):
    made = run("--criterion", "leave_one_out", "-o", tmp_path / "model.json", "--top", 3)
    assert made.exit_code == 0, made.output
    assert "150 rows" in made.output
    assert "leave" in made.output
    assert "evidence" in made.output
    dataset = datasets.load("iris", backend="columns")
    model = load(tmp_path / "model.json")
    assert model.criterion == "leave_one_out"
    expected = MixtureClassifier("leave_one_out", candidates=6, n_components=(2, 6), random_state=0).fit(
        dataset.frame, dataset.target
    )
    np.testing.assert_array_equal(model.predict_proba(dataset.frame), expected.predict_proba(dataset.frame))


def test_json_holds_every_candidate_and_criterion():
    made = run("--json", "--average", "--without-class", "--orderings", 3)
    assert made.exit_code == 0, made.output
    document = json.loads(made.output)
    assert document["rows"] == 150
    assert document["model"] is None
    lengths = [row["prequential"] for row in document["candidates"]]
    assert lengths == sorted(lengths)
    assert {"evidence", "leave_one_out", "prequential_se"} <= document["candidates"][0].keys()
    assert sum(row["weight"] for row in document["candidates"]) == pytest.approx(1)


def test_the_best_comes_first_with_a_star_and_weights_are_shown_for_an_average():
    lines = run("--top", 100, "--average").output.splitlines()
    first = next(line for line in lines if "kmeans" in line or " em " in line).split()
    assert first[3].endswith("*")
    assert any("weight" in line for line in lines)
    assert not any("weight" in line for line in run().output.splitlines())


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        (["--components", "few"], InvalidParameter, "--components 'few'"),
        (["--components", "3-"], InvalidParameter, "--components '3-'"),
        (["--components", "5-3"], InvalidParameter, "n_components"),
        (["--criterion", "bic"], InvalidParameter, "criterion='bic'"),
        (["--target", "colour"], SchemaMismatch, "colour"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, error, match):
    made = run(*arguments)
    assert isinstance(made.exception, error)
    assert match in str(made.exception)
