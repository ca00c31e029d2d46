"""Open questions of the papers: what is run, and what is made of it."""

from pathlib import Path

import pytest

from codelength.errors import DataError
from codelength_lab import EXPERIMENTS, PAPERS, reproduce
from codelength_lab import pages as reports
from codelength_lab.pages.questions import END, START

QUESTIONS = [key for key, experiment in EXPERIMENTS.items() if experiment.page == key]

DOCS = Path(__file__).parents[3] / "docs"


def test_they_are_run_by_reproduce_all_and_are_no_papers():
    assert QUESTIONS == ["predictive-inference-mixtures", "orderings"]
    assert set(QUESTIONS) <= set(EXPERIMENTS)
    assert not set(QUESTIONS) & set(PAPERS)


def test_results_go_between_the_comments_of_a_page(tmp_path, monkeypatch):
    monkeypatch.setattr("codelength_lab.experiments.orderings.QUICK_TABLES", ("iris", "zoo"))
    monkeypatch.setattr("codelength_lab.experiments.orderings.QUICK_PLAIN", 100)
    made = reproduce("orderings", quick=True, settings=["repeats=1"], directory=tmp_path / "run", jobs=1)
    page = tmp_path / "orderings.md"
    page.write_text(f"# Title\n\n{START}\nnothing yet\n{END}\n\nThe end.\n", encoding="utf-8")
    assert reports.write_questions(tmp_path) == []
    reports.save(made.findings, tmp_path / "results" / "orderings")
    assert reports.write_questions(tmp_path) == [page]
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# Title\n\n{START}\n")
    assert text.endswith(f"\n{END}\n\nThe end.\n")
    assert "nothing yet" not in text
    assert "results/orderings/time.svg" in text
    assert reports.question_page(text, tmp_path / "results" / "orderings") == text
    with pytest.raises(DataError, match="has no lines"):
        reports.question_page("# Title\n", tmp_path / "results" / "orderings")
    again = reproduce("orderings", quick=True, settings=["repeats=1"], directory=tmp_path / "run", jobs=1)
    assert (again.outcome.n_run, repr(again.findings)) == (0, repr(made.findings))


@pytest.mark.parametrize("key", QUESTIONS)
def test_pages_of_the_documentation_hold_the_results_beside_them(key):
    page, place = (DOCS / f"{key}.md").read_text(encoding="utf-8"), DOCS / "results" / key
    assert page.count(START) == page.count(END) == 1
    if place.exists():
        assert not reports.read(place).quick
        assert reports.question_page(page, place) == page
