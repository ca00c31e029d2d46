"""The papers on one page."""

import base64
import json
import shutil
from pathlib import Path

import pytest

from codelength.errors import DataError
from codelength_lab import PAPERS
from codelength_lab.pages import read
from codelength_lab.pages.papers_page import papers_page
from unit.reporting.reading import check

RESULTS = Path(__file__).parents[3] / "docs" / "results"


@pytest.fixture(scope="module")
def page():
    return check(papers_page(RESULTS))


def test_every_figure_and_every_claim_stands_with_its_verdict(page):
    papers = [read(RESULTS / paper) for paper in PAPERS]
    assert len(papers) == 5
    sections = [attributes["id"] for attributes in page.all("section")]
    words = " ".join(page.text.split())
    verdicts = [attributes["class"] for attributes in page.all("span") if attributes.get("class") != "strong"]
    n_held = n_failed = n_open = 0
    for findings in papers:
        assert findings.paper in sections
        for claim in findings.claims:
            assert " ".join(claim.text.split()) in words
            n_held += claim.verdict == "held"
            n_failed += claim.verdict == "not held"
            n_open += claim.verdict == "unsettled"
        n_held += sum(comparison.matches for comparison in findings.comparisons)
        n_failed += sum(not comparison.matches for comparison in findings.comparisons)
    assert [verdicts.count(kind) for kind in ("held", "failed", "open")] == [n_held, n_failed, n_open]


def test_every_picture_is_in_the_file(page):
    files = [path for paper in PAPERS for path in (RESULTS / paper).glob("*.svg")]
    assert len(files) > 10
    drawn = [image["src"].removeprefix("data:image/svg+xml;base64,") for image in page.all("img")]
    assert sorted(map(base64.b64decode, drawn)) == sorted(path.read_bytes() for path in files)


def test_a_picture_that_is_not_ours_is_an_image_and_nothing_more(tmp_path):
    shutil.copytree(RESULTS / "bayes-optimal-ibl", tmp_path / "bayes-optimal-ibl")
    (tmp_path / "bayes-optimal-ibl" / "x<y.svg").write_text("<svg><script>hit()</script></svg>")
    text = papers_page(tmp_path)
    page = check(text)
    assert "hit()" not in text
    assert not page.all("script")
    assert "1 paper " in page.text


def test_a_run_in_a_directory_of_another_name_has_its_pictures(tmp_path):
    shutil.copytree(RESULTS / "bayes-optimal-ibl", tmp_path / "bayes-optimal-ibl-quick")
    page = check(papers_page(tmp_path))
    assert len(page.all("img")) == len(list((RESULTS / "bayes-optimal-ibl").glob("*.svg"))) > 0


def test_a_paper_that_was_run_three_times_is_one_paper(tmp_path):
    """The full run with the usual settings counts; the others are named."""
    for name, quick, changed in (
        ("bayes-optimal-ibl", False, []),
        ("bayes-optimal-ibl-bins=4", False, ["bins=4"]),
        ("bayes-optimal-ibl-quick", True, []),
    ):
        shutil.copytree(RESULTS / "bayes-optimal-ibl", tmp_path / name)
        path = tmp_path / name / "results.json"
        document = json.loads(path.read_text(encoding="utf-8")) | {"quick": quick, "changed": changed}
        path.write_text(json.dumps(document), encoding="utf-8")
    page = check(papers_page(tmp_path))
    words = " ".join(page.text.split())
    n_figures = len(read(RESULTS / "bayes-optimal-ibl").comparisons)
    assert "1 paper " in words
    assert f"Of {n_figures} printed figures" in words
    assert [one["id"] for one in page.all("section")].count("bayes-optimal-ibl") == 1
    assert "Other runs are not on this page: bayes-optimal-ibl-bins=4, bayes-optimal-ibl-quick." in words
    shutil.rmtree(tmp_path / "bayes-optimal-ibl")
    assert "From bayes-optimal-ibl-bins=4. " in " ".join(check(papers_page(tmp_path)).text.split())


def test_experiments_of_our_own_are_no_papers_under_any_name(tmp_path):
    shutil.copytree(RESULTS / "averages", tmp_path / "averages-quick")
    with pytest.raises(DataError, match="has no results"):
        papers_page(tmp_path)


def test_a_directory_without_results_is_refused(tmp_path):
    with pytest.raises(DataError, match="has no results; run codelength reproduce all"):
        papers_page(tmp_path)
