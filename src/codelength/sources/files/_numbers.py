"""Columns of a text file that are taken for numbers while the file is loaded, and checked afterwards.

Storing them as numbers is faster than storing text and converting it each time. The kind of each cell is
stored as one bit: missing, a whole number, another number, NaN, or not a number. If a column has a cell of
the last kind, the file is loaded again with that column as text.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...table._arrays import from_cells
from ...table.spelling import SPACES
from ...table.values import LARGEST_EXACT
from ._duckdb import quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ._plan import Plan
    from ._stage import Stored

__all__ = ["is_never_a_number", "number_plans", "stored_numbers", "what_they_were"]

_MISSING, _WHOLE, _NUMBER, _NAN, _NONE = 1, 2, 4, 8, 16
_N_KINDS, _PER_COLUMN = 5, 12  # twelve columns of five bits fit into 64
# DuckDB also takes 1_000, +-1, nan(1) and infinity for numbers. Most whole numbers are spelt as DuckDB spells
# them, which the first line tests, because it is the cheapest.
_WHAT = (
    "CASE WHEN {c} = CAST(TRY_CAST(x_{c} AS INTEGER) AS VARCHAR) THEN {whole} "
    "WHEN {c} IS NULL THEN {missing} "
    "WHEN x_{c} IS NULL THEN CASE WHEN {is_missing} THEN {missing} ELSE {none} END "
    "WHEN isinf(x_{c}) OR contains({c}, '_') OR contains({c}, '+-') THEN {none} "
    "WHEN isnan(x_{c}) THEN CASE WHEN contains({c}, '(') THEN {none} ELSE {nan} END "
    "WHEN x_{c} <> floor(x_{c}) THEN {number} "
    "WHEN contains({c}, '.') OR contains({c}, 'e') OR contains({c}, 'E') THEN {number} "
    f"WHEN abs(x_{{c}}) >= {LARGEST_EXACT} THEN {{none}} "
    "ELSE {whole} END"
)


def what_they_were(n_columns: int) -> list[str]:
    """Return the names of the columns that store the kinds of cells of ``n_columns`` columns."""
    return [f"were{i}" for i in range(-(-n_columns // _PER_COLUMN))]


def is_never_a_number(marker: str) -> bool:
    """Return True if DuckDB does not take a text for a number.

    Cells need not be compared with such a marker before they are converted.

    Examples
    --------
    >>> [is_never_a_number(marker) for marker in ("NA", "?", "-9", "nan", " Infinity")]
    [True, True, False, False, False]
    """
    word = marker.strip(SPACES).lstrip("+-").lower()
    return not any(character.isdigit() for character in word) and not word.startswith(("nan", "inf"))


def stored_numbers(columns: Sequence[str], na: Sequence[str] = ()) -> str:
    """Return the query that stores some columns of ``{rows}`` as numbers.

    Parameters
    ----------
    columns : sequence of str
        SQL names of the columns.
    na : sequence of str
        Texts that mean missing and are not numbers; other markers are NULL in ``{rows}`` already.

    Returns
    -------
    str
        The query, with ``{rows}`` in place of the query of the rows.
    """
    if not columns:
        return "{rows}"
    numbers = ", ".join(f"TRY_CAST({sql} AS DOUBLE) AS x_{sql}" for sql in columns)
    replaced = ", ".join(f"x_{sql} AS {sql}" for sql in columns)
    bits = [_said(sql, i % _PER_COLUMN, na) for i, sql in enumerate(columns)]
    starts = range(0, len(columns), _PER_COLUMN)
    said = ", ".join(
        f"{' | '.join(bits[start : start + _PER_COLUMN])} AS {name}"
        for start, name in zip(starts, what_they_were(len(columns)), strict=True)
    )
    gone = ", ".join(f"x_{sql}" for sql in columns)
    inner = f"SELECT *, {numbers} FROM ({{rows}})"
    return f"SELECT * EXCLUDE ({gone}) REPLACE ({replaced}), {said} FROM ({inner})"


def _said(sql: str, place: int, na: Sequence[str]) -> str:
    """Return the expression of the kind of a cell, as a bit at the place of its column."""
    markers = ", ".join(quoted(marker.strip(SPACES)) for marker in na)
    is_missing = f"trim({sql}, {quoted(SPACES)}) IN ({markers})" if na else "false"
    bits = {"missing": _MISSING, "whole": _WHOLE, "number": _NUMBER, "nan": _NAN, "none": _NONE}
    shifted = {name: f"{bit << place * _N_KINDS}::BIGINT" for name, bit in bits.items()}
    return _WHAT.format(c=sql, is_missing=is_missing, **shifted)


def number_plans(connection: "DuckDBPyConnection", columns: Sequence["Stored"]) -> dict[str, "Plan | None"]:
    """Return plans for columns that were stored as numbers.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        A session with the staged table ``t``.
    columns : sequence of Stored
        The columns, in the order in which they were stored.

    Returns
    -------
    dict of str to Plan or None
        Plans by name; None for a column that has a cell that is not a number, or has no numbers.
    """
    from ._plan import Plan

    if not columns:
        return {}
    # One aggregate over all rows says which kinds of cells occur.
    asked = ", ".join(f"bit_or({name})" for name in what_they_were(len(columns)))
    answers = connection.execute(f"SELECT {asked} FROM t").fetchall()[0]
    plans: dict[str, Plan | None] = {}
    for i, column in enumerate(columns):
        kinds = answers[i // _PER_COLUMN] >> (i % _PER_COLUMN * _N_KINDS) & (1 << _N_KINDS) - 1
        nothing = column.kind is None and not kinds & (_WHOLE | _NUMBER)
        if kinds & _NONE or nothing:
            plans[column.name] = None
        else:
            select = f"CAST({column.sql} AS BIGINT)" if kinds == _WHOLE else column.sql
            plans[column.name] = Plan(column.name, select, partial(from_cells, column.name))
    return plans
