"""Size and content of a table, and the warnings given while it was analysed."""

import shlex
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..._display import counted as many
from ...errors import CodelengthWarning, DataError
from ...render.templates import rendered
from ...table import Schema, Table
from ...typing import FloatArray
from ..page import Section
from ..results import TableFacts, VariableFacts
from ..words import counted, file_name, name, percent
from .variables import reason_ignored

if TYPE_CHECKING:
    from ...estimators import FiniteMixture

MAX_NOTES = 20
"""Notes that are collected."""

MAX_COLUMNS, MAX_LISTED, MAX_CLASSES = 100, 50, 12
"""Columns, notes and classes on the page; the others are counted."""


@contextmanager
def noting() -> Iterator[list[str]]:
    """Collect warnings of the library as notes, each once; other warnings are issued again."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield notes
        finally:
            told = [str(one.message) for one in caught if isinstance(one.message, CodelengthWarning)]
            distinct = list(dict.fromkeys(told))
            notes += distinct[:MAX_NOTES]
            if len(distinct) > MAX_NOTES:
                notes.append(f"{len(distinct) - MAX_NOTES} further notes are left out")
            others = [one for one in caught if not isinstance(one.message, CodelengthWarning)]
    # After the block: inside it they would be recorded again instead of shown.
    for one in others:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def table_facts(
    table: Table, schema: Schema, class_counts: FloatArray | None, notes: Sequence[str]
) -> TableFacts:
    """Return the size and content of a table, without the directories of its file."""
    own = file_name(table.name)
    return TableFacts(
        name=own,
        n_rows=table.n_rows,
        n_columns=table.n_columns,
        n_missing=int(sum(np.count_nonzero(column.missing) for column in table.columns)),
        target=None if table.target is None else table.target.name,
        classes=tuple(str(label) for label in schema.classes),
        class_counts=np.zeros(0) if class_counts is None else class_counts,
        ignored=_ignored(schema),
        # A page is passed on; directories would disclose the name of the user.
        notes=tuple(note.replace(table.name, own) if own else note for note in notes),
    )


def checked(table: Table) -> Table:
    """Return the table; raise if it has no rows or has weights."""
    if not table.n_rows:
        raise DataError("the table has no rows, so there is nothing to analyse; give at least one row")
    if table.weights is not None:
        raise DataError(
            "the rows have weights, and an analysis counts rows; repeat the rows, or leave the weights out"
        )
    # An array of codes would lose its meaning with the columns that are left out.
    return replace(table, array=None)


def model_facts(model: "FiniteMixture") -> TableFacts:
    """Return the size and content of the table that a mixture was fitted to, as far as it stores them."""
    from ...estimators._latent_summary import remarks_of

    seen, schema = model._fitted.observed, model.schema_
    return TableFacts(
        name="",
        n_rows=seen.n_rows,
        n_columns=schema.n_variables,
        n_missing=round(seen.missing_share * seen.n_used * schema.n_variables),
        target=None,
        classes=(),
        class_counts=np.zeros(0),
        ignored=_ignored(schema),
        notes=tuple(remarks_of(model._fitted)),
    )


def command_of(table: Table, seed: int, *, rows: bool = False, latent: bool = False) -> str:
    """Return the command that repeats the analysis, as far as the table determines it."""
    parts = ["codelength", "report", file_name(table.name) or "table.csv"]
    parts += [] if table.target is None else ["--target", table.target.name, *["--latent"] * latent]
    parts += ["--rows"] * rows + (["--seed", str(seed)] if seed else [])
    return shlex.join(parts)


def _ignored(schema: Schema) -> tuple[tuple[str, str], ...]:
    reasons = [(variable.name, reason_ignored(variable)) for variable in schema.variables]
    return tuple((column, reason) for column, reason in reasons if reason)


def section(held: TableFacts, variables: Sequence[VariableFacts] | None = None) -> Section:
    """Return the section on a table."""
    # Avoids 0/0 for a table without rows.
    total = max(float(held.class_counts.sum()), 1e-300)
    order = [] if held.target is None else np.argsort(-held.class_counts, kind="stable").tolist()
    body = rendered(
        "reporting/sections/table",
        held=held,
        facts=_sizes(held),
        classes=[(k, held.class_counts[k] / total, held.class_counts[k]) for k in order[:MAX_CLASSES]],
        n_others=len(order) - MAX_CLASSES,
        n_left=float(held.class_counts[order[MAX_CLASSES:]].sum()),
        variables=variables,
        columns=[
            [name(one.name), one.kind, one.how, counted(one.n_values), counted(one.n_missing)]
            for one in (variables or ())[:MAX_COLUMNS]
        ],
        most_notes=MAX_LISTED,
    )
    return Section("table", "The table", body)


def _sizes(held: TableFacts) -> list[tuple[str, str]]:
    """Return the size of a table and its missing cells."""
    missing = "none"
    if held.n_missing:
        share = held.n_missing / max(held.n_rows * held.n_columns, 1)
        missing = f"{counted(held.n_missing)} ({percent(share)} of the cells)"
    left_out = [("Left out", many(len(held.ignored), "column"))] if held.ignored else []
    target = [] if held.target is None else [("To predict", name(held.target))]
    sizes = [("Rows", counted(held.n_rows)), ("Columns", counted(held.n_columns))]
    return [*sizes, *left_out, ("Missing cells", missing), *target]
