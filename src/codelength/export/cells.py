"""SQL expressions that compare cells with the values of a variable, exactly as a model does.

A cell becomes a number of double precision, or text. Integers that doubles do not represent exactly become
their digits. Text is compared by its characters, regardless of the collation of a column. Each value of a
variable has one or more keys, and no key belongs to two values: a cell never equals two values. Categories
that are times are refused, because every engine spells them in a way of its own.

Order of reading: :class:`Reading` (an expression, and the keys of each value), :func:`reading` (categories),
:func:`measured` (numbers that are cut into intervals), then keys of numbers. :func:`check_values` refuses
values that a program cannot tell apart.

Depends on ``engines`` and on :mod:`codelength.table.values`. Used by the SQL, ONNX and scorer exports.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ..errors import InvalidParameter
from ..table import Variable
from ..table._messages import shown
from ..table.spelling import looks_like_time
from ..table.values import LARGEST_EXACT
from ..typing import Scalar
from .engines import Engine, kind_of, text_literal

_LARGEST_IN_SQLITE = 2**63

_DURATION = re.compile(r"-?[0-9]+(?:\.[0-9]+)? s|-?[0-9]+ months(?: -?[0-9]+(?:\.[0-9]+)? s)?")


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

    @property
    def is_text(self) -> bool:
        """True if cells are text."""
        return self.kind == "text"

    @property
    def is_number(self) -> bool:
        """True if cells are numbers of double precision, which may be NaN."""
        return self.kind == "number"


def check_values(variable: Variable, program: str) -> None:
    """Raise InvalidParameter for categories that a program cannot distinguish.

    Columns of other programs have one type, and durations have spellings of their own.
    """
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
        if _DURATION.fullmatch(text) or (looks_like_time(text) and "day" in text):
            raise InvalidParameter(
                f"{where}: durations, such as {shown(text)}, which {program} spells in a way of its own; "
                "make numbers of them before the model is fitted"
            )


def reading(own: Engine, variable: Variable, column: str) -> Reading:
    """Return the expression and the keys by which an engine compares a column with categories.

    Parameters
    ----------
    own : Engine
        Dialect of the engine.
    variable : Variable
        Variable with categories as values.
    column : str
        Expression of the column.
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
    return Reading(_as_text(own, column), [[text_literal(text)] for text in texts], "text")


def measured(own: Engine, column: str) -> str:
    """Return a column of numbers as an expression of double precision, equal to what the model reads."""
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
        _check_whole(variable, plain)
        is_small = [isinstance(v, int) and -_LARGEST_IN_SQLITE <= v < _LARGEST_IN_SQLITE for v in plain]
        return Reading(
            cells,
            [[str(v) if small else own.number(v)] for v, small in zip(plain, is_small, strict=True)],
            "number",
        )
    if all(abs(value) < LARGEST_EXACT for value in plain):
        return Reading(cells, [[own.number(value)] for value in plain], "number")
    text = f"CAST({column} AS {own.text})"
    # Integers of 2**53 or more are compared as digits. Doubles have keys of another form, because a double
    # equals such an integer only if the integer is representable.
    digits = f"{own.type_of(column)} NOT IN {own.floats} AND {own.matches(text, '^-?[0-9]+(?:[.]0*)?$')}"
    key = (
        f"CASE WHEN {column} IS NULL OR {own.not_a_number(column)} THEN NULL WHEN {digits} "
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


def _check_whole(variable: Variable, values: list[int | float]) -> None:
    """Raise InvalidParameter for integers that SQLite would round."""
    for value in values:
        if isinstance(value, int) and abs(value) > _LARGEST_IN_SQLITE and int(float(value)) != value:
            raise InvalidParameter(
                f"column {shown(variable.name)}: the whole number {shown(value)} is beyond 64 bits, and "
                "sqlite would round it; make text of the column before the model is fitted"
            )


def _as_text(own: Engine, column: str) -> str:
    """Return a column as an expression of text."""
    # In SQLite, a number in a column of text is not text; unary plus removes the affinity of the column.
    return f"+{column}" if own.name == "sqlite" else f"CAST({column} AS {own.text})"


def beyond_doubles(values: Sequence[Scalar | None]) -> list[int | float]:
    """Return the numbers that doubles cannot distinguish from their neighbours.

    Examples
    --------
    >>> beyond_doubles([3, 2**53 + 1, "9007199254740993", 0.5])
    [9007199254740993]
    """
    numbers = [value for value in values if isinstance(value, (int, float))]
    return [number for number in numbers if abs(number) >= LARGEST_EXACT]
