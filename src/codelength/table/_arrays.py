"""Conversion of arrays and series of any library to columns.

Order of reading: :func:`from_series` and :func:`from_arrow` (cells of frames), :func:`from_cells` (numpy) and
:func:`from_objects` (Python), all of which end in :func:`from_distinct`. Depends on ``values``, which gives
each value its one form.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..typing import BoolArray, FloatArray, IntArray, Scalar
from ._messages import shown
from .checks import check_distinct
from .column import Column, Factor, Numbers, Positions
from .values import (
    LARGEST_EXACT,
    MAX_DIGITS,
    UnusableValue,
    canonical,
    is_missing,
    is_number,
    joined,
    stamps_as_text,
    widened,
)


def names_of(labels: Sequence[Any]) -> tuple[tuple[str, ...], bool]:
    """Return the names of a frame's columns, ``x0, x1, ...`` if none is text; True if they are its own.

    Examples
    --------
    >>> names_of(["size", "colour"]), names_of([0, 1])
    ((('size', 'colour'), True), (('x0', 'x1'), False))
    """
    check_distinct(labels)
    others = [label for label in labels if not isinstance(label, str)]
    if len(others) == len(labels):
        return tuple(f"x{i}" for i in range(len(labels))), False
    if others:
        raise DataError(
            f"column {shown(others[0])}: its name is not text, as other names are; convert all of them, "
            "frame.columns = frame.columns.astype(str)"
        )
    return tuple(map(joined, labels)), True


def from_series(name: str, series: nw.Series[Any]) -> Column:
    """Return a column from a series of any library, through Arrow if Arrow has its type."""
    native, implementation = series.to_native(), series.implementation
    if implementation.is_pyarrow():
        return from_arrow(name, native)
    if implementation.is_polars():
        frame = with_decimals(native.to_frame()).to_arrow()
        return from_arrow(name, frame.column(0), declared=declares(frame.schema.field(0)))
    if hasattr(native, "cat"):  # categories may be of types that Arrow lacks, such as intervals
        return from_distinct(name, native.cat.categories.tolist(), native.cat.codes.to_numpy(), declared=True)
    if isinstance(native.dtype, np.dtype) and native.dtype.kind != "O":
        return from_cells(name, native.to_numpy())
    import pyarrow as pa

    try:
        # Objects of several types, which Arrow refuses or reads in its own way.
        array = None if native.dtype == object else pa.Array.from_pandas(native)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        array = None
    if array is None or isinstance(array.type, pa.BaseExtensionType):
        return from_objects(name, native.tolist())
    return from_arrow(name, array)


def with_decimals(frame: Any) -> Any:
    """Return a Polars frame with decimals for whole numbers of 128 bits, which Arrow lacks."""
    import polars as pl

    wide = [name for name, dtype in frame.schema.items() if str(dtype).endswith("128")]
    return frame.with_columns(pl.col(wide).cast(pl.Decimal(38, 0))) if wide else frame


def declares(field: Any) -> bool:
    """Return True if the dictionary of an Arrow field is a declared domain.

    That of a Polars Categorical is not: it lists whatever values were found, and Polars marks the field.
    """
    return not any(key.startswith(b"_PL_CATEGORICAL") for key in field.metadata or ())


def from_arrow(name: str, array: Any, *, declared: bool = True) -> Column:
    """Return a column from an Arrow array in one or several chunks; null is missing.

    If ``declared``, the values of a dictionary are a declared domain.
    """
    import pyarrow as pa

    array = in_one_piece(array)
    kind, types = array.type, pa.types
    if types.is_dictionary(kind):
        # Encoded afresh, so that values that no cell has are dropped.
        cells = array if declared else in_one_piece(array.dictionary_decode()).dictionary_encode()
        return from_distinct(name, cells.dictionary.to_pylist(), _indices(cells), declared=declared)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        encoded = (array.cast(pa.large_string()) if types.is_string_view(kind) else array).dictionary_encode()
        return from_distinct(name, encoded.dictionary.to_pylist(), _indices(encoded))
    if types.is_timestamp(kind) or types.is_date(kind):
        times = array.to_numpy(zero_copy_only=False)
        return from_times(name, times, aware=getattr(kind, "tz", None) is not None)
    if types.is_decimal(kind):
        return from_cells(name, floats_of_decimals(name, array))
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind):
        missing = array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None
        filled = array.fill_null(pa.scalar(0).cast(kind)) if array.null_count else array
        return from_cells(name, filled.to_numpy(zero_copy_only=False), missing)
    if array.null_count == len(array):
        return Factor(name, np.full(len(array), -1, dtype=np.int64), ())
    what = "convert them to text or numbers"
    if types.is_duration(kind) or types.is_time(kind):
        what = "convert them to seconds, as numbers"
    raise DataError(f"column {name!r}: cells of type {kind} are not categorical; {what}")


def floats_of_decimals(name: str, array: Any) -> FloatArray:
    """Return decimals as the nearest floats, NaN if missing; raise if a whole number would lose digits."""
    import pyarrow as pa

    if array.type.precision > MAX_DIGITS:
        raise DataError(
            f"column {name!r}: numbers of more than {MAX_DIGITS} digits; convert them to floats, or to text"
        )
    # Through text, because that rounds once.
    numbers = array.cast(pa.string()).cast(pa.float64()).to_numpy(zero_copy_only=False)
    largest = np.nanmax(np.abs(numbers), initial=0) if len(numbers) else 0
    if largest > LARGEST_EXACT and not array.type.scale > 0:
        raise too_large(name)
    return np.asarray(numbers, dtype=np.float64)


def in_one_piece(array: Any) -> Any:
    """Return the chunks of an Arrow array as one array; their dictionaries may differ."""
    if hasattr(array, "combine_chunks"):
        array = array.combine_chunks()
    # combine_chunks may still return a chunked array, of one chunk or none.
    if not hasattr(array, "num_chunks"):
        return array
    import pyarrow as pa

    return array.chunk(0) if array.num_chunks else pa.array([], array.type)


def _indices(encoded: Any) -> NDArray[Any]:
    indices: NDArray[Any] = encoded.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    return indices


def from_cells(name: str, cells: NDArray[Any], missing: BoolArray | None = None) -> Column:
    """Return a column from a 1-d array of any type: numbers if an array holds them exactly, else a factor.

    Cells that are masked or ``missing`` are missing, whatever their content.
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
        if missing is None or not missing.any():
            return Numbers(name, cells)
        # As float64, which has NaN for missing cells, large numbers would lose digits.
        if loses_digits(cells[~missing]):
            return _from_distinct_of(name, cells, missing, np.ndarray.tolist)
        return Numbers(name, np.where(missing, np.nan, cells.astype(np.float64)))
    if kind == "m":
        raise DataError(f"column {name!r}: cells of type {cells.dtype} are durations; convert to seconds")
    if kind == "M":
        return from_times(name, cells, missing)
    objects = cells.astype(object)
    if missing is not None:
        objects[missing] = None
    return from_objects(name, objects.tolist())


def from_objects(name: str, cells: Sequence[Any]) -> Column:
    """Return a column from Python objects."""
    # Look-ups without a line of Python per cell take half the time of a loop.
    kinds = set(map(type, cells))
    if kinds and kinds <= {int, float, np.float64}:
        array = np.array(cells)
        # Beyond 2**53 neighbouring whole numbers are the same float.
        if array.dtype == np.int64 or int not in kinds or not (np.abs(array) >= LARGEST_EXACT).any():
            return from_cells(name, array)
    try:
        # A dictionary takes True and 1 for one value, named after the first.
        has_truths = len(kinds) > 1 and bool(kinds & {bool, np.bool_})
        if has_truths and any(is_number(cell) and not is_missing(cell) for cell in cells):
            cells = [int(cell) if isinstance(cell, (bool, np.bool_)) else cell for cell in cells]
        # It also takes both hours of a change of clocks for one.
        if any(issubclass(kind, datetime) for kind in kinds):
            is_aware = [isinstance(cell, datetime) and cell.tzinfo is not None for cell in cells]
            cells = [canonical(cell) if aware else cell for cell, aware in zip(cells, is_aware, strict=True)]
        # In order of first occurrence, so that the result does not depend on hashes.
        seen = {cell: place for place, cell in enumerate(dict.fromkeys(cells))}
        positions = np.fromiter(map(seen.__getitem__, cells), np.int64, len(cells))
    except Exception:  # what hashing and comparing foreign objects raises is up to them
        seen, positions = _distinct_slowly(name, cells)
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

    Truth values in a column of numbers are numbers. A missing cell has place -1; so has one more entry, so
    that position -1 is missing too. Positions of the rows' cells are for messages.
    """
    # Text is its own canonical form, except for surrogate pairs.
    is_text = set(map(type, cells)) == {str}
    plain = list(map(joined, cells)) if is_text else _canonical_cells(name, cells, positions)
    places: dict[Scalar, int] = {}
    found = [-1 if value is None else places.setdefault(value, len(places)) for value in plain]
    return tuple(places), np.array([*found, -1], dtype=np.int64)


def from_times(
    name: str, times: NDArray[Any], missing: BoolArray | None = None, *, aware: bool = False
) -> Column:
    """Return a column from an array of dates; ``aware`` ones are given in UTC."""
    absent = np.isnat(times) if missing is None else np.isnat(times) | missing
    try:
        return _from_distinct_of(name, times, absent, partial(stamps_as_text, aware=aware))
    except UnusableValue as error:
        raise DataError(f"column {name!r}: {error}") from None


def _from_distinct_of(
    name: str, cells: NDArray[Any], missing: BoolArray, listed: Callable[[NDArray[Any]], list[Any]]
) -> Column:
    """Return a column from an array; its distinct cells are listed, because that is slow."""
    distinct, places = np.unique(cells[~missing], return_inverse=True)
    positions = np.full(len(cells), -1, dtype=np.int64)
    positions[~missing] = places.ravel()
    return from_distinct(name, listed(distinct), positions)


def loses_digits(whole: NDArray[Any]) -> bool:
    """Return True if a whole number is beyond those that float64 can tell apart.

    Examples
    --------
    >>> loses_digits(np.array([3, 2**53])), loses_digits(np.array([3, -(2**53) - 1]))
    (False, True)
    """
    return bool(len(whole)) and max(-int(whole.min()), int(whole.max())) > LARGEST_EXACT


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


def _canonical_cells(name: str, cells: Sequence[Any], positions: Positions | None) -> list[Scalar | None]:
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
        return [int(value) if isinstance(value, bool) else value for value in plain]
    return plain


def _distinct_slowly(name: str, cells: Sequence[Any]) -> tuple[dict[Any, int], IntArray]:
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
