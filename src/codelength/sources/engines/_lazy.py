"""Tables whose rows are not in memory."""

from typing import Any

from .sql import SqlQuery

LAZY = {
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


def is_lazy(source: Any) -> bool:
    """Return True if the rows of a table are not in memory.

    Examples
    --------
    >>> is_lazy({"size": [1, 2]})
    False
    """
    kind = type(source)
    return isinstance(source, SqlQuery) or kind.__name__ in LAZY.get(kind.__module__.partition(".")[0], ())
