"""JSON files, read by DuckDB into a temporary database, which gives them as record batches.

JSON has no header, so the rows of all files together decide which columns there are, and of which types.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import DataError
from ...table.spelling import SPACES, parse_number
from ._duckdb import MEMORY, one_line, path_literal, quoted, session, without_memory, without_room
from ._kinds import Reading

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["JsonFile", "open_json"]

_BLOCK = 1 << 16  # bytes read at a time, from the end of a file


def _any_number(text: str) -> Any:
    """Return the number of a cell, also one that is rejected later: ``Infinity`` and ``1e400``."""
    number = parse_number(text)
    return float(text) if isinstance(number, str) else number


_NUMBERS, _TEXT = Reading("number", _any_number), Reading("text")
_READINGS = {
    "JSON": Reading("text", json.loads),
    # As text, because DuckDB would round large whole numbers in a column with fractions.
    "DOUBLE": _NUMBERS,
    "HUGEINT": _NUMBERS,
    "UBIGINT": _NUMBERS,
}


class JsonFile:
    """A JSON file as record batches; it is loaded into the database when it is first read.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        A session with room for the rows.
    path : Path
        The file.
    shown : str
        Its name in messages.
    types : mapping of str to str
        Types of the columns in DuckDB.
    number : int
        Number of the file.
    """

    fields: Mapping[str, Any] = {}
    n_rows: int | None = None

    def __init__(
        self, connection: "DuckDBPyConnection", path: Path, shown: str, types: Mapping[str, str], number: int
    ) -> None:
        self._connection, self._path, self._shown, self._table = connection, path, shown, f"part{number}"
        self._types, self._is_loaded = types, False
        self.names = tuple(types)
        self.readings = {
            name: _READINGS.get(type_, _TEXT)
            for name, type_ in types.items()
            if type_ not in ("BIGINT", "BOOLEAN")
        }
        self._nested = {
            name: type_
            for name, type_ in types.items()
            if type_.endswith("]") or type_.startswith(("STRUCT", "MAP"))
        }

    def rows(self, columns: Mapping[str, Any], batch_rows: int, markers: Sequence[str] = ()) -> Iterator[Any]:
        """Yield record batches of some columns.

        Parameters
        ----------
        columns : mapping of str to object
            The columns, by name.
        batch_rows : int
            Largest number of rows per batch.
        markers : sequence of str
            Texts that mean missing.
        """
        nested = next((name for name in columns if name in self._nested), None)
        if nested is not None:
            raise DataError(
                f"{self._shown}, column {nested!r}: {self._nested[nested]} is neither text nor a number; "
                "convert or drop it"
            )
        known = ", ".join(quoted(marker.strip(SPACES)) for marker in markers)
        selected = ", ".join(
            _selected(f"c{self.names.index(name)}", self._types[name], known) for name in columns
        )
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
        columns = ", ".join(
            f"{quoted(name)}: {quoted(_type_read(type_))}" for name, type_ in self._types.items()
        )
        source = f"read_json({path_literal(self._path)}, hive_partitioning = false, columns = {{{columns}}})"
        self._connection.execute(f"CREATE TABLE {self._table} AS SELECT * FROM {source} AS s({aliases})")
        self._is_loaded = True


def _type_read(type_: str) -> str:
    """Return the type to read a column as: numbers that DuckDB would round, and dates, as text."""
    return type_ if type_ in ("BIGINT", "BOOLEAN", "JSON") or type_.endswith(("]", ")")) else "VARCHAR"


def _selected(sql: str, type_: str, markers: str) -> str:
    """Return the expression of a column, missing if its text is a marker and spaces."""
    text = f"({sql} ->> '$')" if type_ == "JSON" else sql
    cell = f"CAST({sql} AS {'VARCHAR' if type_ == 'JSON' else _type_read(type_)})"
    if not markers:
        return cell
    is_marker = f"trim(CAST({text} AS VARCHAR), {quoted(SPACES)}) IN ({markers})"
    return f"CASE WHEN {is_marker} THEN NULL ELSE {cell} END"


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
        types = _types_of(connection, paths, shown[0])
    pairs = enumerate(zip(paths, shown, strict=True))
    return [JsonFile(connection, path, name, types, number) for number, (path, name) in pairs]


def _types_of(connection: "DuckDBPyConnection", paths: Sequence[Path], shown: str) -> dict[str, str]:
    """Return the types of the columns by name."""
    file = f"[{', '.join(map(path_literal, paths))}], hive_partitioning = false"
    keys = f"SELECT DISTINCT unnest(json_keys(json)) FROM read_json_objects({file})"
    other = f"SELECT count(*) FROM read_json_objects({file}) WHERE json_type(json) <> 'OBJECT'"
    others = connection.execute(other).fetchone()
    if others and others[0]:
        raise DataError(f"{shown}: {others[0]} of its records are not objects; write each row as an object")
    spelt = {key.lower(): key for (key,) in connection.execute(keys).fetchall()}
    # All rows decide: a sample would miss a key, or a fraction, that first occurs later.
    described = connection.execute(f"DESCRIBE FROM read_json({file}, sample_size = -1)").fetchall()
    if not spelt:
        raise DataError(f"{shown}: has no rows")
    types = {row[0]: str(row[1]) for row in described}
    if set(types) != set(spelt.values()):
        raise DataError(f"{shown}: two keys differ only in capital letters; rename one")
    return types


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
