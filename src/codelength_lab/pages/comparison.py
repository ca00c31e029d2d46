"""The page ``docs/comparison.md``: ModelAverage and other classifiers, from the results of a full run."""

import os
from pathlib import Path

from codelength._files import atomic_write
from codelength.blocks import Block, Heading, Paragraph
from codelength.render.markdown import markdown

from ..files import read
from .findings import blocks_of
from .validation import pictures

KEY = "averages"

_HEAD: list[Block] = [
    Heading("What ModelAverage gains over other classifiers, and where it loses", 1),
    Paragraph(
        "This page is generated: python -m codelength_lab docs writes it from the results in "
        "results/averages, which codelength reproduce averages computes from the bundled tables."
    ),
    Paragraph(
        "Claims are decided as on the page of validation: one holds when the lead it speaks of is at least "
        "two standard errors above zero, does not hold when it is as far below, and is unsettled in between. "
        "Standard errors of a mean over tables are over tables; those on one table are over repetitions. The "
        "tables are those that the average was developed on, so its figures are optimistic; those of the "
        "opponents, whose settings were chosen within the training rows, are not."
    ),
    Paragraph(
        "What holds on these tables need not hold on others. An independent check found two very small "
        "tables on which the average is clearly worse than the class prior: by 0.30 nats per row with 20 "
        "rows and 6 classes, and by 0.14 with 50 rows of which 92 % have one class. With so few rows, "
        "compare it with the class prior on rows that were held out."
    ),
]


def write_comparison(docs: str | os.PathLike[str]) -> Path | None:
    """Write ``comparison.md`` in a directory from its ``results/averages``; None if there are none."""
    path = Path(docs) / "comparison.md"
    # A checkout may be without the results of this long comparison.
    if not (Path(docs) / "results" / KEY / "results.json").exists():
        return None
    page = comparison_page(Path(docs) / "results")
    with atomic_write(path) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")
    return path


def comparison_page(results: str | os.PathLike[str]) -> str:
    """Return the page as Markdown, from a directory with one directory of results per experiment."""
    place = Path(results) / KEY
    return markdown([*_HEAD, *blocks_of(read(place), pictures(place))])
