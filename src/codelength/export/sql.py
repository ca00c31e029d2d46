"""A fitted model as one SQL statement, from raw columns to the class and its probabilities.

The statement is a chain of three steps. ``scored`` sums look-ups, one sum per class and row: small tables of
log weights are joined by value, and intervals are found by comparisons. ``topped`` finds the largest sum,
which keeps exponentials within range, and ``raised`` takes them. Each step is kept once computed, because
planners that put steps into one another would repeat every sum many times.

Names are quoted wherever they stand and values are literals, so nothing in a table can end one of them.
Columns that are kept go by numbers until the end, so none of them clashes with ours.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from ..errors import InvalidParameter
from ..table import Variable
from ..table._messages import shown
from ..table.checks import check_choice, check_sequence
from ..typing import FloatArray, Scalar
from .look_ups import LookUps

Dialect = Literal["duckdb", "postgres", "sqlite"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)

MOST_JOINS = 60
"""Tables that are joined at most; SQLite takes 64. Further variables are looked up by comparisons."""

MOST_TERMS = 50
"""Terms of a sum, or arguments of a function, that stand side by side. Engines limit both."""

LARGEST_WHOLE = 2**53
"""Whole numbers beyond this are not kept apart by numbers with a point."""

_STAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:\+00:00)?")


def to_sql(
    look_ups: LookUps,
    table: str | Sequence[str],
    names: Sequence[str],
    *,
    dialect: Dialect = "duckdb",
    keep: Sequence[str] = (),
) -> str:
    """One statement that predicts the rows of a table.

    Parameters
    ----------
    look_ups : LookUps
        The model.
    table : str or sequence of str
        Name of the table, or the parts of its name: ``("shop", "orders")`` for ``shop.orders``.
    names : sequence of str
        Names of the columns of the result: that of the class, then those of the probabilities.
    dialect : {"duckdb", "postgres", "sqlite"}
        The engine.
    keep : sequence of str
        Columns of the table to keep, before the others.

    Returns
    -------
    str
        The statement, without a semicolon at the end.
    """
    check_choice("dialect", dialect, DIALECTS)
    own = _DIALECTS[dialect]
    parts = [table] if isinstance(table, str) else check_sequence("table", table, of="names")
    for name in (*parts, *keep, *names):
        _check_name(name)
    joins: list[str] = []
    terms: list[list[str]] = [[own.number(weight)] for weight in look_ups.class_table]
    for i, (variable, entries) in enumerate(zip(look_ups.variables, look_ups.value_tables, strict=True)):
        column = f"t.{quoted(variable.name)}"
        if variable.kind == "interval" or len(joins) >= MOST_JOINS:
            found = _by_comparison(own, variable, column, entries)
        else:
            join, found = _by_joining(own, variable, column, entries, f"w{i}")
            joins.append(join)
        for sums, term in zip(terms, found, strict=True):
            sums.append(term)
    n_classes = len(look_ups.class_table)
    kept = [f"k{i}" for i in range(len(keep))]
    sums = [f"s{k}" for k in range(n_classes)]
    powers = [f"e{k}" for k in range(n_classes)]
    scored = [f"t.{quoted(name)} AS {alias}" for name, alias in zip(keep, kept, strict=True)]
    scored += [f"{_summed(own_terms)} AS {alias}" for own_terms, alias in zip(terms, sums, strict=True)]
    nothing, one = own.number(-math.inf), own.number(1.0)
    raised = [
        f"CASE WHEN top = {nothing} THEN {one} ELSE exp({s} - top) END AS {e}"
        for s, e in zip(sums, powers, strict=True)
    ]
    total = _summed(powers)
    labels = own.literals(look_ups.classes)
    cases = " ".join(f"WHEN {s} = top THEN {label}" for s, label in zip(sums, labels, strict=True))
    shown_names = [*keep, *names]
    results = [*kept, f"CASE {cases} END", *(f"{power} / ({total})" for power in powers)]
    selected = ",\n  ".join(
        f"{result} AS {quoted(name)}" for result, name in zip(results, shown_names, strict=True)
    )
    source = ".".join(quoted(part) for part in parts)
    return (
        f"WITH scored AS MATERIALIZED (\n  SELECT {_listed(scored)}\n  FROM {source} AS t"
        f"{''.join(f'{chr(10)}  {join}' for join in joins)}\n),\n"
        f"topped AS MATERIALIZED (\n  SELECT {_listed([*kept, *sums])},\n  {own.largest(sums)} AS top\n"
        "  FROM scored\n),\n"
        f"raised AS MATERIALIZED (\n  SELECT {_listed([*kept, *sums, 'top', *raised])}\n  FROM topped\n)\n"
        f"SELECT\n  {selected}\nFROM raised"
    )


def quoted(name: str) -> str:
    """A name that SQL takes as it is.

    Examples
    --------
    >>> print(quoted('net "weight" in kg'))
    "net ""weight"" in kg"
    """
    return '"' + name.replace('"', '""') + '"'


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name or "\0" in name:
        raise InvalidParameter(f"{shown(name)} is no name in SQL; give text of at least one character")


@dataclass(frozen=True, slots=True)
class _Dialect:
    """What engines write differently.

    Attributes
    ----------
    double, text : str
        Types of numbers with a point and of text.
    greatest : str
        The function that finds the largest of its arguments.
    not_a_number : function
        From a column to a condition that holds where a number is none.
    moment : function, optional
        From a column and its scale of time to microseconds; None where the engine has no way to them.
    """

    name: Dialect
    double: str
    text: str
    greatest: str
    not_a_number: Callable[[str], str]
    moment: Callable[[str, str], str] | None

    def number(self, value: float) -> str:
        """A number with a point that is read as the very same one."""
        if value == -math.inf:
            return "-9e999" if self.name == "sqlite" else f"CAST('-Infinity' AS {self.double})"
        text = repr(float(value))
        if self.name == "postgres":
            return f"CAST('{text}' AS {self.double})"
        return text if "e" in text else f"{text}e0"

    def literals(self, values: Sequence[Scalar]) -> list[str]:
        """Values as literals of one type."""
        kinds = {_kind(value) for value in values}
        if len(kinds) > 1 and self.name != "sqlite":
            return [_as_text(str(value)) for value in values]
        return [self.literal(value) for value in values]

    def literal(self, value: Scalar) -> str:
        """A value as a literal."""
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, str):
            return _as_text(value)
        return str(value) if isinstance(value, int) else self.number(value)

    def largest(self, columns: Sequence[str]) -> str:
        """The largest of some columns."""
        while len(columns) > 1:
            groups = [columns[i : i + MOST_TERMS] for i in range(0, len(columns), MOST_TERMS)]
            columns = [g[0] if len(g) == 1 else f"{self.greatest}({', '.join(g)})" for g in groups]
        return columns[0]


def _kind(value: Scalar) -> str:
    return "truth" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"


def _as_text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _duckdb_moment(column: str, scale: str) -> str:
    kind = {"date": "TIMESTAMP", "utc": "TIMESTAMPTZ", "clock": "TIME"}[scale]
    return f"CAST(epoch_us(CAST({column} AS {kind})) AS DOUBLE)"


def _postgres_moment(column: str, scale: str) -> str:
    kind = {"date": "timestamp", "utc": "timestamptz", "clock": "time"}[scale]
    return f"CAST(extract(epoch FROM CAST({column} AS {kind})) * 1000000 AS DOUBLE PRECISION)"


_DIALECTS: dict[str, _Dialect] = {
    "duckdb": _Dialect(
        "duckdb", "DOUBLE", "VARCHAR", "greatest", lambda c: f"isnan(CAST({c} AS DOUBLE))", _duckdb_moment
    ),
    "postgres": _Dialect(
        "postgres",
        "DOUBLE PRECISION",
        "TEXT",
        "greatest",
        lambda c: f"CAST({c} AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION)",
        _postgres_moment,
    ),
    "sqlite": _Dialect("sqlite", "REAL", "TEXT", "max", lambda c: "FALSE", None),
}


def _comparable(own: _Dialect, variable: Variable, column: str) -> tuple[str, list[str]]:
    """A column, and the values of a variable, as what can be compared."""
    known = [value for value in variable.values if value is not None]
    kinds = {_kind(value) for value in known}
    if kinds == {"number"}:
        if any(isinstance(value, float) or abs(float(value)) >= LARGEST_WHOLE for value in known):
            return column, [own.number(float(value)) for value in known]
        return column, [str(value) for value in known]
    if own.name == "sqlite":
        return column, [own.literal(value) for value in known]
    if kinds == {"truth"}:
        return column, [own.literal(value) for value in known]
    texts = [str(value) for value in known]
    as_text = f"CAST({column} AS {own.text})"
    if all(_STAMP.fullmatch(text) for text in texts):
        # Engines write a blank between date and time.
        as_text = f"replace({as_text}, ' ', 'T')"
    return as_text, [_as_text(text) for text in texts]


def _is_missing(own: _Dialect, variable: Variable, column: str) -> str:
    """A condition that holds where a cell is missing."""
    known = [value for value in variable.values if value is not None]
    numbers = variable.scale == "number" and (
        variable.kind == "interval" or {_kind(value) for value in known} == {"number"}
    )
    return f"{column} IS NULL OR {own.not_a_number(column)}" if numbers else f"{column} IS NULL"


def _by_joining(
    own: _Dialect, variable: Variable, column: str, entries: FloatArray, alias: str
) -> tuple[str, list[str]]:
    """A table of log weights to join, and what it adds to the sum of each class."""
    cells, literals = _comparable(own, variable, column)
    rows = [
        f"({', '.join([literal, *map(own.number, row)])})"
        for literal, row in zip(literals, entries, strict=False)
    ]
    n_classes = entries.shape[1]
    columns = ["value", *(f"c{k}" for k in range(n_classes))]
    renamed = ", ".join(f"column{i} AS {name}" for i, name in enumerate(columns, 1))
    small = f"(VALUES {', '.join(rows)})"
    if own.name == "sqlite":
        small = f"(SELECT {renamed} FROM {small}) AS {alias}"
    else:
        small = f"{small} AS {alias}({', '.join(columns)})"
    join = f"LEFT JOIN {small} ON {cells} = {alias}.value"
    unseen = [own.number(weight) for weight in entries[-1]]
    found = [f"coalesce({alias}.c{k}, {rest})" for k, rest in enumerate(unseen)]
    if variable.missing_is_value:
        missing = _is_missing(own, variable, column)
        found = [
            f"CASE WHEN {missing} THEN {own.number(weight)} ELSE {term} END"
            for weight, term in zip(entries[-2], found, strict=True)
        ]
    return join, found


def _by_comparison(own: _Dialect, variable: Variable, column: str, entries: FloatArray) -> list[str]:
    """What a variable adds to the sum of each class, by one comparison after the other."""
    at_missing = entries[-2] if variable.missing_is_value else entries[-1]
    tests = [f"WHEN {_is_missing(own, variable, column)} THEN {{}}"]
    if variable.kind == "interval":
        cells = _measured(own, variable, column)
        tests += [f"WHEN {cells} < {own.number(cut)} THEN {{}}" for cut in variable.cuts]
        order = [at_missing, *entries[: len(variable.cuts)]]
        last = entries[len(variable.cuts)]
    else:
        cells, literals = _comparable(own, variable, column)
        tests += [f"WHEN {cells} = {literal} THEN {{}}" for literal in literals]
        order = [at_missing, *entries[: len(literals)]]
        last = entries[-1]
    return [
        " ".join(
            [
                "CASE",
                *(test.replace("{}", own.number(row[k])) for test, row in zip(tests, order, strict=True)),
                f"ELSE {own.number(last[k])} END",
            ]
        )
        for k in range(entries.shape[1])
    ]


def _measured(own: _Dialect, variable: Variable, column: str) -> str:
    if variable.scale == "number":
        return column
    if own.moment is None or variable.scale in ("seconds", "months"):
        raise InvalidParameter(
            f"column {shown(variable.name)}: {own.name} cannot compare its times with cut points; "
            "make a number of it before the model is fitted"
        )
    return own.moment(column, variable.scale)


def _summed(terms: Sequence[str]) -> str:
    """A sum, in groups that no engine finds too deep."""
    while len(terms) > MOST_TERMS:
        groups = [terms[i : i + MOST_TERMS] for i in range(0, len(terms), MOST_TERMS)]
        terms = [f"({' + '.join(group)})" for group in groups]
    return " + ".join(terms)


def _listed(columns: Sequence[str]) -> str:
    return ",\n    ".join(columns)
