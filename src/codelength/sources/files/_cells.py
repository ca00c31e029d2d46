"""Columns of cells as writers take them, and the text of each cell in a file."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...table.values import trimmed, widened

__all__ = ["ArrowCells", "ColumnDict", "json_text", "object_array", "plain_cells", "repeated", "values_of"]

# Digits after the point of a second, by the unit of a duration.
_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


@dataclass(frozen=True, eq=False)
class ArrowCells:
    """An Arrow array as a column to write.

    Examples
    --------
    >>> import pyarrow as pa
    >>> ArrowCells(pa.array([1577836800, None], pa.timestamp("s", "Europe/Helsinki"))).tolist()
    ['2020-01-01T00:00:00+00:00', None]
    """

    array: Any

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.array)

    def tolist(self) -> list[Any]:
        """Return the cells as text, numbers and truth values; times in ISO form, in UTC if aware."""
        return _values(self.array)


ColumnDict: TypeAlias = dict[str, NDArray[Any] | ArrowCells]
"""A table without a dataframe library: the cells of each column, by name."""


def object_array(cells: Sequence[Any]) -> NDArray[Any]:
    """Return a one-dimensional array of objects, whatever the cells are."""
    # np.array would make two dimensions of lists of equal length.
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def repeated(cells: NDArray[Any] | ArrowCells, times: int) -> NDArray[Any] | ArrowCells:
    """Return every cell ``times`` times in a row."""
    if isinstance(cells, ArrowCells):
        return ArrowCells(cells.array.take(np.repeat(np.arange(len(cells)), times)))
    return np.repeat(cells, times)


def values_of(cells: NDArray[Any] | ArrowCells) -> list[Any]:
    """Return cells as plain Python values.

    Parameters
    ----------
    cells : array or ArrowCells
        The cells.

    Returns
    -------
    list
        Text, numbers and truth values; None if missing.
    """
    if isinstance(cells, ArrowCells):
        return cells.tolist()
    if cells.dtype.kind == "f":
        # float64 before object, because a float32 scalar is not a Python float.
        objects = cells.astype(np.float64).astype(object)
        objects[np.isnan(cells)] = None
        return list(objects)
    if cells.dtype.kind in "mM":
        return list(cells.astype(str))
    listed: list[Any] = cells.tolist()
    return [_value(cell) for cell in listed] if cells.dtype.kind == "O" else listed


def plain_cells(cells: NDArray[Any] | ArrowCells) -> list[Any]:
    """Return cells as a text file has them.

    Parameters
    ----------
    cells : array or ArrowCells
        The cells.

    Returns
    -------
    list
        Text and numbers; None if missing, and truth values, decimals, lists and dicts as text.

    Examples
    --------
    >>> plain_cells(np.array([True, False]))
    ['true', 'false']
    """
    return [_plain(value) for value in values_of(cells)]


def json_text(value: Any) -> str:
    """Return a value as JSON; numbers that JSON lacks (infinities, NaN) become null.

    Examples
    --------
    >>> print(json_text({"price": Decimal("1.50"), "sizes": [1, float("inf")]}))
    {"price": 1.50, "sizes": [1, null]}
    """
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else "null"
    if isinstance(value, Decimal):
        return f"{value:f}" if value.is_finite() else "null"
    if isinstance(value, dict):
        members = (f"{json.dumps(str(key))}: {json_text(own)}" for key, own in value.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(json_text, value))}]"
    return json.dumps(value)


def _value(cell: Any) -> Any:
    """Return a Python object for a cell, or a member of one: None for NaN, times and bytes as text."""
    value = cell.item() if isinstance(cell, np.generic) else cell
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if value is None or isinstance(value, (str, int, Decimal)):
        return value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {key: _value(own) for key, own in value.items()}
    if isinstance(value, timedelta):
        return _seconds_as_text(value // timedelta(microseconds=1), 6)
    if hasattr(value, "nanoseconds") and hasattr(value, "months"):
        return _interval(value.months, value.days, value.nanoseconds)
    if isinstance(value, (list, tuple)):
        return [_value(own) for own in value]
    return value.isoformat() if isinstance(value, (date, datetime, time)) else str(value)


def _interval(months: int, days: int, nanoseconds: int) -> str:
    """Return an interval in the form of ISO 8601.

    Examples
    --------
    >>> _interval(1, 2, 1_500_000_000), _interval(0, 1, 0), _interval(0, 0, 0)
    ('P1M2DT1.5S', 'P1D', 'PT0S')
    """
    seconds = _seconds_as_text(nanoseconds, 9).removesuffix(" s")
    calendar = "".join(f"{count}{unit}" for count, unit in ((months, "M"), (days, "D")) if count)
    return f"P{calendar}" + (f"T{seconds}S" if nanoseconds or not calendar else "")


def _plain(value: Any) -> Any:
    """Return a value as a text file has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:f}"
    return json_text(value) if isinstance(value, (list, dict)) else value


def _values(array: Any) -> list[Any]:
    """Return the cells of an array of any type as text, numbers and truth values."""
    import pyarrow as pa

    types, kind = pa.types, array.type
    if types.is_dictionary(kind):
        return _values(array.dictionary_decode())
    if isinstance(kind, pa.BaseExtensionType):
        return _values(array.storage)
    if types.is_floating(kind):
        numbers = array.to_numpy(zero_copy_only=False)
        return [None if number != number else number for number in widened(numbers).tolist()]
    if types.is_duration(kind):
        n_digits = _DIGITS[kind.unit]
        return _each(array.cast(pa.int64()), lambda count: _seconds_as_text(count, n_digits))
    if types.is_date(kind):
        return list(array.cast(pa.date32()).cast(pa.string()).to_pylist())
    if types.is_timestamp(kind):
        zone = "" if kind.tz is None else "+00:00"
        texts = array.cast(pa.timestamp(kind.unit)).cast(pa.string())
        return _each(texts, lambda text: trimmed(text.replace(" ", "T")) + zone)
    if types.is_time(kind):
        return _each(array.cast(pa.string()), trimmed)
    return [_value(cell) for cell in array.to_pylist()]


def _each(array: Any, convert: Callable[[Any], str]) -> list[Any]:
    """Apply a function to every cell that is not missing."""
    return [None if cell is None else convert(cell) for cell in array.to_pylist()]


def _seconds_as_text(count: int, n_digits: int) -> str:
    """Return a duration, in units of ``10 ** -n_digits`` seconds, as text.

    Examples
    --------
    >>> _seconds_as_text(-250, 3)
    '-0.25 s'
    """
    # Of the absolute value, because divmod rounds down: -0.25 s would be written as -1.75.
    whole, fraction = divmod(abs(count), 10**n_digits)
    return f"{'-' if count < 0 else ''}{trimmed(f'{whole}.{fraction:0{n_digits}}')} s"
