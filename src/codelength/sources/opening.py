"""Tables of any kind, files included, as tables in memory or as codes."""

import os
from typing import Any

from ..errors import DataError
from ..table._messages import shown
from ..table._parts import check_one_file
from ..table.coded import Coded
from ..table.encode import encode
from ..table.infer import infer_schema
from ..table.schema import Schema
from ..table.table import Table, table_of


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
        data = read_path(data)
    elif type(data).__name__ == "DuckDBPyRelation":
        from .engines._relations import check_types

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
    return read_path(data, Schema((*schema.variables, target)) if with_target and target else schema)


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


def read_path(path: str | os.PathLike[str], kinds: Schema | None = None) -> Table:
    """Read a file; cells are values of the schema if one is given."""
    from .files.formats import SUFFIXES
    from .readers import read_table

    try:
        is_file = os.path.isfile(path)
    except (TypeError, ValueError):  # a NUL in the path
        is_file = False
    if not is_file:
        check_one_file(path)
        raise DataError(
            f"there is no file {shown(os.fspath(path), 80)}, and text is no table; pass a table, or the path "
            f"of a file ({', '.join(SUFFIXES)}), as to codelength.read_table"
        )
    return read_table(path, kinds=kinds)
