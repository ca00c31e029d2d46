"""Tables, datasets and readers of pyarrow."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...errors import DataError
from .._messages import shortened
from ..checks import check_distinct
from .batch import Batch, Batches, arrow, numbered


class ArrowBatches:
    """A source that gives Arrow record batches by itself.

    Parameters
    ----------
    names : sequence of str
        Names of the columns.
    read : callable
        Gives the record batches of some columns.
    n_rows : int, optional
        How many rows there are.
    once : bool
        Whether they can be read only once.
    """

    def __init__(
        self,
        names: Sequence[str],
        read: Callable[[list[str]], Iterator[Any]],
        n_rows: int | None = None,
        *,
        name: str = "",
        once: bool = False,
        batch_rows: int,
    ) -> None:
        check_distinct(names)
        self.name, self.names, self.n_rows, self.once = name, tuple(names), n_rows, once
        self._read, self._batch_rows, self._was_read = read, batch_rows, False

    def read(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The rows, in order, with these columns."""
        if self.once and self._was_read:
            raise DataError(
                f"{self.name or 'the source'}: its rows can be read only once, and were; pass a schema= so "
                "that one pass is enough, or a source that can be read again"
            )
        self._was_read = True
        return numbered(self._batches(list(columns)), self.name)

    def close(self) -> None:
        """Nothing is kept."""

    def _batches(self, columns: list[str]) -> Iterator[Any]:
        n_rows = 0
        rows = self._read(columns)
        try:
            for part in rows:
                for start in range(0, part.num_rows, self._batch_rows):
                    yield part.slice(start, self._batch_rows)
                n_rows += part.num_rows
        except (OSError, ValueError, RuntimeError) as error:
            if isinstance(error, DataError):
                raise
            raise _unreadable(self.name, n_rows, error) from error
        finally:
            close = getattr(rows, "close", None)
            if close is not None:
                close()


def open_batches(source: Any, batch_rows: int) -> Batches | None:
    """The batches of a table, a dataset or a reader."""
    pa = arrow()
    if isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    if isinstance(source, pa.Table):
        return ArrowBatches(
            source.schema.names,
            lambda columns: iter(source.select(columns).to_batches(max_chunksize=batch_rows)),
            source.num_rows,
            batch_rows=batch_rows,
        )
    if isinstance(source, pa.RecordBatchReader):

        def rest(columns: list[str]) -> Iterator[Any]:
            for part in source:
                yield part.select(columns)

        return ArrowBatches(source.schema.names, rest, once=True, batch_rows=batch_rows)
    if hasattr(source, "scanner") and hasattr(source, "schema"):
        return ArrowBatches(
            source.schema.names,
            lambda columns: source.scanner(
                columns=columns, batch_size=batch_rows, batch_readahead=4, fragment_readahead=1
            ).to_batches(),
            batch_rows=batch_rows,
        )
    return None


def _unreadable(name: str, n_rows: int, error: Exception) -> DataError:
    reason = shortened(f"{type(error).__name__}: {error}")
    return DataError(f"{name or 'the source'}: cannot be read after row {n_rows:,} ({reason}); mend it")
