"""Parsing of text: numbers, truth values and times, for tables whose cells have no types."""

import datetime
import math
import re

from .values import LARGEST, stamp_as_text, trimmed

SPACES = " \t\n\v\f\r"
"""Characters that may surround a number; the same as in DuckDB."""

NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
"""Numbers, as a regular expression for Python and DuckDB."""

NANS = ("nan", "+nan", "-nan")
"""Missing numbers, in small letters."""

_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?"
_ZONE = r"(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)"
TIME = (
    rf"{_DATE}(?:[T ][0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]+)?)?{_ZONE}?)?"
    rf"|{_CLOCK}|-?[0-9]+ days?(?: [+-]?{_CLOCK})?"
)
"""Dates with and without a time, times of day and durations, as a regular expression for both."""

_NUMBER = re.compile(NUMBER)
_WHOLE = re.compile(r"[+-]?[0-9]+")
_TIME = re.compile(TIME)
_STAMP = re.compile(rf"({_DATE})(?:[T ]([0-9]{{2}}:[0-9]{{2}})(?::([0-9]{{2}})(?:\.([0-9]+))?)?({_ZONE})?)?")
_LONGEST_WHOLE = 310  # characters: longer ones are beyond float64
_TRUTHS = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}


def parse_number(text: str) -> int | float | str | None:
    """Return the number that ``text`` spells; None for NaN; the text itself if it is not a number.

    Whole numbers are exact. Numbers with a point or an exponent are the nearest float64.

    Examples
    --------
    >>> [parse_number(text) for text in ("3", " 2.5", "nan", "many")]
    [3, 2.5, None, 'many']
    """
    stripped = text.strip(SPACES)
    # The length is checked first: Python takes quadratic time for long whole numbers, and refuses very long
    # ones.
    if _WHOLE.fullmatch(stripped) and len(stripped) <= _LONGEST_WHOLE:
        number = int(stripped)
        return number if abs(number) <= LARGEST else text
    if _NUMBER.fullmatch(stripped) and math.isfinite(value := float(stripped)):
        return value
    return None if stripped.lower() in NANS else text


def parse_boolean(text: str) -> bool | str:
    """Return the truth value that ``text`` spells, or the text itself if it is not one.

    Examples
    --------
    >>> [parse_boolean(text) for text in ("TRUE", "0", "yes")]
    [True, False, 'yes']
    """
    return _TRUTHS.get(text.strip(SPACES).lower(), text)


def looks_like_time(value: object) -> bool:
    """Return True for text in the form of a date, a time or a duration, even if there is no such date."""
    return isinstance(value, str) and _TIME.fullmatch(value) is not None


def parse_time(text: str) -> str:
    """Return a date or a time of day in canonical form, or the text itself if it is none.

    Examples
    --------
    >>> parse_time("2020-01-31 12:30:00.500+02:00"), parse_time("2020-01-31 00:00"), parse_time("12:30:00.50")
    ('2020-01-31T10:30:00.5+00:00', '2020-01-31', '12:30:00.5')
    """
    if not looks_like_time(text):
        return text
    # Digits compare as text here: 24:00:00 and later are not times of day.
    if text[2] == ":":
        return trimmed(text) if text < "24" else text
    match = _STAMP.fullmatch(text)
    return text if match is None else _parse_stamp(match) or text


def _parse_stamp(match: re.Match[str]) -> str | None:
    date, clock, second, digits, zone = match.groups()
    try:
        moment = datetime.datetime.fromisoformat(f"{date}T{clock or '00:00'}:{second or '00'}")
        if zone not in (None, "Z"):
            minutes = int(zone[1:3]) * 60 + int(zone[3:].lstrip(":") or 0)
            moment -= datetime.timedelta(minutes=-minutes if zone[0] == "-" else minutes)
    except (ValueError, OverflowError):
        return None
    return stamp_as_text(f"{moment.isoformat()}.{digits or 0}", aware=zone is not None)
