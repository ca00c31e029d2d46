"""The page ``docs/validation.md``: every printed figure beside ours, from the results of full runs."""

import os
from pathlib import Path

from .._files import atomic_write
from ..blocks import Block, Bullets, Grid, Heading, Paragraph, Picture
from ..errors import DataError
from ..experiments.findings import Findings
from .files import read
from .page import blocks_of
from .render.markdown import markdown

_HEAD: list[Block] = [
    Heading("Validation: the printed figures beside ours", 1),
    Paragraph(
        "This page is generated: python -m codelength.report docs writes it from the results in results/, "
        "which codelength reproduce all computes from the bundled tables."
    ),
    Paragraph(
        "A figure matches when it differs from the printed one by no more than its tolerance, which is "
        "slack + rounding + noise × s.e., where"
    ),
    Bullets(
        [
            "slack allows for what the paper leaves open, above all how it cut numeric attributes;",
            "rounding is half a unit of the last printed digit, and 0 for whole counts;",
            "noise is a number of standard errors: 2 √2 by default, which is two standard errors of the "
            "difference between two means over random repetitions, and 0 under leave-one-out;",
            "s.e. is the standard error of our figure: over repetitions, or over rows under leave-one-out.",
        ]
    ),
    Paragraph(
        "Slack, rounding and noise stand beside the printed figures in "
        "src/codelength/experiments/published/*.toml. The verdict on a figure that needs its slack to match "
        "is within slack. A figure that does not match differs, and the reason is given where it is known."
    ),
    Paragraph(
        "Claims in words are held to our figures in a form that we made precise. Both these forms and the "
        "slacks were chosen with the figures in sight. Figures that do not match and claims that do not hold "
        "stay listed."
    ),
]


def write_validation(docs: str | os.PathLike[str]) -> Path:
    """Write ``validation.md`` in a directory from the results in its ``results/``."""
    path = Path(docs) / "validation.md"
    page = validation_page(Path(docs) / "results")
    with atomic_write(path) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")
    return path


def validation_page(results: str | os.PathLike[str]) -> str:
    """The page as Markdown, from a directory that has one directory of results per paper."""
    places = sorted(path.parent for path in Path(results).glob("*/results.json"))
    if not places:
        raise DataError(f"{results}: has no results; run codelength reproduce all --output {results}")
    found = sorted((read(place) for place in places), key=_year)
    sections = [blocks_of(findings, _pictures(Path(results) / findings.paper)) for findings in found]
    return markdown([*_HEAD, _overview(found), *(block for section in sections for block in section)])


def _year(findings: Findings) -> str:
    return findings.citation.partition("(")[2][:4]


def _overview(found: list[Findings]) -> Grid:
    rows = [
        [
            findings.title,
            f"{findings.n_matching} of {len(findings.comparisons)}"
            if findings.comparisons
            else "none printed",
            str(findings.n_exact) if findings.comparisons else "",
            _of(findings.n_held, len(findings.claims)),
        ]
        for findings in found
    ]
    names = [
        "paper",
        "figures that match",
        "of these, within rounding and noise alone",
        "claims that hold",
    ]
    return Grid("", names, rows)


def _of(number: int, total: int) -> str:
    return f"{number} of {total}" if total else "none printed"


def _pictures(place: Path) -> list[Picture]:
    names = sorted(path.name for path in place.glob("*.svg"))
    return [Picture(f"results/{place.name}/{name}", Path(name).stem) for name in names]
