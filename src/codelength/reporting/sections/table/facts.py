"""Size and content of a table, and the warnings given while it was analysed."""

import shlex
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ....errors import CodelengthWarning, DataError
from ....table import Schema, Table
from ....typing import FloatArray
from ...results import TableFacts
from ..variables.facts import reason_ignored

if TYPE_CHECKING:
    from ....estimators import FiniteMixture

MOST_NOTES = 20


@contextmanager
def noting() -> Iterator[list[str]]:
    """Collect warnings of the library as notes, each once; other warnings are issued again.

    Yields
    ------
    list of str
        Notes; filled when the block ends.
    """
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield notes
        finally:
            told = [str(one.message) for one in caught if isinstance(one.message, CodelengthWarning)]
            distinct = list(dict.fromkeys(told))
            notes += distinct[:MOST_NOTES]
            if len(distinct) > MOST_NOTES:
                notes.append(f"{len(distinct) - MOST_NOTES} further notes are left out")
            others = [one for one in caught if not isinstance(one.message, CodelengthWarning)]
    # After the block: inside it they would be recorded again instead of shown.
    for one in others:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def table_facts(
    table: Table, schema: Schema, class_counts: FloatArray | None, notes: Sequence[str]
) -> TableFacts:
    """Return the size and content of a table, without the directories of its file.

    Parameters
    ----------
    table : Table
        The rows.
    schema : Schema
        Schema by which they were read.
    class_counts : array, optional
        Rows of each class; None without a target.
    notes : sequence of str
        Warnings given so far.
    """
    name = file_name(table.name)
    return TableFacts(
        name=name,
        n_rows=table.n_rows,
        n_columns=table.n_columns,
        n_missing=int(sum(np.count_nonzero(column.missing) for column in table.columns)),
        target=None if table.target is None else table.target.name,
        classes=tuple(str(label) for label in schema.classes),
        class_counts=np.zeros(0) if class_counts is None else class_counts,
        ignored=_ignored(schema),
        # A page is passed on; directories would disclose the name of the user.
        notes=tuple(note.replace(table.name, name) if name else note for note in notes),
    )


def file_name(text: str) -> str:
    """Return the name of a file without its directories; any other name stays as it is.

    Examples
    --------
    >>> file_name("/home/me/weather.csv"), file_name("vote")
    ('weather.csv', 'vote')
    """
    return text.replace("\\", "/").rstrip("/").rpartition("/")[2]


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
    seen, schema = model.observed_, model.schema_
    return TableFacts(
        name="",
        n_rows=seen.n_rows,
        n_columns=schema.n_variables,
        n_missing=round(seen.missing_share * seen.n_used * schema.n_variables),
        target=None,
        classes=(),
        class_counts=np.zeros(0),
        ignored=_ignored(schema),
        notes=tuple(model.remarks_),
    )


def command_of(table: Table, seed: int, *, rows: bool = False, latent: bool = False) -> str:
    """Return the command that repeats the analysis, as far as the table determines it.

    Parameters
    ----------
    table : Table
        The rows; a name that is not a file becomes ``table.csv``.
    seed : int
        Seed; left out if it is the usual 0.
    rows, latent : bool
        Options of the command.
    """
    parts = ["codelength", "report", file_name(table.name) or "table.csv"]
    parts += [] if table.target is None else ["--target", table.target.name, *["--latent"] * latent]
    parts += ["--rows"] * rows + (["--seed", str(seed)] if seed else [])
    return shlex.join(parts)


def _ignored(schema: Schema) -> tuple[tuple[str, str], ...]:
    reasons = [(variable.name, reason_ignored(variable)) for variable in schema.variables]
    return tuple((name, reason) for name, reason in reasons if reason)
