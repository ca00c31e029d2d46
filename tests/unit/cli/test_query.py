"""``codelength query``, run as a user would run it."""

import csv
import io
import json

import numpy as np
import pytest

from codelength import load

from .conftest import is_one_line


@pytest.fixture
def joint(run, train, tmp_path):
    """A model file of naive Bayes."""
    path = tmp_path / "joint.json"
    assert run("fit", train, "--target", "play", "--model", "naive-bayes", "-o", path)[0] == 0
    return path


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_query_equals_the_library(run, joint, tmp_path):
    (tmp_path / "new.csv").write_text("degrees,wind\n12.0,no\n,yes\n")
    code, out, err = run("query", joint, tmp_path / "new.csv", "--ask", "outlook,play", "--show", "joint")
    assert code == 0, err
    answer = load(joint).query({"degrees": [12.0, None], "wind": ["no", "yes"]}, ("outlook", "play"))
    rows = rows_of(out)
    assert [row["row"] for row in rows] == ["1"] * 4 + ["2"] * 4
    assert [(row["outlook"], row["play"]) for row in rows] == answer.combinations * 2
    np.testing.assert_array_equal([float(row["probability"]) for row in rows], answer.probs.ravel())


def test_the_most_probable_combination_stands_on_one_line(run, joint, train):
    code, out, err = run("query", joint, train, "--ask", "play", "--carry", "play", "--json")
    assert code == 0, err
    rows = json.loads(out)
    assert list(rows[0]) == ["play", "predicted_play", "probability"]
    assert [row["predicted_play"] for row in rows] == ["yes", "yes", "no", "no", "yes", "no"]


def test_marginals_add_up_and_small_batches_say_the_same(run, joint, train):
    arguments = ("query", joint, train, "--ask", "outlook", "--ask", "wind", "--show", "marginals")
    whole = run(*arguments)[1]
    assert run(*arguments, "--batch-rows", 1)[1] == whole
    rows = rows_of(whole)
    first = [float(row["probability"]) for row in rows if row["row"] == "1"]
    assert sum(first) == pytest.approx(2)
    assert [row["variable"] for row in rows[:4]] == ["outlook", "outlook", "wind", "wind"]


def test_known_classes_change_the_answer(run, joint, train):
    blind = rows_of(run("query", joint, train, "--ask", "outlook")[1])
    seeing = rows_of(run("query", joint, train, "--ask", "outlook", "--class", "play")[1])
    assert [row["probability"] for row in blind] != [row["probability"] for row in seeing]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--ask", "outlok"], "did you mean 'outlook'"),
        (["--ask", "wind,wind"], "twice"),
        (["--ask", "wind", "--show", "all"], "show"),
        ([], "--ask"),
    ],
)
def test_wrong_questions_end_in_one_line(run, joint, train, options, words):
    code, out, err = run("query", joint, train, *options)
    assert code in (1, 2)
    assert out == ""
    assert is_one_line(err)
    assert words in err


def test_models_without_a_joint_distribution_say_what_to_fit(run, model, train):
    code, _, err = run("query", model, train, "--ask", "wind")
    assert code == 2
    assert "fit naive-bayes" in err
    assert is_one_line(err)


def test_mixtures_and_trees_answer_from_their_files(run, train, tmp_path):
    options = ("--components", 2, "--starts", 2, "--drop", "play")
    for rule in ("map", "evidence"):
        path = tmp_path / f"{rule}.json"
        assert run("cluster", train, *options, "--param", f"rule={rule}", "-o", path)[0] == 0
    asked = ("--ask", "outlook", "--show", "marginals")
    by_one, by_all = (
        rows_of(run("query", tmp_path / f"{rule}.json", train, *asked)[1]) for rule in ("map", "evidence")
    )
    assert [row["value"] for row in by_one] == [row["value"] for row in by_all]
    assert [row["probability"] for row in by_one] != [row["probability"] for row in by_all]
    assert run("fit", train, "--target", "play", "--model", "best-tree", "-o", tmp_path / "tree.json")[0] == 0
    code, out, err = run("query", tmp_path / "tree.json", train, "--ask", "wind,play")
    assert code == 0, err
    assert len(rows_of(out)) == 6
