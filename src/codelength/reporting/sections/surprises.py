"""Rows that surprised the model most."""

import itertools

import numpy as np

from ...decisions import first_best_of_rows
from ...render.templates import rendered
from ...scores import Predictions
from ...table import Table
from ...typing import IntArray, Scalar
from ..page import Section
from ..results import Analysis, Surprise
from ..words import counted, name, probability

MAX_ROWS = 20
"""Rows that are shown."""

MAX_CELLS, MAX_CHARACTERS = 40, 100_000
"""Cells of a row that are shown, and characters of all cells together, which keep the file small."""


def surprises(
    predictions: Predictions, rows: IntArray, classes: tuple[Scalar, ...], table: Table, *, cells: bool
) -> tuple[Surprise, ...]:
    """Return the rows whose class had the smallest probability, the most surprising first.

    Rows whose most probable class occurred are not included.
    """
    expected = first_best_of_rows(np.exp(predictions.log_probs))
    occurred = np.asarray(predictions.class_codes, dtype=np.int64)
    wrong = np.flatnonzero(expected != occurred)
    # Ties in probability are broken by position in the table, so that the list does not depend on the folds.
    wrong = wrong[np.lexsort((rows[wrong], predictions.true_log_probs[wrong]))][:MAX_ROWS]
    return tuple(
        Surprise(
            row=table.row_number(int(rows[place])) + 1,
            probability=float(np.exp(predictions.true_log_probs[place])),
            occurred=str(classes[occurred[place]]),
            expected=str(classes[expected[place]]),
            cells=_cells(table, int(rows[place])) if cells else (),
        )
        for place in wrong
    )


def _cells(table: Table, row: int) -> tuple[tuple[str, str], ...]:
    taken = table.take(np.array([row]))
    columns = [*taken.columns, *([] if taken.target is None else [taken.target])]
    return tuple((c.name, "" if c.missing[0] else str(c.cells[0])) for c in columns)


def section(analysis: Analysis) -> Section:
    """Return the section on the rows that surprised the best model."""
    shown = analysis.surprises[:MAX_ROWS]
    body = rendered(
        "reporting/sections/surprises",
        rows=[
            [counted(one.row), name(one.occurred), name(one.expected), probability(one.probability)]
            for one in shown
        ],
        with_cells=[one for one in shown if one.cells],
        most_cells=MAX_CELLS,
        fitting=_fitting,
        best=analysis.best,
    )
    return Section("surprises", "Rows that surprised the model", body, short="Surprising rows")


def _fitting(parts: list[str]) -> list[str]:
    """Return the first parts, as far as there is room; the first one however long it is."""
    ends = itertools.accumulate(map(len, parts))
    return parts[: max(1, sum(end <= MAX_CHARACTERS for end in ends))]
