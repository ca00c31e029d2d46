"""Files staged as the DuckDB table ``t``: every column as text, whole numbers, fractions or booleans.

Order of reading: :class:`Stored` (a column of ``t``), :class:`Wanted` (the columns to stage), :func:`stage`
(all columns), :func:`stored_as` and :func:`natural_form` (the form of one column), then ``_stage_csv``, which
also counts rows and delimiters to find rows that DuckDB drops.

Depends on ``_relations`` (the file as DuckDB reads it), ``_kinds`` (requests of the caller), ``_numbers``,
``_domains`` and ``_beside``. ``_plan`` decides how columns of ``t`` become columns of a table.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import DataError
from ...table.spelling import SPACES, parse_duration, parse_number, parse_real_time
from ...table.values import seconds_as_text
from . import _csv
from ._arrow_schema import DURATION
from ._beside import Beside, beside_of, number_types
from ._domains import declared_domains
from ._duckdb import one_line, path_literal, quoted, without_memory
from ._kinds import Kind, Parse, Reading
from ._numbers import is_never_a_number, stored_numbers
from ._relations import SPELT, SPELT_NUMBER, SPELT_TEXT, Relation

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Stored", "Wanted", "natural_form", "stage", "stored_as"]

_WHOLE_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_HUGE_TYPES = ("UBIGINT", "HUGEINT")
_TIME_TYPES = ("DATE", "TIME")
_TEXT_TYPES = ("VARCHAR", "ENUM", "UUID", "BIT", '"NULL"')
_DECIMAL = re.compile(r"DECIMAL\(([0-9]+),([0-9]+)\)")
_DECIMAL_DIGITS = 15  # a float64 keeps every decimal of up to so many digits
_LINE_BYTES = 2_000_000  # DuckDB's own default


@dataclass(frozen=True)
class Stored:
    """A column of the staged table.

    Attributes
    ----------
    name, sql : str
        Its names in the file and in SQL.
    type : str
        Its type in ``t``.
    kind : str, optional
        Kind of its cells; None if the cells themselves decide.
    parse : callable, optional
        Function from text to a value; None if the text is the value.
    has_types : bool
        True if the file has a type for the column. If not, text may spell times.
    domain : tuple of str
        Values that the file declares; empty if it declares none.
    """

    name: str
    sql: str
    type: str
    kind: Kind | None
    parse: Parse | None = None
    has_types: bool = True
    domain: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """Columns to stage, and rules for reading them.

    Attributes
    ----------
    columns : sequence of str
        Names of the columns.
    readings : mapping of str to Reading
        Rules for reading some columns.
    na : sequence of str
        Texts that mean missing.
    as_numbers : collection of str
        Columns of a CSV file to store as numbers, with the kinds of their cells; see
        :mod:`codelength.sources.files._numbers`.
    beside : sequence of str
        Columns to carry over.
    """

    columns: Sequence[str]
    readings: Mapping[str, Reading]
    na: Sequence[str]
    as_numbers: Collection[str] = ()
    beside: Sequence[str] = ()


def stage(
    connection: "DuckDBPyConnection",
    path: Path,
    relation: Relation,
    wanted: Wanted,
    shown: str,
    *,
    as_table: bool,
) -> tuple[list[Stored], list[Beside]]:
    """Create ``t`` with the wanted columns of a file.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        A session.
    path : Path
        The file.
    relation : Relation
        Names and types of its columns.
    wanted : Wanted
        The columns, and rules for reading them.
    shown : str
        Name of the file in messages.
    as_table : bool
        True to load the rows. Otherwise ``t`` is a view if the file can be read in place.

    Returns
    -------
    columns : list of Stored
        The columns of ``t``, in the order of ``wanted``.
    beside : list of Beside
        The columns that are carried over.
    """
    import duckdb

    columns, expressions = [], []
    na, as_numbers, readings = wanted.na, wanted.as_numbers, wanted.readings
    if relation.header is not None and na:
        na = _csv.those_in(path, na)
    never_numbers = all(is_never_a_number(marker) for marker in na)
    positions = {name: position for position, name in enumerate(relation.names)}
    listed = [name for name in wanted.columns if name in relation.dictionaries and name not in readings]
    domains = declared_domains(path, listed, shown) if listed else {}
    for name in wanted.columns:
        position = positions[name]
        type_ = relation.types[position]
        column = stored_as(name, f"c{position}", type_, readings.get(name, Reading()), shown)
        # Cells that are not numbers are found when they are stored; only those are compared with the markers.
        markers = () if name in as_numbers and never_numbers else na
        expressions.append(f"{_expression(column, type_, markers)} AS {column.sql}")
        present = (value for value in domains.get(name, ()) if value.strip(SPACES) not in na)
        columns.append(replace(column, domain=tuple(present)))
    along = beside_of(
        wanted.beside, relation, lambda sql: _expression(Stored("", sql, "VARCHAR", "text"), SPELT, na)
    )
    expressions += [f"{column.expression} AS {column.sql}" for column in along]
    select = ", ".join(expressions)
    if relation.header is not None:
        numbers = [column.sql for column in columns if column.name in as_numbers]
        form = stored_numbers(numbers, na if never_numbers else ())
        _stage_csv(connection, path, relation.header, select, shown, form)
        return columns, along
    try:
        connection.execute(
            f"CREATE {'TABLE' if as_table else 'VIEW'} t AS SELECT {select} FROM {relation.sql}"
        )
    except duckdb.Error as error:
        unreadable = DataError(f"{shown}: cannot be read ({one_line(error)})")
        raise without_memory(error, shown) or unreadable from error
    return columns, number_types(connection, along)


def stored_as(name: str, sql: str, type_: str, reading: Reading, shown: str) -> Stored:
    """Return the form in which a column of a file is stored.

    Parameters
    ----------
    name, sql : str
        Names of the column in the file and in SQL.
    type_ : str
        Its type in the file.
    reading : Reading
        Rules for reading it.
    shown : str
        Name of the file in messages.

    Returns
    -------
    Stored
        The form: by the rules, or by the type of the file if the rules give way to it.
    """
    natural = natural_form(name, sql, type_)
    if natural is None:
        raise DataError(f"{shown}, column {name!r}: {type_} is neither text nor a number; convert or drop it")
    as_it_is = reading.kind == "text" and reading.parse is None
    if natural.kind in ("number", "boolean") or type_ == "JSON":
        stays = reading.kind == natural.kind or (reading.gives_way and not as_it_is)
    else:
        # Times of a file with types are times, whatever their text in DuckDB looks like.
        stays = natural.has_types and (as_it_is or natural.parse is not None)
    if reading.kind is None or stays:
        return natural
    return Stored(name, sql, "VARCHAR", reading.kind, reading.parse)


def natural_form(name: str, sql: str, type_: str) -> Stored | None:
    """Return the form of a column without rules by the caller; None for a type that cannot be a value."""
    if type_ in _WHOLE_TYPES:
        return Stored(name, sql, "BIGINT", "number")
    if type_ in ("FLOAT", "DOUBLE", "BOOLEAN"):
        return Stored(name, sql, type_, "boolean" if type_ == "BOOLEAN" else "number")
    if decimal := _DECIMAL.fullmatch(type_):
        narrow = int(decimal[1]) <= _DECIMAL_DIGITS
        return Stored(name, sql, "DOUBLE" if narrow else "VARCHAR", "number", None if narrow else Decimal)
    if type_ in (*_HUGE_TYPES, SPELT_NUMBER):
        return Stored(name, sql, "VARCHAR", "number", _any_number)
    if type_ in (SPELT, SPELT_TEXT):
        return Stored(name, sql, "VARCHAR", "text" if type_ == SPELT_TEXT else None, has_types=False)
    if type_ == "JSON":
        return Stored(name, sql, "VARCHAR", "text", json.loads)
    if type_.endswith("]"):
        return None
    if type_.startswith(DURATION):
        n_digits = int(type_.removeprefix(DURATION))
        return Stored(name, sql, "VARCHAR", "text", lambda count: seconds_as_text(int(count), n_digits))
    if type_.startswith(_TIME_TYPES) or type_ == "INTERVAL":
        return Stored(
            name, sql, "VARCHAR", "text", parse_duration if type_ == "INTERVAL" else parse_real_time
        )
    return Stored(name, sql, "VARCHAR", "text") if type_.startswith(_TEXT_TYPES) else None


def _any_number(text: str) -> Any:
    """Return the number of a cell, also one that is rejected later: ``Infinity`` and ``1e400``."""
    number = parse_number(text)
    return float(text) if isinstance(number, str) else number


def _expression(column: Stored, type_: str, na: Sequence[str]) -> str:
    """Return the expression of a column in its stored type, with NULL for markers of missing cells."""
    sql = f"CAST({column.sql} AS {column.type})"
    text = sql
    if type_ == "JSON":
        text = f"({column.sql} ->> '$')"
        sql = sql if column.parse is json.loads else text
    elif type_ == "TIME WITH TIME ZONE":
        text = sql = f"CAST(CAST({column.sql} AS TIME) AS VARCHAR)"
    elif column.type == "VARCHAR" and type_.startswith("DECIMAL") and not type_.endswith(",0)"):
        text = sql = f"rtrim(rtrim({sql}, '0'), '.')"
    if column.type != "VARCHAR":
        numbers = [parse_number(marker) for marker in na] if column.kind == "number" else []
        values = [repr(number) for number in numbers if isinstance(number, int | float)]
        return f"CASE WHEN {sql} IN ({', '.join(values)}) THEN NULL ELSE {sql} END" if values else sql
    markers = [quoted(marker.strip(SPACES)) for marker in na]
    if not markers:
        return sql
    # Trimming is slow, so cells that cannot be markers are excluded first. All spaces sort before "!".
    possible = " OR ".join([f"{text} < '!'", *(f"starts_with({text}, {marker})" for marker in markers)])
    is_marker = f"trim({text}, {quoted(SPACES)}) IN ({', '.join(markers)})"
    return f"CASE WHEN {possible} THEN CASE WHEN {is_marker} THEN NULL ELSE {sql} END ELSE {sql} END"


def _stage_csv(
    connection: "DuckDBPyConnection", path: Path, header: _csv.Header, select: str, shown: str, form: str
) -> None:
    """Read a CSV file so that no row is lost and every row is complete.

    DuckDB's parallel reader can silently drop rows if a faulty row starts a buffer, its serial reader drops a
    last row whose quote is not closed, and both ignore surplus empty fields at the end of a row. So rows and
    delimiters are counted as well. If the counts differ, the serial reader is used, and the fields of every
    row are counted.
    """
    import duckdb

    try:
        n_rows = _created_in_parallel(connection, _create_from_csv(path, header, select, form, parallel=True))
        tally = _csv.count(path, header)
        if tally == (n_rows + 1, (n_rows + 1) * (len(header.names) - 1), False):
            return
        (n_rows,) = connection.execute(
            _create_from_csv(path, header, select, form, parallel=False)
        ).fetchall()[0]
    except (duckdb.Error, *_csv.DAMAGED) as error:
        raise _csv.explain(error, path, shown, _line_bytes(header)) from error
    if fault := _csv.first_fault(path, header, n_rows, shown):
        raise fault


def _line_bytes(header: _csv.Header) -> int:
    """Return the largest length of a line in bytes; tables of very many columns have long lines."""
    return max(_LINE_BYTES, 16 * header.n_bytes)


def _created_in_parallel(connection: "DuckDBPyConnection", create: str) -> int:
    """Return the number of rows read; -1 for a file whose quotes the parallel reader cannot handle."""
    import duckdb

    try:
        (n_rows,) = connection.execute(create).fetchall()[0]
    except duckdb.NotImplementedException:
        return -1
    return int(n_rows)


def _create_from_csv(path: Path, header: _csv.Header, select: str, form: str, *, parallel: bool) -> str:
    """Return the statement that loads a CSV file with all options given, so that DuckDB guesses nothing."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header.names)))
    options = [
        "auto_detect = false",  # the sniffer may take another line for the header, or skip lines
        "header = true",
        f"delim = {quoted(header.delimiter)}",
        "quote = '\"'",
        "escape = '\"'",
        f"columns = {{{columns}}}",
        f"compression = {quoted('gzip' if _csv.is_gzip(path) else 'none')}",
        f"max_line_size = {_line_bytes(header)}",
        f"parallel = {str(parallel).lower()}",
        "hive_partitioning = false",
        *(["new_line = '\\r\\n'"] if header.broken else []),
    ]
    source = f"read_csv({path_literal(path)}, {', '.join(options)})"
    # The last, because markers of missing cells may hold anything.
    before, _, after = form.rpartition("{rows}")
    return f"CREATE OR REPLACE TABLE t AS {before}SELECT {select} FROM {source}{after}"
