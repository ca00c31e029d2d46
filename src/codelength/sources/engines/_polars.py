"""Polars frames as batches; a lazy frame is computed in batches, never as a whole."""

from collections.abc import Iterator
from typing import Any

from ...errors import DataError
from ...table._messages import shortened
from ...table._series import with_decimals
from ..batch import Batches, arrow, marked
from ._arrow import ArrowBatches


def open_batches(source: Any, batch_rows: int) -> Batches | None:
    """Return the batches of a frame; None for anything else."""
    import polars as pl

    if isinstance(source, pl.DataFrame):
        return ArrowBatches(
            source.columns,
            lambda columns: (
                part
                for start in range(0, source.height, batch_rows)
                for part in as_arrow(source.select(columns).slice(start, batch_rows))
            ),
            source.height,
            batch_rows=batch_rows,
        )
    if not isinstance(source, pl.LazyFrame):
        return None

    def computed(columns: list[str]) -> Iterator[Any]:
        n_rows = 0
        try:
            # Order is maintained at some cost in speed: row numbers and ties depend on it.
            for frame in source.select(columns).collect_batches(
                chunk_size=batch_rows, maintain_order=True, lazy=True
            ):
                yield from as_arrow(frame)
                n_rows += frame.height
        except Exception as error:  # that of Polars, of the system, or of a function in the query
            raise _not_computed(error, n_rows) from error

    try:
        names = source.collect_schema().names()
    except Exception as error:
        raise _not_computed(error) from error
    return ArrowBatches(names, computed, batch_rows=batch_rows)


def as_arrow(frame: Any) -> list[Any]:
    """Return the rows of an eager frame as record batches; only an Enum declares its values."""
    import polars as pl

    pa, table = arrow(), with_decimals(frame).to_arrow()
    fields = [
        marked(field, "seen") if dtype == pl.Categorical else field.remove_metadata()
        for field, dtype in zip(table.schema, frame.dtypes, strict=True)
    ]
    # One batch, because the rows of a frame may be in many small pieces.
    whole = table.combine_chunks().cast(pa.schema(fields))
    return list(whole.to_batches())


def _not_computed(error: Exception, n_rows: int | None = None) -> DataError:
    where = "" if n_rows is None else f" after row {n_rows:,}"
    reason = shortened(f"{type(error).__name__}: {error}")
    return DataError(
        f"the lazy table cannot be computed{where} ({reason}); mend the query, or the files that it reads "
        "(pass their paths instead of it to be told which)"
    )
