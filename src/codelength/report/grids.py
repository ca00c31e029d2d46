"""Findings as tables for people, in the layout of the papers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..experiments.findings import Comparison, Findings, ResultTable, Value, signed


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of texts.

    Attributes
    ----------
    title : str
        What it shows.
    names : list of str
        Names of the columns.
    rows : list of list of str
        The cells.
    n_text : int
        How many of the first columns are words rather than numbers.
    """

    title: str
    names: list[str]
    rows: list[list[str]]
    n_text: int = 1


def tables_of(findings: Findings) -> list[Grid]:
    """Ours beside the printed figures, what differs, and the claims."""
    return [
        *own_grids(findings.tables),
        *score_grids(findings),
        *printed_grids(findings.comparisons),
        *_differences(findings),
        _claims(findings),
    ]


def own_grids(tables: Sequence[ResultTable]) -> list[Grid]:
    """The tables of a paper's own kind that are for people."""
    return [_own_grid(table) for table in tables if table.shown]


def _own_grid(table: ResultTable) -> Grid:
    first = table.rows[0]
    n_text = next((n for n, value in enumerate(first.values()) if not isinstance(value, str)), len(first))
    rows = [[_shown(value, table.decimals) for value in row.values()] for row in table.rows]
    return Grid(table.title, list(first), rows, n_text)


def _shown(value: Value, decimals: int) -> str:
    if value is None:
        return ""
    return figure(value, decimals) if isinstance(value, float) else str(value)


def printed_grids(comparisons: Sequence[Comparison]) -> list[Grid]:
    """One table for each printed one: ours, and in brackets the printed figure.

    A * marks a figure that differs, and a ~ one that matches because the paper leaves something open.
    """
    grids = []
    for table in dict.fromkeys(comparison.table for comparison in comparisons):
        own = [comparison for comparison in comparisons if comparison.table == table]
        columns = list(dict.fromkeys(comparison.column for comparison in own))
        rows: dict[str, list[str]] = {}
        for comparison in own:
            rows.setdefault(comparison.row, []).append(_beside(comparison))
        title = f"{table}: ours (printed); * differs, ~ matches allowing for what the paper leaves open"
        grids.append(Grid(title, ["", *columns], [[row, *cells] for row, cells in rows.items()]))
    return grids


def score_grids(findings: Findings) -> list[Grid]:
    """Scores table by table, and the gains of one model, where models were set side by side."""
    sides = dict.fromkeys((entry.fraction, entry.score) for entry in findings.versus)
    return [_score_grid(findings, fraction, score) for fraction, score in sides]


def _score_grid(findings: Findings, fraction: float, score: str) -> Grid:
    scale, digits = (100, 2) if score == "accuracy" else (-1, 3)
    rows: dict[str, list[str]] = {}
    models = list(dict.fromkeys(entry.model for entry in findings.scores))
    for entry in findings.scores:
        if entry.fraction == fraction:
            rows.setdefault(entry.dataset, []).append(figure(scale * getattr(entry, score), digits))
    own = [entry for entry in findings.versus if (entry.fraction, entry.score) == (fraction, score)]
    for side in own:
        rows[side.dataset].append(signed(abs(scale) * side.gain, abs(scale) * side.standard_error, digits))
    others = dict.fromkeys(side.other for side in own)
    word = "Accuracy, %" if score == "accuracy" else "LogScore, nats a row (lower is better)"
    title = f"{word}, with {fraction:.0%} of the training rows; gains of {own[0].model} ± s.e."
    return Grid(
        title,
        ["", *models, *(f"gain over {other}" for other in others)],
        [[name, *cells] for name, cells in rows.items()],
    )


def figure(value: float, decimals: int) -> str:
    """A figure with as many decimals as are printed.

    Examples
    --------
    >>> figure(0.45567, 3), figure(-0.01, 1), figure(float("-inf"), 2)
    ('0.456', '0.0', '-inf')
    """
    text = "none" if math.isnan(value) else f"{value:.{decimals}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def _beside(comparison: Comparison) -> str:
    decimals = comparison.decimals
    mark = "" if comparison.is_exact else " ~" if comparison.matches else " *"
    return f"{figure(comparison.ours, decimals)} ({figure(comparison.printed, decimals)}){mark}"


def _differences(findings: Findings) -> list[Grid]:
    rows = [difference_row(comparison) for comparison in findings.comparisons if not comparison.matches]
    if not rows:
        return []
    title = f"{len(rows)} of {len(findings.comparisons)} printed figures differ from ours"
    return [Grid(title, ["figure", "reason", "printed", "ours", "difference", "s.e."], rows, n_text=2)]


def difference_row(comparison: Comparison) -> list[str]:
    """Where a figure stands, the reason it differs, and the numbers."""
    decimals = comparison.decimals
    return [
        f"{comparison.row}, {comparison.column}",
        comparison.reason or "not known",
        figure(comparison.printed, decimals),
        figure(comparison.ours, decimals),
        figure(comparison.difference, decimals),
        figure(comparison.standard_error, decimals + 1),
    ]


def _claims(findings: Findings) -> Grid:
    rows = [
        ["held" if claim.held else "not held", claim.where, claim.text, claim.figures]
        for claim in findings.claims
    ]
    title = f"Claims in words: {findings.n_held} of {len(findings.claims)} held"
    return Grid(title, ["", "where", "claim", "our figures"], rows, n_text=4)
