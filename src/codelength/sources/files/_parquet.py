"""Writers of Parquet files, batch after batch, with DuckDB."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError
from ._cells import Cells, ColumnDict, TypedCells, object_array, plain_cells
from ._duckdb import one_line, quoted, session

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["ParquetWriter", "check_batch", "check_capitals", "parquet_writer"]


@contextmanager
def parquet_writer(path: Path, names: Sequence[str], shown: str) -> Iterator["ParquetWriter"]:
    """Open a writer of Parquet files.

    Parameters
    ----------
    path : Path
        The file to write.
    names : sequence of str
        Names of the columns, in order.
    shown : str
        Name of the file in messages.

    Yields
    ------
    ParquetWriter
        The file is written once the block has ended without an error.
    """
    with session(on_disk=True) as connection:
        # Objects are text. DuckDB would otherwise guess their type from the first ones.
        connection.execute("SET pandas_analyze_sample = 0")
        # From statistics DuckDB would declare columns "not null" that happen to have no missing cells.
        connection.execute("SET disabled_optimizers = 'common_subexpressions,statistics_propagation'")
        writer = ParquetWriter(connection, names, shown)
        yield writer
        writer.finish(path)


class ParquetWriter:
    """Writer that collects batches in a database on disk, because a Parquet file cannot be appended to.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        A session without a table ``t``.
    names : sequence of str
        Names of the columns, in order.
    shown : str
        Name of the file in messages.
    """

    def __init__(self, connection: "DuckDBPyConnection", names: Sequence[str], shown: str) -> None:
        self._connection, self._names, self._shown = connection, names, shown
        self._types: list[str] = []

    def write(self, columns: ColumnDict) -> None:
        """Append rows; the first batch decides the types of the columns."""
        import duckdb

        check_batch(columns, self._names, self._shown)
        arrays = [columns[name] for name in self._names]
        if not self._types:
            self.create([_parquet_type(array) for array in arrays])
        for name, array, type_ in zip(self._names, arrays, self._types, strict=True):
            if not _fits(array, type_):
                found = _parquet_type(array)
                raise DataError(
                    f"{self._shown}, column {name!r}: was {type_} in the first batch, now {found}"
                )
        # By position, because names of SQL do not distinguish capitals from small letters.
        batch = {f"c{i}": _for_duckdb(array) for i, array in enumerate(arrays)}
        select = ", ".join(f"CAST(c{i} AS {type_})" for i, type_ in enumerate(self._types))
        self._connection.register("batch", batch)
        try:
            self._connection.execute(f"INSERT INTO t SELECT {select} FROM batch")
        except duckdb.Error as error:
            raise DataError(f"{self._shown}: cannot be written ({one_line(error)})") from error
        finally:
            self._connection.unregister("batch")

    def create(self, types: Sequence[str]) -> None:
        """Create the table, with one type per column."""
        self._types = list(types)
        columns = ", ".join(f"c{i} {type_}" for i, type_ in enumerate(types))
        self._connection.execute(f"CREATE TABLE t ({columns})")

    def finish(self, path: Path) -> None:
        """Write the file; a table without rows has columns of text."""
        import duckdb

        if not self._types:
            self.create(["VARCHAR"] * len(self._names))
        aliases = ", ".join(
            f'c{i} AS "{name.replace(chr(34), chr(34) * 2)}"' for i, name in enumerate(self._names)
        )
        options = "FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false"
        try:
            self._connection.execute(f"COPY (SELECT {aliases} FROM t) TO {quoted(str(path))} ({options})")
        except duckdb.Error as error:
            raise DataError(f"{self._shown}: cannot be written ({one_line(error)})") from error


def check_capitals(names: Sequence[str], shown: str) -> None:
    """Raise if names differ only in capitals: DuckDB would rename the second."""
    folded: dict[str, str] = {}
    for name in names:
        if folded.setdefault(name.lower(), name) != name:
            other = folded[name.lower()]
            raise DataError(f"{shown}: columns {other!r} and {name!r} differ only in capitals; rename one")


def check_batch(columns: ColumnDict, names: Sequence[str], shown: str) -> None:
    """Raise unless a batch has the columns of the table, all of one length.

    Parameters
    ----------
    columns : dict of str to array or Cells
        The batch.
    names : sequence of str
        Names of the columns of the table.
    shown : str
        Name of the file in messages.
    """
    if set(columns) != set(names):
        raise DataError(f"{shown}: a batch has columns {sorted(columns)}, but the table has {sorted(names)}")
    lengths = {len(columns[name]) for name in names}
    if len(lengths) > 1:
        raise DataError(f"{shown}: the columns of a batch have different lengths {sorted(lengths)}")


def _parquet_type(array: NDArray[Any] | Cells) -> str:
    """Return the type of a column that starts with these cells."""
    if isinstance(array, TypedCells):
        return array.type
    if not isinstance(array, np.ndarray):
        array = object_array(array.tolist())
    kind = array.dtype.kind
    if kind in "iu":
        return "BIGINT"
    if kind == "f":
        return "DOUBLE"
    booleans = kind == "O" and all(cell is None or isinstance(cell, bool | np.bool_) for cell in array)
    present = kind == "O" and any(cell is not None for cell in array)
    return "BOOLEAN" if kind == "b" or (booleans and present) else "VARCHAR"


def _fits(array: NDArray[Any] | Cells, type_: str) -> bool:
    """Return True if an array can be appended to a column of a type without loss."""
    found = _parquet_type(array)
    if type_ == found or type_ == "VARCHAR":
        return True
    if not isinstance(array, np.ndarray):
        return False
    # Cells that are all missing look like text, and whole numbers with gaps are floats in numpy.
    if found == "VARCHAR":
        return all(cell is None for cell in array)
    if type_ == "BIGINT" and found == "DOUBLE":
        return bool(np.all(np.isnan(array) | (array == np.round(array))))
    return type_ == "DOUBLE" and found == "BIGINT"


def _for_duckdb(array: NDArray[Any] | Cells) -> NDArray[Any]:
    """Return an array that DuckDB can read; objects become text or None."""
    if isinstance(array, TypedCells):
        return array.texts
    if isinstance(array, np.ndarray) and array.dtype.kind in "iufb":
        return np.ascontiguousarray(array)
    return object_array([None if cell is None else str(cell) for cell in plain_cells(array)])
