"""Parquet files, read by pyarrow; columns of few texts are read as the dictionaries they are stored as.

Decoding such a column would make the text of every cell, only to look for distinct ones again. A dictionary
that the writer gave up is not worth it: then the first row group is larger than positions alone.

Types are those that the file has. A dictionary type of Arrow, which the metadata may declare, is a declared
domain; a dictionary that merely stores text is not, so its field is marked ``seen``.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...errors import DataError
from ...table._arrays import declares
from ...table._messages import shortened
from ..batch import marked
from . import OpenFile
from ._csv import reject_duplicates
from ._duckdb import utf8_path, without_memory

# Room for the dictionary itself and for pages, on top of four bytes per cell.
_LOOSE_BYTES = 1 << 20


class ParquetFile(OpenFile):
    """A Parquet file as record batches, one row group after the other.

    Parameters
    ----------
    path : Path
        The file.
    shown : str
        Its name in messages.
    """

    def __init__(self, path: Path, shown: str) -> None:
        self._path, self._shown = utf8_path(path), shown
        if path.stat().st_size == 0:
            raise DataError(f"{shown}: is empty")
        with _faults_told(f"{shown}: is not a Parquet file, or is damaged", shown), self._opened() as file:
            self._schema, self.n_rows = file.schema_arrow, int(file.metadata.num_rows)
        self.names = tuple(self._schema.names)
        reject_duplicates(self.names, shown)
        # Without metadata a dictionary is a declared domain.
        self.fields = {
            field.name: field.remove_metadata() if declares(field) else marked(field, "seen")
            for field in self._schema
        }

    def rows(self, columns: Mapping[str, Any], batch_rows: int, markers: Sequence[str] = ()) -> Iterator[Any]:
        """Yield record batches of some columns."""
        import pyarrow as pa

        first, names = 0, list(columns)
        with self._opened() as file:
            few = _stored_as_dictionaries(file.metadata, [name for name in names if self._is_text(name)])
        # Without pre_buffer, which keeps a whole row group of bytes in memory.
        with self._opened(read_dictionary=few, pre_buffer=False) as file:
            batches = None
            while True:
                where = f"{self._shown}: is damaged, and cannot be read after row {first:,}"
                with _faults_told(where, self._shown):
                    batches = batches or file.iter_batches(batch_rows, columns=names)
                    rows = next(batches, None)
                if rows is None:
                    return
                first += rows.num_rows
                arrays = {name: rows.column(name) for name in names}
                fields = [
                    marked(pa.field(name, array.type), "seen") if name in few else self.fields[name]
                    for name, array in arrays.items()
                ]
                yield pa.RecordBatch.from_arrays(list(arrays.values()), schema=pa.schema(fields))

    def _opened(self, **options: Any) -> Any:
        import pyarrow.parquet as pq

        # Not mapped, so that a file that is cut off while it is read is an error and not a crash.
        return pq.ParquetFile(self._path, memory_map=False, **options)

    def _is_text(self, name: str) -> bool:
        import pyarrow as pa

        type_ = self._schema.field(name).type
        return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_))


@contextmanager
def _faults_told(what: str, shown: str) -> Iterator[None]:
    """Raise errors of pyarrow in one line that starts with ``what``."""
    import pyarrow as pa

    try:
        yield
    except (OSError, ValueError, MemoryError, pa.ArrowException) as error:
        if isinstance(error, DataError):
            raise
        reason = shortened(f"{type(error).__name__}: {error}")
        damaged = DataError(f"{what} ({reason}); write it again, or fetch it as a whole")
        raise without_memory(error, shown) or damaged from error


def _stored_as_dictionaries(metadata: Any, texts: Sequence[str]) -> list[str]:
    """Return columns of text that are stored as positions in a list."""
    if not metadata.num_row_groups:
        return []
    group = metadata.row_group(0)
    found = []
    for i in range(group.num_columns):
        chunk = group.column(i)
        # A writer gives up its dictionary if it becomes too large, and stores the rest of the chunk as text.
        # Such a chunk is longer than positions alone would be.
        is_small = chunk.total_uncompressed_size <= 4 * chunk.num_values + _LOOSE_BYTES
        if chunk.path_in_schema in texts and chunk.has_dictionary_page and is_small:
            found.append(chunk.path_in_schema)
    return found
