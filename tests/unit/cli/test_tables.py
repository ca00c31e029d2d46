"""Tables for papers and for machines."""

import csv
import shutil
import subprocess

import pytest

from codelength import FiniteMixture, read_table
from codelength.blocks import Grid, Strong
from codelength.cli.saving import write_table
from codelength.errors import InvalidParameter
from codelength.estimators._latent_summary import profile_grid
from codelength.render.latex import escaped, latex

# The tables are too small to identify classes, which fits are warned about.
pytestmark = pytest.mark.filterwarnings("ignore::codelength.errors.DoubtfulFit")

TABLE = {"size_&_$": ["10 %", "20 %"] * 9, "colour": ["red", "blue"] * 9, "gaps": [1, None, 2] * 6}


@pytest.fixture(scope="module")
def model():
    return FiniteMixture(2, n_init=3, random_state=0).fit(TABLE)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz", "parquet"])
@pytest.mark.parametrize("with_intervals", [False, True])
def test_profiles_for_machines(model, suffix, with_intervals, tmp_path):
    intervals = model.intervals() if with_intervals else None
    records = model.profile_table(intervals)
    path = tmp_path / f"profiles.{suffix}"
    write_table(records, profile_grid(model._fitted, intervals), str(path))
    table = read_table(path)
    assert table.n_rows == len(records) == 1 + 6
    assert table.names[:3] == ("variable", "value", "class_1")
    assert table.column("class_1").cells.tolist() == pytest.approx([row["class_1"] for row in records])
    assert ("class_2_low" in table.names) == with_intervals


def test_profiles_are_the_parameters(model):
    records = model.profile_table()
    assert [row["class_2"] for row in records if row["variable"] == "colour"] == model.parameters_.of(
        "colour"
    )[1].tolist()
    assert [row["class_1"] for row in records][:1] == model.parameters_.class_probs[:1].tolist()
    bounds = model.profile_table(model.intervals())
    for row in bounds:
        for k in ("1", "2"):
            low, high = row[f"class_{k}_low"], row[f"class_{k}_high"]
            if low is not None:
                assert low - 1e-6 <= row[f"class_{k}"] <= high + 1e-6


def test_profiles_for_papers(model, tmp_path):
    intervals = model.intervals()
    for name in ("profiles.tex", "profiles.md"):
        path = str(tmp_path / name)
        write_table(model.profile_table(intervals), profile_grid(model._fitted, intervals), path)
    text = (tmp_path / "profiles.tex").read_text()
    assert r"size\_\&\_\$ & 10 \%" in text
    assert text.count(r"\\") == 8
    marked = (tmp_path / "profiles.md").read_text()
    assert "| colour | blue |" in marked
    # Every cell has its interval, or says that there is none.
    assert all(row.count("(") == 2 for row in marked.splitlines() if row.startswith("| colour"))


def test_comparisons_are_tables_too(model, tmp_path):
    path = tmp_path / "comparison.csv"
    write_table(model.comparison_, model.comparison_.grid(), str(path))
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["components"]) for row in rows] == [1, 2]
    assert float(rows[1]["bic"]) == model.comparison_[1]["bic"]


def test_names_that_say_nothing_are_refused(model, tmp_path):
    with pytest.raises(InvalidParameter, match=r"a table is a \.csv.*\.tex or \.md file"):
        write_table(model.profile_table(), profile_grid(model._fitted), str(tmp_path / "profiles.doc"))


def test_latex_escapes_what_it_would_obey():
    assert escaped(r"\input{x} #1 ~^ <a|b>") == (
        r"\textbackslash{}input\{x\} \#1 \textasciitilde{}\textasciicircum{} "
        r"\textless{}a\textbar{}b\textgreater{}"
    )
    assert escaped(Strong("5 %")) == r"\textbf{5 \%}"
    assert "% a title" in latex(Grid("a title", ["x"], [["1"]]))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
def test_latex_takes_the_table(model, tmp_path):
    text = latex(profile_grid(model._fitted))
    page = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{text}\end{{document}}"
    (tmp_path / "page.tex").write_text(page)
    subprocess.run(["pdflatex", "-interaction=batchmode", "page.tex"], cwd=tmp_path, check=True, timeout=60)


def test_a_first_cell_is_never_taken_for_an_argument():
    """After a rule or the end of a row, [...] sets a width and * forbids a page break."""
    text = latex(Grid("", ["[a]", "b"], [["[0, 1)", "[2"], ["*", "x"], ["", "[y"]]))
    assert text.splitlines()[2:7] == [
        r"{}[a] & b \\",
        r"\midrule",
        r"{}[0, 1) & [2 \\",
        r"{}* & x \\",
        r" & [y \\",
    ]
