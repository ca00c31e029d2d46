"""DuckDB relations as batches, without fetching the whole result."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from ...errors import DataError
from ..batch import Batches
from ..files._duckdb import one_line, without_memory, without_room
from ._arrow import ArrowBatches

_CASTS = {"UHUGEINT": "HUGEINT", "BIGNUM": "HUGEINT"}
"""Types that Arrow lacks, and what to cast them to."""


def check_types(relation: Any, columns: Sequence[str]) -> None:
    """Raise if cells of a column would lose something in Arrow."""
    for name, type_ in zip(relation.columns, map(str, relation.types), strict=True):
        if name in columns and type_ in _CASTS:
            raise DataError(
                f"column {name!r}: cells of type {type_} are not read; cast them in the query, "
                f"CAST({name} AS {_CASTS[type_]}), or AS VARCHAR"
            )


class RelationBatches(ArrowBatches):
    """Batches of a relation, which is computed again each time it is read."""

    def __init__(self, relation: Any, batch_rows: int, name: str = "") -> None:
        super().__init__(relation.columns, self._computed, name=name, batch_rows=batch_rows)
        self._relation = relation
        # DuckDB takes names that differ only by case for one, so that columns are asked for by their place.
        self._places = {column: f"#{i}" for i, column in enumerate(self.names, 1)}

    def _computed(self, columns: list[str]) -> Iterator[Any]:
        check_types(self._relation, columns)
        aliased = ", ".join(f"{self._places[column]} AS c{i}" for i, column in enumerate(columns))
        n_rows = 0
        try:
            # A connection takes no other query until all rows of one have been fetched.
            reader = self._relation.project(aliased).to_arrow_reader(self._batch_rows)
            with closing(reader):
                for part in reader:
                    yield part.rename_columns(columns)
                    n_rows += part.num_rows
        except _errors() as error:
            unreadable = DataError(
                f"{self.name or 'the query'}: cannot be read after row {n_rows:,} ({one_line(error)}); "
                "mend it"
            )
            lacking = without_room(error) or without_memory(error, self.name or "the query")
            raise lacking or unreadable from error


def open_batches(source: Any, batch_rows: int, *, name: str = "") -> Batches | None:
    """Return the batches of a relation; None for a connection."""
    if not hasattr(source, "to_arrow_reader") or not hasattr(source, "project"):
        return None
    return RelationBatches(source, batch_rows, name)


def _errors() -> tuple[type[Exception], ...]:
    import duckdb

    return duckdb.Error, OSError, RuntimeError
