"""Files of tables: readers of each format, and writers.

Order of reading: :class:`OpenFile` (the interface of a format), ``formats`` (the registry), one module per
format, ``_text`` (cells without types), and ``writers``.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


class OpenFile:
    """A file whose header or metadata was read; the base class of formats.

    :class:`~codelength.sources.engines._files.FileBatches` opens all files of a table, compares their names
    and fields, and calls :meth:`rows` once for each reading. The first reading of text may be abandoned after
    a batch, so an unfinished iterator must not disturb the next one. Each column is either in ``fields`` or
    in ``readings``. Faults are DataErrors that start with the name of the file.

    Attributes
    ----------
    names : tuple of str
        Names of the columns.
    fields : mapping of str to pyarrow.Field
        Columns whose cells have types.
    readings : mapping of str to Reading
        Columns of text, whose cells decide what they are, and rules for reading them.
    n_rows : int, optional
        Number of rows, if it is known beforehand.
    """

    names: tuple[str, ...]
    fields: Mapping[str, Any] = {}
    readings: Mapping[str, Any] = {}
    n_rows: int | None = None

    def rows(self, columns: Mapping[str, Any], batch_rows: int, markers: Sequence[str] = ()) -> Iterator[Any]:
        """Yield record batches of some columns, in order.

        Parameters
        ----------
        columns : mapping of str to pyarrow.DataType
            Types in which to read columns of text, by name; other columns have their own.
        batch_rows : int
            Desired number of rows per batch. Larger batches are cut by the caller.
        markers : sequence of str
            Texts that mean missing. In columns of ``readings``, cells that are exactly one of them are null;
            the caller looks for those with spaces around, and for markers in columns with types.
        """
        raise NotImplementedError
