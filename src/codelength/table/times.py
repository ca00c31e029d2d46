"""Dates, times of day and durations as numbers, so that they can be cut into intervals.

Times are text, in canonical form (see :mod:`codelength.table.values`) or in another unambiguous spelling.
Each kind has a scale of its own; a column of several kinds is a column of categories.

=============  ===============================  ======================================
scale          form                             number
=============  ===============================  ======================================
``"date"``     ``2020-01-31[T12:30:00[.5]]``    microseconds since the start of 1970
``"utc"``      ``2020-01-31T12:30:00+00:00``    microseconds since the start of 1970
``"clock"``    ``12:30:00[.5]``                 microseconds since midnight
``"seconds"``  ``90.5 s``                       seconds
``"months"``   ``14 months``                    months
=============  ===============================  ======================================
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from ..typing import FloatArray
from .intervals.cuts import interval_labels
from .spelling import parse_time
from .values import clocks_as_text, stamps_as_text

Scale = Literal["number", "date", "utc", "clock", "seconds", "months"]
"""Unit of the cut points of intervals."""

NAMES: dict[Scale, str] = {
    "number": "numbers",
    "date": "dates",
    "utc": "dates",
    "clock": "times of day",
    "seconds": "durations",
    "months": "durations",
}
"""Content of a column on each scale, in the plural."""

_DAY, _SECOND = 86_400_000_000, 1_000_000
_STAMP = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?)?"
_FORMS: dict[Scale, re.Pattern[str]] = {
    "date": re.compile(_STAMP),
    "utc": re.compile(rf"{_STAMP}\+00:00"),
    "clock": re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?"),
    "seconds": re.compile(r"-?[0-9]+(?:\.[0-9]+)? s"),
    "months": re.compile(r"-?[0-9]+ months"),
}


def time_scale(values: Sequence[Any]) -> Scale | None:
    """Return the scale of all values; None if one is not a time, or on another scale.

    Examples
    --------
    >>> time_scale(["2020-01-31", "2020-02-01T12:30:00"]), time_scale(["2020-01-31", "soon"])
    ('date', None)
    """
    if not values or not isinstance(values[0], str):
        return None
    first = parse_time(values[0])
    scale = next((scale for scale, form in _FORMS.items() if form.fullmatch(first)), None)
    return None if scale is None or np.isnan(time_numbers(values, scale)).any() else scale


def time_numbers(values: Iterable[Any], scale: Scale) -> FloatArray:
    """Return times as numbers on a scale; NaN for anything that is not on it.

    Parameters
    ----------
    values : iterable
        Times as text.
    scale : str
        One of the scales of the module, except ``"number"``.

    Returns
    -------
    array of float
        The numbers.

    Examples
    --------
    >>> time_numbers(["1970-01-02", "soon"], "date"), time_numbers(["90.5 s"], "seconds")
    (array([8.64e+10,      nan]), array([90.5]))
    """
    form, read = _FORMS[scale], _READERS[scale]
    spelt = [parse_time(value) if isinstance(value, str) else "" for value in values]
    texts = [text if form.fullmatch(text) else None for text in spelt]
    try:
        # All at once, because numpy parses an array of dates much faster than one after the other.
        if None not in texts and scale in ("date", "utc"):
            return _microseconds([text.removesuffix("+00:00") for text in texts if text is not None])
    except ValueError:
        pass
    return np.array([np.nan if text is None else _number(read, text) for text in texts], dtype=np.float64)


def time_cuts(cuts: FloatArray, numbers: FloatArray, scale: Scale) -> FloatArray:
    """Return cut points moved up to the next whole day, second or microsecond, the unit of all times.

    No time changes its interval, and a cut point is a time that people can read.

    Examples
    --------
    >>> days = time_numbers(["2020-01-01", "2020-01-02"], "date")
    >>> (time_cuts(days[:1] + 1, days, "date") == days[1]).all()
    np.True_
    """
    return cuts_in_units(cuts, whole_unit(numbers[~np.isnan(numbers)]), scale)


def whole_unit(numbers: FloatArray) -> int:
    """Return the largest of a day, a second and a microsecond in which all times are whole, in microseconds.

    Examples
    --------
    >>> whole_unit(time_numbers(["2020-01-01", "2020-01-01T12:00:00"], "date"))
    1000000
    """
    return next((unit for unit in (_DAY, _SECOND) if not (numbers % unit).any()), 1)


def cuts_in_units(cuts: FloatArray, unit: int, scale: Scale) -> FloatArray:
    """Return cut points moved up to the next whole unit; durations do not change."""
    if scale in ("seconds", "months"):
        return cuts
    moved: FloatArray = np.unique(np.ceil(cuts / unit) * unit)
    return moved


def time_labels(cuts: Sequence[float], scale: Scale) -> tuple[str, ...]:
    """Return names of the intervals between cut points on a scale.

    Examples
    --------
    >>> time_labels(time_numbers(["2020-01-01", "2020-07-01"], "date").tolist(), "date")
    ('< 2020-01-01', '2020-01-01 to 2020-07-01', '>= 2020-07-01')
    >>> time_labels([90.5], "seconds")
    ('< 90.5 s', '>= 90.5 s')
    """
    if scale == "number" or not cuts:
        return interval_labels(np.array(cuts))
    if scale in ("seconds", "months"):
        return tuple(f"{label} {'s' if scale == 'seconds' else 'months'}" for label in interval_labels(cuts))
    whole = np.array(cuts).astype(np.int64)
    if scale == "clock":
        texts = clocks_as_text(whole * 1000)
    else:
        texts = stamps_as_text(whole.view("datetime64[us]"), aware=scale == "utc")
    between = [f"{low} to {high}" for low, high in pairwise(texts)]
    return (f"< {texts[0]}", *between, f">= {texts[-1]}")


def _microseconds(texts: list[str]) -> FloatArray:
    counts: FloatArray = np.array(texts, dtype="datetime64[us]").astype(np.int64).astype(np.float64)
    return counts


def _clock(text: str) -> float:
    return float(_microseconds([f"1970-01-01T{text}"])[0])


def _amount(text: str) -> float:
    return float(text.partition(" ")[0])


_READERS: dict[Scale, Callable[[str], float]] = {
    "date": lambda text: float(_microseconds([text])[0]),
    "utc": lambda text: float(_microseconds([text.removesuffix("+00:00")])[0]),
    "clock": _clock,
    "seconds": _amount,
    "months": _amount,
}


def _number(read: Callable[[str], float], text: str) -> float:
    try:
        number = read(text)
    except ValueError:  # 2020-13-45 has the form of a date
        return np.nan
    return number if np.isfinite(number) else np.nan
