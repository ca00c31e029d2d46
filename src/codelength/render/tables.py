"""Files of tables: CSV and Parquet as data, LaTeX and Markdown for papers."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._files import atomic_write
from ..blocks import Grid
from ..errors import InvalidParameter
from ..sources.files.formats import WRITTEN
from ..sources.files.writers import open_writer
from .latex import latex
from .markdown import markdown

TEXT = (".tex", ".md")


def check_table_name(path: str | os.PathLike[str]) -> None:
    """Raise ``InvalidParameter`` if the name of a file does not end in a known format."""
    if not os.fspath(path).lower().endswith((*WRITTEN, *TEXT)):
        endings = f"{', '.join((*WRITTEN, *TEXT[:-1]))} or {TEXT[-1]}"
        raise InvalidParameter(f"{path}: a table is a {endings} file; give one of these names")


def write_table(
    records: Sequence[Mapping[str, Any]],
    grid: Grid,
    path: str | os.PathLike[str],
    *,
    for_spreadsheets: bool = False,
) -> Path:
    """Write a table: its records to a data file, or its grid to a text file.

    Parameters
    ----------
    records : sequence of mapping
        The rows, all with the same keys.
    grid : Grid
        The same rows as formatted text, for ``.tex`` and ``.md``.
    path : path of a file
        File to write; its ending chooses the format: ``.csv``, ``.csv.gz``, ``.tsv``, ``.parquet``, ``.tex``
        or ``.md``.
    for_spreadsheets : bool
        Whether to put an apostrophe before text in a CSV file that a spreadsheet would run as a formula.

    Returns
    -------
    Path
        The file written.
    """
    check_table_name(path)
    file = Path(path)
    if file.suffix.lower() in TEXT:
        text = latex(grid) if file.suffix.lower() == ".tex" else markdown([grid])
        with atomic_write(file) as temporary:
            temporary.write_text(text, encoding="utf-8")
        return file
    # All records have the same keys, so that the first gives the columns.
    names = list(records[0])
    with open_writer(file, names, for_spreadsheets=for_spreadsheets) as writer:
        writer.write({name: _column([record[name] for record in records]) for name in names})
    return file


def _column(cells: list[Any]) -> Any:
    """Return cells as an array: numbers if all of them are, else texts, with empty texts for None."""
    # Tested first: bool is a subclass of int, and truth values should not become 0 and 1.
    if all(isinstance(cell, bool) for cell in cells):
        return np.array(cells)
    if all(isinstance(cell, (int, float)) and not isinstance(cell, bool) for cell in cells):
        return np.array(cells)
    if all(isinstance(cell, (int, float, type(None))) and not isinstance(cell, bool) for cell in cells):
        return np.array([np.nan if cell is None else cell for cell in cells])
    array = np.empty(len(cells), dtype=object)
    array[:] = ["" if cell is None else str(cell) for cell in cells]
    return array
