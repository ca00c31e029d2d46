"""``codelength export``: what it writes predicts, in other programs, what the model predicts."""

import json

import duckdb
import numpy as np
import pytest

from codelength import load
from codelength.export.reader import score

from .conftest import is_one_line

TABLE = "outlook,wind,play\nsun,no,out\nsun,yes,out\nrain,no,in\nrain,yes,in\nsun,no,in\n"


@pytest.fixture
def fitted(run, tmp_path):
    """A directory with a table, and a naive Bayes model of it."""
    (tmp_path / "rows.csv").write_text(TABLE)
    model = tmp_path / "model.json"
    run("fit", tmp_path / "rows.csv", "-t", "play", "--model", "naive-bayes", "-o", model)
    return tmp_path


def test_sql(run, fitted):
    code, out, err = run("export", fitted / "model.json", "--to", "sql", "--keep", "play", "--name", "guess")
    assert (code, err) == (0, "")
    with duckdb.connect() as connection:
        path = fitted / "rows.csv"
        connection.execute(f"CREATE TABLE rows AS FROM read_csv('{path}', all_varchar = true)")
        found = connection.execute(out)
        assert [column[0] for column in found.description] == ["play", "guess", "p_in", "p_out"]
        rows = found.fetchall()
    model = load(fitted / "model.json")
    table = {"outlook": ["sun", "sun", "rain", "rain", "sun"], "wind": ["no", "yes", "no", "yes", "no"]}
    np.testing.assert_allclose([row[2:] for row in rows], model.predict_proba(table), atol=1e-12)
    assert [row[1] for row in rows] == model.predict(table).tolist()


def test_sql_for_another_engine_and_table(run, fitted):
    out = run("export", fitted / "model.json", "--to", "sql", "--dialect", "postgres", "--table", "a.b")[1]
    assert 'FROM "a"."b" AS t' in out
    assert "DOUBLE PRECISION" in out


def test_a_scorer(run, fitted):
    code, out, _ = run("export", fitted / "model.json", "--to", "scorer")
    assert code == 0
    found = score(json.loads(out), {"outlook": "sun", "wind": "no"}).probabilities
    expected = load(fitted / "model.json").predict_proba({"outlook": ["sun"], "wind": ["no"]})[0]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_onnx(run, fitted):
    runtime = pytest.importorskip("onnxruntime")
    path = fitted / "model.onnx"
    assert run("export", fitted / "model.json", "--to", "onnx", "-o", path) == (0, "", "")
    session = runtime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    label, probs = session.run(None, {"outlook": np.array(["sun"]), "wind": np.array(["no"])})
    expected = load(fitted / "model.json").predict_proba({"outlook": ["sun"], "wind": ["no"]})
    np.testing.assert_allclose(probs, expected, atol=1e-12)
    assert (
        label.tolist() == load(fitted / "model.json").predict({"outlook": ["sun"], "wind": ["no"]}).tolist()
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "onnx"], "goes into a file"),
        (["--to", "scorer", "--table", "t"], "--table goes with --to sql"),
        (["--to", "pmml"], "pmml"),
        (["--to", "sql", "--dialect", "oracle"], "oracle"),
        (["--to", "sql", "--table", "a..b"], "not a name in SQL"),
        (["--to", "sql", "--keep", "guess", "--name", "guess"], "choose another"),
        ([], "--to"),
    ],
)
def test_wrong_calls(run, fitted, arguments, message):
    code, out, err = run("export", fitted / "model.json", *arguments)
    assert (code, out) == (2, "")
    assert is_one_line(err)
    assert message in err


def test_networks(run, fitted):
    run("fit", fitted / "rows.csv", "-t", "play", "--model", "best-tree", "-o", fitted / "tree.json")
    for model in ("model.json", "tree.json"):
        of_model = load(fitted / model)
        assert run("export", fitted / model, "--to", "bif") == (0, of_model.to_bif(), "")
        path = fitted / "network.xml"
        assert run("export", fitted / model, "--to", "xmlbif", "-o", path) == (0, "", "")
        assert path.read_text("utf-8") == of_model.to_xmlbif()


@pytest.mark.parametrize("kind", ["log-ratios", "subsets", "best-tree"])
def test_members_of_averages(run, fitted, kind):
    run("fit", fitted / "rows.csv", "-t", "play", "--model", kind, "-o", fitted / "member.json")
    code, out, err = run("export", fitted / "member.json", "--to", "scorer")
    assert (code, err) == (0, "")
    found = score(json.loads(out), {"outlook": "sun", "wind": "no"}).probabilities
    expected = load(fitted / "member.json").predict_proba({"outlook": ["sun"], "wind": ["no"]})[0]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "to", "message"),
    [
        ("model-average", "sql", "their predictions are not sums of look-up tables"),
        ("forests", "scorer", "predictions of forests are not sums of look-ups"),
        ("subsets", "bif", "--to bif needs; fit --model with one of best-tree, naive-bayes"),
        ("model-average", "xmlbif", "predictions of model-average are not a Bayesian network"),
    ],
)
def test_models_that_cannot_be_exported(run, fitted, kind, to, message):
    run("fit", fitted / "rows.csv", "-t", "play", "--model", kind, "-o", fitted / "other.json")
    code, out, err = run("export", fitted / "other.json", "--to", to)
    assert (code, out) == (2, "")
    assert is_one_line(err)
    assert message in err


def test_a_model_is_not_written_over(run, fitted):
    before = (fitted / "model.json").read_bytes()
    code, _, err = run("export", fitted / "model.json", "--to", "scorer", "-o", fitted / "model.json")
    assert code != 0
    assert is_one_line(err)
    assert (fitted / "model.json").read_bytes() == before
