"""Columns of a text file that are taken for numbers while the file is loaded, and checked afterwards.

To store them as numbers is faster than as text, of which numbers are made each time they are read. What each
cell was is stored beside it: missing, a whole number, another number, NaN, or no number at all. Where there
is one of the last kind, the file is loaded again with that column as text.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from .._arrays import from_cells
from ..spelling import SPACES
from ..values import LARGEST_EXACT
from ._duckdb import quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ._plan import Plan
    from ._stage import Stored

__all__ = ["is_never_a_number", "number_plans", "stored_numbers", "what_was"]

_WHOLE, _NUMBER, _NAN, _NONE = 1, 2, 3, 9
# DuckDB also takes 1_000, +-1, nan(1) and infinity for numbers.
_WHAT = (
    "CAST(CASE WHEN {c} IS NULL THEN 0 "
    f"WHEN x_{{c}} IS NULL THEN CASE WHEN {{is_missing}} THEN 0 ELSE {_NONE} END "
    f"WHEN isinf(x_{{c}}) OR contains({{c}}, '_') OR contains({{c}}, '+-') THEN {_NONE} "
    f"WHEN isnan(x_{{c}}) THEN CASE WHEN contains({{c}}, '(') THEN {_NONE} ELSE {_NAN} END "
    f"WHEN x_{{c}} <> floor(x_{{c}}) THEN {_NUMBER} "
    f"WHEN contains({{c}}, '.') OR contains({{c}}, 'e') OR contains({{c}}, 'E') THEN {_NUMBER} "
    f"ELSE {_WHOLE} END AS UTINYINT)"
)


def what_was(sql: str) -> str:
    """The name of the column that says what the cells of another were."""
    return f"was_{sql}"


def is_never_a_number(marker: str) -> bool:
    """Whether DuckDB takes a text for no number, so that cells need not be compared with it before.

    Examples
    --------
    >>> [is_never_a_number(marker) for marker in ("NA", "?", "-9", "nan", " Infinity")]
    [True, True, False, False, False]
    """
    word = marker.strip(SPACES).lstrip("+-").lower()
    return not any(character.isdigit() for character in word) and not word.startswith(("nan", "inf"))


def stored_numbers(columns: Sequence[str], na: Sequence[str] = ()) -> str:
    """The query that stores some columns of ``{rows}`` as numbers.

    Texts of ``na`` mean missing, and are no numbers; those that may be numbers are missing in ``{rows}``.
    """
    if not columns:
        return "{rows}"
    numbers = ", ".join(f"TRY_CAST({sql} AS DOUBLE) AS x_{sql}" for sql in columns)
    replaced = ", ".join(f"x_{sql} AS {sql}" for sql in columns)
    markers = ", ".join(quoted(marker.strip(SPACES)) for marker in na)
    is_missing = f"trim({{c}}, {quoted(SPACES)}) IN ({markers})" if na else "false"
    what = _WHAT.replace("{is_missing}", is_missing)
    said = ", ".join(f"{what.replace('{c}', sql)} AS {what_was(sql)}" for sql in columns)
    gone = ", ".join(f"x_{sql}" for sql in columns)
    inner = f"SELECT *, {numbers} FROM ({{rows}})"
    return f"SELECT * EXCLUDE ({gone}) REPLACE ({replaced}), {said} FROM ({inner})"


def number_plans(
    connection: "DuckDBPyConnection", columns: Sequence["Stored"], n_rows: int
) -> dict[str, "Plan | None"]:
    """How columns that were stored as numbers are read; None for those that are none."""
    from ._plan import Plan

    if not columns:
        return {}
    asked = ", ".join(
        ", ".join(
            [
                *(f"count(*) FILTER ({what_was(column.sql)} = {kind})" for kind in (_WHOLE, _NUMBER, _NONE)),
                f"coalesce(max(abs({column.sql})) FILTER ({what_was(column.sql)} = {_WHOLE}), 0)",
            ]
        )
        for column in columns
    )
    answers = connection.execute(f"SELECT {asked} FROM t").fetchall()[0]
    plans: dict[str, Plan | None] = {}
    for i, column in enumerate(columns):
        n_whole, n_other, n_none, widest = answers[4 * i : 4 * i + 4]
        nothing = column.kind is None and not n_whole + n_other
        if n_none or nothing or widest >= LARGEST_EXACT:
            plans[column.name] = None
        else:
            select = f"CAST({column.sql} AS BIGINT)" if n_whole == n_rows else column.sql
            plans[column.name] = Plan(column.name, select, partial(from_cells, column.name))
    return plans
