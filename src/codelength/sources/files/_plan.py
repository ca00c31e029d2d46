"""Plans for reading columns of a file: decided once over all rows, the same in every batch.

Order of reading: :class:`Plan`, :func:`make_plans` (facts about all columns, then a plan for each) and
:func:`fetch` (the rows by these plans). Facts are asked for as cheaply as possible: ``_glance`` looks at the
first rows, and ``_ask`` counts over all rows what these leave open.

Depends on ``_stage``, which stored the file as the table ``t``, on ``_kinds`` (what the caller says about
columns) and on :mod:`codelength.table.spelling` (what text spells).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ...errors import DataError
from ...table._arrays import canonical_values, check_finite_cells, from_cells
from ...table.column import Column, Factor
from ...table.spelling import (
    SPACES,
    TIME,
    looks_like_time,
    parse_boolean,
    parse_number,
    parse_time,
)
from ...table.values import LARGEST_EXACT, UnusableValue
from ...typing import IntArray, Scalar
from ._duckdb import quoted
from ._kinds import Kind, Parse
from ._stage import Stored

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Plan", "fetch", "look_like_numbers", "make_plans"]

_INT64 = 2.0**63
_GLANCE = 1000  # rows; enough to exclude numbers and times for most columns of text
_SHARE_FROM = 20_000  # rows from which text is fetched as positions among its distinct values
_AT_ONCE = 64  # columns per query, because DuckDB plans huge queries slowly

_LOWER = "lower(trim({c}, " + quoted(SPACES) + "))"
_DOUBLE = "TRY_CAST({c} AS DOUBLE)"
# DuckDB also takes 1_000, +-1 and nan(1) for numbers.
_IS_NUMBER = f"isfinite({_DOUBLE}) AND NOT (contains({{c}}, '_') OR contains({{c}}, '+-'))"
_IS_WHOLE = "NOT (contains({c}, '.') OR contains({c}, 'e') OR contains({c}, 'E'))"
_TESTS: dict[str, str] = {
    "present": "count({c})",
    "numbers": f"count(*) FILTER ({_IS_NUMBER})",
    "nans": f"count(*) FILTER (isnan({_DOUBLE}) AND NOT (contains({{c}}, '(') OR contains({{c}}, '+-')))",
    "whole": f"count(*) FILTER ({_IS_WHOLE})",
    "widest": f"coalesce(max(abs({_DOUBLE})) FILTER ({_IS_WHOLE} AND {_IS_NUMBER}), 0)",
    "words": f"count(*) FILTER ({_LOWER} IN ('true', 'false'))",
    "truths": f"count(*) FILTER ({_LOWER} IN ('true', 'false', '1', '0', '1.0', '0.0'))",
    "times": f"count(*) FILTER (regexp_full_match({{c}}, {quoted(TIME)}))",
}
_MORE_TESTS = {
    "magnitude": f"coalesce(max(abs({_DOUBLE})) FILTER (isfinite({_DOUBLE})), 0)",
    "merged": f"count(DISTINCT {{c}}) - count(DISTINCT {_DOUBLE})",
}
_TRUE = f"{_LOWER} IN ('true', '1', '1.0')"

_Facts = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """Expression to select for a column, and conversion of its array to a column.

    Attributes
    ----------
    name : str
        Name of the column.
    select : str
        SQL expression.
    finish : callable
        Converts the array that DuckDB returns.
    form : {"cells", "text", "positions"}
        Content of the array: cells of a type of their own, text, or positions in a list of values.
    is_final : bool
        True if text is the value itself.
    """

    name: str
    select: str
    finish: Callable[[Any], Column]
    form: Literal["cells", "text", "positions"] = "cells"
    is_final: bool = True


def make_plans(connection: "DuckDBPyConnection", columns: Sequence[Stored], n_rows: int) -> list[Plan]:
    """Decide over all rows of the table ``t`` how each column is read.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        A session with the staged table ``t``.
    columns : sequence of Stored
        Its columns.
    n_rows : int
        Number of rows.

    Returns
    -------
    list of Plan
        One per column, in order.
    """
    plans: list[Plan] = []
    for start in range(0, len(columns), _AT_ONCE):
        part = columns[start : start + _AT_ONCE]
        facts = _all_facts(connection, part, n_rows)
        settled = [_settled(column, facts[column.sql], n_rows) for column in part]
        texts = [column.sql for column in settled if isinstance(column, Stored)]
        sizes = _sizes(connection, texts) if n_rows >= _SHARE_FROM else {}
        plans += [
            column if isinstance(column, Plan) else _text_plan(connection, column, n_rows, sizes)
            for column in settled
        ]
    return [
        _declared(plan, column.domain) if column.domain else plan
        for plan, column in zip(plans, columns, strict=True)
    ]


def _declared(plan: Plan, domain: tuple[str, ...]) -> Plan:
    """Return the plan of a column of text with a declared domain."""

    def finish(array: Any) -> Column:
        column = plan.finish(array)
        assert isinstance(column, Factor)
        return column.with_domain(domain)

    return replace(plan, finish=finish, is_final=False)


def fetch(connection: "DuckDBPyConnection", plans: Sequence[Plan], rows: range | None = None) -> list[Column]:
    """Return columns of the table ``t``, with rows in the order of the file.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        A session with the staged table ``t``.
    plans : sequence of Plan
        Plans of the columns.
    rows : range, optional
        The rows; by default all.

    Returns
    -------
    list of Column
        One per plan.
    """
    select = ", ".join(f"{plan.select} AS p{i}" for i, plan in enumerate(plans))
    where = "" if rows is None else f"WHERE rowid >= {rows.start} AND rowid < {rows.stop}"
    arrays = connection.execute(f"SELECT {select} FROM t {where}").fetchnumpy()
    columns = []
    for i, plan in enumerate(plans):
        cells = arrays[f"p{i}"]
        if rows is not None and cells.dtype.kind == "f":
            # Messages count rows from the start of the file, which the conversion does not know.
            check_finite_cells(plan.name, np.ma.filled(cells, np.nan), rows.start)
        columns.append(plan.finish(cells))
    return columns


def _all_facts(connection: "DuckDBPyConnection", columns: Sequence[Stored], n_rows: int) -> dict[str, _Facts]:
    """Return facts about columns: from the first rows, and from all rows if these do not decide."""
    glances = _glance(connection, columns)
    questions = {column.sql: _tests(column, glances.get(column.sql), n_rows) for column in columns}
    facts = {sql: glances.get(sql, {}) | answers for sql, answers in _ask(connection, questions).items()}
    for of_column in facts.values():
        of_column["widest"] = of_column.get("magnitude", of_column.get("widest", 0))
    # Large whole numbers need a slower test, and hardly any column has large numbers.
    large = {sql: ("widest",) for sql in glances if facts[sql]["widest"] >= LARGEST_EXACT}
    for sql, answers in _ask(connection, large).items():
        facts[sql] |= answers
    return facts


def _glance(connection: "DuckDBPyConnection", columns: Sequence[Stored]) -> dict[str, _Facts]:
    """Return facts about the first rows of columns of text; for a short table these are all facts."""
    texts = [column.sql for column in columns if column.type == "VARCHAR" and _is_open(column)]
    if not texts:
        return {}
    arrays = connection.execute(f"SELECT {', '.join(texts)} FROM t LIMIT {_GLANCE}").fetchnumpy()
    return {sql: _facts(_texts(array)) for sql, array in arrays.items()}


def look_like_numbers(connection: "DuckDBPyConnection", columns: Sequence[Stored]) -> frozenset[str]:
    """Return columns of text of the table ``t`` that hold nothing but numbers in the first rows.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        A session with the staged table ``t``.
    columns : sequence of Stored
        Its columns.

    Returns
    -------
    frozenset of str
        Names of the columns that may be stored as numbers.
    """
    asked = [column for column in columns if column.kind in (None, "number")]
    found = set()
    for start in range(0, len(asked), _AT_ONCE):
        part = asked[start : start + _AT_ONCE]
        glances = _glance(connection, part)
        for column in part:
            facts = glances.get(column.sql)
            if facts and facts["numbers"] and facts["numbers"] + facts["nans"] == facts["present"]:
                found.add(column.name)
    return frozenset(found)


def _is_open(column: Stored) -> bool:
    """Return True if the cells themselves help to decide the kind of a column of text."""
    return column.kind != "text" or not column.has_types


def _facts(cells: Sequence[str | None]) -> _Facts:
    """Count the same facts as the tests in SQL; stop at a cell that is not a number, boolean or time."""
    facts: _Facts = dict.fromkeys(_TESTS, 0)
    for cell in cells:
        if cell is None:
            continue
        number, truth = parse_number(cell), parse_boolean(cell)
        whole = not any(character in cell for character in ".eE")
        facts["present"] += 1
        facts["nans"] += number is None
        facts["whole"] += whole
        facts["words"] += isinstance(truth, bool) and isinstance(number, str)
        facts["truths"] += isinstance(truth, bool)
        facts["times"] += looks_like_time(cell)
        if isinstance(number, int | float):
            facts["numbers"] += 1
            facts["widest"] = max(facts["widest"], abs(float(number)) if whole else 0)
        if facts["present"] > max(facts["numbers"] + facts["nans"], facts["truths"], facts["times"]):
            break
    return facts


def _tests(column: Stored, glance: _Facts | None, n_rows: int) -> tuple[str, ...]:
    """Return the facts that are still needed after the first rows."""
    if glance is None:
        return ("present", "magnitude") if column.type == "BIGINT" else ()
    tests: tuple[str, ...] = ("merged",) if column.parse is Decimal else ()
    if n_rows <= _GLANCE:
        return tests
    present = glance["present"]
    if column.kind in (None, "number") and glance["numbers"] + glance["nans"] == present:
        tests += ("numbers", "nans", "magnitude", *(("whole",) if glance["whole"] == present else ()))
    if column.kind in (None, "boolean") and glance["truths" if column.kind else "words"] == present:
        tests += ("words", "truths")
    if not column.has_types and glance["times"] == present:
        tests += ("times",)
    return ("present", *tests) if tests else ()


def _ask(connection: "DuckDBPyConnection", questions: Mapping[str, tuple[str, ...]]) -> dict[str, _Facts]:
    """Compute facts about several columns in one pass over all rows."""
    asked = [(sql, test) for sql, tests in questions.items() for test in tests]
    facts: dict[str, _Facts] = {sql: {} for sql in questions}
    if asked:
        select = ", ".join((_TESTS | _MORE_TESTS)[test].replace("{c}", sql) for sql, test in asked)
        answers = connection.execute(f"SELECT {select} FROM t").fetchall()[0]
        for (sql, test), answer in zip(asked, answers, strict=True):
            facts[sql][test] = answer
    return facts


def _sizes(connection: "DuckDBPyConnection", texts: Sequence[str]) -> dict[str, int]:
    """Return approximate numbers of distinct values."""
    if not texts:
        return {}
    select = ", ".join(f"approx_count_distinct({sql})" for sql in texts)
    return dict(zip(texts, connection.execute(f"SELECT {select} FROM t").fetchall()[0], strict=True))


def _settled(column: Stored, facts: _Facts, n_rows: int) -> Plan | Stored:
    """Return the plan of a column of numbers or booleans; else the column with its parser."""
    kind = column.kind or _kind_of(facts)
    if kind == "number":
        return _number_plan(column, facts, n_rows)
    if kind == "boolean":
        return _boolean_plan(column, facts)
    is_time = not column.has_types and facts["times"] == facts["present"]
    return replace(column, parse=parse_time) if is_time else column


def _kind_of(facts: _Facts) -> Kind:
    """Return the kind of text: numbers or booleans only if every cell that is not missing is one."""
    present = facts["present"]
    if facts["numbers"] and facts["numbers"] + facts["nans"] == present:
        return "number"
    return "boolean" if present and facts["words"] == present else "text"


def _number_plan(column: Stored, facts: _Facts, n_rows: int) -> Plan | Stored:
    """Return the plan of numbers, if an array holds them exactly; else the column, to be parsed like text."""
    convert = partial(from_cells, column.name)
    if column.type in ("FLOAT", "DOUBLE"):
        return Plan(column.name, column.sql, convert)
    is_text = column.type == "VARCHAR"
    if is_text and facts["numbers"] + facts["nans"] < facts["present"]:
        return column
    complete = facts["numbers" if is_text else "present"] == n_rows
    whole = not is_text or facts["whole"] == n_rows
    if complete and whole and facts["widest"] < _INT64:
        return Plan(column.name, f"CAST({column.sql} AS BIGINT)", convert)
    if facts["widest"] < LARGEST_EXACT and not facts.get("merged"):
        return Plan(column.name, f"CAST({column.sql} AS DOUBLE)", convert)
    return replace(column, parse=column.parse or parse_number)


def _boolean_plan(column: Stored, facts: _Facts) -> Plan | Stored:
    """Return the plan of booleans; the column itself if it has other cells."""
    convert = partial(from_cells, column.name)
    if column.type != "VARCHAR":
        return Plan(column.name, column.sql, convert)
    if facts["truths"] < facts["present"]:
        return column
    # NULL stays NULL here, as in every comparison of SQL.
    return Plan(column.name, _TRUE.replace("{c}", column.sql), convert)


def _text_plan(connection: "DuckDBPyConnection", column: Stored, n_rows: int, sizes: dict[str, int]) -> Plan:
    """Return the plan of text: fetched as it is, or as positions in a list of its values if these are few.

    Creating a str for every cell takes most of the time that a large table needs.
    """
    text = f"CAST({column.sql} AS VARCHAR)"
    if not 0 < sizes.get(column.sql, 0) <= n_rows // 8:
        finish = partial(_from_texts, column.name, column.parse)
        return Plan(column.name, text, finish, "text", column.parse is None)
    enum = f"values_{column.sql}"
    connection.execute(
        f"CREATE TYPE {enum} AS ENUM (SELECT DISTINCT {text} AS v FROM t WHERE v IS NOT NULL ORDER BY v)"
    )
    texts = connection.execute(f"SELECT unnest(enum_range(NULL::{enum})) AS v").fetchnumpy()["v"].tolist()
    width = next(name for name, most in _WIDTHS.items() if len(texts) <= most)
    # A cast that may fail is not done once per value, but once per row; this one finds every value.
    select = f"CAST(coalesce(CAST(enum_code(TRY_CAST({text} AS {enum})) AS INTEGER), -1) AS {width})"
    values, places = _values_of(column.name, column.parse, texts)
    changed = not np.array_equal(places[:-1], np.arange(len(texts)))
    finish = partial(_from_codes, column.name, values, places if changed else None)
    return Plan(column.name, select, finish, "positions")


_WIDTHS = {"TINYINT": 2**7, "SMALLINT": 2**15, "INTEGER": 2**31}


def _values_of(name: str, parse: Parse | None, texts: Sequence[str]) -> tuple[tuple[Scalar, ...], IntArray]:
    """Return the canonical values of texts, and the place of each text among them."""
    try:
        return canonical_values(name, texts if parse is None else [parse(text) for text in texts])
    except UnusableValue as error:
        raise DataError(f"column {name!r}: {error}") from None


def _from_codes(name: str, values: tuple[Scalar, ...], places: IntArray | None, codes: Any) -> Column:
    """Return a column from positions among values."""
    positions = np.ma.getdata(codes)
    return Factor(name, positions if places is None else places[positions], values)


def _from_texts(name: str, parse: Parse | None, array: Any) -> Column:
    """Return a column from texts; each distinct text is parsed once."""
    seen: dict[Any, int] = {None: -1}
    texts = _texts(array)
    positions = np.fromiter((seen.setdefault(text, len(seen) - 1) for text in texts), np.int64, len(texts))
    values, places = _values_of(name, parse, list(seen)[1:])
    return Factor(name, places[positions], values)


def _texts(array: Any) -> list[str | None]:
    """Return a masked array as a list; None if missing."""
    cells = np.ma.getdata(array).astype(object)
    cells[np.ma.getmaskarray(array)] = None
    listed: list[str | None] = cells.tolist()
    return listed
