"""The page ``docs/validation.md``: every printed figure with ours, from the results of full runs."""

import os
from pathlib import Path
from typing import NamedTuple

from codelength import datasets
from codelength._files import atomic_write
from codelength.blocks import Block, Bullets, Grid, Heading, Paragraph, Picture, Strong
from codelength.errors import DataError
from codelength.render.markdown import markdown

from .. import EXPERIMENTS, PAPERS
from ..files import read
from ..findings import Findings
from ..verdicts import VERDICTS
from .findings import blocks_of

HEAD: list[Block] = [
    Heading("Validation: the printed figures beside ours", 1),
    Paragraph(
        "This page is generated: python -m codelength_lab docs writes it from the results in results/, "
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
        "src/codelength_lab/published/*.toml. A figure that rounding and noise explain matches; "
        "one that needs its slack too is within tolerance, and counts as matching. A figure beyond its "
        "tolerance differs, and the reason is given where it is known."
    ),
    Paragraph(
        "Claims in words are held to our figures in a form that we made precise, and decided by one rule: a "
        "claim holds when the lead it speaks of is at least two standard errors above zero, does not hold "
        "when it is as far below, and is unsettled in between. A claim about every table or every size needs "
        "all of its leads, and fails with one. Standard errors on one table are over rows, repetitions or "
        "samples, and speak of that table only; those of a mean over tables are over tables, and speak of "
        "other tables like these. Figures without noise decide by their sign. What goes beyond a paper is "
        "counted apart, in a section of its own."
    ),
    Paragraph(
        "So a claim can hold on every table and be unsettled on average over the tables; the two verdicts do "
        "not contradict each other. The first says that the lead is sure on each of these tables. The second "
        "says that leads differ so much from table to table that a few tables do not tell whether there is "
        "one on others. With four tables no sign test can tell either: four leads out of four have "
        "probability 1/16 if neither side is better."
    ),
    Paragraph(
        "The forms of the claims and the slacks were chosen with the figures in sight. Figures that do not "
        "match and claims that do not hold or are unsettled stay listed."
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
    """Return the page as Markdown, from a directory with one directory of results per paper."""
    papers = papers_in(results)
    sections = [blocks_of(paper.findings, pictures(paper.place)) for paper in papers]
    inside = [block for section in sections for block in section]
    return markdown([*HEAD, overview([paper.findings for paper in papers]), *inside, *sizes()])


class Paper(NamedTuple):
    """Results of one paper: findings, their directory, and directories of other runs that are not used."""

    findings: Findings
    place: Path
    others: tuple[Path, ...]


def papers_in(results: str | os.PathLike[str]) -> list[Paper]:
    """Return the results about papers in a directory that has a directory for each run, by year.

    If a paper was run more than once, a full run is preferred to a quick one, and usual settings to changed
    ones.
    """
    runs: dict[str, list[tuple[Findings, Path]]] = {}
    for place in sorted(path.parent for path in Path(results).glob("*/results.json")):
        findings = read(place)
        # Papers that this version does not know, too: results may come from a newer one.
        if findings.paper in PAPERS or findings.paper not in EXPERIMENTS:
            runs.setdefault(findings.paper, []).append((findings, place))
    if not runs:
        raise DataError(f"{results}: has no results; run codelength reproduce all --output {results}")
    papers = []
    for found in runs.values():
        found.sort(key=lambda run: (run[0].quick, len(run[0].changed)))
        (findings, place), *others = found
        papers.append(Paper(findings, place, tuple(other for _, other in others)))
    # The year is the first number in brackets of a citation.
    return sorted(papers, key=lambda paper: paper.findings.citation.partition("(")[2][:4])


def overview(found: list[Findings]) -> Grid:
    """Return the numbers of matching figures and of claims by verdict, paper by paper."""
    names = ["paper", "figures that match", "of these, by rounding and noise alone"]
    names += ["claims", *VERDICTS]
    return Grid("", names, [_row(findings) for findings in found])


def _row(findings: Findings) -> list[str]:
    n_figures, verdicts = len(findings.comparisons), findings.verdicts()
    return [
        findings.title,
        f"{findings.n_matching} of {n_figures}" if n_figures else "none printed",
        str(findings.n_exact) if n_figures else "",
        str(sum(verdicts.values())),
        *(str(number) for number in verdicts.values()),
    ]


def sizes() -> list[Block]:
    """Return the sizes of tables that the papers print, with those of the bundled ones."""
    entries = [entry for entry in map(datasets.describe, datasets.names()) if entry.quoted]
    rows = []
    for entry in entries:
        printed: dict[tuple[int, ...], list[str]] = {}
        for paper, size in entry.quoted.items():
            printed.setdefault(tuple(size), []).append(paper)
        ours = (entry.rows, entry.attributes, entry.classes)
        said = "; ".join(f"{_size(size)} ({', '.join(papers)})" for size, papers in printed.items())
        verdict = "the same" if list(printed) == [ours] else Strong("differs")
        rows.append([entry.name, _size(ours), said, verdict, entry.differs, f"{entry.missing_cells:,}"])
    return [
        Heading("Sizes of the tables", 2),
        Paragraph(
            "Rows, attributes without the class, and classes of the bundled tables, beside those printed in "
            "Table 1 of four of the papers; prequential-selection names none of its tables. The one table "
            "that is not here, DCREDITS (3,781 × 5, 15 classes), is the authors' own and was never published."
        ),
        Grid("", ["table", "ours", "printed", "verdict", "why", "missing cells"], rows, n_text=5),
    ]


def _size(size: tuple[int, ...]) -> str:
    n_rows, n_attributes, n_classes = size
    return f"{n_rows:,} × {n_attributes}, {n_classes} classes"


def pictures(place: Path) -> list[Picture]:
    """Return the figures in a directory of results, for a page two directories above."""
    names = sorted(path.name for path in place.glob("*.svg"))
    return [Picture(f"results/{place.name}/{name}", Path(name).stem) for name in names]
