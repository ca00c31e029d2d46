"""Conversion of series of any data frame library to columns."""

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..typing import FloatArray
from ._arrays import from_cells, from_distinct, from_objects, from_times, too_large
from ._messages import shown
from .checks import check_distinct
from .column import Column, Factor
from .values import LARGEST_EXACT, joined

_NOT_A_TIME = np.iinfo(np.int64).min


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
        unit = "D" if types.is_date32(kind) else getattr(kind, "unit", "ms")
        # Arrow casts times only to integers of their own width.
        width = pa.int32() if kind.bit_width == 32 else pa.int64()
        counts = array.cast(width).cast(pa.int64()).fill_null(_NOT_A_TIME).to_numpy(zero_copy_only=False)
        return from_times(name, counts.view(f"M8[{unit}]"), aware=getattr(kind, "tz", None) is not None)
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
