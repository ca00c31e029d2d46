"""Texts that mean missing in files, among numbers: streams read them as the reader in memory does."""

import pytest

from codelength import NaiveBayes, read_table

ROWS = "a,b,y\n1,{rows},k\n NA ,2,l\n-9,'x',k\n{rows},2.5,l\n3,NA,k\n"


@pytest.mark.parametrize(
    "na", [[], ["NA"], ["{rows}"], ["-9", "NA"], ["nan"], ["{rows}", "NA", "'x'"]], ids=str
)
def test_markers_may_be_numbers_and_may_hold_anything(tmp_path, na):
    path = tmp_path / "rows.csv"
    path.write_text(ROWS)
    expected = NaiveBayes().fit(read_table(path, target="y", na=na))
    model = NaiveBayes().fit_table(path, "y", na=na)
    assert model.schema_ == expected.schema_
    assert model.counts_ == expected.counts_
