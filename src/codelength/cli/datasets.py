"""``codelength datasets``."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ..blocks import Facts, Grid, Paragraph
from . import options
from .choices import DATASET
from .command import SETTINGS, Group, argument
from .output import print_json, show

if TYPE_CHECKING:
    from ..datasets import Entry


@click.group(
    cls=Group, context_settings=SETTINGS, invoke_without_command=True, short_help="List the bundled tables."
)
@options.as_json
@click.pass_context
def datasets(context: click.Context, as_json: bool) -> None:
    """List the bundled tables, or describe one of them.

    \b
    Examples:
      codelength datasets
      codelength datasets show hepatitis
    """
    if context.invoked_subcommand is not None:
        return
    from ..datasets import describe, names

    entries = [describe(name) for name in names()]
    if as_json:
        print_json([_document(entry) for entry in entries])
        return
    columns = ["name", "title", "rows", "attributes", "classes", "missing cells"]
    rows = [
        [one.name, one.title, *(f"{n:,}" for n in (one.rows, one.attributes, one.classes, one.missing_cells))]
        for one in entries
    ]
    more = Paragraph("codelength datasets show NAME tells more about one of them.")
    show([Grid(f"{len(entries)} bundled tables", columns, rows, n_text=2), more])


@datasets.command("show", short_help="Describe a bundled table.")
@argument("name", metavar="NAME", type=DATASET, purpose="Name of a bundled table.")
@options.as_json
def show_one(name: str, as_json: bool) -> None:
    """Describe a bundled table: its size, its source, and how it differs from what papers print.

    \b
    Example:
      codelength datasets show hepatitis
    """
    from ..datasets import describe

    entry = describe(name)
    if as_json:
        print_json(_document(entry))
    else:
        show([Facts(_facts(entry), title=f"{entry.name}: {entry.title}")])


def _facts(entry: "Entry") -> list[tuple[str, str]]:
    """Return the description of a table as named facts, without empty ones."""
    quoted = [
        f"{paper}: {size.rows} x {size.attributes}, {size.classes} classes"
        for paper, size in entry.quoted.items()
    ]
    facts = {
        "size": f"{entry.rows:,} rows, {entry.attributes} attributes, {entry.classes} classes",
        "classes": ", ".join(f"{label} {count:,}" for label, count in entry.class_counts.items()),
        "missing cells": f"{entry.missing_cells:,}",
        "numeric": ", ".join(entry.numeric),
        "categorical": ", ".join(entry.categorical),
        "identifiers": ", ".join(entry.id_columns),
        "also called": ", ".join(entry.aliases),
        "papers": ", ".join(entry.papers),
        "printed size": "; ".join(quoted),
        "differs": entry.differs,
        "note": entry.note,
        "attribution": entry.attribution,
        "source": entry.source,
        "licence": entry.licence,
        "sha256": entry.sha256,
    }
    return [(name, text) for name, text in facts.items() if text]


def _document(entry: "Entry") -> dict[str, Any]:
    return asdict(entry) | {"quoted": {paper: size._asdict() for paper, size in entry.quoted.items()}}
