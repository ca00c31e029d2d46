"""Kinds of sources that are read as streams of batches, and the modules that read them."""

from typing import Any

ENGINES: dict[str, str] = {
    "pyarrow": "_arrow",
    "polars": "_arrow",
    "pandas": "_frames",
    "duckdb": "sql",
    "_duckdb": "sql",
    "dask": "_dask",
    "dask_expr": "_dask",
    "pyspark": "_spark",
}
"""Module that reads a type, by the first part of the type's own module.

Each has a function ``open_batches(source, batch_rows)`` that returns batches, or None for an object that is
not a table.
"""

LAZY = {
    "codelength": {"SqlQuery"},
    "polars": {"LazyFrame"},
    "duckdb": {"DuckDBPyRelation"},
    "_duckdb": {"DuckDBPyRelation"},
    "pyarrow": {
        "FileSystemDataset",
        "InMemoryDataset",
        "UnionDataset",
        "Dataset",
        "RecordBatchReader",
        "Scanner",
    },
    "dask": {"DataFrame"},
    "dask_expr": {"DataFrame"},
    "pyspark": {"DataFrame"},
}
"""Names of types whose rows are not in memory, by the first part of their module."""


def library_of(source: Any) -> str:
    """Return the first part of the module of a type; the library need not be imported."""
    return type(source).__module__.partition(".")[0]


def is_lazy(source: Any) -> bool:
    """Return True if the rows of a table are not in memory.

    Examples
    --------
    >>> is_lazy({"size": [1, 2]})
    False
    """
    return type(source).__name__ in LAZY.get(library_of(source), ())
