"""Series of any data frame library to columns, through narwhals."""

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..typing import IntArray
from ._arrays import LARGEST_EXACT, from_cells, from_objects, scalars
from .column import Column, Factor


def from_series(name: str, series: nw.Series[Any]) -> Column:
    """A column from a series of any library."""
    dtype = series.dtype
    native = series.to_native()
    if dtype in (nw.Categorical, nw.Enum):
        return _from_categorical(name, series)
    if series.implementation.is_pandas_like() and native.dtype == object:
        # narwhals would judge the whole column by its first cells.
        return from_objects(name, np.asarray(native, dtype=object))
    if dtype == nw.Boolean or dtype.is_numeric():
        return from_cells(name, _numeric_cells(series))
    if dtype == nw.String:
        return _from_text(name, series)
    if dtype in (nw.Datetime, nw.Duration):
        return from_cells(name, _times(series))
    if dtype in (nw.Date, nw.Time):
        return from_objects(name, np.array(series.to_list(), dtype=object))
    if series.null_count() == len(series):
        return Factor(name, np.full(len(series), -1, dtype=np.int64), ())
    if series.implementation.is_pandas_like():
        return from_objects(name, np.asarray(native, dtype=object))
    raise DataError(
        f"column {name!r}: cells of type {dtype} are not categorical; convert them to text or numbers"
    )


def _numeric_cells(series: nw.Series[Any]) -> NDArray[Any]:
    has_missing = series.null_count() > 0
    if series.dtype == nw.Boolean:
        return np.array(series.to_list(), dtype=object) if has_missing else series.to_numpy().astype(bool)
    if series.dtype.is_decimal():
        return series.cast(nw.Float64).to_numpy().astype(np.float64)
    if has_missing and series.dtype.is_integer():
        present = series.drop_nulls()
        if len(present) and max(abs(int(present.min())), abs(int(present.max()))) > LARGEST_EXACT:
            return np.array(series.to_list(), dtype=object)
    if has_missing:
        return series.cast(nw.Float64).to_numpy().astype(np.float64)
    return np.asarray(series.to_numpy())


def _times(series: nw.Series[Any]) -> NDArray[Any]:
    """Times as numpy has them, those with a time zone at Greenwich."""
    if getattr(series.dtype, "time_zone", None) is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return np.asarray(series.to_numpy())


def _from_categorical(name: str, series: nw.Series[Any]) -> Column:
    native = series.to_native()
    implementation = series.implementation
    if implementation.is_pandas_like():
        values = native.cat.categories.tolist()
        return Factor(name, native.cat.codes.to_numpy().astype(np.int64), scalars(name, values), True)
    if implementation.is_pyarrow():
        positions, values = _arrow_dictionary(native)
        return Factor(name, positions, scalars(name, values), True)
    if series.dtype == nw.Enum:
        positions = native.to_physical().cast(int).fill_null(-1).to_numpy()
        return Factor(name, positions.astype(np.int64), tuple(native.dtype.categories.to_list()), True)
    return _from_text(name, series.cast(nw.String))


def _from_text(name: str, series: nw.Series[Any]) -> Column:
    """Distinct texts and positions, by the hash table of the frame's own library."""
    native = series.to_native()
    if series.implementation.is_polars():
        import polars as pl

        values = native.drop_nulls().unique()
        positions = native.cast(pl.Enum(values)).to_physical().cast(pl.Int64).fill_null(-1)
        return Factor(name, positions.to_numpy(), tuple(values.to_list()))
    if series.implementation.is_pandas_like():
        positions, uniques = native.factorize()
        return Factor(name, np.asarray(positions, dtype=np.int64), scalars(name, uniques.tolist()))
    if series.implementation.is_pyarrow():
        positions, values = _arrow_dictionary(native)
        return Factor(name, positions, scalars(name, values))
    return from_objects(name, np.array(series.to_list(), dtype=object))


def _arrow_dictionary(native: Any) -> tuple[IntArray, list[Any]]:
    combined = native.combine_chunks() if hasattr(native, "combine_chunks") else native
    chunk = combined.chunk(0) if hasattr(combined, "chunk") and combined.num_chunks else combined
    encoded = chunk.dictionary_encode() if not hasattr(chunk, "dictionary") else chunk
    positions = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return positions, encoded.dictionary.to_pylist()
