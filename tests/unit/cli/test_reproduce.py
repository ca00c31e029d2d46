"""``codelength reproduce`` and ``codelength datasets``, as commands."""

import json

import pytest
import typer
from typer.testing import CliRunner

from codelength.cli.datasets import datasets
from codelength.cli.reproduce import reproduce
from codelength.errors import DataError, InvalidParameter

app = typer.Typer()
app.command()(reproduce)
app.add_typer(datasets)


def invoke(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=True)


FILES = {
    "predictive-inference": {"curves.csv", "figure-1-glass.svg", "figure-3-glass.svg"},
    "bayes-optimal-ibl": {"figure-1-iris.svg"},
    "indifferent-naive-bayes": {"versus.csv", "figure-4-bibl.svg", "figure-5-mapnb.svg"},
}


@pytest.mark.parametrize("key", FILES)
def test_a_quick_reproduction_prints_and_writes(tmp_path, key):
    pytest.importorskip("matplotlib")
    result = invoke("reproduce", key, "--quick", "--jobs", 1, "--settings", "repeats=1", "-o", tmp_path)
    assert result.exit_code == 0, result.output
    assert "QUICK RUN" in result.output
    assert "Settings changed: repeats=1." in result.output
    assert "Claims in words" in result.output
    directory = tmp_path / f"{key}-quick-repeats=1"
    written = {path.name for path in directory.iterdir()}
    assert written >= {"cells.jsonl", "results.json", "comparison.csv", "scores.csv", *FILES[key]}


def test_a_finished_run_is_found_again_and_printed_as_json(tmp_path):
    call = (
        "reproduce",
        "bayes-optimal-ibl",
        "--quick",
        "--jobs",
        1,
        "--settings",
        "repeats=1",
        "-o",
        tmp_path,
    )
    document = json.loads(invoke(*call, "--json").stdout)
    assert document["paper"] == "bayes-optimal-ibl"
    assert document["directory"] == str(tmp_path / "bayes-optimal-ibl-quick-repeats=1")
    assert len(document["comparisons"]) == 72
    assert len(document["claims"]) == 6
    assert "(27 of 27 cells were there already)" in " ".join(invoke(*call).output.split())


def test_infinite_log_scores_are_carried_through(tmp_path):
    call = ("reproduce", "predictive-inference", "--quick", "--jobs", 1, "-o", tmp_path, "--json")
    result = invoke(*call, "--settings", "repeats=2", "--settings", "map_pseudocount=0")
    assert result.exit_code == 0, result.exception
    document = json.loads(result.stdout)
    by_column = {entry["column"]: entry for entry in document["comparisons"] if entry["row"] == "Glass"}
    assert by_column["MAP-LS"]["ours"] is None
    assert by_column["MAP-LS"]["matches"] is False
    assert by_column["EV-LS"]["matches"] is True


def test_bad_calls_are_refused_before_anything_runs(tmp_path):
    unknown = invoke("reproduce", "indiferent-naive-bayes", "-o", tmp_path)
    assert isinstance(unknown.exception, InvalidParameter)
    assert "did you mean 'indifferent-naive-bayes'" in str(unknown.exception)
    setting = invoke("reproduce", "all", "--settings", "bin=3", "-o", tmp_path)
    assert "did you mean 'bins'" in str(setting.exception)
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "results").write_text("in the way")
    result = invoke("reproduce", "bayes-optimal-ibl", "--quick", "-o", tmp_path / "results")
    assert isinstance(result.exception, DataError)
    assert "cannot be written" in str(result.exception)


def test_datasets_are_listed_and_described():
    listed = json.loads(invoke("datasets", "--json").stdout)
    assert {entry["name"] for entry in listed} >= {"glass", "hepatitis", "adult"}
    assert "bundled tables" in invoke("datasets").output
    shown = invoke("datasets", "show", "hepatitis")
    assert "155 rows" in shown.output
    assert "differs" in shown.output
    document = json.loads(invoke("datasets", "show", "hepatitis", "--json").stdout)
    assert document["quoted"]["bayes-optimal-ibl-1998"] == {"rows": 150, "attributes": 19, "classes": 2}
    assert isinstance(invoke("datasets", "show", "hepatits").exception, DataError)
