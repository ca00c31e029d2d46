"""Findings of one experiment as blocks, for terminals and pages."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from codelength.blocks import Block, Bullets, Grid, Heading, Paragraph, Picture, Strong

from .claims import Verdict, signed
from .findings import Comparison, Findings, ResultTable


def blocks_of(findings: Findings, pictures: Sequence[Picture] = ()) -> list[Block]:
    """Return the page of one experiment: notes, printed figures and ours, claims, and its own tables."""
    return [
        Heading(findings.title, 2, anchor=findings.experiment),
        Paragraph(findings.citation),
        *_cautions(findings),
        Bullets(findings.notes),
        *_figures(findings),
        *_titled(_own_grid(table) for table in findings.tables if table.shown and table.first),
        *_claims(findings),
        *_titled(_own_grid(table) for table in findings.tables if table.shown and not table.first),
        *_titled(_score_grids(findings)),
        *_pictures(pictures),
    ]


def figure(value: float, decimals: int) -> str:
    """Return a figure with some decimals.

    Examples
    --------
    >>> figure(0.45567, 3), figure(-0.01, 1), figure(float("-inf"), 2)
    ('0.456', '0.0', '-inf')
    """
    text = "none" if math.isnan(value) else f"{value:.{decimals}f}"
    # A small negative number would otherwise read as minus zero.
    return text.removeprefix("-") if not text.strip("-0.") else text


def _cautions(findings: Findings) -> list[Block]:
    """Return warnings about quick runs and changed settings."""
    cautions: list[Block] = []
    if findings.quick:
        cautions.append(Paragraph("A quick run with few repetitions, not for comparison.", strong=True))
    if findings.changed:
        cautions.append(Paragraph(f"Settings changed: {', '.join(findings.changed)}.", strong=True))
    return cautions


def _figures(findings: Findings) -> list[Block]:
    """Return the printed figures with ours, table by table, and the reasons of differences."""
    if not findings.comparisons:
        return []
    # A reason is listed once and referred to by its number.
    reasons = list(dict.fromkeys(c.reason for c in findings.comparisons if not c.matches and c.reason))
    names = ["figure", "verdict", "printed", "ours", "difference", "s.e.", "tolerance"]
    blocks: list[Block] = [Heading(f"Figures: {findings.n_matching} of {len(findings.comparisons)} match", 3)]
    for table in dict.fromkeys(comparison.table for comparison in findings.comparisons):
        own = [comparison for comparison in findings.comparisons if comparison.table == table]
        blocks.append(Grid(table, names, [_figure_row(comparison, reasons) for comparison in own], n_text=2))
    if reasons:
        blocks += [
            Paragraph("Why they differ, where it is known:"),
            Bullets([f"{reason[:1].upper()}{reason[1:]}." for reason in reasons], numbered=True),
        ]
    return blocks


def _figure_row(comparison: Comparison, reasons: Sequence[str]) -> list[str]:
    """Return one row of a table of figures."""
    decimals = comparison.decimals
    return [
        f"{comparison.row}: {comparison.column}",
        _verdict(comparison, reasons),
        figure(comparison.printed, decimals),
        figure(comparison.ours, decimals),
        figure(comparison.difference, decimals + 1),
        figure(comparison.standard_error, decimals + 1),
        f"{comparison.tolerance:.3g}",
    ]


def _verdict(comparison: Comparison, reasons: Sequence[str]) -> str:
    """Return the verdict on a figure, with the number of its reason."""
    if comparison.is_exact:
        return "matches"
    if comparison.matches:
        return "within tolerance"
    number = f" ({reasons.index(comparison.reason) + 1})" if comparison.reason else ""
    return Strong(f"differs{number}")


def _claims(findings: Findings) -> list[Block]:
    """Return the claims of the paper, and those beyond it below a heading of their own."""
    blocks: list[Block] = []
    for is_beyond, title in ((False, "Claims in words"), (True, "Beyond the paper")):
        own = [claim for claim in findings.claims if claim.is_beyond == is_beyond]
        if own:
            rows = [[claim.where, claim.text, _strong(claim.verdict), claim.figures] for claim in own]
            blocks += [
                Heading(f"{title}: {tally(findings.verdicts(is_beyond=is_beyond))}", 3),
                Grid("", ["where", "claim", "verdict", "our figures"], rows, n_text=4),
            ]
    return blocks


def _strong(verdict: Verdict) -> str:
    return verdict if verdict == "held" else Strong(verdict)


def tally(verdicts: Mapping[Verdict, int]) -> str:
    """Describe the number of claims that hold.

    Examples
    --------
    >>> tally({"held": 7, "not held": 4, "unsettled": 2})
    '7 of 13 hold, 4 do not, 2 are unsettled'
    >>> tally({"held": 1, "not held": 1, "unsettled": 1})
    '1 of 3 holds, 1 does not, 1 is unsettled'
    """
    held, failed, open_ = (verdicts[name] for name in ("held", "not held", "unsettled"))
    text = f"{held} of {held + failed + open_} {'holds' if held == 1 else 'hold'}"
    if failed:
        text += f", {failed} {'does' if failed == 1 else 'do'} not"
    if open_:
        text += f", {open_} {'is' if open_ == 1 else 'are'} unsettled"
    return text


def _titled(grids: Iterable[Grid]) -> list[Block]:
    """Return tables below headings of their own, so that they can be linked to."""
    blocks: list[Block] = []
    for grid in grids:
        blocks += [Heading(grid.title, 3), replace(grid, title="")]
    return blocks


def _pictures(pictures: Sequence[Picture]) -> list[Block]:
    return [Heading("Pictures", 3), *pictures] if pictures else []


def _own_grid(table: ResultTable) -> Grid:
    """Return a table of an experiment as a grid; its first columns are words up to the first number."""
    first = table.rows[0]
    # Columns of words come first in all result tables.
    n_text = next((n for n, value in enumerate(first.values()) if not isinstance(value, str)), len(first))
    rows = [[_shown(value, table.decimals) for value in row.values()] for row in table.rows]
    return Grid(table.title, list(first), rows, n_text)


def _shown(value: str | int | float | None, decimals: int) -> str:
    if value is None:
        return ""
    return figure(value, decimals) if isinstance(value, float) else str(value)


def _score_grids(findings: Findings) -> list[Grid]:
    """Return scores table by table with the gains of one model, for experiments that compare pairs."""
    sides = dict.fromkeys((row["fraction"], row["score"]) for row in findings.versus)
    return [_score_grid(findings, fraction, score) for fraction, score in sides]


def _score_grid(findings: Findings, fraction: float, score: str) -> Grid:
    """Return the scores of all models and the gains of one, for one share and score."""
    # Log scores are shown as losses, with a positive sign.
    scale, digits = (100, 2) if score == "accuracy" else (-1, 3)
    rows: dict[str, list[str]] = {}
    models = list(dict.fromkeys(row["model"] for row in findings.scores))
    for row in findings.scores:
        if row["fraction"] == fraction:
            rows.setdefault(row["dataset"], []).append(figure(scale * row[score], digits))
    own = [row for row in findings.versus if (row["fraction"], row["score"]) == (fraction, score)]
    for row in own:
        gain = signed(abs(scale) * row["gain"], abs(scale) * row["standard_error"], digits)
        rows[row["dataset"]].append(gain)
    others = dict.fromkeys(row["other"] for row in own)
    word = "Accuracy, %" if score == "accuracy" else "LogScore, nats per row (lower is better)"
    title = f"{word}, with {fraction:.0%} of the training rows; gains of {own[0]['model']} ± s.e."
    return Grid(
        title,
        ["", *models, *(f"gain over {other}" for other in others)],
        [[name, *cells] for name, cells in rows.items()],
    )
