"""Texts that mean missing in files, among numbers: streams read them as the reader in memory does."""

import numpy as np
import polars as pl
import pytest

from codelength import NaiveBayes, read_table

ROWS = "a,b,y\n1,{rows},k\n NA ,2,l\n-9,'x',k\n{rows},2.5,l\n3,NA,k\n4,{c},l\n5,{is_missing},k\n"
ODD = [["{c}", "NA", "'x'", "{rows}", "{is_missing}"], ["{is_missing}"], ["{rows}", "NA", "'x'"], ["{c}"]]


@pytest.mark.parametrize("na", [[], ["NA"], ["{rows}"], ["-9", "NA"], ["nan"], ["x"], [""], *ODD], ids=str)
def test_markers_may_be_numbers_and_may_hold_anything(tmp_path, na):
    path = tmp_path / "rows.csv"
    path.write_text(ROWS)
    expected = NaiveBayes().fit(read_table(path, target="y", na=na))
    model = NaiveBayes().fit_table(path, "y", na=na)
    assert model.schema_ == expected.schema_
    assert model.counts_ == expected.counts_


@pytest.mark.parametrize(
    "odd", ["1_000", "+-1", "inf", "nan", "nan(1)", "9007199254740992", "1e3", "x", "", "2.0"]
)
def test_many_columns_of_numbers_one_of_which_is_odd_late_in_the_second_file(tmp_path, odd):
    names = [f"v{i}" for i in range(30)]
    rng = np.random.default_rng(1)
    for part in range(2):
        cells = rng.integers(0, 40, (60, 30)).astype(str)
        cells[:, 25] = np.round(rng.normal(size=60), 3).astype(str)
        order = np.arange(30) if part == 0 else rng.permutation(30)
        if part:
            cells[50, 13] = odd
        lines = [",".join([names[i] for i in order] + ["y"])]
        lines += [",".join([*row[order], "kl"[n % 2]]) for n, row in enumerate(cells)]
        (tmp_path / f"{part}.csv").write_text("\n".join(lines) + "\n")
    whole = tmp_path / "whole.csv"
    frames = [pl.read_csv(tmp_path / f"{part}.csv", infer_schema=False) for part in range(2)]
    pl.concat([frames[0], frames[1].select(frames[0].columns)]).write_csv(whole)
    expected = NaiveBayes().fit(read_table(whole, target="y"))
    paths = [tmp_path / "0.csv", tmp_path / "1.csv"]
    for source in (paths, whole):
        model = NaiveBayes().fit_table(source, "y", batch_rows=50)
        assert model.schema_ == expected.schema_
        assert model.counts_ == expected.counts_
