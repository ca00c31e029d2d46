"""Writers of rows: JSON for programs, CSV for a terminal."""

import itertools
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, TextIO

from .._files import atomic_write
from ..errors import DataError
from .output import one_line

if TYPE_CHECKING:
    from ..sources.files._cells import ColumnDict
    from ..sources.files.writers import TableWriter


class JsonRows:
    """Writer of batches of rows as one JSON list, one row per line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_first = True

    def write(self, columns: "ColumnDict") -> None:
        """Append rows."""
        from ..sources.files._cells import json_text, values_of

        members = []
        for name, cells in columns.items():
            key = json.dumps(name)
            # Column by column: the names are encoded once and the values of a column have one type.
            members.append([f"{key}: {json_text(value)}" for value in values_of(cells)])
        for row in zip(*members, strict=True):
            self._stream.write(f"{'[' if self._is_first else ','}\n{{{', '.join(row)}}}")
            self._is_first = False

    def end(self) -> None:
        """Close the list."""
        self._stream.write("[]\n" if self._is_first else "\n]\n")


@contextmanager
def json_writer(destination: str) -> Iterator[JsonRows]:
    """Yield a writer of rows as JSON to a file, or to standard output for ``"-"``."""
    if destination == "-":
        rows = JsonRows(sys.stdout)
        yield rows
        rows.end()
        return
    with atomic_write(destination) as temporary, open(temporary, "w", encoding="ascii") as stream:
        rows = JsonRows(stream)
        yield rows
        rows.end()


class TerminalRows:
    """Writer of rows as CSV without control characters."""

    def __init__(self, writer: "TableWriter") -> None:
        self._writer = writer

    def write(self, columns: "ColumnDict") -> None:
        """Append rows."""
        from ..sources.files._cells import object_array, plain_cells

        safe: ColumnDict = {}
        for name, column in columns.items():
            cells = [one_line(cell) if isinstance(cell, str) else cell for cell in plain_cells(column)]
            safe[one_line(name)] = object_array(cells)
        self._writer.write(safe)


@contextmanager
def terminal_writer(names: Sequence[str], *, for_spreadsheets: bool = False) -> Iterator[TerminalRows]:
    """Yield a writer of rows as CSV to a terminal."""
    from ..sources.files.writers import open_writer

    shown = [one_line(name) for name in names]
    with open_writer("-", shown, for_spreadsheets=for_spreadsheets) as writer:
        yield TerminalRows(writer)


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
    """
    # Made before anything is written, so that a bad table leaves no trace.
    first = next(batches, None)
    if first is None:
        raise DataError(f"{data}: has no rows")
    with _writer_to(output, list(first), as_json=as_json, for_spreadsheets=for_spreadsheets) as writer:
        for columns in itertools.chain([first], batches):
            writer.write(columns)


def _writer_to(
    output: str, names: Sequence[str], *, as_json: bool, for_spreadsheets: bool
) -> "AbstractContextManager[TableWriter]":
    """Return a writer of rows."""
    from ..sources.files.writers import open_writer

    if as_json:
        return json_writer(output)
    if output == "-" and sys.stdout.isatty():
        return terminal_writer(names, for_spreadsheets=for_spreadsheets)
    return open_writer(output, names, for_spreadsheets=for_spreadsheets)
