"""A file loaded into the DuckDB table ``t``, every column as text, whole numbers, fractions or booleans."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import DataError
from . import _csv
from ._cells import SPACES, Kind, parse_number
from ._duckdb import one_line, path_literal, quoted
from ._relations import Relation

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Stored", "load"]

_WHOLE_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_HUGE_TYPES = ("", "UBIGINT", "HUGEINT", "UHUGEINT", "BIGNUM", "VARINT")
_TEXT_TYPES = ("VARCHAR", "ENUM", "UUID", "DATE", "TIME", "INTERVAL", "BIT", '"NULL"')
_LINE_BYTES = 2_000_000  # DuckDB's own limit on a line


@dataclass(frozen=True)
class Stored:
    """A column of the loaded table: its SQL name, its type there, and what it is to be read as.

    ``kind`` is None where the cells themselves decide.
    """

    name: str
    sql: str
    type: str
    kind: Kind | None


def load(
    connection: "DuckDBPyConnection",
    path: Path,
    relation: Relation,
    wanted: Sequence[str],
    kinds: Mapping[str, Kind],
    na: Sequence[str],
    shown: str,
    *,
    as_table: bool,
) -> list[Stored]:
    """Create ``t`` with the wanted columns of a file; as a view where the file can be read in place."""
    import duckdb

    columns, expressions = [], []
    positions = {name: position for position, name in enumerate(relation.names)}
    for name in wanted:
        position = positions[name]
        column = _stored(name, f"c{position}", relation.types[position], kinds.get(name), shown)
        expressions.append(f"{_expression(column, relation.types[position], na)} AS {column.sql}")
        columns.append(column)
    select = ", ".join(expressions)
    if relation.header is not None:
        _load_csv(connection, path, relation.header, select, shown)
        return columns
    try:
        connection.execute(
            f"CREATE {'TABLE' if as_table else 'VIEW'} t AS SELECT {select} FROM {relation.sql}"
        )
    except duckdb.Error as error:
        raise DataError(f"{shown}: cannot be read ({one_line(error)})") from error
    return columns


def _stored(name: str, sql: str, type_: str, kind: Kind | None, shown: str) -> Stored:
    natural: Kind | None
    if type_ in _WHOLE_TYPES:
        natural, stored = "number", "BIGINT"
    elif type_ in ("FLOAT", "DOUBLE") or type_.startswith("DECIMAL"):
        natural, stored = "number", "DOUBLE"
    elif type_ == "BOOLEAN":
        natural, stored = "boolean", "BOOLEAN"
    elif type_ in _HUGE_TYPES:
        natural, stored = None, "VARCHAR"
    elif type_.startswith(_TEXT_TYPES) and not type_.endswith("]"):
        natural, stored = "text", "VARCHAR"
    else:
        raise DataError(f"{shown}, column {name!r}: {type_} is neither text nor a number; convert or drop it")
    if kind is None or kind == natural:
        return Stored(name, sql, stored, natural)
    return Stored(name, sql, "VARCHAR", kind)


def _expression(column: Stored, type_: str, na: Sequence[str]) -> str:
    """Convert a column to its stored type, with NULL for the markers of missing cells."""
    sql = f"CAST({column.sql} AS {column.type})"
    if type_.startswith("TIMESTAMP"):
        sql = f"replace({sql}, ' ', 'T')"
    if column.type == "VARCHAR":
        markers = [quoted(marker.strip(SPACES)) for marker in na]
        tested = f"trim({sql}, {quoted(SPACES)})"
    else:
        numbers = [parse_number(marker) for marker in na] if column.kind == "number" else []
        markers = [repr(number) for number in numbers if isinstance(number, int | float)]
        tested = sql
    return f"CASE WHEN {tested} IN ({', '.join(markers)}) THEN NULL ELSE {sql} END" if markers else sql


def _load_csv(
    connection: "DuckDBPyConnection", path: Path, header: _csv.Header, select: str, shown: str
) -> None:
    """Read a CSV file so that no row is lost and none is ragged.

    DuckDB's parallel reader can drop rows without a word when a faulty row starts a buffer, its serial
    reader drops a last row whose quote is not closed, and both pass over empty fields too many at the end
    of a row. So rows and delimiters are counted as well; where the counts are not as they should
    be, the serial reader takes over and the fields of every row are counted.
    """
    import duckdb

    try:
        n_rows = _created_in_parallel(connection, _create_from_csv(path, header, select, parallel=True))
        tally = _csv.count(path, header)
        if tally == (n_rows + 1, (n_rows + 1) * (len(header.names) - 1), False):
            return
        connection.execute(_create_from_csv(path, header, select, parallel=False))
    except (duckdb.Error, *_csv.DAMAGED) as error:
        raise _csv.explain(error, path, shown) from error
    if fault := _csv.first_fault(path, header, shown):
        raise fault


def _created_in_parallel(connection: "DuckDBPyConnection", create: str) -> int:
    """Return how many rows were read; -1 for a file whose quotes the parallel reader cannot follow."""
    import duckdb

    try:
        (n_rows,) = connection.execute(create).fetchall()[0]
    except duckdb.NotImplementedException:
        return -1
    return int(n_rows)


def _create_from_csv(path: Path, header: _csv.Header, select: str, *, parallel: bool) -> str:
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header.names)))
    options = [
        "auto_detect = false",  # the sniffer may take another line for the header, or skip lines
        "header = true",
        f"delim = {quoted(header.delimiter)}",
        "quote = '\"'",
        "escape = '\"'",
        f"columns = {{{columns}}}",
        f"compression = {quoted('gzip' if _csv.is_gzip(path) else 'none')}",
        f"max_line_size = {max(_LINE_BYTES, 16 * header.n_bytes)}",
        f"parallel = {str(parallel).lower()}",
        "hive_partitioning = false",
    ]
    source = f"read_csv({path_literal(path)}, {', '.join(options)})"
    return f"CREATE OR REPLACE TABLE t AS SELECT {select} FROM {source}"
