"""Readers of files: CSV, Parquet and JSON through DuckDB, ARFF by a parser of our own.

Order of reading: :func:`read_table`, then ``_opened``, which stages a file as a table of DuckDB, and
``_fetched``, which makes columns of it. :func:`read_batches` and :func:`read_beside` do the same for some
rows at a time, and with columns that are carried over. ARFF files have functions of their own.

Depends on ``formats`` (which format a file has), ``_relations`` (the file as DuckDB sees it), ``_stage`` and
``_plan`` (types of its columns), and :mod:`codelength.sources.roles`.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import DataError
from ...table.checks import check_names, check_whole
from ...table.column import Column, Numbers
from ...table.table import Table
from ..roles import AskedRoles, Roles
from . import arff
from ._beside import Beside, check_beside, fetch_beside
from ._cells import ColumnDict
from ._duckdb import one_line, session, without_memory
from ._kinds import Kind, Kinds, readings
from ._plan import Plan, fetch, make_plans
from ._relations import file_relation
from ._stage import Wanted, stage
from .formats import ARFF, JSON, format_of
from .standard_input import Source, as_file, name_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "Kind",
    "Kinds",
    "as_file",
    "column_names",
    "read_batches",
    "read_beside",
    "read_table",
]


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

    A CSV file starts with its column names. Fields are separated by the most common of ``, ; tab |`` that the
    first two lines have equally often, or by the most common one if there is none; ``"`` quotes them, and an
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
        Column with the class of each row.
    weights
        Column with the number of rows that each row stands for.
    drop
        Columns to drop.
    keep
        Columns to use as variables, in this order; by default all.
    na
        Texts that mean missing, in addition to an empty cell; by default ``NA`` and ``?`` in CSV and ARFF
        files, whose cells have no types of their own, and none elsewhere. Spaces around a cell are ignored.
    kinds
        How to read some columns: ``"text"``, ``"number"`` or ``"boolean"`` by name; or a schema, to read
        cells as its values. A cell that cannot be read in this way keeps its text. Names that the file does
        not have are ignored.

    Returns
    -------
    Table
        Its name is that of the source.

    Raises
    ------
    SchemaMismatch
        If a column that is named here is not in the file.
    DataError
        If there is no such file, or it cannot be read, or it has no rows.

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
    asked = AskedRoles.of(target, weights, drop, keep)
    with as_file(source) as path:
        shown = name_of(source)
        format_ = format_of(path, shown)
        na = format_.markers if na is None else check_names("na", na, of="texts")
        if format_ is ARFF:
            return _read_arff(path, asked, kinds, na)
        with _opened(path, shown, asked, kinds, na, in_batches=False) as staged:
            return _fetched(staged, shown)[0]


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
    """Read a table that need not fit into memory, some rows at a time and in order.

    The file is first loaded into a temporary database on disk, which is removed at the end. The kind of a
    column is decided over the whole file, so it is the same in every batch. (An ARFF file is read into memory
    as a whole.)

    Parameters
    ----------
    source, target, weights, drop, keep, na, kinds
        As for :func:`read_table`.
    batch_rows
        Number of rows per batch; the last batch may have fewer.

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
    asked = AskedRoles.of(target, weights, drop, keep)
    for table, _ in read_beside(source, (), asked, batch_rows, na=na, kinds=kinds):
        yield table


def read_beside(
    source: Source,
    beside: Sequence[str],
    asked: AskedRoles,
    batch_rows: int | None = None,
    *,
    na: Iterable[str] | None = None,
    kinds: Kinds = None,
) -> Iterator[tuple[Table, ColumnDict]]:
    """Read a table, and columns of the file to carry over.

    Parameters
    ----------
    source, na, kinds
        As for :func:`read_table`.
    beside
        The columns to carry over. Cells of a text file keep their text, except for those that mean missing;
        cells of other files keep their values and types.
    asked
        Roles of the columns; a column that is carried over may have a role, too.
    batch_rows
        Number of rows to read at a time; by default all.

    Yields
    ------
    Table, dict
        The next rows, and the cells that are carried over by the names of their columns.
    """
    with as_file(source) as path:
        shown = name_of(source)
        format_ = format_of(path, shown)
        na = format_.markers if na is None else check_names("na", na, of="texts")
        if format_ is ARFF:
            yield from _beside_arff(path, beside, asked, batch_rows, na, kinds)
            return
        in_batches = batch_rows is not None
        with _opened(path, shown, asked, kinds, na, in_batches=in_batches, beside=beside) as staged:
            if batch_rows is None:
                yield _fetched(staged, shown)
                return
            for start in range(0, staged.n_rows, batch_rows):
                yield _fetched(staged, shown, range(start, min(start + batch_rows, staged.n_rows)))


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
        if format_ is ARFF:
            return arff.attribute_names(path)
        with session() as connection:
            return list(file_relation(connection, path, format_.name, shown).names)


class _Staged(NamedTuple):
    """A file as the table ``t`` of a database, and plans for its columns.

    Attributes
    ----------
    connection : duckdb.DuckDBPyConnection
        The session.
    roles : Roles
        Roles of the columns.
    plans : list of Plan
        Plans in the order of ``roles.columns``.
    beside : list of Beside
        Columns to carry over.
    n_rows : int
        Number of rows.
    """

    connection: "DuckDBPyConnection"
    roles: Roles
    plans: list[Plan]
    beside: list[Beside]
    n_rows: int


@contextmanager
def _opened(
    path: Path,
    shown: str,
    asked: AskedRoles,
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
        relation = file_relation(connection, path, format_.name, shown)
        roles = asked.among(relation.names, shown)
        check_beside(beside, relation.names, shown)
        # JSON would be parsed again by every query on a view.
        as_table = in_batches or format_ is JSON
        wanted = Wanted(roles.columns, how, tuple(na), beside=beside)
        stored, along = stage(connection, path, relation, wanted, shown, as_table=as_table)
        try:
            (n_rows,) = connection.execute("SELECT count(*) FROM t").fetchall()[0]
            plans = make_plans(connection, stored, n_rows) if n_rows else []
        except (duckdb.Error, MemoryError, SystemError) as error:
            raise _unreadable(shown, error) from error
        except DataError as error:
            raise DataError(f"{shown}, {error}") from None
        if not n_rows:
            raise DataError(f"{shown}: has a header but no rows")
        yield _Staged(connection, roles, plans, along, n_rows)


def _fetched(staged: _Staged, shown: str, rows: range | None = None) -> tuple[Table, ColumnDict]:
    """Return the rows of a staged file, or a range of them, and the cells to carry over."""
    import duckdb

    try:
        columns = fetch(staged.connection, staged.plans, rows)
        beside = fetch_beside(staged.connection, staged.beside, rows)
    except (duckdb.Error, MemoryError, SystemError) as error:
        raise _unreadable(shown, error) from error
    except DataError as error:
        raise DataError(f"{shown}, {error}") from None
    return staged.roles.table(columns, shown, rows), beside


def _unreadable(shown: str, error: Exception) -> DataError:
    """Return the error about a file that DuckDB cannot read."""
    damaged = DataError(f"{shown}: cannot be read, or is damaged ({one_line(error)})")
    return without_memory(error, shown) or damaged


def _read_arff(path: Path, asked: AskedRoles, kinds: Kinds, na: Iterable[str]) -> Table:
    """Return the table of an ARFF file."""
    columns = {column.name: column for column in arff.read_arff(path, na=na, kinds=kinds)}
    roles = asked.among(tuple(columns), str(path))
    return roles.table([columns[name] for name in roles.columns], str(path))


def _beside_arff(
    path: Path,
    beside: Sequence[str],
    asked: AskedRoles,
    batch_rows: int | None,
    na: Iterable[str],
    kinds: Kinds,
) -> Iterator[tuple[Table, ColumnDict]]:
    """Yield the rows of an ARFF file, and the cells to carry over."""
    columns = {column.name: column for column in arff.read_arff(path, na=na, kinds=kinds)}
    check_beside(beside, tuple(columns), str(path))
    roles = asked.among(tuple(columns), str(path))
    table = roles.table([columns[name] for name in roles.columns], str(path))
    for part in [table] if batch_rows is None else _cut(table, batch_rows):
        first = 0 if part.row_numbers is None else int(part.row_numbers[0])
        rows = slice(first, first + part.n_rows)
        yield part, {name: columns[name].cells[rows] for name in beside}


def _cut(table: Table, batch_rows: int) -> Iterator[Table]:
    """Yield pieces of a table, in which every column has all values of the whole."""
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
    """Return some rows of a column."""
    if isinstance(column, Numbers):
        return replace(column, numbers=column.numbers[rows])
    return replace(column, positions=column.positions[rows])
