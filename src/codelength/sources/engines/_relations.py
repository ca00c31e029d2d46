"""DuckDB relations as batches, without fetching the whole result."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...errors import DataError
from ..batch import Batch, Batches, UnlistedValue, numbered
from ..files._duckdb import one_line, quoted, without_memory, without_room
from ._arrow import ArrowBatches

_CASTS = {"TIME WITH TIME ZONE": "TIME", "UHUGEINT": "HUGEINT", "BIGNUM": "HUGEINT"}
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

    def read_known(self, columns: Sequence[str], domains: Mapping[str, Sequence[str]]) -> Iterator[Batch]:
        """Yield the rows, with columns of text as dictionaries of their known values.

        DuckDB returns these twice as fast as text.

        Parameters
        ----------
        columns : sequence of str
            The columns.
        domains : mapping of str to sequence of str
            Known values of columns of text.

        Raises
        ------
        UnlistedValue
            When a cell holds another value. Nothing else is said about it.
        """

        known = [name for name in columns if name in domains]
        # A cell that is not listed turns into a missing one, which is seen by how many there are.
        gaps = " + ".join(["0", *(f"CAST({self._places[name]} IS NULL AS INTEGER)" for name in known)])
        selected = [_as_enumeration(self._places[name], domains.get(name, ())) for name in columns]

        def rows() -> Iterator[Any]:
            import pyarrow.compute as pc

            try:
                for part in self._fetched([*selected, gaps], [*columns, _unused(columns)]):
                    n_missing = sum(part.column(name).null_count for name in known)
                    if n_missing != (pc.sum(part.column(len(columns))).as_py() or 0):
                        raise UnlistedValue
                    yield part.select(list(columns))
            except _errors() as error:
                raise UnlistedValue from error

        return numbered(rows(), self.name)

    def _computed(self, columns: list[str]) -> Iterator[Any]:
        n_rows = 0
        try:
            for part in self._fetched([self._places[column] for column in columns], columns):
                yield part
                n_rows += part.num_rows
        except _errors() as error:
            unreadable = DataError(
                f"{self.name or 'the query'}: cannot be read after row {n_rows:,} ({one_line(error)}); "
                "mend it"
            )
            lacking = without_room(error) or without_memory(error, self.name or "the query")
            raise lacking or unreadable from error

    def _fetched(self, selected: Sequence[str], names: Sequence[str]) -> Iterator[Any]:
        """Yield the rows of expressions, under the given names."""
        check_types(self._relation, names)
        aliased = ", ".join(f"{expression} AS c{i}" for i, expression in enumerate(selected))
        # A connection takes no other query until all rows of one have been fetched.
        reader = self._relation.project(aliased).to_arrow_reader(self._batch_rows)
        try:
            for part in reader:
                yield part.rename_columns(list(names))
        finally:
            reader.close()


def open_batches(source: Any, batch_rows: int, *, name: str = "") -> Batches | None:
    """Return the batches of a relation; None for a connection."""
    if not hasattr(source, "to_arrow_reader") or not hasattr(source, "project"):
        return None
    return RelationBatches(source, batch_rows, name)


def _errors() -> tuple[type[Exception], ...]:
    import duckdb

    return duckdb.Error, OSError, RuntimeError


def _unused(names: Sequence[str]) -> str:
    """Return a name that no column has."""
    name = "missing"
    while name in names:
        name += " too"
    return name


def _as_enumeration(expression: str, values: Sequence[str]) -> str:
    # A cast that may fail is not done once per value, but once per row.
    return f"TRY_CAST({expression} AS ENUM({', '.join(map(quoted, values))}))" if values else expression
