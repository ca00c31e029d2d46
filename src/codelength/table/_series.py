"""Conversion of series of any data frame library to columns."""

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ._arrays import from_cells, from_distinct, from_objects, from_times
from ._messages import shown
from .checks import check_distinct
from .column import Column, Factor
from .values import clocks_as_text, joined

_NOT_A_TIME = np.iinfo(np.int64).min
_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def names_of(labels: Sequence[Any]) -> tuple[tuple[str, ...], bool]:
    """Return the names of a frame's columns; ``x0, x1, ...`` if none is text.

    Parameters
    ----------
    labels : sequence
        Labels of the columns.

    Returns
    -------
    names : tuple of str
        Names of the columns.
    named : bool
        True if the labels are the names.

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
    """Return a column from a series of any library."""
    native, implementation = series.to_native(), series.implementation
    if implementation.is_polars():
        return _from_polars(name, native)
    if implementation.is_pyarrow():
        return from_arrow(name, native)
    # Libraries without a path of their own here are read cell by cell.
    if not implementation.is_pandas_like():
        return from_objects(name, _objects(series.to_list()))
    if type(native.dtype).__name__ == "ArrowDtype":
        return from_arrow(name, native.array.__arrow_array__())
    return _from_pandas(name, native)


def _from_pandas(name: str, native: Any) -> Column:
    dtype = native.dtype
    # The categories are the declared domain, also those that no cell has.
    if hasattr(native, "cat"):
        return from_distinct(name, native.cat.categories.tolist(), native.cat.codes.to_numpy(), declared=True)
    if isinstance(dtype, np.dtype):
        return from_cells(name, native.to_numpy())
    if hasattr(dtype, "numpy_dtype"):  # whole numbers, floats and truth values with gaps
        # Filled with zeros: by default pandas makes objects, or floats, of whole numbers with gaps.
        filled = native.to_numpy(dtype=dtype.numpy_dtype, na_value=dtype.numpy_dtype.type(0))
        return from_cells(name, filled, native.isna().to_numpy())
    if getattr(dtype, "tz", None) is not None:
        return from_times(name, native.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy(), aware=True)
    if dtype.name in ("str", "string"):
        positions, texts = native.factorize()
        return from_distinct(name, texts.tolist(), positions)
    return from_objects(name, np.asarray(native, dtype=object))


def _from_polars(name: str, native: Any) -> Column:
    import polars as pl

    dtype = native.dtype
    if dtype == pl.Enum:
        positions = native.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
        return Factor(name, positions, tuple(dtype.categories.to_list()), declared=True)
    if dtype in (pl.String, pl.Categorical):
        texts = native.cast(pl.String)
        values = texts.drop_nulls().unique()
        # As an Enum of its own values: physical codes of a Categorical refer to a string cache of the
        # process, with gaps.
        positions = texts.cast(pl.Enum(values)).to_physical().cast(pl.Int64).fill_null(-1)
        return Factor(name, positions.to_numpy(), tuple(values.to_list()))
    # numpy has neither decimals nor 128 bits; Python's objects are exact.
    if dtype.is_decimal() or str(dtype).endswith("128"):
        return from_objects(name, _objects(native.to_list()))
    if dtype.is_temporal():
        # Counts keep the unit of the column, and there are counts of times of day, which numpy lacks.
        counts = native.to_physical().cast(pl.Int64).fill_null(_NOT_A_TIME).to_numpy()
        unit = "D" if dtype == pl.Date else getattr(dtype, "time_unit", "ns")
        return _from_counts(name, counts, _time_kind(dtype, pl), unit, getattr(dtype, "time_zone", None))
    if dtype == pl.Boolean or dtype.is_numeric():
        missing = native.is_null().to_numpy() if native.null_count() else None
        return from_cells(name, native.fill_null(0 if dtype != pl.Boolean else False).to_numpy(), missing)
    if native.null_count() == len(native):
        return _nothing(name, len(native))
    raise _not_categorical(name, dtype)


def _time_kind(dtype: Any, pl: Any) -> str:
    return "time" if dtype == pl.Time else "m" if dtype == pl.Duration else "M"


def declares(field: Any) -> bool:
    """Return True if the dictionary of an Arrow field is a declared domain.

    That of a Polars Categorical is not: it lists whatever values were found, and Polars marks the field.
    """
    return not any(key.startswith(b"_PL_CATEGORICAL") for key in field.metadata or ())


def from_arrow(name: str, array: Any, *, declared: bool = True) -> Column:
    """Return a column from an Arrow array, in one chunk or in several.

    Parameters
    ----------
    name : str
        Name of the column.
    array : pyarrow.Array or pyarrow.ChunkedArray
        The cells.
    declared : bool
        True if the values of a dictionary are a declared domain.

    Returns
    -------
    Column
        The cells; null is missing.
    """
    import pyarrow as pa

    array = in_one_piece(array)
    kind, types = array.type, pa.types
    if types.is_dictionary(kind):
        # Encoded afresh, so that values that no cell has are dropped.
        cells = array if declared else in_one_piece(array.dictionary_decode()).dictionary_encode()
        return from_distinct(name, cells.dictionary.to_pylist(), _indices(cells), declared=declared)
    if (
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_string_view(kind)
        or types.is_decimal(kind)
    ):
        encoded = in_one_piece(array.cast(pa.large_string()) if types.is_string_view(kind) else array)
        encoded = encoded.dictionary_encode()
        return from_distinct(name, encoded.dictionary.to_pylist(), _indices(encoded))
    if types.is_temporal(kind) and kind != pa.month_day_nano_interval():
        unit = "D" if types.is_date32(kind) else getattr(kind, "unit", "ms")
        # Arrow casts times only to integers of their own width.
        width = pa.int32() if kind.bit_width == 32 else pa.int64()
        counts = array.cast(width).cast(pa.int64()).fill_null(_NOT_A_TIME).to_numpy(zero_copy_only=False)
        form = "time" if types.is_time(kind) else "m" if types.is_duration(kind) else "M"
        return _from_counts(name, counts, form, unit, getattr(kind, "tz", None))
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind):
        missing = array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None
        filled = array.fill_null(pa.scalar(0).cast(kind)) if array.null_count else array
        return from_cells(name, filled.to_numpy(zero_copy_only=False), missing)
    if array.null_count == len(array):
        return _nothing(name, len(array))
    raise _not_categorical(name, kind)


def _from_counts(name: str, counts: NDArray[Any], form: str, unit: str, zone: str | None) -> Column:
    """Return a column from times counted in a unit: dates, durations or times of day."""
    if form != "time":
        return from_times(name, counts.view(f"{form}8[{unit}]"), aware=zone is not None)
    present = counts != _NOT_A_TIME
    distinct, places = np.unique(counts[present], return_inverse=True)
    positions = np.full(len(counts), -1, dtype=np.int64)
    positions[present] = places.ravel()
    return from_distinct(name, clocks_as_text(distinct * _NANOSECONDS[unit]), positions)


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


def _objects(cells: list[Any]) -> NDArray[Any]:
    objects = np.empty(len(cells), dtype=object)
    objects[:] = cells
    return objects


def _nothing(name: str, n_rows: int) -> Column:
    return Factor(name, np.full(n_rows, -1, dtype=np.int64), ())


def _not_categorical(name: str, dtype: Any) -> DataError:
    return DataError(
        f"column {name!r}: cells of type {dtype} are not categorical; convert them to text or numbers"
    )
