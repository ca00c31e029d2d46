"""Hostile tables: columns of every kind in every container."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from . import cells

Columns = dict[Any, list[Any]]

MOST_ROWS, MOST_COLUMNS = 30, 6

NAMES = (
    *(
        "a",
        "b",
        "c",
        "size",
        "größe",
        "x0",
        "x1",
        "y",
        "target",
        "1",
        "",
        " ",
        "a b",
        "[/b]",
        "\x1b[2J",
        "\n",
    ),
    *("a" * 3000, "\ud800", "component", "p_1", "nan", "None"),
)
ODD_NAMES = (1, 0, 1.5, None, ("a", "b"), True, b"a")

ARROW_TYPES = (
    *(pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.bool_(), pa.null()),
    *(pa.int8(), pa.int32(), pa.int64(), pa.uint8(), pa.uint64()),
    *(pa.float16(), pa.float32(), pa.float64(), pa.decimal128(38, 3), pa.decimal256(70, 0)),
    *(pa.date32(), pa.date64(), pa.time32("s"), pa.time64("us"), pa.time64("ns")),
    *(pa.timestamp("s"), pa.timestamp("us"), pa.timestamp("ns"), pa.timestamp("us", "UTC")),
    *(pa.timestamp("ms", "Europe/Helsinki"), pa.duration("s"), pa.duration("us"), pa.duration("ns")),
    *(pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int32(), pa.int64()), pa.list_(pa.int64())),
)
PANDAS_TYPES: tuple[Any, ...] = (
    *(object, "str", "string", "category", "Int64", "UInt8", "Float64", "Float32", "boolean", "bool"),
    *("int64", "uint64", "int8", "float64", "float32", "float16", "datetime64[ns]", "datetime64[s]"),
    *("datetime64[ns, UTC]", "datetime64[us, Europe/Helsinki]", "timedelta64[ns]", "timedelta64[s]"),
    *("complex128", "period[D]"),
    *map(pd.ArrowDtype, ARROW_TYPES),
)
POLARS_TYPES: tuple[Any, ...] = (
    *(pl.String, pl.Categorical, pl.Boolean, pl.Int8, pl.Int64, pl.UInt64, pl.Int128, pl.Float32, pl.Float64),
    *(pl.Decimal(38, 3), pl.Date, pl.Time, pl.Datetime("us"), pl.Datetime("ms", "UTC"), pl.Duration("us")),
    *(
        pl.Datetime("ns", "Europe/Helsinki"),
        pl.Duration("ns"),
        pl.Binary,
        pl.List(pl.Int64),
        pl.Null,
        pl.Object,
    ),
)
NUMPY_TYPES = (
    *("float64", "float32", "float16", "longdouble", "int8", "int64", "uint64", "bool", "object", "str"),
    *("object", "str", "bytes", "datetime64[D]", "datetime64[ns]", "timedelta64[s]", "complex128"),
)


@dataclass(frozen=True)
class Made:
    """A table in some container, and the cells that were put into it."""

    columns: Columns
    n_rows: int
    container: str
    X: Any


def made(rng: Random, *, tame: bool = False) -> Made:
    """A table drawn at random; a tame one is of words and small numbers, so that most of it gets through."""
    n_rows = (
        0
        if rng.random() < 0.03
        else rng.choice((1, 2, 3, *(rng.randrange(4, MOST_ROWS + 1) for _ in range(9))))
    )
    n_columns = 0 if rng.random() < 0.03 else rng.choice((1, 1, 2, 2, 3, 4, MOST_COLUMNS))
    columns = {}
    for name in names(rng, n_columns):
        kind = rng.choice(("words", "small wholes", "floats", "truths")) if tame else None
        columns[name] = cells.column(rng, n_rows, kind)
    if rng.random() < 0.1 and len(columns) > 1:
        first, *rest = columns
        columns[rng.choice(rest)] = list(columns[first])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        container = rng.choice(tuple(CONTAINERS))
        try:
            X = CONTAINERS[container](rng, columns)
        except Exception:  # the library has no place for these cells
            container = rng.choice(("mapping", "rows", "objects"))
            X = CONTAINERS[container](rng, columns)
    return Made(columns, n_rows, container, X)


def in_order(X: Any, order: list[int]) -> Any:
    """A table or a series with its rows in another order."""
    if isinstance(X, dict):
        return {name: in_order(column, order) for name, column in X.items()}
    if isinstance(X, (list, tuple)):
        return [X[row] for row in order]
    if isinstance(X, (pd.DataFrame, pd.Series)):
        return X.iloc[order]
    if isinstance(X, pl.LazyFrame):
        return X.collect()[order].lazy()
    if isinstance(X, (pa.Table, pa.RecordBatch, pa.Array, pa.ChunkedArray)):
        return X.take(pa.array(order, pa.int64()))
    return X[order]


def names(rng: Random, n_columns: int) -> list[Any]:
    """Names of columns, most of them distinct."""
    pool = [*NAMES, *(ODD_NAMES if rng.random() < 0.1 else ())]
    return rng.sample(pool if rng.random() < 0.3 else NAMES[:8], n_columns)


def target(rng: Random, n_rows: int) -> Any:
    """Classes of rows in some form: most of them good."""
    kind = rng.choice(("words", "small wholes", "truths")) if rng.random() < 0.7 else None
    labels = cells.column(rng, n_rows, kind, n_values=rng.choice((1, 3, 3, 5, 8)))
    if kind is not None or rng.random() < 0.7:
        known = [label for label in labels if label is not None] or ["a"]
        labels = [rng.choice(known) if label is None else label for label in labels]
    if kind is not None and n_rows and rng.random() < 0.9:
        labels[-1] = {"words": "other", "small wholes": 99, "truths": not labels[0]}[kind]
    if rng.random() < 0.03:
        labels = labels[1:] or [1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return TARGETS[rng.choice(tuple(TARGETS))](rng, labels)
        except Exception:  # the library has no place for these classes
            return labels


def objects(column: list[Any]) -> np.ndarray[Any, Any]:
    """Cells as they are."""
    array = np.empty(len(column), dtype=object)
    for row, cell in enumerate(column):
        array[row] = cell
    return array


def _rows(columns: Mapping[Any, list[Any]]) -> list[list[Any]]:
    return [list(row) for row in zip(*columns.values(), strict=True)]


def _object_array(columns: Columns) -> Any:
    array = np.empty((len(next(iter(columns.values()), [])), len(columns)), dtype=object)
    for i, column in enumerate(columns.values()):
        array[:, i] = objects(column)
    return array


def _numpy(rng: Random, columns: Columns) -> Any:
    array = _object_array(columns)
    return _first(rng, NUMPY_TYPES, lambda kind: array.astype(kind))


def _arrays(rng: Random, columns: Columns) -> Any:
    made = {}
    for name, column in columns.items():
        array = objects(column)
        kept = _first(rng, NUMPY_TYPES, lambda kind, array=array: array.astype(kind))
        if rng.random() < 0.2:
            kept = np.ma.masked_array(kept, mask=[rng.random() < 0.3 for _ in column])
        made[name] = kept
    return made


def _pandas(rng: Random, columns: Columns) -> Any:
    made = [_series(rng, column) for column in columns.values()]
    frame = (
        pd.concat(made, axis=1) if made else pd.DataFrame(index=range(len(next(iter(columns.values()), []))))
    )
    frame.columns = pd.Index(list(columns), dtype=object)
    if len(columns) > 1 and rng.random() < 0.02:
        frame.columns = [*frame.columns[:-1], frame.columns[0]]
    return frame


def _series(rng: Random, column: list[Any]) -> Any:
    if rng.random() < 0.2:
        domain = sorted({cell for cell in column if isinstance(cell, str)})
        return pd.Series(pd.Categorical(column, categories=["never", *domain][: rng.choice((1, 99))]))
    if rng.random() < 0.3:
        return pd.Series(column)
    return _first(rng, PANDAS_TYPES, lambda kind: pd.Series(objects(column)).astype(kind))


def _polars(rng: Random, columns: Columns) -> Any:
    frame = pl.DataFrame([_polars_series(rng, str(name), column) for name, column in columns.items()])
    return frame.lazy() if rng.random() < 0.2 else frame


def _polars_series(rng: Random, name: str, column: list[Any]) -> Any:
    if any(map(_makes_polars_panic, column)):
        raise ValueError("Polars would panic")
    if rng.random() < 0.2:
        domain = sorted({cell for cell in column if isinstance(cell, str)} | {"never"})
        if all(cell is None or isinstance(cell, str) for cell in column):
            return pl.Series(name, column, dtype=pl.Enum(domain))
    if rng.random() < 0.3:
        return pl.Series(name, column, strict=False)
    return _first(rng, POLARS_TYPES, lambda kind: pl.Series(name, column, dtype=kind))


def _makes_polars_panic(cell: Any) -> bool:
    if isinstance(cell, Decimal):
        return not cell.is_finite() or abs(cell.adjusted()) > 30
    return isinstance(cell, cells.Failing) or (isinstance(cell, int) and abs(cell) > 10**300)


def _arrow(rng: Random, columns: Columns) -> Any:
    arrays = [
        _first(rng, ARROW_TYPES, lambda kind, c=column: _arrow_array(c, kind)) for column in columns.values()
    ]
    labels = [str(name) for name in columns]
    if len(labels) > 1 and rng.random() < 0.02:
        labels[-1] = labels[0]
    form = rng.random()
    if form < 0.3:
        return pa.RecordBatch.from_arrays(arrays, labels)
    table = pa.Table.from_arrays(arrays, labels)
    return pa.concat_tables([table[:1], table[1:]]) if form < 0.5 else table


def _arrow_array(column: list[Any], kind: Any) -> Any:
    if pa.types.is_dictionary(kind):
        return pa.array(column, kind.value_type).dictionary_encode().cast(kind)
    return pa.array(column, kind, from_pandas=True)


def _first(rng: Random, kinds: tuple[Any, ...], make: Callable[[Any], Any]) -> Any:
    """What is made of the first kind, in some order, that can hold the cells."""
    for kind in rng.sample(kinds, len(kinds)):
        try:
            return make(kind)
        except Exception:  # not this kind
            continue
    raise ValueError("no kind holds these cells")


CONTAINERS: dict[str, Callable[[Random, Columns], Any]] = {
    "mapping": lambda _, columns: columns,
    "tuples": lambda _, columns: {name: tuple(column) for name, column in columns.items()},
    "rows": lambda _, columns: _rows(columns),
    "objects": lambda _, columns: _object_array(columns),
    "numpy": _numpy,
    "arrays": _arrays,
    "pandas objects": lambda _, columns: pd.DataFrame(
        {name: objects(column) for name, column in columns.items()}, dtype=object
    ),
    "pandas": _pandas,
    "polars": _polars,
    "arrow": _arrow,
}
"""How to put columns into a container, which may have no place for some cells."""

TARGETS: dict[str, Callable[[Random, list[Any]], Any]] = {
    "list": lambda _, labels: labels,
    "objects": lambda _, labels: objects(labels),
    "numpy": lambda rng, labels: _first(rng, NUMPY_TYPES, lambda kind: objects(labels).astype(kind)),
    "column vector": lambda _, labels: objects(labels).reshape(-1, 1),
    "pandas": _series,
    "categorical": lambda _, labels: pd.Categorical(labels),
    "polars": lambda rng, labels: _polars_series(rng, "y", labels),
    "arrow": lambda rng, labels: _first(rng, ARROW_TYPES, lambda kind: _arrow_array(labels, kind)),
}
"""How to put classes into a container."""
