"""``codelength reproduce`` and ``codelength datasets``, run as a user would run them."""

import json

import pytest

from .conftest import is_one_line

FILES = {
    "predictive-inference": {"curves.csv", "figure-1-glass.svg", "figure-3-glass.svg"},
    "bayes-optimal-ibl": {"figure-1-iris.svg"},
    "indifferent-naive-bayes": {"versus.csv", "figure-4-bibl.svg", "figure-5-mapnb.svg"},
}


@pytest.mark.parametrize("key", FILES)
def test_a_quick_reproduction_prints_and_writes(run, tmp_path, key):
    pytest.importorskip("matplotlib")
    code, out, err = run("reproduce", key, "--quick", "--jobs", 1, "--settings", "repeats=1", "-o", tmp_path)
    assert code == 0, err
    assert "A quick run" in out
    assert "Settings changed: repeats=1." in out
    assert "laims" in out
    directory = tmp_path / f"{key}-quick-repeats=1"
    written = {path.name for path in directory.iterdir()}
    assert written >= {"tasks.sqlite", "results.json", "comparison.csv", "scores.csv", *FILES[key]}


def test_a_finished_run_is_found_again_and_printed_as_json(run, tmp_path):
    call = [
        "reproduce",
        "bayes-optimal-ibl",
        "--quick",
        "--jobs",
        1,
        "--settings",
        "repeats=1",
        "-o",
        tmp_path,
    ]
    document = json.loads(run(*call, "--json")[1])
    assert document["paper"] == "bayes-optimal-ibl"
    assert document["directory"] == str(tmp_path / "bayes-optimal-ibl-quick-repeats=1")
    assert len(document["comparisons"]) == 72
    assert len(document["claims"]) == 6
    assert "(27 of 27 tasks were there already)" in run(*call)[1]


def test_infinite_log_scores_are_carried_through(run, tmp_path):
    call = ["reproduce", "predictive-inference", "--quick", "--jobs", 1, "-o", tmp_path, "--json"]
    code, out, err = run(*call, "--settings", "repeats=2", "--settings", "map_pseudocount=0")
    assert code == 0, err
    document = json.loads(out)
    by_column = {entry["column"]: entry for entry in document["comparisons"] if entry["row"] == "Glass"}
    assert by_column["MAP-LS"]["ours"] is None
    assert by_column["MAP-LS"]["matches"] is False
    assert by_column["EV-LS"]["matches"] is True


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["reproduce", "indiferent-naive-bayes"], 2, "'indifferent-naive-bayes'"),
        (["reproduce", "all", "--settings", "bin=3"], 2, "did you mean 'bins'"),
        (["reproduce", "all", "--jobs", "0"], 2, "jobs=0: expected a whole number of at least 1"),
        (["datasets", "show", "hepatits"], 1, "did you mean 'hepatitis'"),
    ],
)
def test_bad_calls_are_refused_before_anything_runs(run, tmp_path, monkeypatch, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    ended, _, err = run(*arguments)
    assert ended == code
    assert is_one_line(err)
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_cannot_be_written_is_told(run, tmp_path):
    (tmp_path / "results").write_text("in the way")
    code, _, err = run("reproduce", "bayes-optimal-ibl", "--quick", "-o", tmp_path / "results")
    assert code == 1
    assert is_one_line(err)
    assert "cannot be" in err


def test_datasets_are_listed_and_described(run):
    listed = json.loads(run("datasets", "--json")[1])
    assert {entry["name"] for entry in listed} >= {"glass", "hepatitis", "adult"}
    assert "27 bundled tables" in run("datasets")[1]
    shown = run("datasets", "show", "hepatitis")[1]
    assert "155 rows" in shown
    assert "differs" in shown
    document = json.loads(run("datasets", "show", "hepatitis", "--json")[1])
    assert document["quoted"]["bayes-optimal-ibl-1998"] == {"rows": 150, "attributes": 19, "classes": 2}
