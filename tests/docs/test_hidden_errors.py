"""The table of errors on the page about hidden classes is that of its run."""

import csv
import importlib.util

import pytest

from codelength_lab.pages import filled

from .blocks import ROOT


@pytest.fixture(scope="module")
def tables():
    """The program that writes the table."""
    path = ROOT / "docs" / "_ext" / "hidden_tables.py"
    spec = importlib.util.spec_from_file_location("hidden_tables", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def kept(tables):
    with open(tables.RUN, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_table_of_errors_is_that_of_the_run(tables):
    page = tables.PAGE.read_text(encoding="utf-8")
    assert page.count("<!-- table: ") == 3
    assert filled(page, tables.tables()) == page, "run python docs/_ext/hidden_tables.py"
    n_cases = len(tables.TABLES) * len(tables.SIZES) * tables.N_SAMPLES
    assert len(kept(tables)) == n_cases * len(tables.WAYS)


def test_the_run_gives_the_same_again(tables):
    """On one small sample; the whole run takes minutes."""
    before = {row["way"]: row for row in kept(tables) if (row["table"], row["rows"], row["sample"]) == CASE}
    for row in tables.errors_in("zoo", 8, 0):
        for figure in ("mean", "largest"):
            assert float(row[figure]) == pytest.approx(float(before[row["way"]][figure]), rel=0.02, abs=1e-4)


CASE = ("zoo", "8", "0")
