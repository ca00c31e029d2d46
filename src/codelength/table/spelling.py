"""Text as numbers, truth values and times, and times as numbers that can be cut into intervals.

Cells of text files have no types: :func:`parse_number`, :func:`parse_boolean` and :func:`parse_time` read
what they spell. Times are text, in canonical form (see :mod:`codelength.table.values`) or in another
unambiguous spelling. Those with and those without a time zone have scales of their own; a column of both is a
column of categories.

=============  ===============================  ======================================
scale          form                             number
=============  ===============================  ======================================
``"date"``     ``2020-01-31[T12:30:00[.5]]``    microseconds since the start of 1970
``"utc"``      ``2020-01-31T12:30:00+00:00``    microseconds since the start of 1970
=============  ===============================  ======================================
"""

import datetime
import math
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from ..typing import FloatArray
from .intervals.cuts import interval_labels
from .values import LARGEST, stamp_as_text, stamps_as_text, trimmed

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

Scale = Literal["number", "date", "utc"]
"""Unit of the cut points of intervals."""

NAMES: dict[Scale, str] = {"number": "numbers", "date": "dates", "utc": "dates"}
"""Content of a column on each scale, in the plural."""

_DAY, _SECOND = 86_400_000_000, 1_000_000


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


def time_scale(values: Sequence[Any]) -> Scale | None:
    """Return the scale of all values; None if one is not a time, or on another scale.

    Examples
    --------
    >>> time_scale(["2020-01-31", "2020-02-01T12:30:00"]), time_scale(["2020-01-31", "soon"])
    ('date', None)
    """
    if not values or not isinstance(values[0], str):
        return None
    scale: Scale = "utc" if parse_time(values[0]).endswith("+00:00") else "date"
    return None if np.isnan(time_numbers(values, scale)).any() else scale


def time_numbers(values: Iterable[Any], scale: Scale) -> FloatArray:
    """Return times as text as numbers on a scale; NaN for anything that is not on it.

    Examples
    --------
    >>> time_numbers(["1970-01-02", "soon"], "date")
    array([8.64e+10,      nan])
    """
    # All at once, because numpy parses an array of dates much faster than one after the other.
    stamps = np.array([_stamp(value, scale) for value in values], dtype="datetime64[us]")
    return np.where(np.isnat(stamps), np.nan, stamps.astype(np.int64).astype(np.float64))


def _stamp(value: Any, scale: Scale) -> str:
    """Return a time as numpy parses it; that of a missing time if the value is not a time on the scale."""
    match = _STAMP.fullmatch(value) if isinstance(value, str) else None
    text = None if match is None else _parse_stamp(match)
    is_on_scale = text is not None and text.endswith("+00:00") == (scale == "utc")
    return text.removesuffix("+00:00") if text and is_on_scale else "NaT"


def whole_unit(numbers: FloatArray) -> int:
    """Return the largest of a day, a second and a microsecond in which all times are whole, in microseconds.

    Examples
    --------
    >>> whole_unit(time_numbers(["2020-01-01", "2020-01-01T12:00:00"], "date"))
    1000000
    """
    return next((unit for unit in (_DAY, _SECOND) if not (numbers % unit).any()), 1)


def cuts_in_units(cuts: FloatArray, unit: int) -> FloatArray:
    """Return cut points moved up to the next whole unit of all times: no time changes its interval."""
    moved: FloatArray = np.unique(np.ceil(cuts / unit) * unit)
    return moved


def time_labels(cuts: Sequence[float], scale: Scale) -> tuple[str, ...]:
    """Return names of the intervals between cut points on a scale.

    Examples
    --------
    >>> time_labels(time_numbers(["2020-01-01", "2020-07-01"], "date").tolist(), "date")
    ('< 2020-01-01', '2020-01-01 to 2020-07-01', '>= 2020-07-01')
    """
    if scale == "number" or not cuts:
        return interval_labels(np.array(cuts))
    whole = np.array(cuts).astype(np.int64)
    texts = stamps_as_text(whole.view("datetime64[us]"), aware=scale == "utc")
    between = [f"{low} to {high}" for low, high in pairwise(texts)]
    return (f"< {texts[0]}", *between, f">= {texts[-1]}")
