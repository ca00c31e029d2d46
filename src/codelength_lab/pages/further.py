"""The page ``docs/further.md``: experiments that go beyond the papers, from the results of full runs."""

import os
from pathlib import Path

from codelength._files import atomic_write
from codelength.blocks import Block, Heading, Paragraph
from codelength.errors import DataError
from codelength.render.markdown import markdown

from ..files import read
from ..registry import shown_on
from .findings import blocks_of
from .validation import pictures

_HEAD: list[Block] = [
    Heading("Beyond the papers", 1),
    Paragraph(
        "What the papers leave to future work, on their own tables. This page is generated: python -m "
        "codelength_lab docs writes it from the results in results, which codelength reproduce computes from "
        "the bundled tables."
    ),
    Paragraph(
        "A claim holds when the lead it speaks of is at least two standard errors above zero, does not hold "
        "when it is as far below, and is unsettled in between. Standard errors of a mean over tables are "
        "over tables."
    ),
]


def write_further(docs: str | os.PathLike[str]) -> Path | None:
    """Write ``further.md`` in a directory from its ``results``; None if there are none."""
    if not _places(Path(docs) / "results"):
        return None
    path = Path(docs) / "further.md"
    page = further_page(Path(docs) / "results")
    with atomic_write(path) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")
    return path


def further_page(results: str | os.PathLike[str]) -> str:
    """Return the page as Markdown, from a directory with one directory of results per experiment."""
    places = _places(Path(results))
    if not places:
        raise DataError(f"{results}: has no results; run codelength reproduce all --output {results}")
    sections = [blocks_of(read(place), pictures(place)) for place in places]
    return markdown([*_HEAD, *(block for section in sections for block in section)])


def _places(results: Path) -> list[Path]:
    return [results / key for key in shown_on("further") if (results / key / "results.json").exists()]
