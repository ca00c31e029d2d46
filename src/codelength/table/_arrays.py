"""Arrays of cells to columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..typing import BoolArray, Scalar
from .column import Column, Factor, Numbers


def from_cells(name: str, cells: NDArray[Any]) -> Column:
    if isinstance(cells, np.ma.MaskedArray):
        cells = _with_none(cells.data, np.ma.getmaskarray(cells))
    kind = cells.dtype.kind
    if kind in "iu":
        return Numbers(name, cells)
    if kind == "f":
        return _finite(Numbers(name, cells))
    if kind == "b":
        return Factor(name, cells.astype(np.int64), (False, True), declared=True)
    if kind == "c":
        raise DataError(f"column {name!r}: Complex data not supported; pass categories or real numbers")
    if kind in "mM":
        cells = _with_none(cells.astype(str), np.isnat(cells))
    elif kind in "US":
        values, positions = np.unique(cells.astype(str), return_inverse=True)
        return Factor(name, positions.astype(np.int64).ravel(), tuple(values.tolist()))
    return from_objects(name, cells.astype(object))


def from_objects(name: str, cells: NDArray[Any]) -> Column:
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
    renumbered = np.array(
        [-1 if _is_missing(value) else place[value] for value in seen] or [0], dtype=np.int64
    )
    positions = renumbered[positions]
    if present and all(_is_number(value) for value in present):
        numbers = np.array([*present, np.nan], dtype=np.float64)[positions]
        return _finite(Numbers(name, numbers))
    return Factor(name, positions, scalars(name, present))


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


def scalars(name: str, values: Sequence[Any]) -> tuple[Scalar, ...]:
    return tuple(_scalar(name, value) for value in values)


def _scalar(name: str, value: Any) -> Scalar:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, (str, bool, int)):
        return plain
    if isinstance(plain, float):
        return int(plain) if plain.is_integer() else plain
    if isinstance(plain, bytes):
        raise DataError(f"column {name!r}: the value {plain!r} is bytes; decode it to text")
    if hasattr(plain, "isoformat"):
        return str(plain.isoformat())
    try:
        return _scalar(name, float(plain))
    except (TypeError, ValueError):
        raise DataError(
            f"column {name!r}: the value {plain!r} of type {type(plain).__name__} is not a category; "
            "convert it to text or a number"
        ) from None


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(
        value, (bool, np.bool_)
    )


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
