"""SQL dialects of database engines: names, literals and functions."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from ..table.values import LARGEST_EXACT
from ..typing import Scalar

Dialect = Literal["duckdb", "postgres", "sqlite"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)

MAX_TERMS = 50
"""Largest number of terms of a sum, or of arguments of a function; engines limit both."""


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
    not_a_number : function
        From a column to a condition that is true for NaN.
    moment : function, optional
        From a column and its scale of time to microseconds; None if the engine does not support it.
    """

    name: Dialect
    double: str
    text: str
    floats: tuple[str, str]
    largest_whole: float
    collation: str
    is_case_blind: bool
    greatest: str
    not_a_number: Callable[[str], str]
    moment: Callable[[str, str], str] | None

    def number(self, value: float) -> str:
        """Return a literal of double precision that is read as exactly this number."""
        # SQLite has no literal for infinity; a number beyond the range of a double is read as infinity.
        if value == -math.inf:
            return "-9e999" if self.name == "sqlite" else f"CAST('-Infinity' AS {self.double})"
        text = repr(float(value))
        # PostgreSQL reads decimal literals as numeric, so they are cast to double precision.
        if self.name == "postgres":
            return f"CAST('{text}' AS {self.double})"
        return text if "e" in text else f"{text}e0"

    def literals(self, values: Sequence[Scalar]) -> list[str]:
        """Return values as literals of one type; text if no other type keeps them distinct."""
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
        """Return an expression of the type of a column as text; not used for SQLite."""
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
    """Return text as a literal."""
    return "'" + text.replace("'", "''") + "'"


def _duckdb_moment(column: str, scale: str) -> str:
    """Return a column of times in microseconds, in DuckDB."""
    kind = {"date": "TIMESTAMP", "utc": "TIMESTAMPTZ"}[scale]
    return f"CAST(epoch_us(CAST({column} AS {kind})) AS DOUBLE)"


def _postgres_moment(column: str, scale: str) -> str:
    """Return a column of times in microseconds, in PostgreSQL."""
    kind = {"date": "timestamp", "utc": "timestamptz"}[scale]
    return f"CAST(extract(epoch FROM CAST({column} AS {kind})) * 1000000 AS DOUBLE PRECISION)"


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
        not_a_number=lambda c: f"isnan(CAST({c} AS DOUBLE))",
        moment=_duckdb_moment,
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
        not_a_number=lambda c: f"CAST({c} AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION)",
        moment=_postgres_moment,
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
        not_a_number=lambda c: "FALSE",
        moment=None,
    ),
}
