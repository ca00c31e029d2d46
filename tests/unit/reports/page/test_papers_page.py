"""The papers on one page."""

import base64
import shutil
from pathlib import Path

import pytest

from codelength.errors import DataError
from codelength.experiments import PAPERS
from codelength.reports import read
from codelength.reports.page.papers_page import papers_page

from .reading import check

RESULTS = Path(__file__).parents[4] / "docs" / "results"


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


def test_a_directory_without_results_is_refused(tmp_path):
    with pytest.raises(DataError, match="has no results; run codelength reproduce all"):
        papers_page(tmp_path)
