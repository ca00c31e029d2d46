"""Section on the rows that surprised the best model most."""

from ....render.markup import Child, Markup, join, tag
from ...results import Analysis
from ...section import Section, details, grid, hint, paragraph
from ...words import counted, many, name, probability

MOST_ROWS = 20
MOST_CELLS = 40
"""Rows, and cells of a row, that are shown."""

MOST_CHARACTERS = 100_000
"""Characters of all cells together, which keeps the file small."""


def surprises(analysis: Analysis) -> Section:
    """Return the section."""
    title = "Rows that surprised the model"
    shown = analysis.surprises[:MOST_ROWS]
    if not shown:
        return Section("surprises", title, paragraph("No row did."), short="Surprising rows")
    rows: list[list[Child]] = [
        [
            counted(surprise.row),
            name(surprise.occurred),
            name(surprise.expected),
            probability(surprise.probability),
        ]
        for surprise in shown
    ]
    names: list[Child] = ["row", "occurred", "expected", "probability of what occurred"]
    body = join(
        paragraph(
            "Look at these rows first: each is an exception, an error in the table, or a sign that the "
            "columns do not tell the whole story."
        ),
        grid(names, rows, label=title, n_text=3),
        _contents(analysis),
        hint(
            f"Numbers count rows from 1. {analysis.best[:1].upper()}{analysis.best[1:]} had not seen the row "
            "when it predicted it."
        ),
    )
    return Section("surprises", title, body, short="Surprising rows")


def _contents(analysis: Analysis) -> Markup:
    """Return the cells of the rows, folded, as far as there is room; a hint if rows were not requested."""
    with_cells = [surprise for surprise in analysis.surprises[:MOST_ROWS] if surprise.cells]
    if not with_cells:
        return hint("What these rows contain is not in this file; make it with --rows to see it.")
    folded: list[Markup] = []
    room = MOST_CHARACTERS
    for surprise in with_cells:
        cells = [
            tag("div", tag("dt", name(key)), tag("dd", name(cell)))
            for key, cell in surprise.cells[:MOST_CELLS]
        ]
        more = len(surprise.cells) - MOST_CELLS
        rest = hint(f"And {counted(more)} further cells.") if more > 0 else None
        row = details(f"Row {counted(surprise.row)}", tag("dl", cells, class_="facts"), rest)
        room -= len(row)
        # At least one row is always shown, however long its cells are.
        if folded and room < 0:
            break
        folded.append(row)
    left_out = len(with_cells) - len(folded)
    told = f"What {many(left_out, 'further row')} of these contain is left out to keep the page small."
    return join(folded, hint(told) if left_out else None)
