"""``codelength evaluate``, run as a user would run it."""

import json

import numpy as np
import pytest

from codelength import NaiveBayes, datasets
from codelength.rules import RULES

from .conftest import ROWS


def test_evaluate_shows_a_row_for_each_rule(run, train):
    code, out, _ = run("evaluate", train, "-t", "play")
    assert code == 0
    assert "6 rows, predicting play, by leave-one-out" in out
    for rule in RULES:
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
    told = json.loads(first[1])
    assert told["protocol"] == "4 x 3-fold cross-validation, 50% of the training rows"
    assert {result["n_predictions"] for result in told["results"]} == {24}
    assert run("evaluate", train, "-t", "play", *arguments)[1] == first[1]
    assert run("evaluate", train, "-t", "play", *arguments, "--seed", 1)[1] != first[1]


def test_evaluate_a_bundled_table_by_name(run):
    code, out, _ = run("evaluate", "zoo", "--json")
    assert code == 0
    assert json.loads(out)["results"][0]["n_predictions"] == 101


def test_different_models_are_compared_by_cross_validation(run, train):
    call = [
        "evaluate",
        train,
        "-t",
        "play",
        "--model",
        "naive-bayes",
        "--model",
        "mixture-classifier",
        "--json",
    ]
    small = ["--param", "candidates=2", "--param", "n_components=2", "--cv", 2]
    code, out, err = run(*call, *small)
    assert code == 0, err
    told = json.loads(out)
    assert [result["model"] for result in told["results"]] == ["naive-bayes", "mixture-classifier"]
    assert told["protocol"] == "1 x 2-fold cross-validation"
    code, out, err = run(*call, *small, "--rule", "map", "--rule", "evidence", "--prior", "indifferent")
    assert code == 0, err
    names = [result["model"] for result in json.loads(out)["results"]]
    assert names == ["naive-bayes map", "naive-bayes evidence", "mixture-classifier"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "mixture-classifier", "--rule", "map"], "--rule: mixture-classifier has no such option"),
        (["--param", "candidates=2"], "naive-bayes has no such parameter"),
        (
            ["--model", "mixture-classifier", "--weights", "wind"],
            "--weights: mixture-classifier takes no weights",
        ),
        (["--repeats", "2"], "--repeats and --train-fraction go with --cv"),
    ],
)
def test_what_no_model_has_is_refused(run, train, arguments, message):
    code, _, err = run("evaluate", train, "-t", "play", *arguments)
    assert code == 2
    assert message in err


def test_a_rule_may_be_given_as_a_parameter(run, train):
    code, out, err = run("evaluate", train, "-t", "play", "--param", "rule=map", "--json")
    assert code == 0, err
    assert [result["model"] for result in json.loads(out)["results"]] == ["naive-bayes"]


def test_a_table_of_80_columns_is_not_broken(run, train, monkeypatch):
    """Headings and numbers stand in one piece."""
    lines = run("evaluate", train, "-t", "play")[1].splitlines()
    assert lines[1].split() == [
        *("model", "accuracy", "log", "score", "in", "bits", "Brier", "zero", "rows", "0/0", "rows")
    ]
    assert all(len(line) <= 80 for line in lines[1:])


def test_choosing_variables_is_evaluated_without_the_rows_that_are_predicted(run):
    code, out, _ = run("evaluate", "vote", "--rule", "evidence", "--select", "leave_one_out", "--json")
    assert code == 0
    (chosen,) = json.loads(out)["results"]
    vote = datasets.load("vote")
    model = NaiveBayes(select="leave_one_out").fit(vote.table)
    honest, flattering = (model.leave_one_out(vote.table, optimistic=flag) for flag in (False, True))
    assert chosen["log_score"] == pytest.approx(honest.log_score)
    assert chosen["log_score"] < flattering.log_score


@pytest.mark.filterwarnings("ignore::codelength.errors.IgnoredColumn")
def test_identifiers_are_left_out_kept_or_refused(run, tmp_path):
    rows = "".join(f"name {i},{'ab'[i % 2]},{'pq'[i % 2]}\n" for i in range(30))
    (tmp_path / "t.csv").write_text(f"id,v,k\n{rows}")
    call = ["evaluate", tmp_path / "t.csv", "-t", "k", "--rule", "evidence", "--json"]
    ignored, kept, refused = (run(*call, "--identifiers", how) for how in ("ignore", "keep", "error"))
    scores = [json.loads(out)["results"][0]["log_score"] for _, out, _ in (ignored, kept)]
    assert scores[0] != scores[1]
    assert (refused[0], "column 'id'" in refused[2]) == (1, True)
    assert run(*call, "--param", "identifiers=keep")[1] == kept[1]
