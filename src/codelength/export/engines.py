"""What database engines write differently, and how names and values are written for them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from ..typing import Scalar

Dialect = Literal["duckdb", "postgres", "sqlite"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)

MOST_TERMS = 50
"""Terms of a sum, or arguments of a function, that stand side by side. Engines limit both."""


def quoted(name: str) -> str:
    """A name that SQL takes as it is.

    Examples
    --------
    >>> print(quoted('net "weight" in kg'))
    "net ""weight"" in kg"
    """
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True, slots=True)
class Engine:
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
        kinds = {kind_of(value) for value in values}
        if len(kinds) > 1 and self.name != "sqlite":
            return [text_literal(str(value)) for value in values]
        return [self.literal(value) for value in values]

    def literal(self, value: Scalar) -> str:
        """A value as a literal."""
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, str):
            return text_literal(value)
        return str(value) if isinstance(value, int) else self.number(value)

    def largest(self, columns: Sequence[str]) -> str:
        """The largest of some columns."""
        while len(columns) > 1:
            groups = [columns[i : i + MOST_TERMS] for i in range(0, len(columns), MOST_TERMS)]
            columns = [g[0] if len(g) == 1 else f"{self.greatest}({', '.join(g)})" for g in groups]
        return columns[0]


def kind_of(value: Scalar) -> str:
    return "truth" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"


def text_literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _duckdb_moment(column: str, scale: str) -> str:
    kind = {"date": "TIMESTAMP", "utc": "TIMESTAMPTZ", "clock": "TIME"}[scale]
    return f"CAST(epoch_us(CAST({column} AS {kind})) AS DOUBLE)"


def _postgres_moment(column: str, scale: str) -> str:
    kind = {"date": "timestamp", "utc": "timestamptz", "clock": "time"}[scale]
    return f"CAST(extract(epoch FROM CAST({column} AS {kind})) * 1000000 AS DOUBLE PRECISION)"


ENGINES: dict[str, Engine] = {
    "duckdb": Engine(
        "duckdb", "DOUBLE", "VARCHAR", "greatest", lambda c: f"isnan(CAST({c} AS DOUBLE))", _duckdb_moment
    ),
    "postgres": Engine(
        "postgres",
        "DOUBLE PRECISION",
        "TEXT",
        "greatest",
        lambda c: f"CAST({c} AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION)",
        _postgres_moment,
    ),
    "sqlite": Engine("sqlite", "REAL", "TEXT", "max", lambda c: "FALSE", None),
}
