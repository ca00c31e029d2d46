"""The approximations of stochastic complexity: tasks, findings and files of this paper."""

import json
from dataclasses import replace

import numpy as np
import pytest

from codelength.blocks import Heading
from codelength_lab import pages as reports
from codelength_lab import reproduce
from codelength_lab.experiments import sc_approximations
from codelength_lab.experiments.clustering_sums import (
    LEVELS,
    METHODS,
    SHARES,
    ApproximationsTask,
    SolutionsTask,
    TermsTask,
)
from codelength_lab.tables import Source

IRIS = Source("iris", "kmeans", 3, "value", "whole")
THREE_TABLES = ["hepatitis", "diabetes", "iris"]
GLASS = Source("glass", "kmeans", 5, "value", "whole")


def test_a_sample_has_the_class_among_its_variables_and_depends_on_its_number_alone():
    task = TermsTask(IRIS, 7, 0, 0, 3)
    coded = task.sample(1)
    assert coded.schema.names[-1] == "class"
    assert coded.codes.shape == (7, 5)
    np.testing.assert_array_equal(coded.codes, SolutionsTask(IRIS, 7, 0, 1, 2).sample(1).codes)
    assert not np.array_equal(coded.codes, task.sample(0).codes)
    assert not np.array_equal(coded.codes, replace(task, seed=1).sample(1).codes)


def test_shares_of_the_sum_rise_to_one():
    result = TermsTask(IRIS, 6, 0, 0, 2).run()
    for needed, mass in zip(result["needed"], result["mass"], strict=True):
        assert needed == sorted(needed)
        assert 1 <= needed[0] <= needed[-1] <= 3**6
        assert mass == sorted(mass)
        assert mass[-1] == pytest.approx(1)
        # Terms in descending order: the curve is concave, so above the diagonal.
        assert all(y >= x - 1e-12 for x, y in zip(SHARES, mass, strict=True))
        reached = np.interp(needed[0] / 3**6, SHARES, mass)
        assert reached == pytest.approx(LEVELS[0], abs=0.05)


def test_neighbourhoods_are_never_below_the_exact_code_length():
    result = ApproximationsTask(GLASS, 6, 0, 0, 3, (1, 2, 3)).run()
    assert set(result) == {"1", "2", "3"}
    for columns in result.values():
        assert {len(columns[name]) for name in (*METHODS, "reference")} == {3}
        reference = np.array(columns["reference"])
        for name in ("LN", "LN*", "LN+", "LN+*"):
            assert (np.array(columns[name]) >= reference - 1e-9).all()
    for name in ("LN", "C-S", "C-S soft", "LN*", "C-S*", "LN+", "LN+*"):
        np.testing.assert_allclose(result["1"][name], result["1"]["reference"], rtol=1e-12)


def test_a_task_cut_in_two_comes_to_the_same():
    whole = ApproximationsTask(IRIS, 6, 0, 0, 2, (2,), "exact", True)
    first, last = replace(whole, last=1).run(), replace(whole, first=1).run()
    joined = {name: first["2"][name] + last["2"][name] for name in first["2"]}
    assert whole.run() == {"2": joined}
    assert whole.run()["2"]["annealed"] == pytest.approx(whole.run()["2"]["reference"], abs=0.3)


def test_the_annealed_reference_is_near_the_exact_one():
    exact = ApproximationsTask(IRIS, 10, 0, 0, 1).run()["3"]
    annealed = ApproximationsTask(IRIS, 10, 0, 0, 1, reference="annealed").run()["3"]
    error = annealed["standard_error"][0]
    assert 0 < error < 0.5
    assert annealed["reference"][0] == pytest.approx(exact["reference"][0], abs=5 * error)
    assert annealed["C-S"] == exact["C-S"]


def test_solutions_go_up_to_the_best_clustering():
    (sample,) = SolutionsTask(IRIS, 6, 0, 0, 1).run()["samples"]
    best = ApproximationsTask(IRIS, 6, 0, 0, 1).run()["3"]
    assert sample["log_posterior"] == sorted(sample["log_posterior"])
    assert sample["exact"] == pytest.approx(best["reference"][0], rel=1e-12)
    for name, lengths in sample["lengths"].items():
        if name in ("LN", "C-S"):
            assert lengths[-1] == pytest.approx(best[f"{name}*"][0], rel=1e-9)
    assert max(sample["em"]) <= sample["log_posterior"][-1] + 1e-9


def test_a_quick_run_is_written_and_read_back(tmp_path, monkeypatch):
    """In one test and on three of the tables, because the run takes a while."""
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(sc_approximations, "_names", lambda: THREE_TABLES)
    made = reproduce("sc-approximations", quick=True, settings=["repeats=1"], directory=tmp_path, jobs=2)
    assert made.directory == tmp_path / "sc-approximations-quick-repeats=1"
    reports.save(made.findings, made.directory)
    check_files(made.directory)
    check_tables(made.findings, made.directory)


def check_files(directory):
    written = {path.name for path in directory.iterdir()}
    tables = {"peaks", "errors-10-rows", "errors-by-rows", "bias-by-rows", "selection", "errors", "terms"}
    assert written >= {f"{name}.csv" for name in tables} | {"results.json", "tasks.sqlite"}
    assert {name for name in written if name.endswith(".svg")} == {
        "figure-1-terms.svg",
        "figure-2-growth.svg",
        "figure-3-solutions.svg",
        "figure-3-errors.svg",
        "figure-4-classes.svg",
        "figure-5-rows.svg",
    }
    assert "scores.csv" not in written


def check_tables(made, directory):
    again = reports.read(directory)
    assert [table.name for table in again.tables] == [table.name for table in made.tables]
    for name in ("errors-10-rows", "errors", "solutions"):
        for found, row in zip(again.table(name), made.table(name), strict=True):
            assert found == {
                key: pytest.approx(value, rel=1e-7) if isinstance(value, float) else value
                for key, value in row.items()
            }
    document = (directory / "results.json").read_bytes()
    reports.write(again, directory)
    assert (directory / "results.json").read_bytes() == document
    shown = [block.text for block in reports.blocks_of(again) if isinstance(block, Heading)]
    assert sum("error in nats" in title for title in shown) == 3
    assert all("Errors of all methods" not in title for title in shown)
    lengths = {table["name"]: len(table["rows"]) for table in json.loads(document)["tables"]}
    assert lengths["errors-10-rows"] == len(THREE_TABLES) + 1  # and their mean
    # Long tables are in files of their own.
    assert lengths["errors"] == lengths["solutions"] == 0
