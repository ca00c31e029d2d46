"""CSV, Parquet and JSON files as relations of DuckDB, with columns c0, c1, ...

Only the head of a file is read here, or its metadata: names and types of the columns. JSON has neither, so
its rows are read for their types.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import DataError
from . import _csv
from ._arrow_schema import dictionaries, durations
from ._duckdb import one_line, path_literal, quoted, without_memory

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["SPELT", "SPELT_NUMBER", "SPELT_TEXT", "Relation", "file_relation", "json_relation"]

SPELT, SPELT_NUMBER, SPELT_TEXT = "spelt", "spelt number", "spelt text"
"""Types of columns that the file stores as text: of any kind, of numbers, of text or times."""

_BLOCK = 1 << 16  # bytes read at a time, from the end of a file

_JSON_TYPES = {
    "BIGINT": "BIGINT",
    "BOOLEAN": "BOOLEAN",
    "JSON": "JSON",
    # As text, because DuckDB would round large whole numbers in a column with fractions.
    "DOUBLE": SPELT_NUMBER,
    "HUGEINT": SPELT_NUMBER,
    "UBIGINT": SPELT_NUMBER,
}


@dataclass(frozen=True)
class Relation:
    """A file as SQL can read it.

    Columns have positions as names in SQL, whose own names do not distinguish capitals from small letters.

    Attributes
    ----------
    sql : str
        A FROM clause; empty for CSV files, whose clause depends on how they are read.
    names : tuple of str
        Names of the columns in the file.
    types : tuple of str
        Types of DuckDB, or one of the above.
    header : Header, optional
        Header of a CSV file.
    dictionaries : tuple of str
        Columns that may declare their domains.
    """

    sql: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    header: _csv.Header | None = None
    dictionaries: tuple[str, ...] = ()


def file_relation(connection: "DuckDBPyConnection", path: Path, format_: str, shown: str) -> Relation:
    """Return the relation of a CSV, Parquet or JSON file.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        A session.
    path : Path
        The file.
    format_ : str
        Name of its format.
    shown : str
        Name of the file in messages.

    Returns
    -------
    Relation
        Names and types of the columns.
    """
    if format_ == "csv":
        header = _csv.read_header(path, shown)
        return Relation("", header.names, (SPELT,) * len(header.names), header)
    if path.stat().st_size == 0:
        raise DataError(f"{shown}: is empty")
    if format_ == "parquet":
        return _parquet_relation(connection, path, shown)
    return json_relation(connection, [path], shown)


def _parquet_relation(connection: "DuckDBPyConnection", path: Path, shown: str) -> Relation:
    """Return the relation of a Parquet file, with types from the Arrow schema that Parquet lacks."""
    import duckdb

    file = path_literal(path)
    source = f"read_parquet({file}, hive_partitioning = false)"
    # Names are taken from the schema, because DuckDB renames columns that differ only in capitals. Folders
    # like year=2020 are not columns here; see ``engines/_folders.py``.
    try:
        nodes = connection.execute(f"SELECT name, num_children FROM parquet_schema({file})").fetchall()
        types = [row[1] for row in connection.execute(f"DESCRIBE FROM {source}").fetchall()]
        arrow = f"SELECT value FROM parquet_kv_metadata({file}) WHERE key = 'ARROW:schema'::BLOB"
        schemas = connection.execute(arrow).fetchall()
    except duckdb.Error as error:
        damaged = DataError(
            f"{shown}: is not a Parquet file, or is damaged ({one_line(error)}); write it again, or fetch it "
            "as a whole"
        )
        raise without_memory(error, shown) or damaged from error
    names = _top_level_names(nodes)
    of_durations = durations(schemas[0][0]) if schemas else {}
    _csv.reject_duplicates(names, shown)
    aliases = ", ".join(f"c{i}" for i in range(len(names)))
    known = tuple(
        of_durations.get(name, type_) if type_ == "BIGINT" else type_
        for name, type_ in zip(names, types, strict=True)
    )
    listed = dictionaries(schemas[0][0]) if schemas else ()
    return Relation(f"{source} AS s({aliases})", names, known, dictionaries=listed)


def _top_level_names(nodes: Sequence[tuple[str, int | None]]) -> tuple[str, ...]:
    """Return the columns of a Parquet schema, which lists a tree depth first."""
    names: list[str] = []
    inside = 0  # nodes that are left below the last column
    for name, n_children in nodes[1:]:
        if inside:
            inside -= 1
        else:
            names.append(name)
        inside += n_children or 0
    return tuple(names)


def json_relation(connection: "DuckDBPyConnection", paths: Sequence[Path], shown: str) -> Relation:
    """Return the relation of JSON files, which together decide the types of their columns.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        A session.
    paths : sequence of Path
        The files.
    shown : str
        Their name in messages.

    Returns
    -------
    Relation
        One relation for the rows of all files.
    """
    import duckdb

    for path in paths:
        _check_whole(path, shown if len(paths) == 1 else str(path))
    file = f"[{', '.join(map(path_literal, paths))}], hive_partitioning = false"
    keys = f"SELECT DISTINCT unnest(json_keys(json)) FROM read_json_objects({file})"
    other = f"SELECT count(*) FROM read_json_objects({file}) WHERE json_type(json) <> 'OBJECT'"
    try:
        others = connection.execute(other).fetchone()
        if others and others[0]:
            raise DataError(
                f"{shown}: {others[0]} of its records are not objects; write each row as an object"
            )
        spelt = {key.lower(): key for (key,) in connection.execute(keys).fetchall()}
        # All rows decide: a sample would miss a key, or a fraction, that first occurs later.
        described = connection.execute(f"DESCRIBE FROM read_json({file}, sample_size = -1)").fetchall()
    except duckdb.Error as error:
        unreadable = DataError(f"{shown}: cannot be read as JSON ({one_line(error)})")
        raise without_memory(error, shown) or unreadable from error
    if not spelt:
        raise DataError(f"{shown}: has no rows")
    if {row[0] for row in described} != set(spelt.values()):
        raise DataError(f"{shown}: two keys differ only in capital letters; rename one")
    names = tuple(row[0] for row in described)
    types = tuple(_json_type(row[1]) for row in described)
    columns = ", ".join(
        f"{quoted(name)}: {quoted('VARCHAR' if type_.startswith(SPELT) else type_)}"
        for name, type_ in zip(names, types, strict=True)
    )
    aliases = ", ".join(f"c{i}" for i in range(len(names)))
    return Relation(f"read_json({file}, columns = {{{columns}}}) AS s({aliases})", names, types)


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


def _json_type(type_: str) -> str:
    """Return the type to read a column as: dates as text; nested types stay, and are rejected later."""
    nested = type_.endswith("]") or type_.startswith(("STRUCT", "MAP"))
    return type_ if nested else _JSON_TYPES.get(type_, SPELT_TEXT)
