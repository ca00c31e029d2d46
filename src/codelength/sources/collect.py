"""Conversion of a stream to one table in memory, for models that need all rows at once."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ..errors import DataError
from ..table.table import Table
from ..table.target import target_column
from .batch import Batch, arrow
from .cells import column_of
from .registry import as_batches
from .roles import Roles


def collected(
    source: Any,
    target: str | None = None,
    *,
    weights: str | None = None,
    drop: Iterable[str] = (),
    keep: Sequence[str] | None = None,
    na: Iterable[str] | None = None,
) -> Table:
    """Return all rows of a stream as a table.

    Parameters
    ----------
    source : table of any kind
        See :func:`as_batches`.
    target : str, optional
        Column with the class of each row.
    weights : str, optional
        Column with the number of rows that each row stands for.
    drop, keep : list of str
        Columns to drop, or the only ones to keep.
    na : list of str, optional
        Texts that mean missing in files.

    Returns
    -------
    Table
        All rows.

    Examples
    --------
    >>> collected([{"size": [1], "ripe": ["no"]}, {"size": [2], "ripe": ["yes"]}], "ripe").n_rows
    2
    """
    pa = arrow()
    batches = as_batches(source, na=na)
    try:
        roles = Roles.of(batches, target, weights, drop, keep)
        parts = [batch.rows for batch in batches.read(roles.columns)]
        name = batches.name or "the table"
    finally:
        batches.close()
    if not parts:
        raise DataError(f"{name}: has no rows")
    # Batches may have dictionaries of their own, which only one dictionary for all can join.
    rows = pa.Table.from_batches(parts).unify_dictionaries().combine_chunks().to_batches()[0]
    whole = Batch(rows, name)
    columns = tuple(column_of(column, *whole.column(column)) for column in roles.variables)
    table = Table(columns, whole.n_rows, name=name)
    if target is not None:
        table = replace(table, target=target_column(column_of(target, *whole.column(target))))
    if weights is not None:
        table = table.with_weights(column_of(weights, *whole.column(weights)).cells)
    return table
