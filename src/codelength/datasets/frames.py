"""Columns of a table as frames of pandas, Polars or pyarrow, with declared domains kept."""

import importlib.util
from collections.abc import Sequence
from typing import Any

from ..errors import DataError, InvalidParameter
from ..table._messages import shown
from ..table.column import Column, Factor

__all__ = ["BACKENDS", "choose_backend", "domain_of", "to_frame", "to_series"]

BACKENDS = ("pandas", "polars", "pyarrow", "columns")


def choose_backend(backend: str | None) -> str:
    """Return the backend asked for, or the first that is installed.

    Parameters
    ----------
    backend : str or None
        One of :data:`BACKENDS`; None for the first of them that is installed.

    Raises
    ------
    InvalidParameter
        If there is no such backend, or it is not installed.
    """
    installed = [name for name in BACKENDS[:-1] if importlib.util.find_spec(name) is not None]
    if backend is None:
        return next(iter(installed), "columns")
    if not isinstance(backend, str) or backend not in BACKENDS:
        raise InvalidParameter(f"backend {shown(backend)} is none of {', '.join(BACKENDS)}")
    if backend != "columns" and backend not in installed:
        raise InvalidParameter(f'{backend} is not installed; install it, or pass backend="columns"')
    return backend


def domain_of(column: Column) -> tuple[str, ...] | None:
    """Return the declared values of a column in order; None if it declares none, and for truth values."""
    if not isinstance(column, Factor) or not column.declared:
        return None
    texts = tuple(value for value in column.values if isinstance(value, str))
    return texts if len(texts) == len(column.values) else None


def to_frame(columns: Sequence[Column], backend: str) -> Any:
    """Return a frame of the backend; for ``"columns"`` a dict of arrays.

    Parameters
    ----------
    columns : sequence of Column
        Columns of equal length.
    backend : str
        One of :data:`BACKENDS`.
    """
    series = {column.name: to_series(column, backend) for column in columns}
    if backend == "pandas":
        import pandas as pd

        return pd.DataFrame(series)
    if backend == "polars":
        import polars as pl

        return pl.DataFrame(series)
    if backend == "pyarrow":
        import pyarrow as pa

        return pa.table(series)
    return series


def to_series(column: Column, backend: str) -> Any:
    """Return a column of the backend; for ``"columns"`` an array.

    Parameters
    ----------
    column : Column
        Column with or without a declared domain.
    backend : str
        One of :data:`BACKENDS`.

    Raises
    ------
    DataError
        If the backend cannot hold the values, such as integers beyond 64 bits.
    """
    make = {"pandas": _pandas_series, "polars": _polars_series, "pyarrow": _arrow_array}.get(backend)
    if make is None:
        return column.cells
    try:
        return make(column, domain_of(column))
    except (OverflowError, TypeError, ValueError) as error:
        raise DataError(
            f'column {column.name!r}: {backend} cannot hold its values ({error}); pass backend="columns"'
        ) from error


def _pandas_series(column: Column, domain: tuple[str, ...] | None) -> Any:
    """Return a series; a column with a declared domain becomes categorical."""
    import pandas as pd

    if domain is None or not isinstance(column, Factor):
        return pd.Series(column.cells, name=column.name)
    return pd.Series(pd.Categorical.from_codes(column.positions, categories=list(domain)), name=column.name)


def _polars_series(column: Column, domain: tuple[str, ...] | None) -> Any:
    """Return a series; a column with a declared domain becomes an enumeration."""
    import polars as pl

    cells = column.cells
    if domain is not None:
        return pl.Series(column.name, cells.tolist(), dtype=pl.Enum(domain))
    if cells.dtype == object:
        return pl.Series(column.name, cells.tolist())
    # Numeric columns mark missing cells by NaN; Polars distinguishes it from null.
    return pl.Series(column.name, cells, nan_to_null=True)


def _arrow_array(column: Column, domain: tuple[str, ...] | None) -> Any:
    """Return an array; a column with a declared domain becomes a dictionary array."""
    import pyarrow as pa

    if domain is None or not isinstance(column, Factor):
        return pa.array(column.cells, from_pandas=True)
    # The mask makes positions of -1 null, which are not valid indices of a dictionary.
    codes = pa.array(column.positions.astype("int32"), mask=column.missing)
    return pa.DictionaryArray.from_arrays(codes, pa.array(domain, type=pa.string()))
