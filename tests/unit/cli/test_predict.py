"""``codelength predict``, run as a user would run it."""

import csv
import io
import json

import duckdb
import numpy as np
import pytest

from codelength import ModelAverage, NaiveBayes

from .conftest import ROWS, is_one_line


def expected_probs():
    table = {
        "outlook": [row[0] or None for row in ROWS],
        "wind": [row[1] for row in ROWS],
        "degrees": [float(row[2] or "nan") for row in ROWS],
    }
    return ModelAverage().fit(table, [row[3] for row in ROWS]).predict_proba(table)


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def probs_of(rows):
    return np.array([[float(row["p_no"]), float(row["p_yes"])] for row in rows])


def test_predict_equals_the_library(run, model, train):
    code, out, _ = run("predict", model, train)
    assert code == 0
    rows = rows_of(out)
    np.testing.assert_array_equal(probs_of(rows), expected_probs())
    assert [row["class"] for row in rows] == ["no" if no > yes else "yes" for no, yes in probs_of(rows)]


def test_predict_in_small_batches_from_standard_input(run, model, train):
    whole = run("predict", model, train)[1]
    assert run("predict", model, "-", "--batch-rows", 2, stdin=train.read_text())[1] == whole


def test_predict_carries_columns_over(run, model, train, tmp_path):
    out = tmp_path / "out.csv"
    assert run("predict", model, train, "-o", out, "--carry", "wind", "--carry", "wind")[0] == 0
    assert [row["wind"] for row in rows_of(out.read_text())] == [row[1] for row in ROWS]


def test_a_bundled_table_is_predicted_and_its_class_carried_over(run, tmp_path):
    assert run("fit", "vote", "-o", tmp_path / "vote.json")[0] == 0
    code, out, err = run("predict", tmp_path / "vote.json", "vote", "--carry", "class")
    assert code == 0, err
    rows = rows_of(out)
    assert len(rows) == 435
    assert list(rows[0]) == ["class", "predicted_class", "p_democrat", "p_republican"]
    assert np.mean([row["class"] == row["predicted_class"] for row in rows]) > 0.85


def test_the_predicted_column_has_the_name_that_is_asked_for(run, model, train):
    out = run("predict", model, train, "--name", "forecast", "--carry", "play")[1]
    assert list(rows_of(out)[0]) == ["play", "forecast", "p_no", "p_yes"]
    for name in ("play", ""):
        code, _, err = run("predict", model, train, "--name", name, "--carry", "play")
        assert code == 2
        assert is_one_line(err)


def test_names_of_probabilities_are_distinct(run, tmp_path):
    table, path = {"x": ["u", "v", "w"] * 3, "p_a": ["r"] * 9}, tmp_path / "m.json"
    NaiveBayes().fit(table, ["a", "A", "b"] * 3).save(path)
    (tmp_path / "new.csv").write_text("x,p_a\nu,r\n")
    out = run("predict", path, tmp_path / "new.csv", "--carry", "p_a")[1]
    assert out.splitlines()[0] == "p_a,class,p_A_2,p_a_3,p_b"
    assert run("predict", path, tmp_path / "new.csv", "-o", tmp_path / "out.parquet")[0] == 0


@pytest.mark.parametrize("output", ["-", "out.json"])
def test_predictions_as_json(run, model, train, tmp_path, monkeypatch, output):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run(
        "predict", model, train, "--json", "--carry", "outlook", "-o", output, "--batch-rows", 4
    )
    assert code == 0
    rows = json.loads(out if output == "-" else (tmp_path / output).read_text())
    assert [list(row) for row in rows] == [["outlook", "class", "p_no", "p_yes"]] * 6
    assert rows[4]["outlook"] is None
    np.testing.assert_array_equal(probs_of(rows), expected_probs())


def test_predict_reads_and_writes_parquet(run, model, train, tmp_path):
    table, out = tmp_path / "train.parquet", tmp_path / "out.parquet"
    source = f"read_csv('{train}', types = {{'wind': 'VARCHAR', 'play': 'VARCHAR'}})"
    duckdb.sql(f"COPY (SELECT * FROM {source}) TO '{table}'")
    assert run("predict", model, table, "-o", out)[0] == 0
    columns = duckdb.sql(f"SELECT p_no, p_yes FROM '{out}'").fetchnumpy()
    np.testing.assert_array_equal(np.column_stack([columns["p_no"], columns["p_yes"]]), expected_probs())


@pytest.mark.filterwarnings("always::codelength.errors.IgnoredValues")
def test_a_column_means_the_same_at_prediction_as_in_training(run, tmp_path):
    """The second file alone would read its codes as text: one of its cells is no number."""
    (tmp_path / "train.csv").write_text("size,kind\n1,a\n2,b\n1,a\n2,b\n")
    (tmp_path / "new.csv").write_text("size\n1\nlarge\n")
    assert run("fit", tmp_path / "train.csv", "-t", "kind", "-o", tmp_path / "m.json")[0] == 0
    code, out, err = run("predict", tmp_path / "m.json", tmp_path / "new.csv")
    assert code == 0
    assert "value 'large' is not in the schema" in err
    known, unknown = (float(row["p_a"]) for row in rows_of(out))
    assert known > 0.5
    assert unknown == pytest.approx(0.5)
    assert (
        run("fit", tmp_path / "train.csv", "-t", "kind", "--rule", "evidence", "-o", tmp_path / "m.json")[0]
        == 0
    )
    rows = rows_of(run("predict", tmp_path / "m.json", tmp_path / "new.csv")[1])
    assert [float(row["p_a"]) for row in rows] == pytest.approx([0.75, 0.5])


def test_a_table_without_a_needed_column(run, model, tmp_path):
    (tmp_path / "new.csv").write_text("outlok,wind,degrees\nsun,no,20\n")
    code, out, err = run("predict", model, tmp_path / "new.csv", "-o", tmp_path / "out.csv")
    assert (code, out) == (1, "")
    assert is_one_line(err)
    assert "'outlook'; did you mean 'outlok'?" in err
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.filterwarnings("ignore::codelength.errors.IgnoredColumn")
def test_a_column_that_the_model_ignores_need_not_be_there(run, tmp_path):
    names = [f"name {i}" for i in range(30)]
    rows = "".join(f"{name},{'ab'[i % 2]},{'pq'[i % 2]}\n" for i, name in enumerate(names))
    (tmp_path / "train.csv").write_text(f"id,v,k\n{rows}")
    (tmp_path / "new.csv").write_text("v\na\nb\n")
    assert run("fit", tmp_path / "train.csv", "-t", "k", "-o", tmp_path / "m.json")[0] == 0
    code, out, err = run("predict", tmp_path / "m.json", tmp_path / "new.csv")
    assert (code, err) == (0, "")
    assert [row["class"] for row in rows_of(out)] == ["p", "q"]
    carried = run("predict", tmp_path / "m.json", tmp_path / "train.csv", "--carry", "id")[1]
    assert [row["id"] for row in rows_of(carried)] == names
    # Nothing but identifiers: the rows are counted all the same.
    assert run("fit", tmp_path / "train.csv", "-t", "k", "--drop", "v", "-o", tmp_path / "m.json")[0] == 0
    code, out, _ = run("predict", tmp_path / "m.json", tmp_path / "new.csv")
    assert (code, len(rows_of(out))) == (0, 2)


def test_rows_are_counted_within_the_file_not_within_the_batch(run, tmp_path):
    (tmp_path / "train.csv").write_text("v,k\n" + "a,p\nb,q\n" * 12)
    (tmp_path / "new.csv").write_text("v\n" + "a\n" * 50 + "z\n" * 50)
    options = ["--param", "handle_unknown=error", "-o", tmp_path / "m.json"]
    assert run("fit", tmp_path / "train.csv", "-t", "k", *options)[0] == 0
    code, _, err = run("predict", tmp_path / "m.json", tmp_path / "new.csv", "--batch-rows", 20)
    assert (code, "column 'v', row 50: value 'z'" in err) == (1, True)


def test_a_column_that_is_left_out_is_not_there(run, model, train):
    for options in (["--drop", "wind"], ["--keep", "outlook", "--keep", "degrees"], ["--weights", "wind"]):
        code, _, err = run("predict", model, train, *options)
        assert code == 1
        assert "has no column 'wind'" in err
    assert run("predict", model, train, "--drop", "play")[1] == run("predict", model, train)[1]


def test_what_is_carried_over_stays_as_it_is(run, model, tmp_path):
    (tmp_path / "new.csv").write_text("id,when,outlook,wind,degrees\n007,1.50,sun,no,20\n1e3,,rain,no,2\n")
    out = run("predict", model, tmp_path / "new.csv", "--carry", "id", "--carry", "when")[1]
    assert [list(row.values())[:2] for row in rows_of(out)] == [["007", "1.50"], ["1e3", ""]]


def test_nothing_is_written_before_the_first_rows_are_predicted(run, train, tmp_path, monkeypatch):
    model = tmp_path / "model.json"
    assert run("fit", train, "-t", "play", "--model", "naive-bayes", "-o", model)[0] == 0
    monkeypatch.setenv("CODELENGTH_THREADS", "x")
    code, out, err = run("predict", model, train)
    assert (code, out) == (2, "")
    assert is_one_line(err)


def test_the_component_of_each_row(run, train, tmp_path):
    path = tmp_path / "clusters.json"
    call = ["cluster", train, "--drop", "play", "--components", 2, "--starts", 2]
    assert run(*call, "-o", path)[0] == 0
    memberships = run(*call, "--memberships", "-")[1]
    assert memberships.splitlines()[0] == "component,p_1,p_2"
    predicted = run("predict", path, train)[1]
    first, second = (
        [[float(cell) for cell in row.values()] for row in rows_of(text)] for text in (memberships, predicted)
    )
    np.testing.assert_allclose(first, second, atol=1e-12)
