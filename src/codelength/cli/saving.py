"""Outputs of commands: checks before the work, files of models, rows, and small tables for papers.

A command calls :func:`check_outputs` before it reads anything, so that minutes of work do not end in an
output that would replace an input. Files are written under another name and then moved: an interrupted
command leaves no incomplete file.

Order of reading: the checks, :func:`save` (models), :func:`write_rows` (rows in batches), :func:`write_table`
(small tables, also for papers).
"""

import json
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from .._files import atomic_write, check_not_input
from .._scratch import Scratch
from ..errors import DataError, InvalidParameter
from .output import one_line

if TYPE_CHECKING:
    from ..blocks import Grid
    from ..estimators import TableEstimator
    from ..sources.files.writers import ColumnDict


def check_outputs(outputs: Mapping[str, str | None], inputs: Sequence[str], *, as_json: bool) -> None:
    """Raise if two outputs have the same destination, or an output is an input.

    Parameters
    ----------
    outputs : mapping
        Files by the option that names them; None if it was not given, ``"-"`` for standard output.
    inputs : sequence of str
        Files that are read.
    as_json : bool
        Whether JSON is written to standard output as well.

    Examples
    --------
    >>> check_outputs({"-o": "-", "-m": "-"}, ["vote.csv"], as_json=False)
    Traceback (most recent call last):
    codelength.errors.InvalidParameter: -o and -m both write to standard output; name a file for one of them
    """
    named = {option: output for option, output in outputs.items() if output is not None}
    on_standard_output = [option for option, output in named.items() if output == "-"]
    on_standard_output += ["--json"] if as_json else []
    if len(on_standard_output) > 1:
        raise InvalidParameter(
            f"{' and '.join(on_standard_output)} both write to standard output; name a file for one of them"
        )
    taken = list(inputs)
    for output in named.values():
        check_not_input(output, taken)
        taken += [output] if output != "-" else []


def check_marked(outputs: Sequence[str | None]) -> None:
    """Raise if ``--for-spreadsheets`` is given and no output is a CSV file."""
    from ..sources.files.formats import CSV

    named = [output for output in outputs if output is not None]
    if not any(output == "-" or output.lower().endswith(CSV.written) for output in named):
        raise InvalidParameter(
            "--for-spreadsheets: only CSV files are for spreadsheets; name one as the output, or leave it out"
        )


def save(model: "TableEstimator", output: str) -> None:
    """Write a model to a file, or to standard output for ``"-"``.

    Parameters
    ----------
    model : TableEstimator
        Fitted model.
    output : str
        Name of the file, or ``"-"``.
    """
    if output != "-":
        model.save(output)
        return
    # Through a file, because saving is atomic; a failure then leaves no half of a model in a pipe.
    with Scratch() as directory:
        path = Path(directory) / "model.json"
        model.save(path)
        with path.open(encoding="ascii") as file:
            shutil.copyfileobj(file, sys.stdout)


def write_rows(
    batches: "Iterator[ColumnDict]",
    data: str,
    output: str,
    *,
    as_json: bool = False,
    for_spreadsheets: bool = False,
) -> None:
    """Write batches of rows to a file, or to standard output for ``"-"``.

    Parameters
    ----------
    batches : iterator of dict of str to array
        Columns of some rows each.
    data : str
        Name of the table that they are made from.
    output : str
        Name of the file; its ending chooses the format.
    as_json : bool
        Write a JSON list of rows.
    for_spreadsheets : bool
        Whether to neutralise formulas in CSV.

    Examples
    --------
    >>> write_rows(iter([{"class": ["yes", "no"]}]), "table.csv", "-", as_json=True)
    [
    {"class": "yes"},
    {"class": "no"}
    ]
    """
    # Made before anything is written, so that a bad table leaves no trace.
    first = next(batches, None)
    if first is None:
        raise DataError(f"{data}: has no rows")
    batches = chain([first], batches)
    with ExitStack() as stack:
        if as_json:
            stream: TextIO = sys.stdout
            if output != "-":
                temporary = stack.enter_context(atomic_write(output))
                stream = stack.enter_context(open(temporary, "w", encoding="ascii"))
            _write_json(batches, stream)
            return
        from ..sources.files.writers import open_writer

        if output == "-" and sys.stdout.isatty():
            first, batches = _visible(first), map(_visible, batches)
        writer = stack.enter_context(open_writer(output, list(first), for_spreadsheets=for_spreadsheets))
        for columns in batches:
            writer.write(columns)


def _write_json(batches: "Iterator[ColumnDict]", stream: TextIO) -> None:
    """Write rows as one JSON list, one row per line."""
    from ..sources.files.writers import json_text, values_of

    before = "["
    for columns in batches:
        # Column by column: the names are encoded once and the values of a column have one type.
        members = [
            [f"{key}: {json_text(value)}" for value in values_of(cells)]
            for key, cells in zip(map(json.dumps, columns), columns.values(), strict=True)
        ]
        for row in zip(*members, strict=True):
            stream.write(f"{before}\n{{{', '.join(row)}}}")
            before = ","
    stream.write("[]\n" if before == "[" else "\n]\n")


def _visible(columns: "ColumnDict") -> "ColumnDict":
    """Return rows for a terminal, without control characters."""
    from ..sources.files.writers import plain_cells

    return {
        one_line(name): [one_line(cell) if isinstance(cell, str) else cell for cell in plain_cells(cells)]
        for name, cells in columns.items()
    }


def check_table_name(path: str) -> None:
    """Raise ``InvalidParameter`` if the name of a file does not end in a format of :func:`write_table`."""
    from ..sources.files.formats import WRITTEN

    if not path.lower().endswith((*WRITTEN, ".tex", ".md")):
        raise InvalidParameter(
            f"{path}: a table is a {', '.join(WRITTEN)}, .tex or .md file; give one of these names"
        )


def write_table(
    records: Sequence[Mapping[str, Any]], grid: "Grid", path: str, *, for_spreadsheets: bool = False
) -> None:
    """Write a table: its records to a data file, or its grid to a text file.

    Parameters
    ----------
    records : sequence of mapping
        The rows, all with the same keys.
    grid : Grid
        The same rows as formatted text, for ``.tex`` (LaTeX) and ``.md`` (Markdown).
    path : str
        File to write; its ending chooses the format.
    for_spreadsheets : bool
        Whether to neutralise formulas in CSV.
    """
    from ..render.latex import latex
    from ..render.markdown import markdown
    from ..sources.files.writers import open_writer

    check_table_name(path)
    if path.lower().endswith((".tex", ".md")):
        text = latex(grid) if path.lower().endswith(".tex") else markdown([grid])
        with atomic_write(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
        return
    # All records have the same keys, so that the first gives the columns.
    names = list(records[0])
    with open_writer(path, names, for_spreadsheets=for_spreadsheets) as writer:
        writer.write({name: _column([record[name] for record in records]) for name in names})


def _column(cells: list[Any]) -> Any:
    """Return truth values or numbers as an array, if all cells are; else texts, empty for None."""
    import numpy as np

    # bool is a subclass of int, and truth values should not become 0 and 1.
    flags = [isinstance(cell, bool) for cell in cells]
    if all(flags) or (not any(flags) and all(isinstance(cell, (int, float, type(None))) for cell in cells)):
        return np.array([np.nan if cell is None else cell for cell in cells])
    return ["" if cell is None else str(cell) for cell in cells]
