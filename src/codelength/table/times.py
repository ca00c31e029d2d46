"""Dates as numbers, so that they can be cut into intervals.

Dates are text, in canonical form (see :mod:`codelength.table.values`) or in another unambiguous spelling.
Those with and those without a time zone have scales of their own; a column of both is a column of categories.

=============  ===============================  ======================================
scale          form                             number
=============  ===============================  ======================================
``"date"``     ``2020-01-31[T12:30:00[.5]]``    microseconds since the start of 1970
``"utc"``      ``2020-01-31T12:30:00+00:00``    microseconds since the start of 1970
=============  ===============================  ======================================
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from ..typing import FloatArray
from .intervals.cuts import interval_labels
from .spelling import parse_time
from .values import stamps_as_text

Scale = Literal["number", "date", "utc"]
"""Unit of the cut points of intervals."""

NAMES: dict[Scale, str] = {"number": "numbers", "date": "dates", "utc": "dates"}
"""Content of a column on each scale, in the plural."""

_DAY, _SECOND = 86_400_000_000, 1_000_000
_STAMP = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?)?"
_FORMS: dict[Scale, re.Pattern[str]] = {
    "date": re.compile(_STAMP),
    "utc": re.compile(rf"{_STAMP}\+00:00"),
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
    """Return times as text as numbers on a scale; NaN for anything that is not on it.

    Examples
    --------
    >>> time_numbers(["1970-01-02", "soon"], "date")
    array([8.64e+10,      nan])
    """
    form = _FORMS[scale]
    spelt = [parse_time(value) if isinstance(value, str) else "" for value in values]
    texts = [text if form.fullmatch(text) else None for text in spelt]
    try:
        # All at once, because numpy parses an array of dates much faster than one after the other.
        if None not in texts:
            return _microseconds([text.removesuffix("+00:00") for text in texts if text is not None])
    except ValueError:
        pass
    return np.array([np.nan if text is None else _number(text) for text in texts], dtype=np.float64)


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


def _microseconds(texts: list[str]) -> FloatArray:
    counts: FloatArray = np.array(texts, dtype="datetime64[us]").astype(np.int64).astype(np.float64)
    return counts


def _number(text: str) -> float:
    try:
        number = float(_microseconds([text.removesuffix("+00:00")])[0])
    except ValueError:  # 2020-13-45 has the form of a date
        return np.nan
    return number if np.isfinite(number) else np.nan
