"""The papers on one HTML page: every printed figure with ours, and every claim with its verdict."""

import base64
import os
from pathlib import Path

from codelength._version import __version__
from codelength.blocks import Heading, Picture
from codelength.render.html import html
from codelength.render.markup import Child, Markup, join, tag
from codelength.reporting.section import Section, details, hint, paragraph
from codelength.reporting.shell import page
from codelength.reporting.words import many

from ..findings import Findings
from ..verdicts import VERDICTS, Verdict
from .findings import blocks_of, tally
from .validation import HEAD, Paper, overview, papers_in, pictures

MOST_BYTES = 2_000_000
"""Pictures larger than this are left out."""


def papers_page(results: str | os.PathLike[str], command: str = "codelength report --reproduce") -> str:
    """Return the text of the HTML file, from a directory with one directory of results per run.

    Parameters
    ----------
    results : path
        Directory of ``codelength reproduce``.
    command : str
        Command that makes the page, shown at its end.

    Raises
    ------
    DataError
        If there are no results, or they cannot be read.
    """
    papers = papers_in(results)
    sections = [_how(), *(_section(paper) for paper in papers), _again(command)]
    return page(
        "The papers, run again",
        sections,
        over=f"{many(len(papers), 'paper')} · every printed figure beside ours",
        opening=_opening([paper.findings for paper in papers]),
        closing=f"Made with codelength {__version__}.",
        has_images=True,
    )


def verdict_kind(text: str) -> str | None:
    """Return the class of the style sheet for a verdict; colours repeat what the words say.

    Examples
    --------
    >>> [verdict_kind(text) for text in ("held", "not held", "differs (2)", "unsettled", "0.5")]
    ['held', 'failed', 'failed', 'open', None]
    """
    if text in ("held", "matches", "within tolerance"):
        return "held"
    if text == "not held" or text == "differs" or text.startswith("differs ("):
        return "failed"
    return "open" if text == "unsettled" else None


def _opening(papers: list[Findings]) -> Markup:
    """Return the totals of figures and claims over all papers."""
    n_figures = sum(len(findings.comparisons) for findings in papers)
    n_matching = sum(findings.n_matching for findings in papers)
    verdicts: dict[Verdict, int] = {
        verdict: sum(findings.verdicts()[verdict] for findings in papers) for verdict in VERDICTS
    }
    return join(
        tag(
            "p",
            "Of ",
            tag("span", many(n_figures, "printed figure"), class_="strong"),
            f", {n_matching:,} match ours. Of ",
            tag("span", many(sum(verdicts.values()), "claim"), class_="strong"),
            f" in words, {tally(verdicts).partition(' of ')[0]} hold on our runs; ",
            f"{verdicts['not held']} do not and {verdicts['unsettled']} are unsettled.",
            class_="lead",
        ),
        html([overview(papers)]),
    )


def _how() -> Section:
    """Return the section on the rules of judgement."""
    # Without the title and the remark that the page is generated, which hold for the other page.
    rules = [block for block in HEAD[2:] if not isinstance(block, Heading)]
    body = join(
        paragraph(
            "A figure matches when it differs from the printed one by no more than its tolerance; a claim "
            "holds when the lead it speaks of is at least two standard errors above zero."
        ),
        details("The rules in full", html(rules)),
    )
    return Section("rules", "How figures and claims are judged", body, short="Rules")


def _section(paper: Paper) -> Section:
    """Return the section of one paper."""
    blocks = blocks_of(paper.findings, pictures(paper.place))
    title = blocks[0]
    assert isinstance(title, Heading)
    body = html(blocks[1:], kind_of=verdict_kind, drawn=lambda picture: _drawn(picture, paper.place))
    if paper.others:
        names = ", ".join(place.name for place in paper.others)
        body = join(body, hint(f"From {paper.place.name}. Other runs are not on this page: {names}."))
    return Section(paper.findings.paper, title.text, body)


def _drawn(picture: Picture, place: Path) -> Child:
    """Return a picture embedded in the page; as an image it can neither run a script nor change the page."""
    path = place / Path(picture.path).name
    content = path.read_bytes()
    if len(content) > MOST_BYTES:
        return hint(f"{path.name} is too large for this page.")
    source = f"data:image/svg+xml;base64,{base64.b64encode(content).decode('ascii')}"
    words = picture.caption.replace("-", " ")
    return tag(
        "figure",
        tag("img", src=source, alt=f"{words[:1].upper()}{words[1:]}", class_="figure"),
        tag("figcaption", words),
    )


def _again(command: str) -> Section:
    body = join(
        paragraph("The results were computed by codelength reproduce. The same page again:"),
        tag("pre", tag("code", command), tabindex="0"),
    )
    return Section("settings", "How this page was made", body, short="Settings")
