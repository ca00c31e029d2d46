"""Section on the table: its size, its classes, and the reading of its columns."""

from collections.abc import Sequence

import numpy as np

from ....render.markup import Child, Markup, join, tag
from ...results import Analysis, TableFacts, VariableFacts
from ...section import Section, details, facts, grid, hint
from ...svg import share
from ...words import counted, many, name, percent

MOST_COLUMNS, MOST_NOTES = 100, 50
"""Columns and notes that are listed."""

MOST_CLASSES = 12
"""Classes whose shares are drawn; the others are counted."""


def table(analysis: Analysis) -> Section:
    """Return the section."""
    held = analysis.table
    body = join(
        table_facts(held),
        _classes(held) if held.target is not None else None,
        _columns(analysis.variables),
        notes(held),
    )
    return Section("table", "The table", body)


def table_facts(held: TableFacts) -> Markup:
    """Return the size of a table and its missing cells."""
    n_cells = held.n_rows * held.n_columns
    missing = "none"
    if held.n_missing:
        missing = f"{counted(held.n_missing)} ({percent(held.n_missing / max(n_cells, 1))} of the cells)"
    columns = counted(held.n_columns)
    items: list[tuple[str, Child]] = [("Rows", counted(held.n_rows)), ("Columns", columns)]
    if held.ignored:
        items.append(("Left out", many(len(held.ignored), "column")))
    items.append(("Missing cells", missing))
    if held.target is not None:
        items.append(("To predict", name(held.target)))
    return facts(items)


def _classes(held: TableFacts) -> Markup:
    """Return the shares of the classes, most common first."""
    # Avoids 0/0 for a table without rows.
    total = max(float(held.class_counts.sum()), 1e-300)
    order = np.argsort(-held.class_counts, kind="stable")
    rows = [
        tag(
            "li",
            tag("span", name(held.classes[k]), class_="who"),
            tag(
                "svg",
                tag("rect", width="100%", height="10", class_="track"),
                tag("rect", width=share(held.class_counts[k] / total), height="10", class_=colour(k, held)),
                class_="bar",
                aria_hidden="true",
            ),
            tag(
                "span",
                f"{percent(held.class_counts[k] / total)} · {counted(held.class_counts[k])}",
                class_="n",
            ),
        )
        for k in map(int, order[:MOST_CLASSES])
    ]
    more = len(held.classes) - MOST_CLASSES
    rest = None
    if more > 0:
        left = float(held.class_counts[order[MOST_CLASSES:]].sum())
        rest = hint(f"And {many(more, 'other class', 'other classes')} with {many(left, 'row')} together.")
    return join(tag("h3", "How common the classes are"), tag("ul", rows, class_="bars"), rest)


def colour(k: int, held: TableFacts) -> str:
    """Return the class of the style sheet that colours a class of the table."""
    # The style sheet has seven colours of classes.
    return f"k{k}" if len(held.classes) <= 7 else "fill"


def _columns(variables: Sequence[VariableFacts]) -> Markup:
    """Return the kinds, values and missing cells of the columns, folded."""
    shown = variables[:MOST_COLUMNS]
    rows: list[list[Child]] = [
        [
            name(variable.name),
            variable.kind,
            variable.how,
            counted(variable.n_values),
            counted(variable.n_missing),
        ]
        for variable in shown
    ]
    label = "How the columns were read"
    table = grid(["column", "read as", "how", "values", "missing"], rows, label=label, n_text=3)
    more = len(variables) - len(shown)
    rest = hint(f"And {many(more, 'further column')}.") if more > 0 else None
    return details(f"{label}: kinds, values, intervals", table, rest)


def notes(held: TableFacts) -> Markup | None:
    """Return the warnings given while the table was read and models were fitted."""
    if not held.notes:
        return None
    told = [tag("li", name(note, 400)) for note in held.notes[:MOST_NOTES]]
    more = len(held.notes) - MOST_NOTES
    rest = hint(f"And {many(more, 'further note')}.") if more > 0 else None
    return details(many(len(held.notes), "note"), tag("ul", told), rest)
