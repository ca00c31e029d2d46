"""Open questions of the papers: what is run, and what is made of it."""

from pathlib import Path

import pytest

from codelength.errors import DataError
from codelength_lab import EXPERIMENTS, PUBLISHED, reproduce
from codelength_lab import pages as reports
from codelength_lab.pages import fill, filled, parts_of

QUESTIONS = ["predictive-inference-mixtures", "orderings"]

DOCS = Path(__file__).parents[3] / "docs"


def test_they_are_run_by_reproduce_all_and_are_no_papers():
    assert set(QUESTIONS) <= set(EXPERIMENTS)
    assert not set(QUESTIONS) & set(PUBLISHED)


def test_results_go_between_the_comments_of_a_page(tmp_path, monkeypatch):
    monkeypatch.setattr("codelength_lab.experiments.orderings.QUICK_TABLES", ("iris", "zoo"))
    monkeypatch.setattr("codelength_lab.experiments.orderings.QUICK_PLAIN", 100)
    made = reproduce("orderings", quick=True, settings=["repeats=1"], directory=tmp_path / "run", jobs=1)
    page, start, end = tmp_path / "orderings.md", "<!-- table: orderings -->", "<!-- end -->"
    page.write_text(f"# Title\n\n{start}\nnothing yet\n{end}\n\nThe end.\n", encoding="utf-8")
    assert not fill(page, parts_of(tmp_path / "results"))
    reports.save(made.findings, tmp_path / "results" / "orderings")
    parts = parts_of(tmp_path / "results")
    assert fill(page, parts)
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# Title\n\n{start}\n")
    assert text.endswith(f"\n{end}\n\nThe end.\n")
    assert "nothing yet" not in text
    assert "(orderings/time.svg)" in text
    assert not fill(page, parts)
    for lacking in (f"# Title\n\n{start}\n", f"{start}\n{start}\n{end}\n"):
        with pytest.raises(DataError, match="lacks its line"):
            filled(lacking, parts)
    again = reproduce("orderings", quick=True, settings=["repeats=1"], directory=tmp_path / "run", jobs=1)
    assert (again.outcome.n_run, repr(again.findings)) == (0, repr(made.findings))


@pytest.mark.parametrize("key", QUESTIONS)
def test_pages_of_the_documentation_hold_the_results_beside_them(key):
    page, place = (DOCS / "results" / f"{key}.md").read_text(encoding="utf-8"), DOCS / "results" / key
    assert page.count(f"<!-- table: {key} -->") == 1
    assert not reports.read(place).quick
    assert filled(page, parts_of(DOCS / "results")) == page
