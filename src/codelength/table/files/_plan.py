"""How each column of a file becomes an array: decided once over all rows, then the same for every batch."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._cells import SPACES, ColumnDict, Kind, object_array, parse_boolean, parse_number
from ._duckdb import quoted
from ._load import Stored

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Plan", "fetch", "make_plans"]

_EXACT = 2.0**53  # whole numbers beyond it are not all float64
_INT64 = 2.0**63
_GLANCE = 1000  # rows that show most columns of text to be text
_SHARE_FROM = 20_000  # rows from which equal cells share one str
_AT_ONCE = 64  # columns in one query, because DuckDB plans huge ones slowly

_LOWER = "lower(trim({c}, " + quoted(SPACES) + "))"
_TESTS: dict[str, str] = {
    "present": "count({c})",
    "numbers": "count(*) FILTER (isfinite(TRY_CAST({c} AS DOUBLE)) AND NOT contains({c}, '_'))",
    "nans": "count(*) FILTER (isnan(TRY_CAST({c} AS DOUBLE)))",
    "whole": "count(*) FILTER (NOT (contains({c}, '.') OR contains({c}, 'e') OR contains({c}, 'E')))",
    "widest": "max(abs(TRY_CAST({c} AS DOUBLE))) FILTER (isfinite(TRY_CAST({c} AS DOUBLE)))",
    "words": f"count(*) FILTER ({_LOWER} IN ('true', 'false'))",
    "truths": f"count(*) FILTER ({_LOWER} IN ('true', 'false', '1', '0', '1.0', '0.0'))",
}
_TRUE = f"{_LOWER} IN ('true', '1', '1.0')"

_Facts = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """What to select for a column, and how the array that DuckDB gives becomes ours."""

    name: str
    select: str
    finish: Callable[[Any], NDArray[Any]]


def make_plans(connection: "DuckDBPyConnection", columns: Sequence[Stored], n_rows: int) -> list[Plan]:
    """Look at every row of the table ``t`` and decide how each of its columns is read."""
    plans: list[Plan] = []
    for start in range(0, len(columns), _AT_ONCE):
        part = columns[start : start + _AT_ONCE]
        facts = _glance(connection, [column for column in part if column.kind != "text"])
        questions = {column.sql: _tests(column, facts.get(column.sql), n_rows) for column in part}
        for sql, answers in _ask(connection, questions).items():
            facts[sql] = facts.get(sql, {}) | answers
        plans += [_plan(connection, column, facts[column.sql], n_rows) for column in part]
    return plans


def fetch(connection: "DuckDBPyConnection", plans: Sequence[Plan], where: str = "") -> ColumnDict:
    """Select rows of the table ``t``, in the order of the file."""
    select = ", ".join(f"{plan.select} AS p{i}" for i, plan in enumerate(plans))
    arrays = connection.execute(f"SELECT {select} FROM t {where}").fetchnumpy()
    return {plan.name: plan.finish(arrays[f"p{i}"]) for i, plan in enumerate(plans)}


def _glance(connection: "DuckDBPyConnection", columns: Sequence[Stored]) -> dict[str, _Facts]:
    """Look at the first rows of columns of text. A table of few rows needs no more."""
    texts = [column.sql for column in columns if column.type == "VARCHAR"]
    if not texts:
        return {}
    arrays = connection.execute(f"SELECT {', '.join(texts)} FROM t LIMIT {_GLANCE}").fetchnumpy()
    return {sql: _facts(_objects(array).tolist()) for sql, array in arrays.items()}


def _facts(cells: list[str | None]) -> _Facts:
    """Compute what the tests in SQL do, up to the first cell that is neither number nor boolean."""
    facts: _Facts = dict.fromkeys(_TESTS, 0)
    for cell in cells:
        if cell is None:
            continue
        number, truth = parse_number(cell), parse_boolean(cell)
        facts["present"] += 1
        facts["nans"] += number is None
        facts["whole"] += not any(character in cell for character in ".eE")
        facts["words"] += isinstance(truth, bool) and isinstance(number, str)
        facts["truths"] += isinstance(truth, bool)
        if isinstance(number, int | float):
            facts["numbers"] += 1
            facts["widest"] = max(facts["widest"], abs(float(number)))
        if facts["numbers"] + facts["nans"] < facts["present"] > facts["truths"]:
            break
    return facts


def _tests(column: Stored, glance: _Facts | None, n_rows: int) -> tuple[str, ...]:
    """Name the facts that are still needed, given what the first rows leave possible."""
    if glance is None:
        typed = {"BIGINT": ("present", "widest"), "BOOLEAN": ("present",)}
        return typed.get(column.type, ())
    if n_rows <= _GLANCE:
        return ()
    tests: tuple[str, ...] = ()
    present = glance["present"]
    if column.kind != "boolean" and glance["numbers"] + glance["nans"] == present:
        tests += ("numbers", "nans", "whole", "widest") if glance["whole"] == present else ("numbers", "nans")
    if column.kind != "number" and glance["truths" if column.kind else "words"] == present:
        tests += ("words", "truths")
    return ("present", *tests) if tests else ()


def _ask(connection: "DuckDBPyConnection", questions: dict[str, tuple[str, ...]]) -> dict[str, _Facts]:
    """Compute facts about several columns in one pass over all rows."""
    asked = [(sql, test) for sql, tests in questions.items() for test in tests]
    facts: dict[str, _Facts] = {sql: {} for sql in questions}
    if asked:
        select = ", ".join(_TESTS[test].format(c=sql) for sql, test in asked)
        answers = connection.execute(f"SELECT {select} FROM t").fetchall()[0]
        for (sql, test), answer in zip(asked, answers, strict=True):
            facts[sql][test] = answer
    return facts


def _plan(connection: "DuckDBPyConnection", column: Stored, facts: _Facts, n_rows: int) -> Plan:
    kind = column.kind or _kind_of(facts, n_rows)
    if kind == "number":
        return _number_plan(connection, column, facts, n_rows)
    if kind == "boolean":
        return _boolean_plan(connection, column, facts, n_rows)
    return _text_plan(connection, column, n_rows)


def _kind_of(facts: _Facts, n_rows: int) -> Kind:
    """Decide what text spells: numbers or booleans only when every cell that is not missing does."""
    present, numbers = facts["present"], facts["numbers"]
    if numbers and numbers + facts["nans"] == present:
        whole = facts["whole"] == present
        # Whole numbers that would be rounded are names of something rather than quantities.
        return "text" if whole and facts["widest"] >= (_INT64 if numbers == n_rows else _EXACT) else "number"
    return "boolean" if present and facts["words"] == present else "text"


def _number_plan(connection: "DuckDBPyConnection", column: Stored, facts: _Facts, n_rows: int) -> Plan:
    whole = column.type == "BIGINT"
    if column.type == "VARCHAR":
        if facts["numbers"] + facts["nans"] < facts["present"]:
            return _text_plan(connection, column, n_rows, parse_number)
        whole = facts["whole"] == facts["numbers"] == n_rows and facts["widest"] < _INT64
    elif whole and facts["present"] < n_rows:
        if (facts["widest"] or 0) >= _EXACT:
            return _text_plan(connection, column, n_rows)
        whole = False
    if whole:
        return Plan(column.name, f"CAST({column.sql} AS BIGINT)", _integers)
    return Plan(column.name, f"CAST({column.sql} AS DOUBLE)", _floats)


def _boolean_plan(connection: "DuckDBPyConnection", column: Stored, facts: _Facts, n_rows: int) -> Plan:
    select = column.sql
    if column.type == "VARCHAR":
        if facts["truths"] < facts["present"]:
            return _text_plan(connection, column, n_rows, parse_boolean)
        select = _TRUE.format(c=column.sql)
    return Plan(column.name, select, _booleans if facts["present"] == n_rows else _objects)


def _text_plan(
    connection: "DuckDBPyConnection",
    column: Stored,
    n_rows: int,
    parse: Callable[[str], Any] | None = None,
) -> Plan:
    """Fetch text as it is, or as codes into a list of its values where these are few.

    Making a str for every cell takes most of the time that a large table needs.
    """
    text = f"CAST({column.sql} AS VARCHAR)"
    n_values = 0
    if n_rows >= _SHARE_FROM:
        (n_values,) = connection.execute(f"SELECT approx_count_distinct({text}) FROM t").fetchall()[0]
    if not 0 < n_values <= n_rows // 8:
        return Plan(column.name, text, partial(_parsed, parse) if parse else _objects)
    enum = f"values_{column.sql}"
    connection.execute(
        f"CREATE TYPE {enum} AS ENUM (SELECT DISTINCT {text} AS v FROM t WHERE v IS NOT NULL ORDER BY v)"
    )
    rows = connection.execute(f"SELECT unnest(enum_range(NULL::{enum}))").fetchall()
    values = object_array([*(parse(value) if parse else value for (value,) in rows), None])
    select = f"coalesce(CAST(enum_code(CAST({text} AS {enum})) AS INTEGER), {len(rows)})"
    return Plan(column.name, select, partial(_taken, values))


def _integers(array: Any) -> NDArray[Any]:
    return np.ma.getdata(array).astype(np.int64, copy=False)


def _floats(array: Any) -> NDArray[Any]:
    return np.ma.filled(array, np.nan).astype(np.float64, copy=False)


def _booleans(array: Any) -> NDArray[Any]:
    return np.ma.getdata(array).astype(np.bool_, copy=False)


def _objects(array: Any) -> NDArray[Any]:
    cells: NDArray[Any] = np.ma.getdata(array).astype(object, copy=False)
    cells[np.ma.getmaskarray(array)] = None
    return cells


def _parsed(parse: Callable[[str], Any], array: Any) -> NDArray[Any]:
    return object_array([None if cell is None else parse(cell) for cell in _objects(array).tolist()])


def _taken(values: NDArray[Any], codes: Any) -> NDArray[Any]:
    taken: NDArray[Any] = values[np.ma.getdata(codes)]
    return taken
