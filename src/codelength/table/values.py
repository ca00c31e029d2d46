"""Canonical form of each kind of value, whatever the source.

==================  ==================================================================================
kind                form
==================  ==================================================================================
text                as it is
truth values        ``False`` and ``True``; in a column of numbers they are the numbers 0 and 1
whole numbers       ``int``, exactly, up to the largest float64
other numbers       the nearest float64; a fraction in float32 is the shortest decimal number that rounds to
                    it, so that 0.1 is 0.1 in any width
dates               ``"2020-01-31"``, in the years 1 to 9999
dates with a time   ``"2020-01-31T12:30:00.5"``, no zeros at the end of a fraction; midnight is the date alone
with a time zone    the same in UTC, ``"2020-01-31T10:30:00.5+00:00"``
==================  ==================================================================================

Times of day and durations are refused: as numbers of seconds they are clear to every reader.

Containers, frames and files all pass their values through here, so a model fitted on one of them knows the
values of every other.
"""

import datetime
import re
import sys
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..typing import FloatArray, Scalar
from ._messages import shown

MAX_DIGITS = 38
"""Digits of a decimal number, as in databases."""

LARGEST_EXACT = 2**53
"""Whole numbers beyond this lose digits as floats."""

FAR_AWAY = "a date is infinite, or not in the years 1 to 9999; replace it, or convert the column to text"
"""Message about a date that is rejected."""

LARGEST = int(sys.float_info.max)
"""Largest number: no float64 is beyond it."""


class UnusableValue(Exception):
    """Raised for a cell that cannot be a value; the message gives the reason and a remedy."""


def canonical(value: Any) -> Scalar | None:
    """Return a value in the canonical form of its kind; None if it is missing.

    Cells of one value have the same form, whichever library they are from.

    Raises
    ------
    UnusableValue
        If the cell is of no kind that can be a category.

    Examples
    --------
    >>> canonical(2.0), canonical(np.float32(0.1)), canonical(datetime.datetime(2020, 1, 31, 12, 30))
    (2, 0.1, '2020-01-31T12:30:00')
    """
    if is_missing(value):
        return None
    # The first match counts: types of one kind are subtypes of others.
    for kinds, form in _FORMS:
        if isinstance(value, kinds):
            return form(value)
    if type(value).__module__.startswith("pandas"):
        return str(value)  # intervals and periods
    raise UnusableValue(
        f"the value {shown(value)} of type {type(value).__name__} is not a category; convert it to text or a "
        "number"
    )


def is_missing(value: Any) -> bool:
    """Return True if a cell is None, NaN or a missing marker of pandas or numpy."""
    # pandas is optional, so its missing values are known by name.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def is_number(value: Any) -> bool:
    """Return True for a real number of any type, except truth values and durations of numpy.

    Examples
    --------
    >>> is_number(Fraction(1, 3)), is_number(True), is_number("1")
    (True, False, False)
    """
    return isinstance(value, (Real, Decimal)) and not isinstance(value, (bool, np.timedelta64))


def widened(numbers: NDArray[Any]) -> FloatArray:
    """Return floats of any width as float64; a fraction becomes the shortest decimal that rounds to it.

    So float32(0.1) is 0.1 and not 0.10000000149, and both widths have one value.

    Examples
    --------
    >>> widened(np.array([0.1, 2.5, 16777216, np.nan], dtype=np.float32))
    array([1.0000000e-01, 2.5000000e+00, 1.6777216e+07,           nan])
    """
    wide = numbers.astype(np.float64)
    if numbers.dtype.itemsize < 8:
        import pyarrow as pa

        # Whole numbers are exact in both widths and stay as they are.
        fractions = np.isfinite(wide) & (wide != np.floor(wide))
        texts = pa.array(numbers[fractions].astype(np.float32)).cast(pa.string())
        wide[fractions] = texts.cast(pa.float64()).to_numpy()
    return wide


def without_numpy(value: Any) -> Any:
    """Return a numpy scalar as a Python object; anything else as it is.

    Examples
    --------
    >>> without_numpy(np.float32(0.1)), without_numpy(np.int8(3)), without_numpy("text")
    (0.1, 3, 'text')
    """
    if isinstance(value, (np.float16, np.float32)):
        return float(widened(np.array([value]))[0])
    return value.item() if isinstance(value, np.generic) else value


def stamps_as_text(stamps: NDArray[np.datetime64], *, aware: bool = False) -> list[str]:
    """Return dates, with or without a time, as text; those with a time zone are in UTC.

    Examples
    --------
    >>> stamps_as_text(np.array(["2020-01-31T12:30:00.500", "2020-01-31"], dtype="datetime64[us]"))
    ['2020-01-31T12:30:00.5', '2020-01-31']
    """
    unit = np.datetime_data(stamps.dtype)[0]
    years = stamps.astype("datetime64[Y]").astype(np.int64) + 1970
    if ((years < 1) | (years > 9999)).any():
        raise UnusableValue(FAR_AWAY)
    # numpy writes these units in other forms: a month as 2020-01, an hour without minutes.
    if unit in ("Y", "M", "W"):
        stamps = stamps.astype("datetime64[D]")
    elif unit in ("h", "m"):
        stamps = stamps.astype("datetime64[s]")
    return [stamp_as_text(text, aware) for text in np.datetime_as_string(stamps).tolist()]


def sorted_values(values: Iterable[Scalar]) -> tuple[Scalar, ...]:
    """Return values in a fixed order: truth values and numbers by size, then text by its characters.

    This is the order of values found in a column. It depends on nothing but the values, and text never counts
    as a number. Compare :func:`in_natural_order`.

    Examples
    --------
    >>> sorted_values(("b", 10, "a", 9)), sorted_values(("10", "9"))
    ((9, 10, 'a', 'b'), ('10', '9'))
    """
    return tuple(sorted(values, key=lambda value: (isinstance(value, str), value)))


def in_natural_order(values: Iterable[str]) -> tuple[str, ...]:
    """Return distinct texts in an order in which numbers inside them increase.

    This is the order in which people list a domain; bundled data sets declare their domains so. Compare
    :func:`sorted_values`.

    Examples
    --------
    >>> in_natural_order(["10", "9", "-1.5"]), in_natural_order(["10-14", "5-9", "none"])
    (('-1.5', '9', '10'), ('5-9', '10-14', 'none'))
    """
    distinct = set(values)
    try:
        return tuple(sorted(distinct, key=lambda value: (float(value), value)))
    except ValueError:
        return tuple(sorted(distinct, key=_natural_key))


def _natural_key(value: str) -> tuple[list[tuple[bool, int, str]], str]:
    parts = [part for part in re.split(r"([0-9]+)", value) if part]
    return [(not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts], value


def joined(text: str) -> str:
    """Return text in which surrogate pairs are replaced by the characters they encode.

    Writing the text to a file and reading it again has the same effect.

    Examples
    --------
    >>> joined("\\ud83d\\ude00"), joined("\\ud83d")
    ('😀', '\\ud83d')
    """
    # Nearly all text is ASCII, and this test does not look at every character.
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


def _whole(value: Any) -> int:
    number = int(value)
    if abs(number) > LARGEST:
        raise UnusableValue(f"the number {shown(number)} is too large; convert it to text")
    return number


def _float(value: Any) -> Scalar:
    if np.isinf(value):
        raise UnusableValue(
            "the value is infinite (infinity); replace it by a number, or by NaN if it is missing"
        )
    if value == np.floor(value):
        return _whole(value)
    return float(without_numpy(value))


def _nearest(value: Any) -> Scalar:
    """Return a decimal or a fraction: exact if it is whole, else the nearest float64."""
    if isinstance(value, Decimal) and len(value.as_tuple().digits) > MAX_DIGITS:
        what = f"a number of more than {MAX_DIGITS} digits"
        raise UnusableValue(f"{what}; convert the column to floats, or to text")
    try:
        number = float(value)
    except OverflowError:
        raise UnusableValue(f"the number {shown(value)} is too large; convert it to text") from None
    if abs(number) < LARGEST_EXACT or np.isinf(number):
        return _float(number)
    return int(value) if int(value) == value else number


def _moment(value: datetime.datetime) -> str:
    aware = value.utcoffset() is not None
    if aware:
        try:
            value = value.astimezone(datetime.UTC)
        except OverflowError:
            raise UnusableValue(
                f"the time {shown(value)} has no counterpart in UTC; convert it to text"
            ) from None
    return stamp_as_text(value.replace(tzinfo=None).isoformat(), aware)


def _refused(value: Any) -> str:
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise UnusableValue(f"the value {shown(value)} is bytes; decode it to text")
    what = "time of day" if isinstance(value, datetime.time) else "duration"
    raise UnusableValue(f"the value {shown(value)} is a {what}; convert the column to seconds, as numbers")


_FORMS: tuple[tuple[Any, Callable[[Any], Scalar]], ...] = (
    (str, lambda value: joined(str.__str__(value))),  # that of a subclass may be anything
    ((bool, np.bool_), bool),
    # numpy's durations are whole numbers to Python, so times come first.
    (np.datetime64, lambda value: stamps_as_text(np.array([value]))[0]),
    ((np.timedelta64, datetime.timedelta, datetime.time, bytes, bytearray, memoryview), _refused),
    (Integral, _whole),
    ((float, np.floating), _float),
    ((Decimal, Fraction, Real), _nearest),
    (datetime.datetime, _moment),
    (datetime.date, datetime.date.isoformat),
)


def stamp_as_text(text: str, aware: bool) -> str:
    """Return a date with a time in canonical form, from its ISO form (in UTC if ``aware``)."""
    return f"{trimmed(text)}+00:00" if aware else trimmed(text).removesuffix("T00:00:00")


def trimmed(text: str) -> str:
    """Return text without zeros at the end of a fraction."""
    return text.rstrip("0").rstrip(".") if "." in text else text
