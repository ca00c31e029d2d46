"""SQL dialects of database engines, and expressions that compare cells exactly as a model does.

A cell becomes a number of double precision, or text. Integers that doubles do not represent exactly become
their digits. Text is compared by its characters, regardless of the collation of a column. Each value of a
variable has one or more keys, and no key belongs to two values: a cell never equals two values, so a join
never gives a row twice. Categories that are times are refused, because every engine spells them in a way of
its own.

Numbers are spelt so that an engine reads exactly the double of the model. The shortest decimal that names a
double is not enough, because a literal such as ``0.1`` is a decimal in DuckDB and PostgreSQL, and sums of
decimals are rounded in other ways. An exponent makes it a double in DuckDB, a cast does in PostgreSQL.

Order of reading: :class:`Engine` with ``ENGINES`` (names, literals and functions); :class:`Reading` (an
expression, and the keys of each value), :func:`reading` (categories), :func:`measured` (numbers that are cut
into intervals), then keys of numbers. :func:`check_values` refuses values that a program cannot tell apart.
Depends on :mod:`codelength.table` alone: on its variables, and on how it spells and compares values.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from ..errors import InvalidParameter
from ..table import Variable
from ..table._messages import shown
from ..table.spelling import looks_like_time
from ..table.values import LARGEST_EXACT
from ..typing import Scalar

Dialect = Literal["duckdb", "postgres", "sqlite"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)

MAX_TERMS = 50
"""Largest number of terms of a sum, or of arguments of a function; engines limit both."""

_MAX_IN_SQLITE = 2**63


def quoted(name: str) -> str:
    """Return a quoted name.

    Examples
    --------
    >>> print(quoted('net "weight" in kg'))
    "net ""weight"" in kg"
    """
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True, slots=True)
class Engine:
    """SQL dialect of one engine.

    Attributes
    ----------
    double, text : str
        Types of double precision and of text.
    floats : tuple of str
        Names of single and double precision in the engine.
    largest_whole : int
        Integers of smaller absolute value can be literals.
    collation : str
        Clause that compares text character by character.
    is_case_blind : bool
        True if names that differ only by case are the same.
    greatest : str
        Function that returns the largest of its arguments.
    not_a_number : str
        Condition that is true for NaN, of a ``{cell}``.
    moment : str, optional
        Microseconds of a ``{column}`` of times, by way of a ``{kind}`` of SQL; None if there is no such
        function.
    """

    name: Dialect
    double: str
    text: str
    floats: tuple[str, str]
    largest_whole: float
    collation: str
    is_case_blind: bool
    greatest: str
    not_a_number: str
    moment: str | None

    def number(self, value: float) -> str:
        """Return a literal of double precision that is read as exactly this number.

        Examples
        --------
        >>> [engine.number(0.5) for engine in ENGINES.values()]
        ['0.5e0', "CAST('0.5' AS DOUBLE PRECISION)", '0.5e0']
        """
        # SQLite has no literal for infinity; a number beyond the range of a double is read as infinity.
        if value == -math.inf:
            return "-9e999" if self.name == "sqlite" else f"CAST('-Infinity' AS {self.double})"
        text = repr(float(value))
        # PostgreSQL reads decimal literals as numeric, so they are cast to double precision.
        if self.name == "postgres":
            return f"CAST('{text}' AS {self.double})"
        return text if "e" in text else f"{text}e0"

    def literals(self, values: Sequence[Scalar]) -> list[str]:
        """Return values as literals of one type; text if no other type keeps them distinct.

        Examples
        --------
        >>> ENGINES["duckdb"].literals([1, 2]), ENGINES["duckdb"].literals([1, "two"])
        (['1', '2'], ["'1'", "'two'"])
        >>> ENGINES["sqlite"].literals([2**60, 0.5])  # a column of doubles would round the first
        ["'1152921504606846976'", "'0.5'"]
        """
        kinds = {kind_of(value) for value in values}
        numbers = [value for value in values if not isinstance(value, str)]
        # If any number has a decimal point, engines convert all of them to doubles.
        largest = LARGEST_EXACT if any(isinstance(value, float) for value in numbers) else self.largest_whole
        is_lossy = any(isinstance(value, int) and abs(value) >= largest for value in numbers)
        if is_lossy or (len(kinds) > 1 and self.name != "sqlite"):
            return [text_literal(str(value)) for value in values]
        return [self.literal(value) for value in values]

    def literal(self, value: Scalar) -> str:
        """Return a value as a literal."""
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, str):
            return text_literal(value)
        return str(value) if isinstance(value, int) else self.number(value)

    def type_of(self, column: str) -> str:
        """Return an expression of the type of a column as text; not used for SQLite.

        The type of a column is not known when the statement is written, so the statement asks for it.
        """
        return f"typeof({column})" if self.name == "duckdb" else f"CAST(pg_typeof({column}) AS TEXT)"

    def matches(self, text: str, pattern: str) -> str:
        """Return a condition that text matches a regular expression; not used for SQLite."""
        if self.name == "duckdb":
            return f"regexp_matches({text}, {text_literal(pattern)})"
        return f"{text} ~ {text_literal(pattern)}"

    def largest(self, columns: Sequence[str]) -> str:
        """Return an expression of the largest of some columns, in nested groups of ``MAX_TERMS``."""
        while len(columns) > 1:
            groups = [columns[i : i + MAX_TERMS] for i in range(0, len(columns), MAX_TERMS)]
            columns = [g[0] if len(g) == 1 else f"{self.greatest}({', '.join(g)})" for g in groups]
        return columns[0]


def kind_of(value: Scalar) -> str:
    """Return the kind of a value: truth value, text or number."""
    return "truth" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"


def text_literal(text: str) -> str:
    """Return text as a literal.

    Examples
    --------
    >>> print(text_literal("it's"))
    'it''s'
    """
    return "'" + text.replace("'", "''") + "'"


ENGINES: dict[str, Engine] = {
    "duckdb": Engine(
        name="duckdb",
        double="DOUBLE",
        text="VARCHAR",
        floats=("FLOAT", "DOUBLE"),
        largest_whole=2**127,
        collation=' COLLATE "binary"',
        is_case_blind=True,
        greatest="greatest",
        not_a_number="isnan(CAST({cell} AS DOUBLE))",
        moment="CAST(epoch_us(CAST({column} AS {kind})) AS DOUBLE)",
    ),
    "postgres": Engine(
        name="postgres",
        double="DOUBLE PRECISION",
        text="TEXT",
        floats=("real", "double precision"),
        largest_whole=math.inf,
        collation=' COLLATE "C"',
        is_case_blind=False,
        greatest="greatest",
        not_a_number="CAST({cell} AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION)",
        moment="CAST(extract(epoch FROM CAST({column} AS {kind})) * 1000000 AS DOUBLE PRECISION)",
    ),
    "sqlite": Engine(
        name="sqlite",
        double="REAL",
        text="TEXT",
        floats=("real", "real"),
        largest_whole=2**63,
        collation=" COLLATE BINARY",
        is_case_blind=True,
        greatest="max",
        not_a_number="FALSE",
        moment=None,
    ),
}


class Reading(NamedTuple):
    """Expression of a column and the keys it is compared with.

    Attributes
    ----------
    cells : str
        Expression of the cell, NULL if it is missing.
    keys : list of list of str
        For each value of the variable except the missing one, the literals that its cells equal.
    kind : {"number", "text", "other"}
        Type of cells and keys: numbers of double precision, which may be NaN; text; or another type.
    """

    cells: str
    keys: list[list[str]]
    kind: Literal["number", "text", "other"]


def check_values(variable: Variable, program: str) -> None:
    """Raise InvalidParameter for categories that a program with columns of one type cannot distinguish."""
    if variable.kind == "interval":
        return
    where = f"column {shown(variable.name)}"
    known = [value for value in variable.values if value is not None]
    texts = [value for value in known if isinstance(value, str)]
    if texts and len(texts) < len(known):
        raise InvalidParameter(
            f"{where}: text and numbers; a column in {program} has one type, so make text of all before the "
            "model is fitted"
        )
    for text in texts:
        if looks_like_time(text) and "day" in text:
            raise InvalidParameter(
                f"{where}: durations, such as {shown(text)}, which {program} spells in a way of its own; "
                "make numbers of them before the model is fitted"
            )


def reading(own: Engine, variable: Variable, column: str) -> Reading:
    """Return the expression and the keys by which an engine compares a column with categories.

    The values are of one kind, as :func:`check_values` makes sure; ``column`` is a quoted name.

    Examples
    --------
    >>> found = reading(ENGINES["duckdb"], Variable("colour", ("blue", "red")), 't."colour"')
    >>> found.cells, found.keys
    ('CAST(t."colour" AS VARCHAR)', [["'blue'"], ["'red'"]])
    """
    known = [value for value in variable.values if value is not None]
    if not all(isinstance(value, str) for value in known):
        return _of_numbers(own, variable, column, [number for number in known if not isinstance(number, str)])
    texts = [*map(str, known)]
    if times := [text for text in texts if looks_like_time(text)]:
        raise InvalidParameter(
            f"column {shown(variable.name)}: dates or times as categories, such as {shown(times[0])}, which "
            'engines spell in ways of their own; fit the model with numeric="discretize", or make numbers or '
            "other text of them before"
        )
    # In SQLite, a number in a column of text is not text; unary plus removes the affinity of the column.
    cells = f"+{column}" if own.name == "sqlite" else f"CAST({column} AS {own.text})"
    return Reading(cells, [[text_literal(text)] for text in texts], "text")


def measured(own: Engine, column: str) -> str:
    """Return a column of numbers as an expression of double precision, equal to what the model reads.

    Examples
    --------
    >>> print(measured(ENGINES["sqlite"], "x"))
    CASE WHEN x = CAST(x AS NUMERIC) THEN CAST(x AS NUMERIC) ELSE +x END
    """
    if own.name == "sqlite":
        # SQLite columns are dynamically typed: text remains text unless it spells a number.
        number = f"CAST({column} AS NUMERIC)"
        return f"CASE WHEN {column} = {number} THEN {number} ELSE +{column} END"
    number, text = f"CAST({column} AS {own.double})", f"CAST({column} AS {own.text})"
    # A fraction in single precision is read as the decimal number that it prints as: 0.1, not 0.100000001.
    by_text = f"{own.type_of(column)} = '{own.floats[0]}' AND {number} <> floor({number})"
    if own.name == "duckdb":
        by_text = f"{own.type_of(column)} LIKE 'DECIMAL%' OR ({by_text})"
    return f"CASE WHEN {by_text} THEN CAST({text} AS {own.double}) ELSE {number} END"


def _of_numbers(own: Engine, variable: Variable, column: str, known: list[int | float]) -> Reading:
    """Return the expression and keys of a column of numbers or truth values."""
    if own.name == "postgres" and {kind_of(value) for value in known} == {"truth"}:
        return Reading(column, [[own.literal(value)] for value in known], "other")
    plain = [int(value) if value == int(value) else float(value) for value in known]
    cells = measured(own, column)
    if own.name == "sqlite":
        # SQLite compares integers and doubles exactly, so numbers within 64 bits stay integers.
        for value in plain:
            if isinstance(value, int) and abs(value) > _MAX_IN_SQLITE and int(float(value)) != value:
                raise InvalidParameter(
                    f"column {shown(variable.name)}: the whole number {shown(value)} is beyond 64 bits, and "
                    "sqlite would round it; make text of the column before the model is fitted"
                )
        whole = range(-_MAX_IN_SQLITE, _MAX_IN_SQLITE)
        keys = [str(v) if isinstance(v, int) and v in whole else own.number(v) for v in plain]
        return Reading(cells, [[key] for key in keys], "number")
    if all(abs(value) < LARGEST_EXACT for value in plain):
        return Reading(cells, [[own.number(value)] for value in plain], "number")
    text = f"CAST({column} AS {own.text})"
    # Integers of 2**53 or more are compared as digits. Doubles have keys of another form, because a double
    # equals such an integer only if the integer is representable.
    digits = f"{own.type_of(column)} NOT IN {own.floats} AND {own.matches(text, '^-?[0-9]+(?:[.]0*)?$')}"
    key = (
        f"CASE WHEN {column} IS NULL OR {own.not_a_number.format(cell=column)} THEN NULL WHEN {digits} "
        f"THEN regexp_replace({text}, '[.]0*$', '') ELSE {_key_of_double(own, cells)} END"
    )
    return Reading(key, [_keys_of_number(own, value) for value in plain], "text")


def _keys_of_number(own: Engine, value: int | float) -> list[str]:
    """Return keys of a number: its digits in integer and decimal columns, and its key as a double, if any."""
    keys = [text_literal(str(value))] if isinstance(value, int) else []
    is_double = not isinstance(value, int) or int(float(value)) == value
    return [*keys, _key_of_double(own, own.number(value))] if is_double else keys


def _key_of_double(own: Engine, number: str) -> str:
    """Return text that is unique for each double under any settings of a session; minus zero is zero."""
    # Adding zero turns minus zero into zero, which has another text and other bits.
    plain = f"({number}) + {own.number(0.0)}"
    return (
        f"'d' || encode(float8send({plain}), 'hex')"
        if own.name == "postgres"
        else f"'d' || CAST({plain} AS {own.text})"
    )


def beyond_doubles(values: Sequence[Scalar | None]) -> list[int | float]:
    """Return the numbers that doubles cannot distinguish from their neighbours.

    Examples
    --------
    >>> beyond_doubles([3, 2**53 + 1, "9007199254740993", 0.5])
    [9007199254740993]
    """
    numbers = [value for value in values if isinstance(value, (int, float))]
    return [number for number in numbers if abs(number) >= LARGEST_EXACT]
