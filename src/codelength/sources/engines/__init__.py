"""Any source of rows as a stream of batches; one module per kind of source, found by :func:`as_batches`.

A module is chosen by what the caller passed, in this order: a :class:`SqlQuery`; a path or a list of paths;
an object whose type comes from a library in :data:`ENGINES`, unless its module returns None; a list of
frames, an iterator or a function; any other table that fits into memory. Libraries are recognised by the name
of the type's module, so that none is imported for a source that does not need it.

The modules that read rows: ``_files`` (with ``_folders``), ``_arrow`` (pyarrow and Polars), ``_frames``
(pandas, sequences of frames and tables in memory), ``sql`` (DuckDB), ``_dask`` and ``_spark`` (with
``_partitions``). Most of them fill in an :class:`~._arrow.ArrowBatches`; those with rows on other machines
define ``fold`` and ``map``, too.
"""

import os
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...table.checks import check_size
from ..batch import BATCH_ROWS, Batches

if TYPE_CHECKING:
    from ..files._text import Kinds

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
not a table. It finds out the names of the columns, and raises if two are equal, but reads no rows.
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
"""Names of types whose rows are not in memory, by the first part of their module.

Classifiers that learn from counts alone read such a table in batches, also in ``fit``.
"""


MAX_BATCHED = 1 << 30
"""Largest number of rows per batch that a caller may ask for."""


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


def as_batches(
    source: Any, *, batch_rows: int = BATCH_ROWS, na: Iterable[str] | None = None, kinds: "Kinds" = None
) -> Batches:
    """Return a table of any size as a stream of Arrow batches.

    Parameters
    ----------
    source : table of any kind
        A path, a directory, a pattern such as ``"parts/*.parquet"``, or a list of paths; a DuckDB relation or
        a :class:`SqlQuery`; a Polars frame, lazy or not; a pyarrow table, dataset or reader; a Dask or Spark
        data frame; a list of frames, an iterator over frames, or a function that gives one; or whatever
        :func:`as_table` takes. Hidden files of a directory, whose names start with ``.`` or ``_``, do not
        count. Folders such as ``year=2020`` give a column ``year``.
    batch_rows : int
        Most rows per batch. Results do not depend on it; memory and speed do.
    na : list of str, optional
        Texts that mean missing in files; see :func:`codelength.read_table`.
    kinds : mapping or Schema, optional
        How to read some columns of files; see :func:`codelength.read_table`.

    Returns
    -------
    Batches
        Close it when it is no longer needed: it may keep files on disk. A source that is a stream already is
        returned as it is, whatever the other arguments are.

    Raises
    ------
    InvalidParameter
        If ``batch_rows`` is not a number of rows.
    DataError
        If the source is not a table, has two columns of one name, or cannot be opened. Faults of its rows are
        raised while they are read.

    Examples
    --------
    >>> batches = as_batches({"size": [1, 2, 3], "colour": ["red", None, "blue"]}, batch_rows=2)
    >>> [batch.rows.column("size").to_pylist() for batch in batches.read(["size"])]
    [[1, 2], [3]]

    An iterator over frames can be read only once, a function that returns one as often as necessary.

    >>> frames = [{"size": [1, 2]}, {"size": [3]}]
    >>> as_batches(iter(frames)).once, as_batches(lambda: iter(frames)).once
    (True, False)
    """
    check_size("batch_rows", batch_rows, MAX_BATCHED)
    if isinstance(source, Batches):
        return source
    from ._files import are_paths, open_files
    from ._frames import open_frames, open_table
    from .sql import SqlQuery, open_query

    if isinstance(source, SqlQuery):
        return open_query(source, batch_rows)
    if isinstance(source, (str, os.PathLike)) or are_paths(source):
        return open_files(source, batch_rows, na, kinds)
    engine = ENGINES.get(library_of(source))
    if engine is not None:
        open_batches: Callable[[Any, int], Batches | None] = import_module(
            f".{engine}", __package__
        ).open_batches
        found = open_batches(source, batch_rows)
        if found is not None:
            return found
    return open_frames(source, partial(as_batches, batch_rows=batch_rows)) or open_table(source, batch_rows)
