"""The commands, run as a user would run them."""

import csv
import io
import json
import subprocess
import sys

import duckdb
import numpy as np
import pytest

from codelength import NaiveBayes, __version__, load

ROWS = [
    ["sun", "no", "24.5", "yes"],
    ["sun", "yes", "19.0", "yes"],
    ["rain", "no", "11.5", "no"],
    ["rain", "yes", "", "no"],
    ["", "no", "15.5", "yes"],
    ["rain", "no", "12.5", "no"],
]


@pytest.fixture
def train(tmp_path):
    path = tmp_path / "train.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["outlook", "wind", "degrees", "play"], *ROWS])
    return path


@pytest.fixture
def model(run, train, tmp_path):
    path = tmp_path / "model.json"
    assert run("fit", train, "--target", "play", "-o", path)[0] == 0
    return path


def expected_probs():
    table = {
        "outlook": [row[0] or None for row in ROWS],
        "wind": [row[1] for row in ROWS],
        "degrees": [float(row[2] or "nan") for row in ROWS],
    }
    return NaiveBayes().fit(table, [row[3] for row in ROWS]).predict_proba(table)


def read_probs(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    return np.array([[float(row["p_no"]), float(row["p_yes"])] for row in rows]), [
        row["class"] for row in rows
    ]


def test_fit_tells_what_was_decided_and_keeps_the_target_name(run, train, tmp_path):
    code, out, _ = run("fit", train, "-t", "play", "-o", tmp_path / "m.json")
    assert code == 0
    assert "6 rows, 3 variables, 2 classes" in out
    assert "degrees: interval" in out
    assert load(tmp_path / "m.json").schema_.target.name == "play"


def test_fit_prints_json_for_machines(run, train, tmp_path):
    code, out, _ = run("fit", train, "-t", "play", "-o", tmp_path / "m.json", "--json")
    assert code == 0
    told = json.loads(out)
    assert (told["rows"], told["classes"]) == (6, ["no", "yes"])
    assert told["code_length_nats"] == load(tmp_path / "m.json").code_length_


def test_fit_chooses_variables(run, train, tmp_path):
    code, out, _ = run("fit", train, "-t", "play", "-o", tmp_path / "m.json", "--select", "evidence")
    assert code == 0
    assert "variables predict: " in out
    assert run("predict", tmp_path / "m.json", train)[0] == 0
    assert run("fit", train, "-t", "play", "-o", tmp_path / "m.json", "--select", "luck")[0] == 2


def test_predict_equals_the_library(run, model, train):
    code, out, _ = run("predict", model, train)
    assert code == 0
    probs, classes = read_probs(out)
    np.testing.assert_array_equal(probs, expected_probs())
    assert classes == ["no" if no > yes else "yes" for no, yes in probs]


def test_predict_in_small_batches_from_standard_input(run, model, train):
    whole = run("predict", model, train)[1]
    assert run("predict", model, "-", "--batch-rows", 2, stdin=train.read_text())[1] == whole


def test_predict_carries_columns_over(run, model, train, tmp_path):
    out = tmp_path / "out.csv"
    assert run("predict", model, train, "-o", out, "--keep", "wind")[0] == 0
    written = csv.DictReader(io.StringIO(out.read_text()))
    assert [row["wind"] for row in written] == [row[1] for row in ROWS]


def test_predict_reads_and_writes_parquet(run, model, train, tmp_path):
    table, out = tmp_path / "train.parquet", tmp_path / "out.parquet"
    source = f"read_csv('{train}', types = {{'wind': 'VARCHAR', 'play': 'VARCHAR'}})"
    duckdb.sql(f"COPY (SELECT * FROM {source}) TO '{table}'")
    assert run("predict", model, table, "-o", out)[0] == 0
    columns = duckdb.sql(f"SELECT p_no, p_yes FROM '{out}'").fetchnumpy()
    np.testing.assert_array_equal(np.column_stack([columns["p_no"], columns["p_yes"]]), expected_probs())


def test_a_column_means_the_same_at_prediction_as_in_training(run, tmp_path):
    """The second file alone would read its codes as text: one of its cells is no number."""
    (tmp_path / "train.csv").write_text("size,kind\n1,a\n2,b\n1,a\n2,b\n")
    (tmp_path / "new.csv").write_text("size\n1\nlarge\n")
    assert run("fit", tmp_path / "train.csv", "-t", "kind", "-o", tmp_path / "m.json")[0] == 0
    code, out, _ = run("predict", tmp_path / "m.json", tmp_path / "new.csv")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [float(rows[0]["p_a"]), float(rows[1]["p_a"])] == pytest.approx([0.75, 0.5])


def test_evaluate_shows_a_row_for_each_rule(run, train):
    code, out, _ = run("evaluate", train, "-t", "play")
    assert code == 0
    for rule in ("evidence", "map", "stochastic_complexity", "indifferent"):
        assert rule in out


def test_evaluate_equals_leave_one_out_of_the_library(run, train):
    code, out, _ = run("evaluate", train, "-t", "play", "--rule", "evidence", "--json")
    assert code == 0
    (result,) = json.loads(out)["results"]
    table = {"outlook": [r[0] or None for r in ROWS], "wind": [r[1] for r in ROWS]}
    table["degrees"] = [float(row[2] or "nan") for row in ROWS]
    labels = [row[3] for row in ROWS]
    scores = NaiveBayes().fit(table, labels).leave_one_out(table, labels)
    assert result["log_score"] == scores.log_score
    assert result["accuracy"] == scores.accuracy
    assert result["log_score_bits"] == pytest.approx(scores.log_score / np.log(2))


def test_evaluate_by_cross_validation_counts_every_prediction(run, train):
    arguments = ["--cv", 3, "--repeats", 4, "--train-fraction", 0.5, "--json"]
    first = run("evaluate", train, "-t", "play", *arguments)
    assert first[0] == 0
    assert {result["n_predictions"] for result in json.loads(first[1])["results"]} == {24}
    assert run("evaluate", train, "-t", "play", *arguments)[1] == first[1]


def test_evaluate_a_bundled_table_by_name(run):
    code, out, _ = run("evaluate", "zoo", "--json")
    assert code == 0
    assert json.loads(out)["results"][0]["n_predictions"] == 101


def test_inspect(run, model):
    code, out, _ = run("inspect", model)
    assert code == 0
    assert "rule evidence" in out
    assert "outlook" in out
    told = json.loads(run("inspect", model, "--json")[1])
    assert told["class_counts"] == [3, 3]
    assert [variable["name"] for variable in told["schema"]["variables"]] == ["outlook", "wind", "degrees"]


def test_version_and_help(run):
    assert run("--version")[1] == f"codelength {__version__}\n"
    code, out, _ = run("--help")
    assert code == 0
    assert "Examples" in out
    assert subprocess.run([sys.executable, "-m", "codelength", "--version"], check=True).returncode == 0


def one_line(message):
    return message.startswith("error: ") and message.count("\n") == 1 and "Traceback" not in message


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"outlook,play\n", "no rows"),
        (b"outlook,play\nsun,yes\nrain\n", "line 3"),
        (b"outlook,play\nsun,yes\nrain,no,maybe\n", "line 3"),
        (b"outlook,play\nsun,yes\nr\xe9gen,no\n", "UTF-8"),
        (b"outlook,outlook,play\nsun,sun,yes\nrain,rain,no\n", "outlook"),
        (b"outlook,game\nsun,yes\nrain,no\n", "has no column 'play'"),
        (b"outlook,play\nsun,yes\nrain,\n", "the class is missing"),
        (b"outlook,play\nsun,yes\nrain,yes\n", "only one class"),
        (b"outlook,play\n,yes\n,no\n", "every cell is missing"),
    ],
)
def test_bad_tables_end_in_one_line_and_no_file(run, tmp_path, content, words):
    (tmp_path / "bad.csv").write_bytes(content)
    code, out, err = run("fit", tmp_path / "bad.csv", "--target", "play", "-o", tmp_path / "model.json")
    assert code == 1
    assert out == ""
    assert one_line(err), err
    assert words in err
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]


def test_a_table_without_a_needed_column(run, model, tmp_path):
    (tmp_path / "new.csv").write_text("outlok,wind,degrees\nsun,no,20\n")
    code, out, err = run("predict", model, tmp_path / "new.csv", "-o", tmp_path / "out.csv")
    assert (code, out) == (1, "")
    assert one_line(err)
    assert "'outlook'; did you mean 'outlok'?" in err
    assert not (tmp_path / "out.csv").exists()


def test_a_file_that_is_no_model(run, train):
    code, _, err = run("inspect", train)
    assert code == 1
    assert one_line(err)


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "{train}"],
        ["evaluate", "{train}", "-t", "play", "--rule", "guess"],
        ["evaluate", "{train}", "-t", "play", "--cv", "99"],
        ["evaluate", "{train}", "-t", "play", "--repeats", "3"],
        ["fit", "{train}", "-t", "play", "-o", "m.json", "--prior", "flat"],
        ["fit", "{train}", "-t", "play", "-o", "m.json", "--missing", "drop"],
        ["fit", "{train}", "-t", "play"],
        ["nonsense"],
        ["fit", "--nonsense"],
    ],
)
def test_usage_errors_end_in_two(run, train, arguments):
    code, _, err = run(*[argument.format(train=train) for argument in arguments])
    assert code == 2
    assert "Traceback" not in err
