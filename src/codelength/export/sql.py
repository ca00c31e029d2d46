"""Export of a fitted model as one SQL statement, from raw columns to the class and its probabilities.

The statement is a chain of common table expressions:

- ``cells`` converts raw columns to comparable cells,
- ``scored`` sums look-ups, one sum per class and row: small tables of log weights are joined by value, and
  intervals are found by comparisons,
- ``paired`` adds the terms of pairs of values, if there are any,
- ``topped`` finds the largest sum, which keeps exponentials within range, and ``raised`` takes exponentials,
- ``mixed`` adds the part of the probabilities that does not depend on the row, if there is one, and
  ``ranked`` finds the largest probability.

Each step is materialised, because planners that inline steps would repeat every sum many times; DuckDB
recognises repeated expressions in the first one by itself.

All names are quoted and all values are literals, so the content of a table cannot end one of them. Columns to
keep have numbered names until the end, so they do not clash with names of steps.

A log weight of minus infinity stays one in sums, so impossible classes need no case of their own; only if all
are impossible are they equally probable, and then all tie. Ties are decided as in the other exports: sums
within 1e-10 of the largest get the same exponential, exactly 1, and the first class with it is named.

Order of reading: :func:`to_sql`, ``_Steps`` (the chain), then one function per step.

Depends on :mod:`codelength.networks.look_ups` (the tables) and ``engines`` (what engines write differently,
and how raw cells are compared with values).
"""

import math
from collections.abc import Sequence

import numpy as np

from ..decisions import TOLERANCE
from ..errors import InvalidParameter
from ..networks.look_ups import LookUps, check_texts, is_whole
from ..table import Variable
from ..table._messages import shown
from ..table.checks import check_choice, check_sequence
from ..typing import FloatArray
from .engines import (
    DIALECTS,
    ENGINES,
    MAX_TERMS,
    Dialect,
    Engine,
    Reading,
    check_values,
    measured,
    quoted,
    reading,
)

__all__ = ["DIALECTS", "Dialect", "quoted", "to_sql"]

MAX_JOINS = 60
"""Largest number of joins; SQLite allows 64. Further variables are looked up by comparisons."""

LEAST_EXPONENT = -700.0
"""PostgreSQL raises an error if an exponential underflows; below this exponent the result is 0."""


def to_sql(
    look_ups: LookUps,
    table: str | Sequence[str],
    names: Sequence[str],
    *,
    dialect: Dialect = "duckdb",
    keep: Sequence[str] = (),
) -> str:
    """Return one statement that predicts the rows of a table.

    Parameters
    ----------
    look_ups : LookUps
        Tables of the model.
    table : str or sequence of str
        Name of the table, or the parts of its name: ``("shop", "orders")`` for ``shop.orders``.
    names : sequence of str
        Names of the columns of the result: the class, then the probabilities.
    dialect : {"duckdb", "postgres", "sqlite"}
        The engine.
    keep : sequence of str
        Columns of the table to keep, before the others.

    Returns
    -------
    str
        The statement, without a semicolon at the end: it can also be a view or part of another query.

    Examples
    --------
    >>> import sqlite3
    >>> from codelength import NaiveBayes
    >>> model = NaiveBayes().fit({"outlook": ["sun", "sun", "rain"]}, ["out", "out", "in"])
    >>> names = ["where", "p_in", "p_out"]
    >>> statement = to_sql(model._fitted.look_ups(), "days", names, dialect="sqlite")
    >>> database = sqlite3.connect(":memory:")
    >>> _ = database.execute("CREATE TABLE days AS SELECT 'sun' AS outlook")
    >>> [(where, round(p_in, 4)) for where, p_in, _ in database.execute(statement)]
    [('out', 0.2286)]
    >>> database.close()
    """
    check_choice("dialect", dialect, DIALECTS)
    own = ENGINES[dialect]
    parts = [table] if isinstance(table, str) else check_sequence("table", table, of="names")
    check_texts(look_ups, "SQL")
    for variable in look_ups.variables:
        check_values(variable, "SQL")
    # Engines that ignore case would read one column for two variables.
    _check_cases(own, [variable.name for variable in look_ups.variables])
    for name in (*parts, *keep, *names):
        _check_name(name)
    steps = _Steps(parts)
    kept = [f"k{i}" for i in range(len(keep))]
    readings = [_reading(own, variable) for variable in look_ups.variables]
    # Columns to keep are renamed at once; only here does the statement refer to the table.
    cells = [f"t.{quoted(name)} AS {alias}" for name, alias in zip(keep, kept, strict=True)]
    cells += [f"{one.cells} AS v{i}" for i, one in enumerate(readings)]
    # A model without variables still needs one column per row.
    steps.add("cells", cells or ["1 AS row_there"], is_kept=own.name != "duckdb")
    steps.add("scored", *_scored(own, look_ups, readings, kept))
    if look_ups.pair_tables:
        steps.add("paired", *_paired(own, look_ups, kept))
    shares, best = _add_probabilities(steps, own, look_ups, kept)
    labels = own.literals(look_ups.classes)
    cases = " ".join(f"WHEN {is_best} THEN {label}" for is_best, label in zip(best, labels, strict=True))
    results = [*kept, f"CASE {cases} END", *shares]
    selected = ",\n  ".join(
        f"{result} AS {quoted(name)}" for result, name in zip(results, [*keep, *names], strict=True)
    )
    return f"WITH {f',{chr(10)}'.join(steps.written)}\nSELECT\n  {selected}\nFROM {steps.last}"


class _Steps:
    """Steps of a statement; each reads from the one before it, and the first from a table."""

    def __init__(self, parts: Sequence[str]) -> None:
        self.written: list[str] = []
        self.last = f"{'.'.join(map(quoted, parts))} AS t"
        self._taken = parts[-1].lower() if len(parts) == 1 else ""

    def add(
        self, name: str, columns: Sequence[str], joins: Sequence[str] = (), *, is_kept: bool = True
    ) -> None:
        """Add a step; it gets another name if the table has the same, because it would hide the table."""
        if name == self._taken:
            name += "_too"
        listed, joined = ",\n    ".join(columns), "".join(f"\n  {join}" for join in joins)
        how = "MATERIALIZED" if is_kept else "NOT MATERIALIZED"
        self.written.append(f"{name} AS {how} (\n  SELECT {listed}\n  FROM {self.last}{joined}\n)")
        self.last = name


def _reading(own: Engine, variable: Variable) -> Reading:
    """Return the expression and keys of the column of a variable."""
    column = f"t.{quoted(variable.name)}"
    if variable.kind != "interval":
        return reading(own, variable, column)
    if variable.scale == "number":
        return Reading(measured(own, column), [], "number")
    if own.moment is None:
        raise InvalidParameter(
            f"column {shown(variable.name)}: {own.name} cannot compare its times with cut points; "
            "make a number of it before the model is fitted"
        )
    kind = {"date": "TIMESTAMP", "utc": "TIMESTAMPTZ"}[variable.scale]
    return Reading(own.moment.format(column=column, kind=kind), [], "other")


def _scored(
    own: Engine, look_ups: LookUps, readings: Sequence[Reading], kept: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return columns and joins of the step that sums terms of single values and finds groups of pairs."""
    joins: list[str] = []
    n_classes, paired = len(look_ups.classes), look_ups.paired
    terms: list[list[str]] = [[own.number(weight)] for weight in look_ups.class_table]
    groups = []
    for i, (variable, entries) in enumerate(zip(look_ups.variables, look_ups.value_tables, strict=True)):
        if i in paired:
            # The group of a value is looked up together with its log weights, as one more column.
            entries = np.column_stack([entries, paired[i]])
        if variable.kind == "interval" or len(joins) >= MAX_JOINS:
            found = _by_comparison(own, variable, readings[i], f"v{i}", entries)
        else:
            join, found = _by_joining(own, variable, readings[i], i, entries)
            joins.append(join)
        for sums, term in zip(terms, found[:n_classes], strict=True):
            sums.append(term)
        groups += [f"{group} AS g{i}" for group in found[n_classes:]]
    scored = [f"{_summed(own_terms)} AS s{k}" for k, own_terms in enumerate(terms)]
    return [*kept, *scored, *groups], joins


def _paired(own: Engine, look_ups: LookUps, kept: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return columns and joins of the step that adds terms of pairs of values.

    A forest has fewer edges than engines allow joins.
    """
    n_classes = len(look_ups.classes)
    joins = []
    for i, (child, parent, entries) in enumerate(look_ups.pair_tables):
        rows = [
            [str(one), str(other), *map(own.number, entries[one, other])]
            for one, other in np.ndindex(entries.shape[:2])
        ]
        columns = ["child", "parent", *(f"c{k}" for k in range(n_classes))]
        on = f"g{child} = p{i}.child AND g{parent} = p{i}.parent"
        joins.append(f"LEFT JOIN {_small_table(own, rows, columns, f'p{i}')} ON {on}")
    n_pairs = len(look_ups.pair_tables)
    sums = [
        f"{_summed([f's{k}', *(f'p{i}.c{k}' for i in range(n_pairs))])} AS s{k}" for k in range(n_classes)
    ]
    return [*kept, *sums], joins


def _add_probabilities(
    steps: _Steps, own: Engine, look_ups: LookUps, kept: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Add the steps from sums to probabilities.

    Returns
    -------
    shares : list of str
        Expressions of the probabilities of the classes.
    best : list of str
        Conditions that a class is one of the most probable.
    """
    n_classes = len(look_ups.classes)
    sums, powers = [f"s{k}" for k in range(n_classes)], [f"e{k}" for k in range(n_classes)]
    steps.add("topped", [*kept, *sums, f"{own.largest(sums)} AS top"])
    raised = [f"{_raised(own, s)} AS {e}" for s, e in zip(sums, powers, strict=True)]
    steps.add("raised", [*kept, *raised])
    # The best class has power exactly 1, and so have all that tie with it: comparisons are exact.
    shares = [f"{power} / ({_summed(powers)})" for power in powers]
    if not look_ups.floor.any():
        return shares, [f"{power} = {own.number(1.0)}" for power in powers]
    rest = own.number(max(0.0, 1.0 - math.fsum(look_ups.floor)))
    probs = [f"m{k}" for k in range(n_classes)]
    mixed = [
        f"{own.number(least)} + {rest} * {share} AS {alias}"
        for least, share, alias in zip(look_ups.floor, shares, probs, strict=True)
    ]
    steps.add("mixed", [*kept, *mixed])
    steps.add("ranked", [*kept, *probs, f"{own.largest(probs)} AS top"])
    # The floor may change the best class, so ties are found again among the final probabilities.
    return probs, [f"{prob} >= top * {own.number(1.0 - TOLERANCE)}" for prob in probs]


def _raised(own: Engine, log_weight: str) -> str:
    """Return the exponential of a log weight less the largest; 1 if it ties with it, even if impossible."""
    zero, one = own.number(0.0), own.number(1.0)
    small = (
        f" WHEN {log_weight} - top < {own.number(LEAST_EXPONENT)} THEN {zero}"
        if own.name == "postgres"
        else ""
    )
    is_tied = f"{log_weight} >= top - {own.number(TOLERANCE)}"
    return f"CASE WHEN {is_tied} THEN {one}{small} ELSE exp({log_weight} - top) END"


def _check_name(name: object) -> None:
    """Raise InvalidParameter for text that is not a name in SQL."""
    if not isinstance(name, str) or not name or not is_whole(name):
        raise InvalidParameter(f"{shown(name)} is not a name in SQL; give text of at least one character")


def _check_cases(own: Engine, names: Sequence[str]) -> None:
    """Raise InvalidParameter for names that are the same in an engine."""
    first: dict[str, str] = {}
    for name in names if own.is_case_blind else ():
        # As engines fold them: ASCII letters only.
        folded = "".join(letter.lower() if letter.isascii() else letter for letter in name)
        other = first.setdefault(folded, name)
        if other != name:
            raise InvalidParameter(
                f"columns {shown(other)} and {shown(name)}: names that differ only by case are the same to "
                f"{own.name}; rename one before the model is fitted"
            )


def _is_missing(own: Engine, read: Reading, cell: str) -> str:
    """Return a condition that a cell is missing."""
    return (
        f"{cell} IS NULL OR {own.not_a_number.format(cell=cell)}"
        if read.kind == "number"
        else f"{cell} IS NULL"
    )


def _collation(own: Engine, read: Reading) -> str:
    """Return the clause that compares cells of text character by character; none for other cells."""
    return own.collation if read.kind == "text" else ""


def _by_joining(
    own: Engine, variable: Variable, read: Reading, i: int, entries: FloatArray
) -> tuple[str, list[str]]:
    """Return a join with a table of log weights, and its terms in the sums of the classes."""
    cell, alias = f"v{i}", f"w{i}"
    rows = [
        [key, *map(own.number, row)] for keys, row in zip(read.keys, entries, strict=False) for key in keys
    ]
    small = _small_table(own, rows, ["value", *(f"c{k}" for k in range(entries.shape[1]))], alias)
    join = f"LEFT JOIN {small} ON {cell}{_collation(own, read)} = {alias}.value"
    # A left join has NULL for values that are not listed; coalesce gives them the last row of the table.
    unseen = [own.number(weight) for weight in entries[-1]]
    found = [f"coalesce({alias}.c{k}, {rest})" for k, rest in enumerate(unseen)]
    if variable.missing_is_value:
        missing = _is_missing(own, read, cell)
        found = [
            f"CASE WHEN {missing} THEN {own.number(weight)} ELSE {term} END"
            for weight, term in zip(entries[-2], found, strict=True)
        ]
    return join, found


def _small_table(own: Engine, rows: Sequence[Sequence[str]], columns: Sequence[str], alias: str) -> str:
    """Return an inline table of literals."""
    values = f"(VALUES {', '.join(f'({chr(44).join(row)})' for row in rows)})"
    if own.name != "sqlite":
        return f"{values} AS {alias}({', '.join(columns)})"
    renamed = ", ".join(f"column{i} AS {name}" for i, name in enumerate(columns, 1))
    return f"(SELECT {renamed} FROM {values}) AS {alias}"


def _by_comparison(
    own: Engine, variable: Variable, read: Reading, cell: str, entries: FloatArray
) -> list[str]:
    """Return the terms of a variable in the sums of the classes, as CASE expressions."""
    at_missing = entries[-2] if variable.missing_is_value else entries[-1]
    tests, order = [f"WHEN {_is_missing(own, read, cell)} THEN"], [at_missing]
    if variable.kind == "interval":
        if own.name == "sqlite":
            # SQLite sorts text above all numbers, so text in a column of numbers would be in the last
            # interval.
            tests.append(f"WHEN typeof({cell}) IN ('text', 'blob') THEN")
            order.append(entries[-1])
        tests += [f"WHEN {cell} < {own.number(cut)} THEN" for cut in variable.cuts]
        order += [*entries[: len(variable.cuts)]]
        last = entries[len(variable.cuts)]
    else:
        tests += [f"WHEN {cell}{_collation(own, read)} IN ({', '.join(keys)}) THEN" for keys in read.keys]
        order += [*entries[: len(read.keys)]]
        last = entries[-1]
    return [
        " ".join(
            [
                "CASE",
                *(f"{test} {own.number(row[k])}" for test, row in zip(tests, order, strict=True)),
                f"ELSE {own.number(last[k])} END",
            ]
        )
        for k in range(entries.shape[1])
    ]


def _summed(terms: Sequence[str]) -> str:
    """Return a sum in nested groups, because engines limit the depth of expressions."""
    while len(terms) > MAX_TERMS:
        groups = [terms[i : i + MAX_TERMS] for i in range(0, len(terms), MAX_TERMS)]
        terms = [f"({' + '.join(group)})" for group in groups]
    return " + ".join(terms)
