"""A fitted model as one SQL statement, from raw columns to the class and its probabilities.

The statement is a chain of steps. ``scored`` sums look-ups, one sum per class and row: small tables of log
weights are joined by value, and intervals are found by comparisons. Where pairs of values are looked up,
``paired`` adds what they say. ``topped`` finds the largest sum, which keeps exponentials within range, and
``raised`` takes them. Where classes keep a part of their probability whatever a row holds, ``mixed`` adds it
and ``ranked`` finds the largest. Each step is kept once computed, because planners that put steps into one
another would repeat every sum many times.

Names are quoted wherever they stand and values are literals, so nothing in a table can end one of them.
Columns that are kept go by numbers until the end, so none of them clashes with ours.
"""

import math
import re
from collections.abc import Sequence

import numpy as np

from ..errors import InvalidParameter
from ..table import Variable
from ..table._messages import shown
from ..table.checks import check_choice, check_sequence
from ..typing import FloatArray
from .engines import DIALECTS, ENGINES, MOST_TERMS, Dialect, Engine, kind_of, quoted, text_literal
from .look_ups import LookUps, check_texts, is_whole

__all__ = ["DIALECTS", "Dialect", "quoted", "to_sql"]

MOST_JOINS = 60
"""Tables that are joined at most; SQLite takes 64. Further variables are looked up by comparisons."""

LARGEST_WHOLE = 2**53
"""Whole numbers beyond this are not kept apart by numbers with a point."""

LEAST_EXPONENT = -700.0
"""PostgreSQL refuses exponentials that are smaller than any number; from here on they are 0."""

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
    own = ENGINES[dialect]
    parts = [table] if isinstance(table, str) else check_sequence("table", table, of="names")
    check_texts(look_ups, "SQL")
    for name in (*parts, *keep, *names):
        _check_name(name)
    source = ".".join(quoted(part) for part in parts)
    n_classes = len(look_ups.classes)
    kept = [f"k{i}" for i in range(len(keep))]
    sums, powers = [f"s{k}" for k in range(n_classes)], [f"e{k}" for k in range(n_classes)]
    cells = [f"t.{quoted(name)} AS {alias}" for name, alias in zip(keep, kept, strict=True)]
    steps = [_scored(own, look_ups, f"{source} AS t", cells)]
    last = "scored"
    if look_ups.pair_tables:
        steps.append(_paired(own, look_ups, kept))
        last = "paired"
    steps.append(_step("topped", [*kept, *sums, f"{own.largest(sums)} AS top"], last))
    raised = [f"{_raised(own, s)} AS {e}" for s, e in zip(sums, powers, strict=True)]
    steps.append(_step("raised", [*kept, *sums, "top", *raised], "topped"))
    last, compared = "raised", sums
    shares = [f"{power} / ({_summed(powers)})" for power in powers]
    if look_ups.floor.any():
        rest = own.number(max(0.0, 1.0 - math.fsum(look_ups.floor)))
        compared = [f"m{k}" for k in range(n_classes)]
        mixed = [
            f"{own.number(least)} + {rest} * {share} AS {alias}"
            for least, share, alias in zip(look_ups.floor, shares, compared, strict=True)
        ]
        steps.append(_step("mixed", [*kept, *mixed], "raised"))
        steps.append(_step("ranked", [*kept, *compared, f"{own.largest(compared)} AS top"], "mixed"))
        last, shares = "ranked", compared
    labels = own.literals(look_ups.classes)
    cases = " ".join(f"WHEN {one} = top THEN {label}" for one, label in zip(compared, labels, strict=True))
    results = [*kept, f"CASE {cases} END", *shares]
    selected = ",\n  ".join(
        f"{result} AS {quoted(name)}" for result, name in zip(results, [*keep, *names], strict=True)
    )
    return f"WITH {f',{chr(10)}'.join(steps)}\nSELECT\n  {selected}\nFROM {last}"


def _step(name: str, columns: Sequence[str], source: str, joins: Sequence[str] = ()) -> str:
    listed, joined = ",\n    ".join(columns), "".join(f"\n  {join}" for join in joins)
    return f"{name} AS MATERIALIZED (\n  SELECT {listed}\n  FROM {source}{joined}\n)"


def _scored(own: Engine, look_ups: LookUps, source: str, cells: Sequence[str]) -> str:
    """The step that sums what single values say, and finds the groups of those that are paired."""
    joins: list[str] = []
    n_classes, paired = len(look_ups.classes), look_ups.paired
    terms: list[list[str]] = [[own.number(weight)] for weight in look_ups.class_table]
    groups = []
    for i, (variable, entries) in enumerate(zip(look_ups.variables, look_ups.value_tables, strict=True)):
        column = f"t.{quoted(variable.name)}"
        if i in paired:
            entries = np.column_stack([entries, paired[i]])
        if variable.kind == "interval" or len(joins) >= MOST_JOINS:
            found = _by_comparison(own, variable, column, entries)
        else:
            join, found = _by_joining(own, variable, column, entries, f"w{i}")
            joins.append(join)
        for sums, term in zip(terms, found[:n_classes], strict=True):
            sums.append(term)
        groups += [f"{group} AS g{i}" for group in found[n_classes:]]
    scored = [f"{_summed(own_terms)} AS s{k}" for k, own_terms in enumerate(terms)]
    return _step("scored", [*cells, *scored, *groups], source, joins)


def _paired(own: Engine, look_ups: LookUps, kept: Sequence[str]) -> str:
    """The step that adds what pairs of values say. A forest has fewer edges than engines take joins."""
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
    return _step("paired", [*kept, *sums], "scored", joins)


def _raised(own: Engine, log_weight: str) -> str:
    """The exponential of a log weight less the largest; where all classes are impossible they are alike."""
    nothing, zero, one = own.number(-math.inf), own.number(0.0), own.number(1.0)
    small = (
        f" WHEN {log_weight} - top < {own.number(LEAST_EXPONENT)} THEN {zero}"
        if own.name == "postgres"
        else ""
    )
    return f"CASE WHEN top = {nothing} THEN {one}{small} ELSE exp({log_weight} - top) END"


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name or not is_whole(name):
        raise InvalidParameter(f"{shown(name)} is no name in SQL; give text of at least one character")


def _comparable(own: Engine, variable: Variable, column: str) -> tuple[str, list[str]]:
    """A column, and the values of a variable, as what can be compared."""
    known = [value for value in variable.values if value is not None]
    kinds = {kind_of(value) for value in known}
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
    return as_text, [text_literal(text) for text in texts]


def _is_missing(own: Engine, variable: Variable, column: str) -> str:
    """A condition that holds where a cell is missing."""
    known = [value for value in variable.values if value is not None]
    numbers = variable.scale == "number" and (
        variable.kind == "interval" or {kind_of(value) for value in known} == {"number"}
    )
    return f"{column} IS NULL OR {own.not_a_number(column)}" if numbers else f"{column} IS NULL"


def _by_joining(
    own: Engine, variable: Variable, column: str, entries: FloatArray, alias: str
) -> tuple[str, list[str]]:
    """A table of log weights to join, and what it adds to the sum of each class."""
    cells, literals = _comparable(own, variable, column)
    rows = [[literal, *map(own.number, row)] for literal, row in zip(literals, entries, strict=False)]
    small = _small_table(own, rows, ["value", *(f"c{k}" for k in range(entries.shape[1]))], alias)
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


def _small_table(own: Engine, rows: Sequence[Sequence[str]], columns: Sequence[str], alias: str) -> str:
    """A table that the statement itself holds."""
    values = f"(VALUES {', '.join(f'({chr(44).join(row)})' for row in rows)})"
    if own.name != "sqlite":
        return f"{values} AS {alias}({', '.join(columns)})"
    renamed = ", ".join(f"column{i} AS {name}" for i, name in enumerate(columns, 1))
    return f"(SELECT {renamed} FROM {values}) AS {alias}"


def _by_comparison(own: Engine, variable: Variable, column: str, entries: FloatArray) -> list[str]:
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


def _measured(own: Engine, variable: Variable, column: str) -> str:
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
