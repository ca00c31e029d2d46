"""Arrays of cells to columns."""

from collections.abc import Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..typing import BoolArray, IntArray, Scalar
from ._messages import shown
from .column import Column, Factor, Numbers

LARGEST_EXACT = 2**53
"""Whole numbers beyond this lose digits as floats."""


def from_cells(name: str, cells: NDArray[Any]) -> Column:
    """A column from a 1-d array of any type."""
    if isinstance(cells, np.ma.MaskedArray):
        cells = _with_none(cells.data, np.ma.getmaskarray(cells))
    kind = cells.dtype.kind
    if kind in "iu":
        return Numbers(name, cells)
    if kind == "f":
        return _finite(Numbers(name, cells if cells.itemsize <= 8 else cells.astype(np.float64)))
    if kind == "b":
        return Factor(name, cells.astype(np.int64), (False, True), declared=True)
    if kind == "c":
        raise DataError(f"column {name!r}: Complex data not supported; pass categories or real numbers")
    if kind == "S":
        raise DataError(f"column {name!r}: the values are bytes; decode them to text")
    if kind == "U":
        values, positions = np.unique(cells, return_inverse=True)
        return Factor(name, positions.astype(np.int64).ravel(), tuple(values.tolist()))
    if kind in "mM":
        cells = _with_none(times_as_text(cells), np.isnat(cells))
    return from_objects(name, cells.astype(object))


def from_objects(name: str, cells: NDArray[Any]) -> Column:
    """A column from an array of Python objects."""
    seen: dict[Any, int] = {}
    try:
        positions = np.fromiter((seen.setdefault(cell, len(seen)) for cell in cells), np.int64, len(cells))
    except TypeError:
        row = next(row for row, cell in enumerate(cells) if not _is_hashable(cell))
        raise DataError(
            f"column {name!r}, row {row}: a cell of type {type(cells[row]).__name__} is not a value; "
            "argument must be a string or a number"
        ) from None
    present = [value for value in seen if not _is_missing(value)]
    place = {value: position for position, value in enumerate(present)}
    renumbered = [-1 if _is_missing(value) else place[value] for value in seen]
    positions = np.array(renumbered or [0], dtype=np.int64)[positions]
    if present and all(_is_number(value) for value in present):
        return _from_numbers(name, present, positions)
    if present and all(isinstance(value, (bool, np.bool_)) for value in present):
        truth = np.array([*(int(value) for value in present), -1], dtype=np.int64)
        return Factor(name, truth[positions], (False, True), declared=True)
    return Factor(name, positions, scalars(name, present))


def scalars(name: str, values: Sequence[Any]) -> tuple[Scalar, ...]:
    """Values as plain Python ones."""
    return tuple(_scalar(name, value) for value in values)


def times_as_text(times: NDArray[Any]) -> NDArray[Any]:
    """Dates and times in ISO form, without zeros at the end of a fraction of a second.

    Examples
    --------
    >>> times_as_text(np.array(["2020-01-02T03:04:05.500"], dtype="datetime64[us]"))
    array(['2020-01-02T03:04:05.5'], dtype=object)
    """
    if times.dtype.kind == "M" and np.datetime_data(times.dtype)[0] in ("h", "m"):
        times = times.astype("datetime64[s]")
    texts = times.astype(str).astype(object)
    return np.array([text.rstrip("0").rstrip(".") if "." in text else text for text in texts], dtype=object)


def _from_numbers(name: str, present: list[Any], positions: IntArray) -> Column:
    whole = all(isinstance(value, Integral) for value in present)
    largest = max(abs(value) for value in present)
    if whole and positions.min(initial=0) >= 0 and largest < 2**63:
        return Numbers(name, np.array([int(value) for value in present], dtype=np.int64)[positions])
    if whole and LARGEST_EXACT < largest < 2**64:
        # As floats, neighbouring numbers of this size would be one and the same.
        return Factor(name, positions, tuple(int(value) for value in present))
    try:
        numbers = np.array([*(float(value) for value in present), np.nan])[positions]
    except OverflowError:
        raise DataError(
            f"column {name!r}: the number {shown(max(present, key=abs))} is too large; convert it to text"
        ) from None
    return _finite(Numbers(name, numbers))


def _with_none(cells: NDArray[Any], missing: BoolArray) -> NDArray[Any]:
    objects = cells.astype(object)
    objects[missing] = None
    return objects


def _finite(column: Numbers) -> Numbers:
    infinite = np.isinf(column.numbers)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise DataError(
            f"column {column.name!r}, row {row}: the value is infinite (infinity); replace it by a number, "
            "or by NaN if it is missing"
        )
    return column


def _scalar(name: str, value: Any) -> Scalar:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, (str, bool, int)):
        return plain
    if isinstance(plain, (float, Decimal)):
        number = float(plain)
        if np.isinf(number):
            raise DataError(
                f"column {name!r}: a value is infinite (infinity); replace it by a number, or by NaN if it "
                "is missing"
            )
        return int(number) if number.is_integer() else number
    if isinstance(plain, bytes):
        raise DataError(f"column {name!r}: the value {shown(plain)} is bytes; decode it to text")
    if hasattr(plain, "isoformat"):
        return str(plain.isoformat())
    if type(plain).__module__.startswith("pandas"):
        return str(plain)  # intervals and periods
    raise DataError(
        f"column {name!r}: the value {shown(plain)} of type {type(plain).__name__} is not a category; "
        "convert it to text or a number"
    )


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, (Real, Decimal, np.number)) and not isinstance(
        value, (bool, np.bool_, np.complexfloating)
    )


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
