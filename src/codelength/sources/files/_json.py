"""JSON files, read by DuckDB into a temporary database, which gives them as record batches of JSON cells.

JSON has no header, so the rows of all files together decide which columns there are: opening reads them all.
A key that a record lacks is a missing cell.

Order of reading: :func:`open_json`, ``_names_in`` (the columns), :meth:`JsonFile.rows`.

Cells stay JSON until :class:`~codelength.sources.files._text.TextColumn` reads them, one distinct cell at a
time. DuckDB would choose types by a sample of the rows, and long numbers would lose digits. A file is loaded
into a table on disk when it is first read, so that later passes need not parse it again.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import DataError
from ...table.spelling import SPACES
from . import OpenFile
from ._duckdb import MEMORY, one_line, path_literal, quoted, session, without_memory, without_room
from ._text import Reading

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_BLOCK = 1 << 16  # bytes read at a time, from the end of a file


class JsonFile(OpenFile):
    """A JSON file as record batches; it is loaded into the database when it is first read.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        A session with room for the rows.
    path : Path
        The file.
    shown : str
        Its name in messages.
    names : sequence of str
        The columns.
    number : int
        Number of the file.
    """

    def __init__(
        self, connection: "DuckDBPyConnection", path: Path, shown: str, names: Sequence[str], number: int
    ) -> None:
        self._connection, self._path, self._shown, self._table = connection, path, shown, f"part{number}"
        self.names, self._is_loaded = tuple(names), False
        # As JSON, numbers keep all their digits, and text differs from a number that it spells.
        self.readings = dict.fromkeys(names, Reading(parse=json.loads))

    def rows(self, columns: Mapping[str, Any], batch_rows: int, markers: Sequence[str] = ()) -> Iterator[Any]:
        """Yield record batches of some columns."""
        known = ", ".join(quoted(marker.strip(SPACES)) for marker in markers)
        is_marker = f"trim({{0}} ->> '$', {quoted(SPACES)}) IN ({known})"
        cell = f"CASE WHEN {is_marker} THEN NULL ELSE {{0}}::VARCHAR END" if markers else "{0}::VARCHAR"
        selected = ", ".join(cell.format(f"c{self.names.index(name)}") for name in columns)
        with _faults_told(self._shown):
            self._load()
            # A reader of its own, so that one that was left unfinished does no harm.
            with self._connection.cursor() as cursor:
                reader = cursor.sql(f"SELECT {selected} FROM {self._table}").to_arrow_reader(batch_rows)
                for part in reader:
                    yield part.rename_columns(list(columns))

    def _load(self) -> None:
        if self._is_loaded:
            return
        aliases = ", ".join(f"c{i}" for i in range(len(self.names)))
        columns = ", ".join(f"{quoted(name)}: 'JSON'" for name in self.names)
        options = f"records = true, hive_partitioning = false, columns = {{{columns}}}"
        source = f"read_json({path_literal(self._path)}, {options}) AS s({aliases})"
        self._connection.execute(f"CREATE TABLE {self._table} AS SELECT * FROM {source}")
        self._is_loaded = True


def open_json(paths: Sequence[Path], shown: Sequence[str], stack: ExitStack) -> list[JsonFile]:
    """Return JSON files with the columns that all of them have together.

    Parameters
    ----------
    paths : sequence of Path
        The files.
    shown : sequence of str
        Their names in messages.
    stack : ExitStack
        Closes the database.

    Returns
    -------
    list of JsonFile
        One per path.
    """
    for path, name in zip(paths, shown, strict=True):
        if path.stat().st_size == 0:
            raise DataError(f"{name}: is empty")
        _check_whole(path, name)
    connection = stack.enter_context(session(on_disk=True, memory=MEMORY))
    with _faults_told(shown[0]):
        names = _names_in(connection, paths, shown[0])
    pairs = enumerate(zip(paths, shown, strict=True))
    return [JsonFile(connection, path, name, names, number) for number, (path, name) in pairs]


def _names_in(connection: "DuckDBPyConnection", paths: Sequence[Path], shown: str) -> list[str]:
    """Return the keys of all records, in order of first occurrence."""
    objects = f"read_json_objects([{', '.join(map(path_literal, paths))}], hive_partitioning = false)"
    found = connection.execute(
        "SELECT json_type(json) = 'OBJECT', json_keys(json), count(*), min(n) "
        f"FROM (SELECT json, row_number() OVER () AS n FROM {objects}) GROUP BY ALL ORDER BY 4"
    ).fetchall()
    if n_others := sum(n_rows for is_object, _, n_rows, _ in found if not is_object):
        raise DataError(f"{shown}: {n_others} of its records are not objects; write each row as an object")
    names = list(dict.fromkeys(name for _, keys, _, _ in found for name in keys))
    if not names:
        raise DataError(f"{shown}: has no rows")
    if len({name.lower() for name in names}) < len(names):
        raise DataError(f"{shown}: two keys differ only in capital letters; rename one")
    return names


@contextmanager
def _faults_told(shown: str) -> Iterator[None]:
    import duckdb

    try:
        yield
    except (duckdb.Error, MemoryError, SystemError) as error:
        lacking = without_room(error) or without_memory(error, shown)
        raise lacking or DataError(f"{shown}: cannot be read as JSON ({one_line(error)})") from error


def _check_whole(path: Path, shown: str) -> None:
    """Raise if a list ends after a comma: DuckDB would read the truncated file as if it were complete."""
    with open(path, "rb") as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - _BLOCK)
            file.seek(start)
            block = file.read(end - start).rstrip(b" \t\r\n")
            if block.endswith(b","):
                raise DataError(f"{shown}: ends behind a comma, so it was cut off; get the whole file")
            end = 0 if block else start
