"""Columns that are carried over, with cells in the form that they have in the file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import SchemaMismatch
from ...table._messages import suggestion
from ...table.values import LARGEST_EXACT, seconds_as_text
from ._arrow_schema import DURATION
from ._cells import ColumnDict, TypedCells, object_array
from ._relations import SPELT, SPELT_NUMBER, Relation

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Beside", "beside_of", "check_beside", "fetch_beside", "number_types"]

_AS_TEXT = ("INTERVAL", "UUID", "BIT", "JSON", '"NULL"')
# Sessions are in UTC, in which DuckDB writes zones as "+00".
_ISO_ZONE = "+00:00"


@dataclass(frozen=True)
class Beside:
    """A column of the staged table ``t`` that is carried over.

    Attributes
    ----------
    name, sql : str
        Its names in the file and in SQL.
    expression : str
        Its SQL expression in the columns of the file.
    type : str
        Its type. All cells together decide the type of numbers that the file stores as text.
    is_spelt : bool
        True for such numbers, which are text in ``t``.
    """

    name: str
    sql: str
    expression: str
    type: str
    is_spelt: bool = False


def check_beside(names: Sequence[str], known: Sequence[str], shown: str) -> None:
    """Raise if a column to carry over is not in the file.

    Parameters
    ----------
    names : sequence of str
        The columns to carry over.
    known : sequence of str
        The columns of the file.
    shown : str
        Name of the file in messages.
    """
    for name in names:
        if name not in known:
            near = suggestion(name, known)
            raise SchemaMismatch(f"{shown}: has no column {name!r} to carry over{near}")


def beside_of(names: Sequence[str], relation: Relation, text: Callable[[str], str]) -> list[Beside]:
    """Return the expressions and types of columns to carry over.

    Parameters
    ----------
    names : sequence of str
        The columns.
    relation : Relation
        The file.
    text : callable
        For the SQL name of a column of a text file, the expression whose cells are NULL if they mean missing.

    Returns
    -------
    list of Beside
        One per name, in order.
    """
    columns = []
    for i, name in enumerate(names):
        position = relation.names.index(name)
        own, type_ = f"c{position}", relation.types[position]
        if relation.header is not None:
            expression, kept = text(own), "VARCHAR"
        elif type_ == SPELT_NUMBER or type_.startswith(DURATION):
            expression, kept = own, type_
        elif type_ == "JSON":
            expression, kept = f"({own} ->> '$')", "VARCHAR"
        elif type_ == "TIME WITH TIME ZONE":
            expression, kept = f"CAST({own} AS TIME)", "TIME"
        elif type_ in _AS_TEXT or type_.startswith(("ENUM", SPELT)):
            expression, kept = f"CAST({own} AS VARCHAR)", "VARCHAR"
        else:
            expression, kept = own, type_
        columns.append(Beside(name, f"b{i}", expression, kept))
    return columns


def number_types(connection: "DuckDBPyConnection", columns: Sequence[Beside]) -> list[Beside]:
    """Return the columns with the types of numbers that the file stores as text.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        A session with the staged table ``t``.
    columns : sequence of Beside
        The columns to carry over.

    Returns
    -------
    list of Beside
        The columns, with types that hold all their numbers without loss.
    """
    return [
        replace(column, type=_number_type(connection, column.sql), is_spelt=True)
        if column.type == SPELT_NUMBER
        else column
        for column in columns
    ]


def _number_type(connection: "DuckDBPyConnection", sql: str) -> str:
    """Return the type that holds all numbers of a column of text without loss."""
    is_whole = f"NOT regexp_matches({sql}, '[.eE]')"
    number = f"TRY_CAST({sql} AS DOUBLE)"
    (n_fractions, widest, n_long), *_ = connection.execute(
        f"SELECT count(*) FILTER (NOT {is_whole}), coalesce(max(abs({number})) FILTER ({is_whole}), 0), "
        f"count(*) FILTER ({sql} IS NOT NULL AND TRY_CAST({sql} AS DECIMAL(38, 0)) IS NULL) FROM t"
    ).fetchall()
    # Whole numbers beyond 2**53 next to fractions fit into no numeric type, nor do those of over 38 digits.
    if n_fractions:
        return "DOUBLE" if widest < LARGEST_EXACT else "VARCHAR"
    return "BIGINT" if widest < 2.0**63 else "VARCHAR" if n_long else "DECIMAL(38,0)"


def fetch_beside(
    connection: "DuckDBPyConnection", columns: Sequence[Beside], rows: range | None = None
) -> ColumnDict:
    """Return the cells of columns that are carried over.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        A session with the staged table ``t``.
    columns : sequence of Beside
        The columns.
    rows : range, optional
        The rows; by default all.

    Returns
    -------
    dict of str to array or Cells
        The cells by the names of the columns.
    """
    if not columns:
        return {}
    select = ", ".join(f"{_selected(column)} AS {column.sql}" for column in columns)
    where = "" if rows is None else f"WHERE rowid >= {rows.start} AND rowid < {rows.stop}"
    arrays = connection.execute(f"SELECT {select} FROM t {where}").fetchnumpy()
    return {column.name: _cells(column, arrays[column.sql]) for column in columns}


def _selected(column: Beside) -> str:
    """Return the SQL expression of a column: fractions as they are, all other cells as text."""
    # Numpy has no type for most of DuckDB's; from text each cell is restored exactly.
    return f"CAST({column.sql} AS {'DOUBLE' if column.type == 'DOUBLE' else 'VARCHAR'})"


def _cells(column: Beside, array: Any) -> Any:
    """Return an array of DuckDB as cells of the type of the column."""
    if column.type == "DOUBLE":
        return np.ma.filled(array, np.nan)
    texts = np.ma.getdata(array).astype(object)
    texts[np.ma.getmaskarray(array)] = None
    convert = _conversion(column.type)
    if convert is not None:
        texts = object_array([None if text is None else convert(text) for text in texts.tolist()])
    return TypedCells("VARCHAR" if column.type.startswith(DURATION) else column.type, texts)


def _conversion(type_: str) -> Callable[[str], str] | None:
    """Return the function that converts the text of a cell in SQL; None if the text stays as it is."""
    if type_.startswith("TIMESTAMP"):
        return partial(_iso, aware=type_.endswith("ZONE"))
    if type_.startswith(DURATION):
        n_digits = int(type_.removeprefix(DURATION))
        return lambda count: seconds_as_text(int(count), n_digits)
    return None


def _iso(text: str, *, aware: bool) -> str:
    """Return a time that SQL wrote in UTC in ISO form; a year before Christ has none.

    Examples
    --------
    >>> _iso("2020-01-01 10:00:00.5+00", aware=True)
    '2020-01-01T10:00:00.5+00:00'
    """
    if aware:
        text = text.removesuffix("+00") + _ISO_ZONE
    return text.replace(" ", "T", 1) if text[:1].isdigit() and "(BC)" not in text else text
