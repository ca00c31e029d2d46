"""``codelength explain``: contributions that add up, for people, machines and files."""

import csv
import json

import numpy as np
import pytest

from codelength import NaiveBayes, load

from .conftest import is_one_line


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("explain") / "train.csv"
    rows = ["sun,no,yes", "sun,yes,yes", "rain,yes,no", "rain,no,maybe", ",no,yes"] * 4
    path.write_text("outlook,wind,play\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture(scope="module")
def model(table):
    path = table.parent / "model.json"
    NaiveBayes().fit(table, "play").save(path)
    return path


def test_a_row_is_explained_the_strongest_variable_first(run, model, table):
    code, out, _ = run("explain", model, table, "--row", "3")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith("row 3: no with probability 0.")
    assert [line.split("  ")[0].strip() for line in lines[3:]] == [
        "(before any variable)",
        "outlook",
        "wind",
        "(all together)",
    ]


def test_machines_get_all_classes_and_everything_adds_up(run, model, table):
    code, out, _ = run("explain", model, table, "--row", "3", "--row", "1", "--against", "no", "--json")
    assert code == 0
    parts = json.loads(out)
    assert [part["row"] for part in parts] == [3, 1]
    for part in parts:
        assert part["against"] == "no"
        for label in ("maybe", "yes"):
            total = part["before"][label] + sum(terms[label] for terms in part["contributions"].values())
            odds = part["probabilities"][label] / part["probabilities"]["no"]
            assert total == pytest.approx(np.log(odds), abs=1e-12)


def test_a_file_has_all_rows(run, model, table, tmp_path):
    code, *_ = run("explain", model, table, "-o", tmp_path / "out.csv")
    assert code == 0
    with open(tmp_path / "out.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 20 * 2 * 3
    fitted = load(model)
    made = fitted.explain(table)
    sums = np.zeros((20, 3))
    for line in lines:
        sums[int(line["row"]) - 1, made.classes.index(line["class"])] += float(line["log_odds"])
    np.testing.assert_allclose(sums, made.log_odds, atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--row", "21"], 1, "--row 21: the table has fewer rows"),
        (["--row", "0"], 2, "row"),
        (["--against", "never"], 2, "expected one of the classes"),
        (["--row", "1", "-o", "x.csv"], 2, "leave --row out"),
    ],
)
def test_bad_calls_end_in_one_line(run, model, table, arguments, code, words):
    found, out, err = run("explain", model, table, *arguments)
    assert (found, out) == (code, "")
    assert is_one_line(err)
    assert words in err


def test_a_model_without_explanations_says_so(run, table, tmp_path):
    assert run("cluster", table, "--components", "2", "-o", tmp_path / "mixture.json")[0] == 0
    code, _, err = run("explain", tmp_path / "mixture.json", table)
    assert code == 2
    assert "finite-mixture cannot explain its predictions" in err
