"""Files to tables: CSV, Parquet and JSON through DuckDB, ARFF by hand."""

import os
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from ..._scratch import Scratch
from ...errors import DataError, InvalidParameter, SchemaMismatch
from ...table._messages import shortened, suggestion
from ...table.checks import check_instance, check_names, check_path, check_weights, check_whole
from ...table.column import Column, Numbers
from ...table.table import Table
from ...table.target import target_column
from ...typing import FloatArray
from . import arff
from ._beside import Beside, check_beside, fetch_beside
from ._cells import ColumnDict
from ._duckdb import one_line, session, without_memory
from ._kinds import Kind, Kinds, readings
from ._plan import Plan, fetch, make_plans
from ._relations import file_relation
from ._stage import stage

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "SUFFIXES",
    "Kind",
    "Kinds",
    "as_file",
    "column_names",
    "read_batches",
    "read_beside",
    "read_table",
]

Source: TypeAlias = str | os.PathLike[str]

_FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".csv.gz": "csv",
    ".tsv.gz": "csv",
    ".txt.gz": "csv",
    ".parquet": "parquet",
    ".arff": "arff",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
}
SUFFIXES = tuple(_FORMATS)
"""The extensions of the files that can be read."""

USUAL_NA = ("NA", "?")
"""Texts that mean missing in a text file, beside an empty cell, unless others are named."""

_SPOOL = "codelength-standard-input"


def read_table(
    source: Source,
    *,
    target: str | None = None,
    weights: str | None = None,
    drop: Iterable[str] = (),
    keep: Sequence[str] | None = None,
    na: Iterable[str] | None = None,
    kinds: Kinds = None,
) -> Table:
    """Read a table from a file, or from standard input.

    A CSV file starts with its column names. The fields are separated by the commonest of ``, ; tab |`` in
    that line which the next line has as often, or the commonest if there is none; ``"`` quotes them, and an
    empty field is missing. A column holds numbers only if every cell that is not missing is one (``nan``
    counts as a missing number), booleans only if every cell is ``true`` or ``false``, and times only if every
    cell has the form of one. Values have the same form as from any data frame, see
    :mod:`codelength.table.values`. The domains that an ARFF file declares stay with their columns.

    Parameters
    ----------
    source
        A ``.csv``, ``.tsv``, ``.txt`` (each also with ``.gz``), ``.parquet``, ``.arff``, ``.json`` or
        ``.jsonl`` file, or ``"-"`` for CSV or Parquet on standard input.
    target
        The column that holds the class of each row.
    weights
        The column that says how many rows each row stands for.
    drop
        Columns to leave out.
    keep
        Which columns to take as variables, in this order; all by default.
    na
        Texts that mean missing, beside an empty cell; by default ``NA`` and ``?`` in CSV and ARFF files,
        whose cells have no types of their own, and none elsewhere. Spaces around a cell do not matter here.
    kinds
        How to read some columns: ``"text"``, ``"number"`` or ``"boolean"`` by name; or a schema, for cells
        that mean what they mean there. A cell that cannot be read so keeps its text. Names that the file
        does not have are passed over.

    Returns
    -------
    Table
        Its name is that of the source.

    Raises
    ------
    SchemaMismatch
        When a column that is named here is not in the file.
    DataError
        When there is no such file, or it cannot be read, or it has no rows.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "shirts.csv"
    >>> _ = path.write_text("colour;size;price;sold\\nred;1;9.5;yes\\n?;2;;no\\n")
    >>> table = read_table(path, target="sold", na=["?"])
    >>> [column.cells.tolist() for column in table.columns]
    [['red', None], [1, 2], [9.5, nan]]
    >>> table.target.cells.tolist()
    ['yes', 'no']
    >>> read_table(path, keep=["size"], kinds={"size": "text"}).columns[0].values
    ('1', '2')
    """
    roles = Roles.of(target, weights, drop, keep)
    with as_file(source) as path:
        shown = name_of(source)
        format_ = format_of(path, shown)
        na = usual_markers(format_) if na is None else check_names("na", na, of="texts")
        if format_ == "arff":
            return _read_arff(path, roles, kinds, na)
        with _opened(path, shown, roles, kinds, na, in_batches=False) as staged:
            return _fetched(staged, roles, shown)[0]


def read_batches(
    source: Source,
    batch_rows: int,
    *,
    target: str | None = None,
    weights: str | None = None,
    drop: Iterable[str] = (),
    keep: Sequence[str] | None = None,
    na: Iterable[str] | None = None,
    kinds: Kinds = None,
) -> Iterator[Table]:
    """Read a table that need not fit in memory, some rows at a time and in order.

    The file is first loaded into a temporary database on disk, which is removed at the end. What a column
    holds is decided over the whole file, so it means the same in every batch. (An ARFF file is read into
    memory whole.)

    Parameters
    ----------
    source, target, weights, drop, keep, na, kinds
        As for :func:`read_table`.
    batch_rows
        How many rows a batch has; the last may have fewer.

    Yields
    ------
    Table
        The next rows.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "shirts.csv"
    >>> _ = path.write_text("colour,size\\nred,1\\nblue,2\\nred,3\\n")
    >>> [batch.column("size").cells.tolist() for batch in read_batches(path, 2)]
    [[1, 2], [3]]
    """
    check_whole("batch_rows", batch_rows)
    roles = Roles.of(target, weights, drop, keep)
    for table, _ in read_beside(source, (), roles, batch_rows, na=na, kinds=kinds):
        yield table


def read_beside(
    source: Source,
    beside: Sequence[str],
    roles: "Roles",
    batch_rows: int | None = None,
    *,
    na: Iterable[str] | None = None,
    kinds: Kinds = None,
) -> Iterator[tuple[Table, ColumnDict]]:
    """Read a table, and columns of the file that go along with it as they are.

    Parameters
    ----------
    source, na, kinds
        As for :func:`read_table`.
    beside
        The columns that go along. Cells of a text file stay as they stand there, but for those that mean
        missing; others keep the values and the types that the file gives them.
    roles
        What the other columns are to be; one that goes along may be among them.
    batch_rows
        How many rows are read at a time; by default all.

    Yields
    ------
    Table, dict
        The next rows, and the cells beside them by the names of their columns.
    """
    with as_file(source) as path:
        shown = name_of(source)
        format_ = format_of(path, shown)
        na = usual_markers(format_) if na is None else check_names("na", na, of="texts")
        if format_ == "arff":
            yield from _beside_arff(path, beside, roles, batch_rows, na, kinds)
            return
        in_batches = batch_rows is not None
        with _opened(path, shown, roles, kinds, na, in_batches=in_batches, beside=beside) as staged:
            if batch_rows is None:
                yield _fetched(staged, roles, shown)
                return
            for start in range(0, staged.n_rows, batch_rows):
                yield _fetched(staged, roles, shown, range(start, min(start + batch_rows, staged.n_rows)))


def column_names(source: Source) -> list[str]:
    """Return the names of the columns of a file, without reading its rows.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "shirts.csv"
    >>> _ = path.write_text("colour,size\\nred,1\\n")
    >>> column_names(path)
    ['colour', 'size']
    """
    with as_file(source) as path:
        shown = name_of(source)
        format_ = format_of(path, shown)
        if format_ == "arff":
            return arff.attribute_names(path)
        with session() as connection:
            return list(file_relation(connection, path, format_, shown).names)


@contextmanager
def as_file(source: Source) -> Iterator[Path]:
    """Give the path of a source; for ``"-"`` a temporary copy of standard input, to be read more than once.

    Examples
    --------
    >>> with as_file("shirts.csv") as path:
    ...     path.name
    'shirts.csv'
    """
    path = check_path("source", source)
    if os.fspath(source) != "-":
        yield path
        return
    _check_standard_input()
    with Scratch() as directory:
        spool = Path(directory) / _SPOOL
        with open(spool, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        with open(spool, "rb") as file:
            magic = file.read(4)
        suffix = ".parquet" if magic == b"PAR1" else ".csv.gz" if magic[:2] == b"\x1f\x8b" else ".csv"
        yield spool.rename(spool.with_suffix(suffix))


def _check_standard_input() -> None:
    """Refuse a device without an end; a terminal and the null device have one."""
    try:
        given, null = os.fstat(sys.stdin.fileno()), os.stat(os.devnull)
    except (OSError, ValueError):  # standard input is no file
        return
    if stat.S_ISCHR(given.st_mode) and given.st_rdev != null.st_rdev and not sys.stdin.isatty():
        raise DataError("standard input: is a device, not a table; redirect a file or a pipe to it")


@dataclass(frozen=True)
class Roles:
    """What the columns of a file are to be."""

    target: str | None
    weights: str | None
    drop: tuple[str, ...]
    keep: tuple[str, ...] | None

    @classmethod
    def of(
        cls, target: str | None, weights: str | None, drop: Iterable[str], keep: Sequence[str] | None
    ) -> "Roles":
        """Roles from what a caller says."""
        for name, value in (("target", target), ("weights", weights)):
            check_instance(name, value, (str, type(None)), "the name of a column, or None")
        kept = None if keep is None else check_names("keep", keep)
        return cls(target, weights, check_names("drop", drop), kept)

    def wanted(self, names: Sequence[str], shown: str) -> list[str]:
        """The columns to read, once it is sure that the file has all that are named."""
        self._check(names, shown)
        own = {self.weights, self.target, *self.drop}
        kept = [name for name in dict.fromkeys(names if self.keep is None else self.keep) if name not in own]
        roles = [name for name in (self.weights, self.target) if name is not None]
        if not kept and not roles:
            raise InvalidParameter(f"{shown}: every column is dropped; leave at least one")
        return [*kept, *roles]

    def table(self, columns: Sequence[Column], shown: str, rows: range | None = None) -> Table:
        """The table of the columns that were wanted, with all rows of the file or a range of them."""
        variables = list(columns)
        table_target = variables.pop() if self.target is not None else None
        weights = variables.pop() if self.weights is not None else None
        n_rows, first = len(columns[0].missing), 0 if rows is None else rows.start
        numbers = None if rows is None else np.arange(rows.start, rows.stop)
        table = Table(tuple(variables), n_rows, name=shown, row_numbers=numbers)
        try:
            if table_target is not None:
                table = replace(table, target=target_column(table_target, first_row=first))
            return table if weights is None else replace(table, weights=_weights(weights, n_rows, first))
        except DataError as error:
            raise type(error)(f"{shown}, {error}") from None

    def _check(self, names: Sequence[str], shown: str) -> None:
        if self.keep is not None and not self.keep:
            raise InvalidParameter("keep is empty; name at least one column, or pass None for all")
        known = set(names)
        asked = [(name, " for the target") for name in (self.target,)]
        asked += [(name, " for the weights") for name in (self.weights,)]
        asked += [(name, f" among its {len(names)}") for name in (*(self.keep or ()), *self.drop)]
        for name, purpose in asked:
            if name is not None and name not in known:
                raise SchemaMismatch(f"{shown}: has no column {name!r}{purpose}{suggestion(name, names)}")
        if self.target is not None and self.target == self.weights:
            raise InvalidParameter(f"column {self.target!r} is the target; name another for the weights")
        for name in self.drop:
            if name in (self.target, self.weights):
                role = "target" if name == self.target else "weights"
                raise InvalidParameter(f"drop: column {name!r} is named for the {role}; do not drop it")


def _weights(column: Column, n_rows: int, first_row: int) -> FloatArray | None:
    if not isinstance(column, Numbers):
        raise DataError(f"column {column.name!r}: weights must be numbers, one per row")
    # A batch may hold nothing but rows of weight zero.
    return check_weights(column.numbers, n_rows, positive=False, first_row=first_row)


class _Staged(NamedTuple):
    """A file as the table ``t`` of a database, and how its columns are read."""

    connection: "DuckDBPyConnection"
    plans: list[Plan]
    beside: list[Beside]
    n_rows: int


@contextmanager
def _opened(
    path: Path,
    shown: str,
    roles: Roles,
    kinds: Kinds,
    na: Iterable[str],
    *,
    in_batches: bool,
    beside: Sequence[str] = (),
) -> Iterator[_Staged]:
    """Stage a file as the table ``t`` and decide how its columns are read."""
    import duckdb

    how = readings(kinds)
    format_ = format_of(path, shown)
    with session(on_disk=in_batches) as connection:
        relation = file_relation(connection, path, format_, shown)
        wanted = roles.wanted(relation.names, shown)
        check_beside(beside, relation.names, shown)
        as_table = in_batches or format_ == "json"
        stored, along = stage(
            connection, path, relation, wanted, how, tuple(na), shown, as_table=as_table, beside=beside
        )
        try:
            (n_rows,) = connection.execute("SELECT count(*) FROM t").fetchall()[0]
            plans = make_plans(connection, stored, n_rows) if n_rows else []
        except (duckdb.Error, MemoryError, SystemError) as error:
            raise _unreadable(shown, error) from error
        except DataError as error:
            raise DataError(f"{shown}, {error}") from None
        if not n_rows:
            raise DataError(f"{shown}: has a header but no rows")
        yield _Staged(connection, plans, along, n_rows)


def _fetched(
    staged: _Staged, roles: Roles, shown: str, rows: range | None = None
) -> tuple[Table, ColumnDict]:
    import duckdb

    try:
        columns = fetch(staged.connection, staged.plans, rows)
        beside = fetch_beside(staged.connection, staged.beside, rows)
    except (duckdb.Error, MemoryError, SystemError) as error:
        raise _unreadable(shown, error) from error
    except DataError as error:
        raise DataError(f"{shown}, {error}") from None
    return roles.table(columns, shown, rows), beside


def _unreadable(shown: str, error: Exception) -> DataError:
    damaged = DataError(f"{shown}: cannot be read, or is damaged ({one_line(error)})")
    return without_memory(error, shown) or damaged


def _read_arff(path: Path, roles: Roles, kinds: Kinds, na: Iterable[str]) -> Table:
    columns = {column.name: column for column in arff.read_arff(path, na=na, kinds=kinds)}
    wanted = roles.wanted(tuple(columns), str(path))
    return roles.table([columns[name] for name in wanted], str(path))


def _beside_arff(
    path: Path,
    beside: Sequence[str],
    roles: Roles,
    batch_rows: int | None,
    na: Iterable[str],
    kinds: Kinds,
) -> Iterator[tuple[Table, ColumnDict]]:
    columns = {column.name: column for column in arff.read_arff(path, na=na, kinds=kinds)}
    check_beside(beside, tuple(columns), str(path))
    wanted = roles.wanted(tuple(columns), str(path))
    table = roles.table([columns[name] for name in wanted], str(path))
    for part in [table] if batch_rows is None else _cut(table, batch_rows):
        first = 0 if part.row_numbers is None else int(part.row_numbers[0])
        rows = slice(first, first + part.n_rows)
        yield part, {name: columns[name].cells[rows] for name in beside}


def _cut(table: Table, batch_rows: int) -> Iterator[Table]:
    """Pieces of a table, in which a column has all the values that it has in the whole."""
    for start in range(0, table.n_rows, batch_rows):
        rows = slice(start, start + batch_rows)
        yield replace(
            table,
            columns=tuple(_piece(column, rows) for column in table.columns),
            n_rows=min(batch_rows, table.n_rows - start),
            row_numbers=np.arange(table.n_rows)[rows],
            target=None if table.target is None else _piece(table.target, rows),
            weights=None if table.weights is None else table.weights[rows],
        )


def _piece(column: Column, rows: slice) -> Column:
    if isinstance(column, Numbers):
        return replace(column, numbers=column.numbers[rows])
    return replace(column, positions=column.positions[rows])


def name_of(source: Source) -> str:
    """Return what messages call a source; the copy of standard input goes by that name too."""
    given = os.fspath(source)
    return "standard input" if given == "-" or Path(given).name.startswith(_SPOOL) else given


def usual_markers(format_: str) -> tuple[str, ...]:
    """Texts that mean missing in files of a format unless others are named.

    Examples
    --------
    >>> usual_markers("csv"), usual_markers("parquet")
    (('NA', '?'), ())
    """
    return USUAL_NA if format_ in ("csv", "arff") else ()


def format_of(path: Path, shown: str) -> str:
    """Return the format that a file's name says, once it is sure that there is such a file."""
    name = path.name.lower()
    format_ = next((format_ for suffix, format_ in _FORMATS.items() if name.endswith(suffix)), None)
    if os.path.isdir(path):
        raise DataError(f"{shown}: is a directory; name a file in it")
    if not os.path.exists(path):  # also where the name is too long for one
        raise DataError(f"{shortened(shown)}: no such file; check the path")
    if not os.path.isfile(path):
        raise DataError(
            f"{shown}: is a pipe or a device, which cannot be read twice; write it to a file, or name - and "
            "pass it to standard input"
        )
    if format_ is None:
        known = ", ".join(_FORMATS)
        raise DataError(
            f"{shown}: {path.suffix or 'a file without extension'} is not known; use one of {known}"
        )
    if not os.access(path, os.R_OK):
        raise DataError(f"{shown}: may not be read; change its permissions")
    return format_
