"""Plain tables as frames of pandas, Polars or pyarrow, with declared domains kept."""

import importlib.util
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidParameter
from ..table.files.readers import ColumnDict

__all__ = ["BACKENDS", "choose_backend", "in_natural_order", "to_frame", "to_series"]

BACKENDS = ("pandas", "polars", "pyarrow", "columns")

_Domain = tuple[str, ...]


def choose_backend(backend: str | None) -> str:
    """Return the backend asked for, or the first that is installed."""
    installed = [name for name in BACKENDS[:-1] if importlib.util.find_spec(name) is not None]
    if backend is None:
        return next(iter(installed), "columns")
    if backend not in BACKENDS:
        raise InvalidParameter(f"backend {backend!r} is none of {', '.join(BACKENDS)}")
    if backend != "columns" and backend not in installed:
        raise InvalidParameter(f'{backend} is not installed; install it, or pass backend="columns"')
    return backend


def to_frame(columns: ColumnDict, domains: Mapping[str, _Domain], backend: str) -> Any:
    """Return a frame of the backend; for ``"columns"`` the plain table itself."""
    if backend == "columns":
        return columns
    series = {name: to_series(name, array, domains.get(name), backend) for name, array in columns.items()}
    if backend == "pandas":
        import pandas as pd

        return pd.DataFrame(series)
    if backend == "polars":
        import polars as pl

        return pl.DataFrame(series)
    import pyarrow as pa

    return pa.table(series)


def to_series(name: str, array: NDArray[Any], domain: _Domain | None, backend: str) -> Any:
    """Return a column of the backend; for ``"columns"`` the array itself."""
    if backend == "pandas":
        return _pandas_series(name, array, domain)
    if backend == "polars":
        return _polars_series(name, array, domain)
    return _arrow_array(array, domain) if backend == "pyarrow" else array


def in_natural_order(values: Iterable[str]) -> _Domain:
    """Sort text so that numbers inside it come in the order of their size.

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


def _pandas_series(name: str, array: NDArray[Any], domain: _Domain | None) -> Any:
    import pandas as pd

    return pd.Series(array if domain is None else pd.Categorical(array, categories=list(domain)), name=name)


def _polars_series(name: str, array: NDArray[Any], domain: _Domain | None) -> Any:
    import polars as pl

    if domain is not None:
        return pl.Series(name, array.tolist(), dtype=pl.Enum(domain))
    if array.dtype == object:
        return pl.Series(name, array.tolist())
    return pl.Series(name, array, nan_to_null=True)


def _arrow_array(array: NDArray[Any], domain: _Domain | None) -> Any:
    import pyarrow as pa

    if domain is None:
        return pa.array(array, from_pandas=True)
    position: dict[str | None, int] = {value: code for code, value in enumerate(domain)}
    codes = np.array([position.get(cell, -1) for cell in array], dtype=np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), pa.array(domain, type=pa.string()))
