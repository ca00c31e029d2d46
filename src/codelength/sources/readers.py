"""Tables of any kind in memory: objects, files and streams.

Order of reading: :func:`as_table`, :func:`known_rows` and :func:`as_coded` (whatever the caller has),
:func:`read_table` (a file), :func:`read_carrying` and :func:`read_batches` (a file or batches, as a whole or
piece by piece, with columns that are only carried over). Files are read as batches and joined. Depends on
``files`` and ``engines`` (what opens a source), on ``cells`` and ``roles``, and on :mod:`codelength.table`.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from ..errors import DataError, SchemaMismatch
from ..table._messages import check_one_file, shown, suggestion
from ..table.checks import check_size
from ..table.coded import Coded
from ..table.column import Column
from ..table.encode import encode
from ..table.infer import infer_schema
from ..table.schema import Schema
from ..table.table import Table, table_of
from ..table.target import target_column
from .batch import BATCH_ROWS, Batch, Batches, arrow, marked
from .cells import column_of, kind_of, numbers_of, texts_of
from .engines import MAX_BATCHED, as_batches
from .files import arff
from .files._duckdb import without_memory
from .files._text import Kinds
from .files.formats import ARFF, SUFFIXES, Source, as_file, format_of, name_of
from .files.writers import ColumnDict
from .roles import Roles, weights_of

_Names: TypeAlias = Iterable[str]


def as_table(data: Any, target: Any = None, sample_weight: Any = None) -> Table:
    """Return a table of any kind as a Table.

    Parameters
    ----------
    data : table of any kind
        The rows: a data frame of any library, eager or lazy; a DuckDB relation; a 2-d array; a list of rows,
        each a list of cells or a mapping of names to cells; a mapping of names to columns; or the path of a
        file that :func:`codelength.read_table` reads. A :class:`Table` keeps its own target and weights
        unless others are given.
    target : series, array or name of a column, optional
        The class of each row. A column that is named, also as ``pl.col(name)``, is not a variable.
    sample_weight : array of shape (n_rows,), optional
        How many rows each row stands for.

    Returns
    -------
    Table
        The rows in memory.

    Examples
    --------
    >>> as_table({"size": [1, 2], "colour": ["red", None]}).names
    ('size', 'colour')
    >>> as_table([["a", 1.5], ["b", 2.5]]).columns[1].numbers
    array([1.5, 2.5])
    >>> as_table({"size": [1, 2], "ripe": ["no", "yes"]}, "ripe").names
    ('size',)
    """
    if isinstance(data, (str, os.PathLike)):
        data = _read_path(data)
    elif type(data).__name__ == "DuckDBPyRelation":
        from .engines.sql import check_types

        check_types(data, data.columns)
    return table_of(data, target, sample_weight)


def known_rows(schema: Schema, data: Any) -> Any:
    """Read the rows if data is a file, with cells read as values of a schema.

    Parameters
    ----------
    schema : Schema
        The schema that decides how text is read: the text ``1`` may be a number or a category.
    data : table of any kind
        A path, or any other table, which is returned as it is.

    Returns
    -------
    Table or object
        The rows of the file, or ``data``.
    """
    if not isinstance(data, (str, os.PathLike)):
        return data
    target = schema.target
    # Classes are read like values of a variable, unless a variable has the same name.
    with_target = target is not None and target.name not in schema.names
    return _read_path(data, Schema((*schema.variables, target)) if with_target and target else schema)


def as_coded(data: Any, target: Any = None, **options: Any) -> Coded:
    """Return a table of any kind as codes under a schema of its own; codes as they are.

    Parameters
    ----------
    data : table of any kind, or Coded
        The rows.
    target : series, array or name of a column, optional
        The class of each row.
    **options
        Options of :func:`codelength.table.infer_schema`.

    Returns
    -------
    Coded
        The codes.

    Examples
    --------
    >>> as_coded({"colour": ["red", "blue", "red"]}).codes.ravel()
    array([1, 0, 1], dtype=uint8)
    """
    if isinstance(data, Coded):
        return data
    table = as_table(data, target)
    return encode(infer_schema(table, **options), table)


def read_table(
    source: Source,
    *,
    target: str | None = None,
    weights: str | None = None,
    drop: _Names = (),
    keep: Sequence[str] | None = None,
    na: _Names | None = None,
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
        How to read some columns of a CSV or ARFF file: ``"text"``, ``"number"`` or ``"boolean"`` by name; or
        a schema, to read cells as its values. A cell that cannot be read in this way keeps its text. Names
        that the file does not have are ignored. Columns of other files have types.

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
    >>> from pathlib import Path
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
    roles = {"target": target, "weights": weights, "drop": drop, "keep": keep}
    return read_carrying(source, (), na=na, kinds=kinds, **roles)[0]


def read_carrying(
    source: Source | Batches,
    carried: Sequence[str],
    *,
    na: _Names | None = None,
    kinds: Kinds = None,
    **roles: Any,
) -> tuple[Table, ColumnDict]:
    """Return a table, and the cells of columns to carry over, by name.

    Parameters
    ----------
    source, na, kinds
        As for :func:`read_table`; or batches.
    carried
        The columns to carry over. Cells of a text file keep their text, except for those that mean missing;
        cells of other files keep their values and types.
    **roles
        ``target``, ``weights``, ``drop`` and ``keep`` of :func:`read_table`; a column that is carried over
        may have a role, too.
    """
    with _opened(source, carried, BATCH_ROWS, na, kinds) as (batches, apart):
        own = Roles.of(batches, **roles)
        return _joined(batches.read(_columns(batches, own, apart)), own, batches.name or "the table", carried)


def read_batches(
    source: Source | Batches,
    batch_rows: int,
    carried: Sequence[str] = (),
    *,
    na: _Names | None = None,
    kinds: Kinds = None,
    **roles: Any,
) -> Iterator[tuple[Table, ColumnDict]]:
    """Read a table that need not fit into memory, some rows at a time and in order.

    The kind of a column is decided over the whole file, so it is the same in every batch. (An ARFF file is
    read into memory as a whole.)

    Parameters
    ----------
    source, carried, na, kinds, **roles
        As for :func:`read_carrying`.
    batch_rows
        Largest number of rows per batch.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "shirts.csv"
    >>> _ = path.write_text("colour,size\\nred,1\\nblue,2\\nred,3\\n")
    >>> [batch.column("size").cells.tolist() for batch, _ in read_batches(path, 2)]
    [[1, 2], [3]]
    """
    check_size("batch_rows", batch_rows, MAX_BATCHED)
    with _opened(source, carried, batch_rows, na, kinds) as (batches, apart):
        own = Roles.of(batches, **roles)
        for batch in batches.read(_columns(batches, own, apart)):
            rows = np.arange(batch.first_row, batch.first_row + batch.n_rows)
            table = replace(_table(batch, own, batch.source), row_numbers=rows)
            yield table, _cells(batch, carried)


def _read_path(path: str | os.PathLike[str], kinds: Schema | None = None) -> Table:
    """Read a file; cells are values of the schema if one is given."""
    try:
        is_file = os.path.isfile(path)
    except (TypeError, ValueError):  # a NUL in the path
        is_file = False
    if not is_file:
        check_one_file(path)
        raise DataError(
            f"no such file: {shown(os.fspath(path), 80)}; pass a table, or the path of a file "
            f"({', '.join(SUFFIXES)})"
        )
    return read_table(path, kinds=kinds)


def column_names(source: Source) -> list[str]:
    """Return the names of the columns of a file, without reading its rows.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "shirts.csv"
    >>> _ = path.write_text("colour,size\\nred,1\\n")
    >>> column_names(path)
    ['colour', 'size']
    """
    with as_file(source) as path, ExitStack() as stack:
        name = name_of(source)
        format_ = format_of(path, name)
        if format_ is ARFF:
            return arff.attribute_names(path)
        assert format_.open is not None
        return list(format_.open([path], [name], stack)[0].names)


@contextmanager
def _opened(
    source: Source | Batches, carried: Sequence[str], batch_rows: int, na: _Names | None, kinds: Kinds
) -> Iterator[tuple[Batches, Sequence[str]]]:
    """Open one file, or batches; return also the columns to carry over that have to be read as others."""
    with ExitStack() as stack:
        if isinstance(source, (str, os.PathLike)):
            path = stack.enter_context(as_file(source))
            format_of(path, name_of(source))
            source = path
        batches = stack.enter_context(closing(as_batches(source, batch_rows=batch_rows, na=na, kinds=kinds)))
        for name in carried:
            if name not in batches.names:
                near, shown = suggestion(name, batches.names), batches.name or "the table"
                raise SchemaMismatch(f"{shown}: has no column {name!r} to carry over{near}")
        if batches.n_rows == 0:
            raise DataError(f"{batches.name}: has a header but no rows")
        yield batches, () if batches.carry(carried) else carried


def _columns(batches: Batches, roles: Roles, carried: Sequence[str]) -> tuple[str, ...]:
    """Return the columns to read."""
    # Any column says how many rows there are.
    return tuple(dict.fromkeys([*roles.columns, *carried])) or batches.names[:1]


def _joined(
    batches: Iterable[Batch], roles: Roles, name: str, carried: Sequence[str]
) -> tuple[Table, ColumnDict]:
    """Return all rows as a table, and the cells of columns that are carried over."""
    pa = arrow()
    parts, others = [], []
    try:
        for batch in batches:
            parts.append(_encoded(batch.rows))
            others.append(batch.carried)
        if not parts:
            raise DataError(f"{name}: has no rows")
        # Batches may have dictionaries of their own, which only one dictionary for all can join.
        rows = pa.Table.from_batches(parts).unify_dictionaries().combine_chunks().to_batches()[0]
        beside = None if others[0] is None else pa.Table.from_batches(others).combine_chunks().to_batches()[0]
        whole = Batch(rows, "" if name == "the table" else name, carried=beside)
        return _table(whole, roles, name), _cells(whole, carried)
    except (MemoryError, SystemError) as error:
        raise without_memory(error, name) or error from error


def _encoded(rows: Any) -> Any:
    """Return rows with text as dictionaries, which take less memory."""
    pa, pairs = arrow(), []
    for array, column in zip(rows.columns, rows.schema, strict=True):
        if kind_of(column) == "text":
            array = texts_of(array)
            column = marked(pa.field(column.name, array.type), "seen")
        pairs.append((array, column))
    schema = pa.schema([column for _, column in pairs])
    return pa.RecordBatch.from_arrays([array for array, _ in pairs], schema=schema)


def _table(batch: Batch, roles: Roles, name: str) -> Table:
    """Return the rows of a batch as a table."""
    try:
        columns = tuple(_column(batch, variable) for variable in roles.variables)
        table = Table(columns, batch.n_rows, name=name)
        if roles.target is not None:
            target = _column(batch, roles.target)
            table = replace(table, target=target_column(target, first_row=batch.first_row))
        if roles.weights is not None:
            table = replace(table, weights=weights_of(batch, roles.weights))
    except DataError as error:
        raise type(error)(f"{batch.prefix}{error}") from None
    return table


def _column(batch: Batch, name: str) -> Column:
    array, column = batch.column(name)
    # Infinite numbers are refused here, where the number of the row is known.
    if batch.first_row and kind_of(column) == "number":
        numbers_of(name, array, batch.first_row)
    return column_of(name, array, column)


def _cells(batch: Batch, carried: Sequence[str]) -> ColumnDict:
    """Return the cells to carry over."""
    if batch.carried is None:
        return {name: batch.column(name)[0] for name in carried}
    return {name: batch.carried.column(name) for name in carried}
