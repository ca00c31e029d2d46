"""Findings written, read back and drawn."""

import csv
import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from codelength.errors import CodelengthWarning, DataError, InvalidParameter
from codelength_lab import figures as drawing
from codelength_lab import pages as reports
from codelength_lab.pages import read, write
from codelength_lab.registry import find, specify
from codelength_lab.run import run


@pytest.fixture(scope="module")
def findings(tmp_path_factory):
    spec = specify("predictive-inference", quick=True, settings=["repeats=2"])
    return find(spec, run(spec, tmp_path_factory.mktemp("run"), jobs=1).results)


def test_what_is_written_is_read_back(tmp_path, findings):
    paths = write(findings, tmp_path)
    again = read(tmp_path)
    assert {path.name for path in paths} == {"results.json", "comparison.csv", "scores.csv", "curves.csv"}
    assert (again.experiment, again.notes, again.claims) == (
        findings.experiment,
        findings.notes,
        findings.claims,
    )
    for found, made in zip(again.comparisons, findings.comparisons, strict=True):
        assert (found.table, found.row, found.column, found.reason) == (
            made.table,
            made.row,
            made.column,
            made.reason,
        )
        assert (found.ours, found.matches) == (pytest.approx(made.ours, rel=1e-8), made.matches)
        assert found.tolerance == pytest.approx(made.tolerance, rel=1e-8)
    assert [row["model"] for row in again.scores] == [row["model"] for row in findings.scores]
    assert again.scores[0]["log_score"] == pytest.approx(findings.scores[0]["log_score"], rel=1e-7)
    own = [curve for curve in findings.curves if " - " not in curve.model]
    for found, made in zip(again.curves, own, strict=True):
        assert (found.dataset, found.model, found.score) == (made.dataset, made.model, made.score)
        np.testing.assert_allclose(found.mean, made.mean, rtol=1e-4)


def test_written_results_written_again_are_the_same_bytes(tmp_path, findings):
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    write(findings, one)
    write(read(one), two)
    for name in ("results.json", "curves.csv"):
        assert (one / name).read_bytes() == (two / name).read_bytes()


def test_figures_are_judged_again_when_they_are_read(tmp_path, findings):
    wide = [replace(c, slack=9.0, rounding=9.0, noise=9.0) for c in findings.comparisons]
    write(replace(findings, comparisons=wide), tmp_path)
    assert json.loads((tmp_path / "results.json").read_text())["comparisons"][5]["matches"] is True
    again = read(tmp_path)
    assert [c.matches for c in again.comparisons] == [c.matches for c in findings.comparisons]
    assert [c.reason for c in again.comparisons] == [c.reason for c in findings.comparisons]


def test_figures_that_no_file_knows_keep_their_tolerances(tmp_path, findings):
    own = replace(findings.comparisons[0], table="of their own", slack=0.25, rounding=0.0, noise=0.0)
    write(replace(findings, comparisons=[own]), tmp_path)
    assert read(tmp_path).comparisons[0].tolerance == 0.25
    write(replace(findings, experiment="made up", comparisons=[own]), tmp_path)
    assert read(tmp_path).comparisons[0].tolerance == 0.25


def test_every_part_of_a_tolerance_is_in_the_table_of_comparisons(tmp_path, findings):
    write(findings, tmp_path)
    with open(tmp_path / "comparison.csv", newline="") as file:
        first = next(csv.DictReader(file))
    assert (first["slack"], first["rounding"], first["noise"]) == ("0.005", "0.0005", "0")
    assert float(first["tolerance"]) == pytest.approx(0.0055)


def test_numbers_that_json_lacks_are_null(tmp_path, findings):
    odd = replace(findings.comparisons[0], ours=-np.inf, standard_error=np.nan)
    write(replace(findings, comparisons=[odd]), tmp_path)
    document = json.loads((tmp_path / "results.json").read_text())
    assert document["comparisons"][0]["ours"] is None
    assert document["comparisons"][0]["matches"] is False
    assert np.isnan(read(tmp_path).comparisons[0].ours)
    with open(tmp_path / "comparison.csv", newline="") as file:
        assert next(csv.DictReader(file))["ours"] == "-inf"


def test_a_directory_without_results_is_told(tmp_path):
    with pytest.raises(DataError, match="holds no results"):
        read(tmp_path)
    (tmp_path / "results.json").write_text("{}")
    with pytest.raises(DataError, match="holds no results"):
        read(tmp_path)


def test_figures_are_the_same_bytes_every_time(tmp_path):
    pytest.importorskip("matplotlib")
    spec = specify("bayes-optimal-ibl", quick=True, settings=["repeats=1"])
    found = find(spec, run(spec, tmp_path, jobs=1).results)
    (path,) = drawing.draw(found, tmp_path)
    content = path.read_bytes()
    assert drawing.draw(found, tmp_path) == [path]
    assert path.read_bytes() == content
    for text in (b"<svg", b"MLNB", b"share of the training rows used, %"):
        assert text in content


def test_a_paper_without_figures_has_none_drawn(tmp_path, findings):
    assert drawing.draw(replace(findings, experiment="made up"), tmp_path) == []
    names = {path.name for path in reports.save(replace(findings, experiment="made up"), tmp_path / "new")}
    assert names == {"results.json", "comparison.csv", "scores.csv", "curves.csv"}


def test_saving_writes_files_and_figures(tmp_path, findings):
    pytest.importorskip("matplotlib")
    paths = reports.save(findings, tmp_path / "new" / "directory")
    assert {path.suffix for path in paths} == {".json", ".csv", ".svg"}
    assert all(path.is_file() for path in paths)


def test_without_matplotlib_its_installation_is_advised(tmp_path, monkeypatch, findings):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InvalidParameter, match=r"codelength\[plot\]"):
        drawing.draw(findings, tmp_path)
    with pytest.warns(CodelengthWarning, match=r"no figures were drawn.*codelength\[plot\]"):
        paths = reports.save(findings, tmp_path)
    assert {path.suffix for path in paths} == {".json", ".csv"}


def test_a_directory_that_cannot_be_made_is_told(tmp_path, findings):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DataError, match="cannot be made"):
        reports.save(findings, tmp_path / "file")
