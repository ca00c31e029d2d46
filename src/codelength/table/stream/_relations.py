"""DuckDB relations: read by DuckDB in batches, without bringing the whole result here."""

from collections.abc import Iterator
from typing import Any

from ...errors import DataError
from ..files._duckdb import one_line
from ._arrow import ArrowBatches
from .batch import Batches


def open_batches(source: Any, batch_rows: int, *, name: str = "") -> Batches | None:
    """The batches of a relation; None for a connection."""
    if not hasattr(source, "to_arrow_reader") or not hasattr(source, "project"):
        return None
    import duckdb

    def computed(columns: list[str]) -> Iterator[Any]:
        listed = ", ".join('"' + column.replace('"', '""') + '"' for column in columns)
        n_rows = 0
        try:
            # A connection takes no other query until all rows of one have been fetched.
            reader = source.project(listed).to_arrow_reader(batch_rows)
            try:
                for part in reader:
                    yield part
                    n_rows += part.num_rows
            finally:
                reader.close()
        except (duckdb.Error, OSError, RuntimeError) as error:
            raise DataError(
                f"{name or 'the query'}: cannot be read after row {n_rows:,} ({one_line(error)}); mend it"
            ) from error

    return ArrowBatches(source.columns, computed, name=name, batch_rows=batch_rows)
