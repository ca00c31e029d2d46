"""Files to plain tables: CSV, Parquet and JSON through DuckDB, ARFF by hand."""

import difflib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, get_args

from ...errors import DataError, InvalidParameter, SchemaMismatch
from . import arff
from ._cells import ColumnDict, Kind, as_kind
from ._duckdb import one_line, session
from ._load import load
from ._plan import Plan, fetch, make_plans
from ._relations import file_relation

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "SUFFIXES",
    "ColumnDict",
    "Kind",
    "as_file",
    "column_names",
    "read_batches",
    "read_columns",
    "suggestion",
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

_SPOOL = "codelength-standard-input"


def read_columns(
    source: Source,
    *,
    kinds: Mapping[str, Kind] | None = None,
    columns: Sequence[str] | None = None,
    na: Iterable[str] = (),
) -> ColumnDict:
    """Read a table from a file, or from standard input.

    Text columns are arrays of str with None for missing cells. Numbers are int64, or float64 with NaN
    where cells are missing or a number has a fraction. Booleans are bool, or objects with None. Dates
    and times are ISO text.

    A CSV file starts with its column names. The commonest of ``, ; tab |`` in that line separates the
    fields; ``"`` quotes them, and an empty field is missing. A column holds numbers only if every cell
    that is not missing is one (``nan`` counts as a missing number), and booleans only if every cell is
    ``true`` or ``false``. Whole numbers too large to be held exactly stay text.

    Parameters
    ----------
    source
        A ``.csv``, ``.tsv``, ``.txt`` (each also with ``.gz``), ``.parquet``, ``.arff``, ``.json`` or
        ``.jsonl`` file, or ``"-"`` for CSV or Parquet on standard input.
    kinds
        How to read some columns: ``"text"``, ``"number"`` or ``"boolean"``. A cell that cannot be read so
        keeps its text, in an array of objects. Names that the file does not have are passed over.
    columns
        Which columns to read, in this order; all by default.
    na
        Cells that mean missing, such as ``"?"``, beside empty ones. Spaces around a cell do not matter here.

    Returns
    -------
    dict of str to ndarray
        The array of each column.

    Raises
    ------
    SchemaMismatch
        When a column of ``columns`` is not in the file.
    DataError
        When there is no such file, or it cannot be read, or it has no rows.

    Examples
    --------
    >>> path = Path(tempfile.mkdtemp()) / "shirts.csv"
    >>> _ = path.write_text("colour;size;price\\nred;1;9.5\\n?;2;\\n")
    >>> read_columns(path, na=["?"])
    {'colour': array(['red', None], dtype=object), 'size': array([1, 2]), 'price': array([9.5, nan])}
    >>> read_columns(path, kinds={"size": "text"}, columns=["size"])
    {'size': array(['1', '2'], dtype=object)}
    """
    with as_file(source) as path:
        shown = _shown(source)
        if _format_of(path, shown) == "arff":
            return _read_arff(path, kinds, columns, na)
        with _opened(path, shown, kinds, columns, na, in_batches=False) as (connection, plans, _):
            return _fetched(connection, plans, shown)


def read_batches(
    source: Source,
    batch_rows: int,
    *,
    kinds: Mapping[str, Kind] | None = None,
    columns: Sequence[str] | None = None,
    na: Iterable[str] = (),
) -> Iterator[ColumnDict]:
    """Read a table that need not fit in memory, some rows at a time and in order.

    The file is first loaded into a temporary database on disk, which is removed at the end. What a column
    holds is decided over the whole file, so an array has the same type in every batch. (An ARFF file
    is read into memory whole.)

    Parameters
    ----------
    source, kinds, columns, na
        As for :func:`read_columns`.
    batch_rows
        How many rows a batch has; the last may have fewer.

    Yields
    ------
    dict of str to ndarray
        The next rows.

    Examples
    --------
    >>> path = Path(tempfile.mkdtemp()) / "shirts.csv"
    >>> _ = path.write_text("colour,size\\nred,1\\nblue,2\\nred,3\\n")
    >>> [batch["size"].tolist() for batch in read_batches(path, 2)]
    [[1, 2], [3]]
    """
    if batch_rows < 1:
        raise InvalidParameter(f"batch_rows is {batch_rows}; a batch has at least 1 row")
    with as_file(source) as path:
        shown = _shown(source)
        if _format_of(path, shown) == "arff":
            table = _read_arff(path, kinds, columns, na)
            for start in range(0, len(next(iter(table.values()))), batch_rows):
                yield {name: array[start : start + batch_rows] for name, array in table.items()}
            return
        with _opened(path, shown, kinds, columns, na, in_batches=True) as (connection, plans, n_rows):
            for start in range(0, n_rows, batch_rows):
                rows = f"WHERE rowid >= {start} AND rowid < {start + batch_rows}"
                yield _fetched(connection, plans, shown, rows)


def column_names(source: Source) -> list[str]:
    """Return the names of the columns of a file, without reading its rows.

    Examples
    --------
    >>> path = Path(tempfile.mkdtemp()) / "shirts.csv"
    >>> _ = path.write_text("colour,size\\nred,1\\n")
    >>> column_names(path)
    ['colour', 'size']
    """
    with as_file(source) as path:
        shown = _shown(source)
        format_ = _format_of(path, shown)
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
    if os.fspath(source) != "-":
        yield Path(source)
        return
    with tempfile.TemporaryDirectory(prefix="codelength-", ignore_cleanup_errors=True) as directory:
        spool = Path(directory) / _SPOOL
        with open(spool, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        with open(spool, "rb") as file:
            magic = file.read(4)
        suffix = ".parquet" if magic == b"PAR1" else ".csv.gz" if magic[:2] == b"\x1f\x8b" else ".csv"
        yield spool.rename(spool.with_suffix(suffix))


def suggestion(name: str, names: Iterable[str]) -> str:
    """Return the names nearest to ``name`` as the end of a message; empty when none is near.

    Examples
    --------
    >>> suggestion("color", ["colour", "size"])
    "; did you mean 'colour'?"
    """
    folded = {known.casefold(): known for known in names}
    near = [folded[match] for match in difflib.get_close_matches(name.casefold(), folded, n=3)]
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""


@contextmanager
def _opened(
    path: Path,
    shown: str,
    kinds: Mapping[str, Kind] | None,
    columns: Sequence[str] | None,
    na: Iterable[str],
    *,
    in_batches: bool,
) -> Iterator[tuple["DuckDBPyConnection", list[Plan], int]]:
    """Load a file into the table ``t`` and decide how its columns are read."""
    import duckdb

    kinds = _checked_kinds(kinds)
    format_ = _format_of(path, shown)
    with session(on_disk=in_batches) as connection:
        relation = file_relation(connection, path, format_, shown)
        wanted = _wanted(relation.names, columns, shown)
        as_table = in_batches or format_ == "json"
        stored = load(connection, path, relation, wanted, kinds, tuple(na), shown, as_table=as_table)
        try:
            (n_rows,) = connection.execute("SELECT count(*) FROM t").fetchall()[0]
            plans = make_plans(connection, stored, n_rows) if n_rows else []
        except duckdb.Error as error:
            raise _unreadable(shown, error) from error
        if not n_rows:
            raise DataError(f"{shown}: has a header but no rows")
        yield connection, plans, n_rows


def _fetched(connection: "DuckDBPyConnection", plans: list[Plan], shown: str, where: str = "") -> ColumnDict:
    import duckdb

    try:
        return fetch(connection, plans, where)
    except duckdb.Error as error:
        raise _unreadable(shown, error) from error


def _unreadable(shown: str, error: Exception) -> DataError:
    return DataError(f"{shown}: cannot be read, or is damaged ({one_line(error)})")


def _read_arff(
    path: Path, kinds: Mapping[str, Kind] | None, columns: Sequence[str] | None, na: Iterable[str]
) -> ColumnDict:
    kinds = _checked_kinds(kinds)
    table, _ = arff.read_arff(path, na=na)
    wanted = _wanted(tuple(table), columns, str(path))
    return {name: as_kind(table[name], kinds[name]) if name in kinds else table[name] for name in wanted}


def _wanted(names: tuple[str, ...], columns: Sequence[str] | None, shown: str) -> list[str]:
    if columns is None:
        return list(names)
    if not columns:
        raise InvalidParameter("columns is empty; name at least one column, or pass None for all")
    known = set(names)
    for column in columns:
        if column not in known:
            near = suggestion(column, names)
            raise SchemaMismatch(f"{shown}: has no column {column!r} among its {len(names)}{near}")
    return list(dict.fromkeys(columns))


def _checked_kinds(kinds: Mapping[str, Kind] | None) -> Mapping[str, Kind]:
    for name, kind in (kinds or {}).items():
        if kind not in get_args(Kind):
            raise InvalidParameter(f"column {name!r}: kind {kind!r} is none of {', '.join(get_args(Kind))}")
    return kinds or {}


def _shown(source: Source) -> str:
    """Return what messages call a source; the copy of standard input goes by that name too."""
    given = os.fspath(source)
    return "standard input" if given == "-" or Path(given).name.startswith(_SPOOL) else given


def _format_of(path: Path, shown: str) -> str:
    """Return the format that a file's name says, once it is sure that there is such a file."""
    name = path.name.lower()
    format_ = next((format_ for suffix, format_ in _FORMATS.items() if name.endswith(suffix)), None)
    if path.is_dir():
        raise DataError(f"{shown}: is a directory; name a file in it")
    if not path.exists():
        raise DataError(f"{shown}: no such file; check the path")
    if format_ is None:
        known = ", ".join(_FORMATS)
        raise DataError(
            f"{shown}: {path.suffix or 'a file without extension'} is not known; use one of {known}"
        )
    if not os.access(path, os.R_OK):
        raise DataError(f"{shown}: may not be read; change its permissions")
    return format_
