"""Conversion of arrays of cells to columns."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..typing import BoolArray, FloatArray, IntArray, Scalar
from .column import Column, Factor, Numbers, Positions
from .values import (
    LARGEST_EXACT,
    UnusableValue,
    canonical,
    is_missing,
    is_number,
    joined,
    stamps_as_text,
    widened,
)


def from_cells(name: str, cells: NDArray[Any], missing: BoolArray | None = None) -> Column:
    """Return a column from a 1-d array of any type.

    Parameters
    ----------
    name : str
        Name of the column.
    cells : array of shape (n_rows,)
        The cells; the mask of a masked array marks missing ones.
    missing : array of bool, optional
        Further cells that are missing; their content is ignored.

    Returns
    -------
    Column
        Numbers if an array holds them exactly, else a factor.
    """
    if isinstance(cells, np.ma.MaskedArray):
        return from_cells(name, cells.data, np.ma.getmaskarray(cells))
    kind = cells.dtype.kind
    if kind == "c":
        raise DataError(f"column {name!r}: Complex data not supported; pass categories or real numbers")
    if kind == "S":
        raise DataError(f"column {name!r}: the values are bytes; decode them to text")
    if kind == "b":
        truths = cells.astype(np.int8)
        return Factor(
            name, truths if missing is None else np.where(missing, np.int8(-1), truths), (False, True), True
        )
    # Longer floats than float64 are handled as objects below, so that whole numbers stay exact.
    if kind == "f" and cells.itemsize <= 8:
        floats = widened(cells) if cells.itemsize < 8 else cells
        numbers = floats if missing is None else np.where(missing, np.nan, floats)
        check_finite_cells(name, numbers)
        return Numbers(name, numbers)
    if kind in "iu":
        return _from_integers(name, cells, missing)
    if kind == "m":
        raise DataError(f"column {name!r}: cells of type {cells.dtype} are durations; convert to seconds")
    if kind == "M":
        return from_times(name, cells, missing)
    # Sorted as it is, without a Python string for each cell.
    if kind == "U" and missing is None:
        values, positions = np.unique(cells, return_inverse=True)
        return from_distinct(name, values.tolist(), positions.astype(np.int64).ravel())
    objects = cells.astype(object)
    if missing is not None:
        objects[missing] = None
    return from_objects(name, objects)


def from_objects(name: str, cells: NDArray[Any]) -> Column:
    """Return a column from an array of Python objects."""
    # A list and look-ups without a line of Python per cell take half the time of a loop.
    listed = cells.tolist()
    kinds = set(map(type, listed))
    if _mixes_truths_and_numbers(listed, kinds):
        listed = [int(cell) if isinstance(cell, (bool, np.bool_)) else cell for cell in listed]
    try:
        if _has_aware_times(listed, kinds):
            listed = [canonical(cell) if isinstance(cell, datetime) else cell for cell in listed]
        # In order of first occurrence, so that the result does not depend on hashes.
        seen = {cell: place for place, cell in enumerate(dict.fromkeys(listed))}
        positions = np.fromiter(map(seen.__getitem__, listed), np.int64, len(listed))
    except Exception:  # what hashing and comparing foreign objects raises is up to them
        seen, positions = _distinct_slowly(name, listed)
    return from_distinct(name, list(seen), positions)


def from_distinct(
    name: str, values: Sequence[Any], positions: Positions, *, declared: bool = False
) -> Column:
    """Return a column from distinct cells and the position of the cell of each row.

    Parameters
    ----------
    name : str
        Name of the column.
    values : sequence
        Distinct cells of any type.
    positions : array of int
        Position of each row's cell in ``values``; -1 if missing.
    declared : bool
        True if the values are the declared domain; then they keep their order.

    Returns
    -------
    Column
        Numbers if all values are numbers that an array holds exactly, else a factor.
    """
    plain, places = canonical_values(name, values, positions)
    # Different cells may be one value, such as 1 and 1.0. Usually none are, and the positions can be shared.
    if not np.array_equal(places[:-1], np.arange(len(values))):
        positions = places[positions]
    if declared:
        return Factor(name, positions, plain, declared=True)
    kinds = set(map(type, plain))
    if kinds == {bool}:
        truth = np.array([*map(int, plain), -1], dtype=np.int8)
        return Factor(name, truth[positions], (False, True), declared=True)
    if kinds and kinds <= {int, float}:
        # Asked of the cells, because 2.0 is the int 2 in canonical form: a column of floats stays one.
        floats = any(isinstance(value, (float, np.floating)) and not np.isnan(value) for value in values)
        return _from_numbers(name, plain, positions, floats)
    return Factor(name, positions, plain)


def canonical_values(
    name: str, cells: Sequence[Any], positions: Positions | None = None
) -> tuple[tuple[Scalar, ...], IntArray]:
    """Return distinct values in canonical form, and the place of each cell among them.

    Truth values in a column of numbers are numbers.

    Parameters
    ----------
    name : str
        Name of the column, for messages.
    cells : sequence
        Cells of any type.
    positions : array of int, optional
        Positions of the rows' cells, for messages.

    Returns
    -------
    values : tuple
        The distinct values, in order of first occurrence.
    places : array of int
        Place of each cell; -1 for a missing cell. One more entry, -1, so that position -1 is missing too.
    """
    plain: tuple[Scalar | None, ...]
    # Text is its own canonical form, except for surrogate pairs.
    if set(map(type, cells)) == {str}:
        plain = tuple(map(joined, cells))
    else:
        plain = _canonical_cells(name, cells, positions)
    places: dict[Scalar, int] = {}
    found = [-1 if value is None else places.setdefault(value, len(places)) for value in plain]
    return tuple(places), np.array([*found, -1], dtype=np.int64)


def from_times(
    name: str, times: NDArray[Any], missing: BoolArray | None = None, *, aware: bool = False
) -> Column:
    """Return a column from an array of dates; ``aware`` ones are given in UTC."""
    absent = np.isnat(times) if missing is None else np.isnat(times) | missing
    # Text is made of distinct times only, because that is slow.
    distinct, places = np.unique(times[~absent], return_inverse=True)
    positions = np.full(len(times), -1, dtype=np.int64)
    positions[~absent] = places.ravel()
    try:
        texts = stamps_as_text(distinct, aware=aware)
    except UnusableValue as error:
        raise DataError(f"column {name!r}: {error}") from None
    return from_distinct(name, texts, positions)


def _from_integers(name: str, numbers: NDArray[Any], missing: BoolArray | None) -> Column:
    if missing is None or not missing.any():
        return Numbers(name, numbers)
    present = numbers[~missing]
    # As float64, which has NaN for missing cells, such numbers would lose digits.
    if len(present) and max(-int(present.min()), int(present.max())) > LARGEST_EXACT:
        distinct, places = np.unique(present, return_inverse=True)
        positions = np.full(len(numbers), -1, dtype=np.int64)
        positions[~missing] = places.ravel()
        return Factor(name, positions, tuple(distinct.tolist()))
    return Numbers(name, np.where(missing, np.nan, numbers.astype(np.float64)))


def _from_numbers(name: str, values: tuple[Any, ...], positions: Positions, floats: bool) -> Column:
    """Return numbers in the first array type that holds all of them exactly; a factor if none does."""
    whole = not floats and all(type(value) is int for value in values)
    if whole and positions.min(initial=0) >= 0:
        low, high = min(values), max(values)
        for kind in (np.int64, np.uint64):
            if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
                return Numbers(name, np.array(values, dtype=kind)[positions])
    elif all(
        abs(value) <= LARGEST_EXACT if whole else type(value) is float or int(float(value)) == value
        for value in values
    ):
        return Numbers(name, np.array([*map(float, values), np.nan])[positions])
    return Factor(name, positions, values)


def too_large(name: str) -> DataError:
    """Return the error about whole numbers that an array of numbers does not keep apart."""
    return DataError(
        f"column {name!r}: whole numbers beyond 2**53, which lose digits as numbers; convert the column to "
        "text to make categories of them, to floats if the last digits do not matter, or drop it"
    )


def as_objects(cells: Sequence[Any]) -> NDArray[Any]:
    """Return cells as a one-dimensional array of objects, whatever they are."""
    objects = np.empty(len(cells), dtype=object)
    for row, cell in enumerate(cells):
        # Assigned one by one: numpy would unpack cells that are sequences themselves.
        objects[row] = cell
    return objects


def _canonical_cells(
    name: str, cells: Sequence[Any], positions: Positions | None
) -> tuple[Scalar | None, ...]:
    plain: list[Scalar | None] = []
    for position, cell in enumerate(cells):
        try:
            plain.append(canonical(cell))
        except UnusableValue as error:
            rows = np.flatnonzero(np.asarray(positions) == position)
            where = f", row {rows[0]}" if len(rows) else ""
            raise DataError(f"column {name!r}{where}: {error}") from None
    kinds = set(map(type, plain))
    if bool in kinds and kinds & {int, float}:
        return tuple(int(value) if isinstance(value, bool) else value for value in plain)
    return tuple(plain)


def _has_aware_times(cells: list[Any], kinds: set[type]) -> bool:
    """Return True if there are times with a zone.

    A dictionary takes both hours of a change of clocks for one.
    """
    if not any(issubclass(kind, datetime) for kind in kinds):
        return False
    return any(isinstance(cell, datetime) and cell.tzinfo is not None for cell in cells)


def _mixes_truths_and_numbers(cells: list[Any], kinds: set[type]) -> bool:
    """Return True if both True and 1 may occur.

    A dictionary takes them for one value, named after the first.
    """
    if not kinds & {bool, np.bool_} or len(kinds) == 1:
        return False
    return any(is_number(cell) and not is_missing(cell) for cell in cells)


def _distinct_slowly(name: str, cells: list[Any]) -> tuple[dict[Any, int], IntArray]:
    """Return distinct cells if some cannot be compared with others, each in canonical form first."""
    seen: dict[Any, int] = {}
    positions = np.empty(len(cells), dtype=np.int64)
    for row, cell in enumerate(cells):
        try:
            hash(cell)
            value = canonical(cell)
        except UnusableValue as error:
            raise DataError(f"column {name!r}, row {row}: {error}") from None
        except Exception:
            raise DataError(
                f"column {name!r}, row {row}: a cell of type {type(cell).__name__} is not a value; "
                "argument must be a string or a number"
            ) from None
        positions[row] = seen.setdefault(value, len(seen))
    return seen, positions


def check_finite_cells(name: str, numbers: FloatArray, first_row: int = 0) -> None:
    """Raise if a cell is infinite; rows are counted from ``first_row``."""
    infinite = np.isinf(numbers)
    if infinite.any():
        row = first_row + int(np.argmax(infinite))
        raise DataError(
            f"column {name!r}, row {row}: the value is infinite (infinity); replace it by a number, or by "
            "NaN if it is missing"
        )
