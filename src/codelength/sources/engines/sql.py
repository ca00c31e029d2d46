"""Queries against databases, and relations of DuckDB, as batches; the whole result is never fetched.

Order of reading: :class:`SqlQuery` (what a caller passes), :func:`open_query` (a connection of its own, the
database, the query as a relation), :class:`RelationBatches` (the rows of a relation, for each pass anew).

- A query is parsed before it is run and must be one ``SELECT``, and databases are attached read-only, so that
  it changes neither files nor databases.
- Extensions for SQLite and PostgreSQL are loaded if they are installed, and never downloaded.
- A query without ``ORDER BY`` may return its rows in another order in the next pass. Counts do not depend on
  the order, and they check that the number of rows and of present cells is the same in both passes.
- Types that Arrow lacks are refused by name (:func:`check_types`) instead of being rounded.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..._display import counted
from ...errors import DataError, InvalidParameter
from ...table._messages import shortened, shown
from ...table.checks import check_instance
from ..batch import Batches
from ..files._duckdb import MEMORY, connected, one_line, quoted, utf8_path, without_memory, without_room
from ._arrow import ArrowBatches

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SQLITE = b"SQLite format 3\x00"
_DUCKDB = b"DUCK"  # behind a checksum
_POSTGRES = ("postgres://", "postgresql://")
_SQLITE_ADDRESS = "sqlite:///"
_CASTS = {"UHUGEINT": "HUGEINT", "BIGNUM": "HUGEINT"}
"""Types that Arrow lacks, and what to cast them to."""


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


class RelationBatches(ArrowBatches):
    """Batches of a relation, which is computed again each time it is read.

    Parameters
    ----------
    relation : duckdb.DuckDBPyRelation
        The relation. Its connection takes no other query while a pass is under way.
    batch_rows : int
        Largest number of rows per batch.
    name : str
        Name of the source in messages.
    """

    def __init__(self, relation: Any, batch_rows: int, name: str = "") -> None:
        super().__init__(relation.columns, self._computed, name=name, batch_rows=batch_rows)
        self.stack = ExitStack()
        self._relation = relation
        # DuckDB takes names that differ only by case for one, so that columns are asked for by their place.
        self._places = {column: f"#{i}" for i, column in enumerate(self.names, 1)}

    def close(self) -> None:
        """Close the database, if it was opened for the relation."""
        self.stack.close()

    def _computed(self, columns: list[str]) -> Iterator[Any]:
        import duckdb

        check_types(self._relation, columns)
        aliased = ", ".join(f"{self._places[column]} AS c{i}" for i, column in enumerate(columns))
        n_rows = 0
        try:
            # A connection takes no other query until all rows of one have been fetched.
            reader = self._relation.project(aliased).to_arrow_reader(self._batch_rows)
            with closing(reader):
                for part in reader:
                    yield part.rename_columns(columns)
                    n_rows += part.num_rows
        except (duckdb.Error, OSError, RuntimeError) as error:
            shown = self.name or "the query"
            unreadable = DataError(
                f"{shown}: cannot be read after row {n_rows:,} ({one_line(error)}); mend it"
            )
            raise without_room(error) or without_memory(error, shown) or unreadable from error


def open_batches(source: Any, batch_rows: int) -> Batches | None:
    """Return the batches of a relation; None for a connection."""
    is_relation = hasattr(source, "to_arrow_reader") and hasattr(source, "project")
    return RelationBatches(source, batch_rows) if is_relation else None


def open_query(query: SqlQuery, batch_rows: int) -> Batches:
    """Return the batches of the result of a query, which is run again each time it is read.

    Raises
    ------
    InvalidParameter
        If the text is not one ``SELECT`` statement.
    DataError
        If there is no such database, it cannot be opened, or DuckDB rejects the query.

    Examples
    --------
    >>> from contextlib import closing
    >>> query = SqlQuery("SELECT i AS size FROM range(3) AS t(i)")
    >>> with closing(open_query(query, 2)) as batches:
    ...     sum(batch.n_rows for batch in batches.read(["size"]))
    3
    """
    with ExitStack() as stack:
        connection = stack.enter_context(connected(memory=MEMORY))
        if query.database is not None:
            _attach(connection, os.fspath(query.database))
        batches = RelationBatches(_relation(connection, query), batch_rows, "the query")
        batches.stack = stack.pop_all()
    return batches


def check_types(relation: Any, columns: Sequence[str]) -> None:
    """Raise if cells of a column would lose something in Arrow.

    Parameters
    ----------
    relation : duckdb.DuckDBPyRelation
        The relation.
    columns : sequence of str
        The columns that are read; types of others do not matter.
    """
    for name, type_ in zip(relation.columns, map(str, relation.types), strict=True):
        if name in columns and type_ in _CASTS:
            raise DataError(
                f"column {name!r}: cells of type {type_} are not read; cast them in the query, "
                f"CAST({name} AS {_CASTS[type_]}), or AS VARCHAR"
            )


def _relation(connection: "DuckDBPyConnection", query: SqlQuery) -> Any:
    """Return the result of a query that is one SELECT statement."""
    import duckdb

    try:
        # Parsed before anything runs: a second statement could change files.
        statements = connection.extract_statements(query.sql)
        is_select = len(statements) == 1 and statements[0].type == duckdb.StatementType.SELECT
        relation = connection.sql(query.sql) if is_select else None
    except (duckdb.Error, RuntimeError) as error:
        raise DataError(
            f"the query cannot be run ({one_line(error)}); mend it: {shown(query.sql)}"
        ) from error
    if relation is None:
        n_statements = len(statements)
        said = "gives no rows" if n_statements == 1 else f"holds {counted(n_statements, 'statement')}"
        raise InvalidParameter(f"sql={shown(query.sql)}: {said}; pass one SELECT statement")
    return relation


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
    target = quoted(address if extension == "postgres" else utf8_path(address.removeprefix(_SQLITE_ADDRESS)))
    try:
        connection.execute(f"LOAD {extension}")
    except duckdb.Error as error:
        raise DataError(
            f"{title} databases are read with DuckDB's extension {extension!r}, which is not installed "
            f"({one_line(error)}); install it once: python -c \"import duckdb; duckdb.sql('INSTALL "
            f"{extension}')\", or export the table to a Parquet file"
        ) from None
    try:
        connection.execute(f"ATTACH {target} AS source (TYPE {extension}, READ_ONLY)")
        connection.execute("USE source")
    except duckdb.Error as error:
        raise DataError(f"the {title} database cannot be opened ({one_line(error)})") from None
