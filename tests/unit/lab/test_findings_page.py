"""The page of a paper: the same blocks on a terminal and in Markdown."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from codelength.blocks import Grid, Heading, Strong
from codelength.render.markdown import markdown
from codelength.render.terminal import show
from codelength_lab.claims import Claim
from codelength_lab.findings import Comparison, Findings
from codelength_lab.pages import blocks_of, parts_of, write


def compared(column, ours, **changes):
    made = Comparison("Table 1", "Glass", column, 0.668, ours, 0.032, 3, 0.005, 0.0005, 0.0)
    return replace(made, **changes)


FINDINGS = Findings(
    experiment="made-up",
    title="A paper [of ours]",
    citation="Somebody (1999). A journal.",
    quick=True,
    settings={"bins": 4},
    changed=["bins=4"],
    notes=["A note with a * in it."],
    comparisons=[
        compared("MAP-01", 0.6681),
        compared("EV-01", 0.6729),
        compared("SC-01", 0.6542, reason="nobody knows why"),
        compared("noisy", 0.70, noise=2.0),
    ],
    claims=[
        Claim("section 4", "All is well.", "held", "yes"),
        Claim("section 5", "It is | not.", "not held", "no"),
        Claim("section 5", "Perhaps it is.", "unsettled", "who knows"),
        Claim("20 rows", "It is so further on.", "held", "yes", is_beyond=True),
    ],
)


def figures_of(blocks):
    return next(block for block in blocks if isinstance(block, Grid))


def test_every_figure_has_its_tolerance_and_its_verdict():
    grid = figures_of(blocks_of(FINDINGS))
    assert grid.title == "Table 1"
    assert grid.names == ["figure", "verdict", "printed", "ours", "difference", "s.e.", "tolerance"]
    assert [row[1] for row in grid.rows] == ["matches", "within tolerance", "differs (1)", "matches"]
    assert [isinstance(row[1], Strong) for row in grid.rows] == [False, False, True, False]
    assert grid.rows[2][0] == "Glass: SC-01"
    assert grid.rows[2][2:] == ["0.668", "0.654", "-0.0138", "0.0320", "0.0055"]
    assert grid.rows[3][-1] == "0.0695"


def test_headings_say_how_many_match_and_hold():
    headings = [block.text for block in blocks_of(FINDINGS) if isinstance(block, Heading)]
    assert headings == [
        "A paper [of ours]",
        "Figures: 3 of 4 match",
        "Claims in words: 1 of 3 holds, 1 does not, 1 is unsettled",
        "Beyond the paper: 1 of 1 holds",
    ]


@pytest.mark.parametrize("width", [40, 80, 200])
def test_terminal_and_markdown_say_the_same(width):
    blocks = blocks_of(FINDINGS)
    file = io.StringIO()
    show(blocks, Console(file=file, width=width, force_terminal=True, color_system=None))
    shown = set(file.getvalue().split())
    page = re.sub(r"\\(.)", r"\1", markdown(blocks)).replace("**", "")
    assert {"0.6681", "-0.0138", "0.0055", "differs", "held", "bins=4."} - shown == {"0.6681"}
    assert all(word in shown for word in re.findall(r"-?\d\.\d+", page))


def test_the_page_lists_every_figure_and_every_claim(tmp_path):
    key = "bayes-optimal-ibl"
    place = tmp_path / "results" / key
    place.mkdir(parents=True)
    write(replace(FINDINGS, experiment=key), place)
    (place / "figure-1.svg").write_text("<svg/>")
    parts = parts_of(tmp_path / "results")
    assert set(parts) == {key, "papers", "sizes"}
    page = parts[key]
    assert "**Table 1**" in page
    rows = [line for line in page.splitlines() if line.startswith("| Glass: ")]
    assert len(rows) == 4
    assert sum("**differs (1)**" in row for row in rows) == 1
    assert page.count("held") == 3
    assert "**A quick run with few repetitions, not for comparison.**" in page
    assert "- A note with a \\* in it." in page
    assert "1. Nobody knows why." in page
    assert "| claims | held | not held | unsettled |" in parts["papers"]
    assert f"[A paper \\[of ours\\]]({key}.md) | 3 of 4 | 2 | 3 | 1 | 1 | 1 |" in parts["papers"]
    assert "| **unsettled** |" in page
    assert f"![figure-1]({key}/figure-1.svg)" in page
