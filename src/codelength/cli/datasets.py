"""``codelength datasets``."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from .options import AsJson
from .output import print_json, print_table

datasets = typer.Typer(
    name="datasets",
    help="List the bundled tables, or describe one.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@datasets.callback(invoke_without_command=True)
def list_tables(context: typer.Context, as_json: AsJson = False) -> None:
    """List the bundled tables.

    Example:

      codelength datasets
    """
    if context.invoked_subcommand is not None:
        return
    from ..datasets import describe, names

    entries = [describe(name) for name in names()]
    if as_json:
        print_json([_document(entry) for entry in entries])
        return
    print_table(
        f"{len(entries)} bundled tables; codelength datasets show NAME tells more",
        ["name", "title", "rows", "attributes", "classes", "missing cells"],
        [
            [
                entry.name,
                entry.title,
                *(f"{n:,}" for n in (entry.rows, entry.attributes, entry.classes, entry.missing_cells)),
            ]
            for entry in entries
        ],
        n_text=2,
    )


@datasets.command()
def show(
    name: Annotated[str, typer.Argument(help="Name of a bundled table.")], as_json: AsJson = False
) -> None:
    """Describe a bundled table: its size, where it comes from, and how it differs from what papers print.

    Example:

      codelength datasets show hepatitis
    """
    from ..datasets import describe

    entry = describe(name)
    if as_json:
        print_json(_document(entry))
        return
    print_table(f"{entry.name}: {entry.title}", ["", ""], _lines(entry), n_text=2)


def _lines(entry: Any) -> list[list[str]]:
    quoted = [
        f"{paper}: {size.rows} x {size.attributes}, {size.classes} classes"
        for paper, size in entry.quoted.items()
    ]
    lines = {
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
    return [[name, text] for name, text in lines.items() if text]


def _document(entry: Any) -> dict[str, Any]:
    return asdict(entry) | {"quoted": {paper: size._asdict() for paper, size in entry.quoted.items()}}
