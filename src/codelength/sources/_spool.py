"""Temporary copy of rows that can be read only once."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .._scratch import Scratch
from ..errors import DataError
from .batch import Batch, Batches, arrow


class Spool(Batches):
    """A stream whose rows are written to a temporary file during the first pass.

    Parameters
    ----------
    batches : Batches
        The stream.
    columns : sequence of str
        The columns to keep; others cannot be read.
    """

    def __init__(self, batches: Batches, columns: Sequence[str]) -> None:
        self.name, self.names, self.n_rows = batches.name, tuple(columns), batches.n_rows
        self._batches = batches
        self._directory = Scratch()
        # An Arrow file has no room for the place of a batch in its source, which messages need.
        self._places: list[tuple[str, int, int]] = []
        self._is_complete = False

    def read(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows, in order, with these columns."""
        return self._from_file(list(columns)) if self._is_complete else self._from_source(list(columns))

    def close(self) -> None:
        """Remove the file, and close the stream."""
        self._directory.cleanup()
        self._batches.close()

    @property
    def _path(self) -> Path:
        return Path(self._directory.name) / "rows.arrow"

    def _from_source(self, columns: list[str]) -> Iterator[Batch]:
        pa = arrow()
        writer: Any = None
        written: Any = None
        try:
            with open(self._path, "wb") as file:
                for batch in self._batches.read(self.names):
                    # An Arrow stream has one schema. Batches may differ in theirs, in the width of an index
                    # for instance, so that the file is a sequence of streams.
                    if written is not None and batch.rows.schema != written:
                        writer.close()
                        writer = None
                    if writer is None:
                        written = batch.rows.schema
                        options = pa.ipc.IpcWriteOptions(compression="lz4", unify_dictionaries=False)
                        writer = pa.ipc.new_stream(file, written, options=options)
                    writer.write_batch(batch.rows)
                    self._places.append((batch.source, batch.first_row, batch.position))
                    yield batch.with_columns(columns)
                if writer is not None:
                    writer.close()
        except OSError as error:
            raise DataError(
                f"{tempfile.gettempdir()}: has no room for rows that can be read only once ({error}); set "
                "TMPDIR to a directory with more room, or pass a schema= so that one pass is enough"
            ) from error
        # Only after the last row: a first pass that was interrupted is started again from the source.
        self._is_complete = True

    def _from_file(self, columns: list[str]) -> Iterator[Batch]:
        pa, places = arrow(), iter(self._places)
        with open(self._path, "rb") as file:
            size = self._path.stat().st_size
            while file.tell() < size:
                reader: Any = pa.ipc.open_stream(file)
                for rows in reader:
                    source, first_row, position = next(places)
                    yield Batch(rows.select(columns), source, first_row, position)
