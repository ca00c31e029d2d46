"""Queries against databases, run by DuckDB."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..._display import counted
from ..._scratch import Scratch
from ...errors import DataError, InvalidParameter
from ...table._messages import shortened, shown
from ...table.checks import check_instance
from ..batch import Batch, Batches
from ..files._duckdb import MEMORY, one_line, quoted, utf8_path
from ._relations import RelationBatches

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SQLITE = b"SQLite format 3\x00"
_DUCKDB = b"DUCK"  # behind a checksum
_POSTGRES = ("postgres://", "postgresql://")
_SQLITE_ADDRESS = "sqlite:///"


@dataclass(frozen=True, slots=True)
class SqlQuery:
    """A query whose result is a table.

    Parameters
    ----------
    sql : str
        One ``SELECT`` statement in the dialect of DuckDB.
    database : str or path, optional
        A DuckDB file, an SQLite file, or the address of a PostgreSQL database,
        ``"postgresql://user@host/name"``; all are opened read-only. By default the query reads files,
        ``SELECT * FROM 'sales/*.parquet'``.

    Examples
    --------
    >>> SqlQuery("SELECT i AS size FROM range(3) AS t(i)")
    SqlQuery(sql='SELECT i AS size FROM range(3) AS t(i)', database=None)
    """

    sql: str
    database: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        check_instance("sql", self.sql, str, "a query as text")
        try:
            self.sql.encode()
        except UnicodeEncodeError:
            raise InvalidParameter(f"sql={shown(self.sql)}: is not UTF-8; name only files that are") from None
        kinds = (str, os.PathLike, type(None))
        check_instance("database", self.database, kinds, "the path or address of a database, or None")


class QueryBatches:
    """Batches of the result of a query, which is run again each time it is read."""

    def __init__(self, query: SqlQuery, batch_rows: int) -> None:
        self.name, self.once = "the query", False
        self.n_rows: int | None = None
        with ExitStack() as stack:
            connection = stack.enter_context(_connected(query))
            self._batches = _related(connection, query, batch_rows, self.name)
            self._stack = stack.pop_all()
        self.names = self._batches.names

    def read(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows, in the order in which the database returns them, with these columns."""
        return self._batches.read(columns)

    def close(self) -> None:
        """Close the database."""
        self._stack.close()


def open_query(query: SqlQuery, batch_rows: int) -> Batches:
    """Return the batches of the result of a query."""
    return QueryBatches(query, batch_rows)


def _related(
    connection: "DuckDBPyConnection", query: SqlQuery, batch_rows: int, name: str
) -> RelationBatches:
    import duckdb

    try:
        # Parsed before anything runs: a second statement could change files.
        statements = connection.extract_statements(query.sql)
        n_statements = len(statements)
        is_select = n_statements == 1 and statements[0].type == duckdb.StatementType.SELECT
        relation = connection.sql(query.sql) if is_select else None
        batches = None if relation is None else RelationBatches(relation, batch_rows, name)
    except (duckdb.Error, RuntimeError) as error:
        raise DataError(f"{name} cannot be run ({one_line(error)}); mend it: {shown(query.sql)}") from error
    if batches is None:
        said = "gives no rows" if n_statements == 1 else f"holds {counted(n_statements, 'statement')}"
        raise InvalidParameter(f"sql={shown(query.sql)}: {said}; pass one SELECT statement")
    return batches


@contextmanager
def _connected(query: SqlQuery) -> "Iterator[DuckDBPyConnection]":
    """Open a DuckDB of its own, with files in a private directory, and the database read-only."""
    import duckdb

    with Scratch() as directory:
        config: dict[str, Any] = {
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "memory_limit": MEMORY,
            "temp_directory": os.path.join(utf8_path(directory), "spill"),
        }
        with duckdb.connect(":memory:", config=config) as connection:
            connection.execute("SET enable_progress_bar = false")
            if query.database is not None:
                _attach(connection, os.fspath(query.database))
            yield connection


def _extension(address: str) -> str | None:
    """Return the DuckDB extension that reads a database; None for a DuckDB file."""
    if address.startswith(_POSTGRES):
        return "postgres"
    path = address.removeprefix(_SQLITE_ADDRESS)
    if not os.path.isfile(path):
        raise DataError(f"{shortened(address)}: there is no such database; check the path, or the address")
    # By its first bytes and not by its name, because databases have all kinds of endings.
    with open(path, "rb") as file:
        head = file.read(len(_SQLITE))
    if head != _SQLITE and not head[8:].startswith(_DUCKDB):
        raise DataError(
            f"{address}: is neither a DuckDB nor an SQLite database; to read a file, leave the database out "
            "and name it in the query, SELECT * FROM 'sales.csv'"
        )
    return "sqlite" if head == _SQLITE else None


def _attach(connection: "DuckDBPyConnection", address: str) -> None:
    import duckdb

    extension = _extension(address)
    if extension is None:
        path = quoted(utf8_path(address))
        try:
            connection.execute(f"ATTACH {path} (READ_ONLY)")
        except duckdb.Error as error:
            raise DataError(
                f"{address}: is not a database that can be opened ({one_line(error)}); name a DuckDB or "
                "SQLite file that no other process writes to"
            ) from error
        ((name,),) = connection.execute(
            "SELECT database_name FROM duckdb_databases() WHERE path IS NOT NULL"
        ).fetchall()
        connection.execute(f'USE "{name.replace(chr(34), chr(34) * 2)}"')
        return
    title = {"postgres": "PostgreSQL", "sqlite": "SQLite"}[extension]
    try:
        connection.execute(f"LOAD {extension}")
    except duckdb.Error as error:
        raise DataError(
            f"{title} databases are read with DuckDB's extension {extension!r}, which is not installed "
            f"({one_line(error)}); install it once: python -c \"import duckdb; duckdb.sql('INSTALL "
            f"{extension}')\", or export the table to a Parquet file"
        ) from None
    target = quoted(address if extension == "postgres" else utf8_path(address.removeprefix(_SQLITE_ADDRESS)))
    try:
        connection.execute(f"ATTACH {target} AS source (TYPE {extension}, READ_ONLY)")
        connection.execute("USE source")
    except duckdb.Error as error:
        raise DataError(f"the {title} database cannot be opened ({one_line(error)})") from None
