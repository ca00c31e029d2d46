"""The page ``docs/validation.md``: every printed figure beside ours, from the results of full runs."""

import os
from collections.abc import Iterable
from pathlib import Path

from .._files import atomic_write
from ..errors import DataError
from ..experiments.findings import Comparison, Findings
from .files import read
from .grids import figure, own_grids, score_grids

_HEAD = """# Validation: the printed figures beside ours

This page is generated from the results in `results/` (`python -m codelength.report docs`), which
`codelength reproduce all` computed afresh from the bundled tables.

A figure **matches** when rounding in print and the noise of random repetitions (twice the standard error of
the difference) explain the difference; it **matches within** a slack when it takes, besides, an allowance
for what the papers leave open, above all how numeric attributes were cut; otherwise it **differs**, and the
reason is given where it is known. The slacks stand in `src/codelength/experiments/published/*.toml`. The
standard error (s.e.) of ours is over repetitions, and over rows under leave-one-out. Claims in words are held
to our figures in a form made precise by us; both these forms and the slacks were chosen with the figures in
sight. Figures that do not match and claims that do not hold stay listed.
"""


def write_validation(docs: str | os.PathLike[str]) -> Path:
    """Write ``validation.md`` in a directory from the results in its ``results/``."""
    path = Path(docs) / "validation.md"
    page = validation_page(Path(docs) / "results")
    with atomic_write(path) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")
    return path


def validation_page(results: str | os.PathLike[str]) -> str:
    """The page as Markdown, from a directory that has one directory of results a paper."""
    places = sorted(path.parent for path in Path(results).glob("*/results.json"))
    if not places:
        raise DataError(f"{results}: has no results; run codelength reproduce all --output {results}")
    found = sorted((read(place) for place in places), key=_year)
    sections = [_section(findings, Path(results) / findings.paper) for findings in found]
    return "\n".join([_HEAD, _overview(found), *sections])


def _year(findings: Findings) -> str:
    return findings.citation.partition("(")[2][:4]


def _overview(found: list[Findings]) -> str:
    rows = [
        [
            f"[{f.title}](#{f.paper})",
            f"{f.n_matching} of {len(f.comparisons)}" if f.comparisons else "none printed",
            str(f.n_exact) if f.comparisons else "",
            f"{f.n_held} of {len(f.claims)}",
        ]
        for f in found
    ]
    return _markdown(
        ["paper", "figures that match", "of these, but for rounding and noise", "claims that hold"], rows
    )


def _section(findings: Findings, place: Path) -> str:
    parts = [f'<a id="{findings.paper}"></a>\n\n## {findings.title}\n', findings.citation + "\n"]
    if findings.quick:
        parts.append("**A quick run with few repetitions, not for comparison.**\n")
    if findings.changed:
        parts.append(f"**Settings changed: {', '.join(findings.changed)}.**\n")
    parts.append("".join(f"- {note}\n" for note in findings.notes))
    if findings.comparisons:
        parts += ["### Figures\n", _comparisons(findings)]
    reasons = list(dict.fromkeys(c.reason for c in findings.comparisons if not c.matches and c.reason))
    if reasons:
        listed = "\n".join(f"{number}. {_sentence(reason)}" for number, reason in enumerate(reasons, 1))
        parts.append(f"Why they differ, where it is known:\n\n{listed}\n")
    parts += ["### Claims\n", _claims(findings)]
    grids = [*own_grids(findings.tables), *score_grids(findings)]
    parts += [f"### {grid.title}\n\n{_markdown(grid.names, grid.rows)}" for grid in grids]
    images = sorted(path.name for path in place.glob("*.svg"))
    if images:
        shown = "\n\n".join(f"![{Path(name).stem}](results/{findings.paper}/{name})" for name in images)
        parts.append(f"### Pictures\n\n{shown}\n")
    return "\n".join(parts)


def _comparisons(findings: Findings) -> str:
    reasons = list(dict.fromkeys(c.reason for c in findings.comparisons if not c.matches and c.reason))
    rows = [_row(comparison, reasons) for comparison in findings.comparisons]
    names = ["where", "row", "column", "printed", "ours", "difference", "s.e.", ""]
    return _markdown(names, rows)


def _row(comparison: Comparison, reasons: list[str]) -> list[str]:
    decimals = comparison.decimals
    verdict = "matches"
    if comparison.matches and not comparison.is_exact:
        verdict = f"matches within {comparison.slack:g}"
    if not comparison.matches:
        number = f" ({reasons.index(comparison.reason) + 1})" if comparison.reason else ""
        verdict = f"**differs**{number}"
    return [
        comparison.table,
        comparison.row,
        comparison.column,
        figure(comparison.printed, decimals),
        figure(comparison.ours, decimals),
        figure(comparison.difference, decimals + 1),
        figure(comparison.standard_error, decimals + 1),
        verdict,
    ]


def _claims(findings: Findings) -> str:
    rows = [
        [claim.where, claim.text, "held" if claim.held else "**not held**", claim.figures]
        for claim in findings.claims
    ]
    return _markdown(["where", "claim", "", "our figures"], rows)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _markdown(names: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(list(names))]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"
