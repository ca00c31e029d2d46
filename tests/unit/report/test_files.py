"""Findings written, read back, and shown."""

import csv
import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from codelength.errors import DataError, InvalidParameter
from codelength.experiments.papers import find, specify
from codelength.experiments.run import run
from codelength.report import figures as drawing
from codelength.report import read, tables_of, validation_page, write, write_validation


@pytest.fixture(scope="module")
def findings(tmp_path_factory):
    spec = specify("predictive-inference", quick=True, settings=["repeats=2"])
    return find(spec, run(spec, tmp_path_factory.mktemp("run"), jobs=1).results)


def test_what_is_written_is_read_back(tmp_path, findings):
    paths = write(findings, tmp_path)
    again = read(tmp_path)
    assert {path.name for path in paths} == {"results.json", "comparison.csv", "scores.csv", "curves.csv"}
    assert (again.paper, again.notes, again.claims) == (findings.paper, findings.notes, findings.claims)
    for found, made in zip(again.comparisons, findings.comparisons, strict=True):
        assert (found.table, found.row, found.column, found.reason) == (
            made.table,
            made.row,
            made.column,
            made.reason,
        )
        assert (found.ours, found.matches) == (pytest.approx(made.ours, rel=1e-8), made.matches)
    assert [score.model for score in again.scores] == [score.model for score in findings.scores]
    assert again.scores[0].log_score == pytest.approx(findings.scores[0].log_score, rel=1e-7)
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
    with pytest.raises(DataError, match="has no results"):
        validation_page(tmp_path / "nothing")


def test_tables_have_the_layout_of_the_paper(findings):
    table_1, example, differing, claims = tables_of(findings)
    assert table_1.names == ["", "MAP-01", "EV-01", "SC-01", "MAP-LS", "EV-LS", "SC-LS"]
    assert table_1.rows[0][:3] == ["Australian", "0.851 (0.851)", "0.848 (0.848)"]
    assert table_1.rows[0][6] == "-0.458 (-0.389) *"
    assert example.rows == [["a 1 after a single 1", "1.0000 (1.0000)", "0.6667 (0.6667)", "0.8000 (0.8000)"]]
    assert len(differing.rows) == len(findings.comparisons) - findings.n_matching
    assert all(len(row) == len(differing.names) for row in differing.rows)
    assert {row[0] for row in claims.rows} == {"held", "not held"}


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


def test_without_matplotlib_its_installation_is_advised(tmp_path, monkeypatch, findings):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InvalidParameter, match=r"codelength\[plot\]"):
        drawing.draw(findings, tmp_path)


def test_the_page_lists_every_figure_and_every_claim(tmp_path, findings):
    place = tmp_path / "results" / findings.paper
    place.mkdir(parents=True)
    write(findings, place)
    page = write_validation(tmp_path).read_text(encoding="utf-8")
    assert page == validation_page(tmp_path / "results")
    rows = [line for line in page.splitlines() if line.startswith("| Table 1 |")]
    assert len(rows) == 24
    assert sum("**differs** (" in row for row in rows) == 24 - (findings.n_matching - 3)
    assert page.count("held") >= len(findings.claims)
    assert "A quick run" in page
    assert "hepatitis: 155 rows, 5 more than the 150 printed" in page
