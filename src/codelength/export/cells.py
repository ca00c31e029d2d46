"""SQL expressions that compare cells with the values of a variable, exactly as a model does.

A cell becomes a number of double precision, or text. Integers that doubles do not represent exactly become
their digits. Times become text in canonical form (see :mod:`codelength.table.values`) for any type of column.
Text is compared by its characters, regardless of the collation of a column. Each value of a variable has one
or more keys, and no key belongs to two values: a cell never equals two values.

Order of reading: :class:`Reading` (an expression, and the keys of each value), :func:`reading` (categories),
:func:`measured` (numbers that are cut into intervals), then keys of numbers, of texts and of times.
:func:`check_values` refuses what a program cannot tell apart.

Depends on ``engines`` and on :mod:`codelength.table.values`. Used by the SQL, ONNX and scorer exports.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ..errors import InvalidParameter
from ..table import Variable
from ..table._messages import shown
from ..table.spelling import looks_like_time, parse_time
from ..table.values import LARGEST_EXACT
from ..typing import Scalar
from .engines import Engine, kind_of, text_literal

_LARGEST_IN_SQLITE = 2**63

_DURATION = re.compile(r"-?[0-9]+(?:\.[0-9]+)? s|-?[0-9]+ months(?: -?[0-9]+(?:\.[0-9]+)? s)?")

_NAIVE_FORM = re.compile(
    r"(?=.)([0-9]{4}-[0-9]{2}-[0-9]{2})?(?:(?:^|T)([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]+))?)?"
)

# Regular expressions of times, in a form that both DuckDB and PostgreSQL accept. Only dates of the calendar
# match, because casting others, such as 30 February, raises an error.
_DATE = (
    "(?:(?:[0-9]{3}[1-9]|[0-9]{2}[1-9][0-9]|[0-9][1-9][0-9]{2}|[1-9][0-9]{3})-"
    "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    "|02-(?:0[1-9]|1[0-9]|2[0-8]))"
    "|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)-02-29)"
)
_HOUR = "(?:[01][0-9]|2[0-3])"
_MINUTE = f"{_HOUR}:[0-5][0-9](?::[0-5][0-9](?:[.][0-9]+)?)?"
_ZONE = "(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)"
_NAIVE = f"^(?:{_DATE}(?:[T ]{_MINUTE})?|{_HOUR}:[0-9]{{2}}:[0-9]{{2}}(?:[.][0-9]+)?)$"
_ZONED = f"^{_DATE}[T ]{_MINUTE}{_ZONE}$"


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

    Columns of other programs have one type, and times have a spelling of their own.
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
        if _DURATION.fullmatch(text):
            raise InvalidParameter(
                f"{where}: durations, such as {shown(text)}, which {program} spells in a way of its own; "
                "make numbers of them before the model is fitted"
            )
    # Engines spell a time in one way only, so two values of the same time could not be distinguished.
    forms: dict[str, str] = {}
    for text in texts:
        other = forms.setdefault(parse_time(text), text)
        if other != text:
            raise InvalidParameter(
                f"{where}: {shown(other)} and {shown(text)} are the same time, but two values; spell them "
                "alike before the model is fitted"
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
    if not any(map(looks_like_time, texts)):
        return Reading(_as_text(own, column), [[text_literal(text)] for text in texts], "text")
    # Times with a zone need more expensive expressions, so these are used only if a value has a zone.
    zoned = any(parse_time(text).endswith("+00:00") for text in texts if looks_like_time(text))
    keys = [[*map(text_literal, _time_keys(text))] for text in texts]
    return Reading(_as_time(own, column, zoned), keys, "text")


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


def _time_keys(text: str) -> list[str]:
    """Return keys of text that may be a time: its canonical form, or the spellings of a duration."""
    if not looks_like_time(text) or "day" not in text:
        return [parse_time(text)]
    count = text.split(" day")[0]
    bare = [f"{count} day", f"{count} days", f"{count} days 00:00:00", f"{count} day 00:00:00"]
    return [text, *(other for other in bare if other != text)] if text in bare else [text]


def _as_time(own: Engine, column: str, zoned: bool) -> str:
    """Return an expression of the canonical form of a cell that is a time; other text is unchanged."""
    if own.name == "sqlite":
        return _time_in_sqlite(column)
    text = own.time_text(column, zoned)
    naive = f"regexp_replace({text}, '^(.{{10}}) ', '\\1T')"
    # Canonical form: T between date and time, seconds, no trailing zeros, and no time of day at midnight.
    for pattern, instead in (
        ("^(.{13}:[0-9]{2})$", "\\1:00"),
        ("[.]0+$", ""),
        ("([.][0-9]*[1-9])0+$", "\\1"),
        ("T00:00:00$", ""),
    ):
        naive = f"regexp_replace({naive}, '{pattern}', '{instead}')"
    cases = [f"WHEN {own.matches(text, _NAIVE)} THEN {naive}"]
    if zoned:
        # The engine subtracts the offset from the local time; fractions of a second are carried over as text,
        # because engines keep different numbers of digits.
        local = f"regexp_replace({text}, '^(.{{10}})[T ](.{{5}}(?::[0-9]{{2}})?).*$', '\\1 \\2')"
        ahead = [
            f"coalesce(CAST(nullif(regexp_replace({text}, '{pattern}', '{instead}'), '') AS INTEGER), 0)"
            for pattern, instead in (
                ("^.*(?:([+-][0-9]{2})(?::?[0-9]{2})?|Z)$", "\\1"),
                ("^.*(?:([+-])[0-9]{2}:?([0-9]{2})|[+-][0-9]{2}|Z)$", "\\1\\2"),
            )
        ]
        moment = own.stamp_before(local, f"{ahead[0]} * 60 + {ahead[1]}")
        fraction = f"regexp_replace({text}, '^[^.]*([.][0-9]*[1-9])?.*$', '\\1')"
        cases.append(f"WHEN {own.matches(text, _ZONED)} THEN {moment} || {fraction} || '+00:00'")
    return f"CASE {' '.join(cases)} ELSE {text} END"


def _time_in_sqlite(column: str) -> str:
    """Return the same for SQLite.

    SQLite has no regular expressions: text is a time if its functions for times return it unchanged.
    """
    digits = "[0-9][0-9]"
    zone = (
        f"CASE WHEN s GLOB '*:*Z' THEN 1 WHEN s GLOB '*:*[+-]{digits}:{digits}' THEN 6 "
        f"WHEN s GLOB '*:*[+-]{digits}{digits}' THEN 5 WHEN s GLOB '*:*[+-]{digits}' THEN 3 ELSE 0 END"
    )
    # Nested queries name intermediate results: s the text, z its zone, b the rest, m the moment, a the offset
    # in minutes, f the fraction, c the fraction of a time of day.
    zones = f"SELECT s, {zone} AS z FROM (SELECT {column} AS s)"
    parts = f"SELECT s, substr(s, 1, length(s) - z) AS b, substr(s, length(s) - z + 1) AS z FROM ({zones})"
    moment = (
        "substr(b, 1, 10) || 'T' || CASE length(b) WHEN 10 THEN '00:00:00' "
        "WHEN 16 THEN substr(b, 12) || ':00' ELSE substr(b, 12, 8) END"
    )
    minutes = (
        "CASE WHEN length(z) < 2 THEN 0 ELSE CAST(substr(z, 1, 3) AS INTEGER) * 60 "
        "+ CAST(substr(z, 1, 1) || substr(replace(z, ':', ''), 4, 2) AS INTEGER) END"
    )
    split = (
        f"SELECT s, b, z, {moment} AS m, {minutes} AS a, substr(b, 20) AS f, "
        "CASE WHEN s GLOB '[0-2][0-9]:[0-9][0-9]:[0-9][0-9]*' THEN substr(s, 9) END AS c "
        f"FROM ({parts})"
    )
    form = "'%Y-%m-%dT%H:%M:%S'"
    is_stamp = (
        f"strftime({form}, m, '+0 days') = m AND m >= '0001' "
        f"AND (length(b) IN (10, 16, 19) OR length(b) > 20) AND substr(b, 11, 1) IN ('', 'T', ' ') "
        f"AND {_is_fraction('f')} AND (z = '' OR length(b) > 10)"
    )
    trimmed = "CASE WHEN f = '' THEN '' ELSE rtrim(rtrim(f, '0'), '.') END"
    naive = f"CASE WHEN m GLOB '*T00:00:00' AND {trimmed} = '' THEN substr(b, 1, 10) ELSE m || {trimmed} END"
    aware = f"strftime({form}, m, (-a) || ' minutes') || {trimmed} || '+00:00'"
    clock = "CASE WHEN c = '' THEN s ELSE rtrim(rtrim(s, '0'), '.') END"
    return (
        f"CASE WHEN typeof({column}) <> 'text' THEN +{column} ELSE (SELECT CASE "
        f"WHEN {is_stamp} THEN CASE WHEN z = '' THEN {naive} ELSE {aware} END "
        f"WHEN c IS NOT NULL AND {_is_fraction('c')} AND s < '24' THEN {clock} ELSE s END FROM ({split})) END"
    )


def _is_fraction(text: str) -> str:
    """Return the condition that text is the fraction of a second in SQLite, or empty."""
    return f"({text} = '' OR ({text} GLOB '.[0-9]*' AND substr({text}, 2) NOT GLOB '*[^0-9]*'))"


def spellings(text: str) -> list[str]:
    """Return a text and, if it is a time without a time zone, the ways in which programs spell it.

    Examples
    --------
    >>> spellings("12:30:00.5"), spellings("soon")
    (['12:30:00.5', '12:30:00.500', '12:30:00.500000', '12:30:00.500000000'], ['soon'])
    """
    form = parse_time(text)
    naive = _NAIVE_FORM.fullmatch(form)
    if naive is None:
        return [*dict.fromkeys([text, *_time_keys(text)])]
    date, whole, digits = naive[1] or "", naive[2] or "00:00:00", naive[3] or ""
    # Programs print milliseconds, microseconds or nanoseconds.
    clocks = [f"{whole}.{digits:0<{n}}" for n in (3, 6, 9) if n >= len(digits)]
    clocks += [f"{whole}.{digits}" if digits else whole, whole[:5]]
    found = [
        f"{date}{between}{clock}" for between in ("T" * bool(date), " " * bool(date)) for clock in clocks
    ]
    return [*dict.fromkeys([text, form, *(one for one in found if parse_time(one) == form)])]


def beyond_doubles(values: Sequence[Scalar | None]) -> list[int | float]:
    """Return the numbers that doubles cannot distinguish from their neighbours.

    Examples
    --------
    >>> beyond_doubles([3, 2**53 + 1, "9007199254740993", 0.5])
    [9007199254740993]
    """
    numbers = [value for value in values if isinstance(value, (int, float))]
    return [number for number in numbers if abs(number) >= LARGEST_EXACT]
