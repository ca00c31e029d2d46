"""The table that a command line names, and the reading of it.

``TableArgument`` holds the options about a table. ``read`` returns the whole table, ``read_beside`` also
columns that are only carried over, and ``batches`` reads it piece by piece. Bundled tables, files, standard
input, sets of files and queries differ in these methods only.

Order of reading: the properties of :class:`TableArgument` (bundled table, file, stream or query; large or
not), then its three ways to read.

Depends on :mod:`codelength.datasets` and :mod:`codelength.sources`, imported when a table is read.
:mod:`codelength.cli.options` makes a source of the options of a command.
"""

import glob
import json
import os
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..errors import InvalidParameter, SchemaMismatch
from .output import note
from .progress import working

if TYPE_CHECKING:
    from ..sources.files._cells import ColumnDict
    from ..table import Schema, Table


LARGE = 100_000_000
"""Size in bytes from which a file is read in batches, by models that can."""


@dataclass(frozen=True, slots=True)
class TableArgument:
    """A table and its columns as named on the command line.

    Attributes
    ----------
    data : str
        A file, a directory or a pattern of files, the name of a bundled table, or ``"-"`` for standard input;
        for a query, its name in messages.
    target : str, optional
        The column to predict.
    weights : str, optional
        The column with the weights of the rows.
    drop, keep : tuple of str
        Columns to leave out, or the only columns to use.
    na : tuple of str
        Texts that mean missing; empty for the usual ones.
    sql, database : str, optional
        A query whose result is the table, and its database.
    """

    data: str
    target: str | None = None
    weights: str | None = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    na: tuple[str, ...] = ()
    sql: str | None = None
    database: str | None = None

    @property
    def kind(self) -> Literal["query", "bundled", "input", "files", "file"]:
        """Kind of the place that the rows come from; ``"input"`` is standard input."""
        from ..datasets.registry import find

        if self.sql is not None:
            return "query"
        if find(self.data) is not None:
            return "bundled"
        if self.data == "-":
            return "input"
        # An existing file whose name contains a bracket or an asterisk is that file, not a pattern.
        is_pattern = not os.path.isfile(self.data) and any(sign in self.data for sign in "*?[")
        return "files" if is_pattern or os.path.isdir(self.data) else "file"

    @property
    def is_bundled(self) -> bool:
        """True if the name is that of a bundled table, or an alias of one."""
        return self.kind == "bundled"

    @property
    def is_stream(self) -> bool:
        """True for a query, a directory, or a pattern of files."""
        return self.kind in ("query", "files")

    @property
    def is_large(self) -> bool:
        """True if the table should be read in batches."""
        is_file = self.kind == "file" and os.path.isfile(self.data)
        return self.is_stream or (is_file and os.path.getsize(self.data) >= LARGE)

    @property
    def keeps_types(self) -> bool:
        """True for a file whose cells have types."""
        return self.kind == "file" and not self.is_text

    @property
    def stream(self) -> Any:
        """The table as an argument of :func:`codelength.as_batches`."""
        if self.sql is None:
            return self.data
        from ..sources import SqlQuery

        return SqlQuery(self.sql, self.database)

    @property
    def columns(self) -> dict[str, Any]:
        """Roles of columns, as arguments of methods that read streams."""
        return {
            "weights": self.weights,
            "drop": self.drop,
            "keep": self.keep or None,
            "na": self.na or None,
        }

    @property
    def is_text(self) -> bool:
        """True if the cells are texts without types of their own."""
        if self.kind in ("bundled", "query"):
            return False
        # All files of a table are of one format.
        return _is_text(self.files[0] if self.is_stream else self.data)

    @property
    def files(self) -> tuple[str, ...]:
        """Files that are read, which no output may replace."""
        if self.sql is not None:
            named = _files_in(self.sql)
            return named if self.database is None else (self.database, *named)
        if not self.is_bundled:
            within = _files_named(self.data) if self.is_stream else ()
            return within or (self.data,)
        # A bundled table is replaced by a file of that name in the user's own directory.
        own = os.environ.get("CODELENGTH_DATA")
        return tuple(str(path) for path in Path(own).glob(f"{self.data}.*")) if own else ()

    def read(self, *, needs_target: bool) -> "Table":
        """Read the whole table.

        Parameters
        ----------
        needs_target : bool
            Whether the table must have a target; otherwise it is read without one.

        Raises
        ------
        InvalidParameter
            If a target is needed and none is named.
        DataError
            If the table cannot be read, or lacks a column that is named.
        """
        if self.is_bundled:
            return self._bundled(needs_target=needs_target)
        if needs_target and self.target is None:
            raise InvalidParameter("--target is missing: name the column to predict")
        return self._collected() if self.is_stream else self._read_file()[0]

    def _collected(self) -> "Table":
        """Read a query, or several files, as one table into memory."""
        from ..sources.readers import collected

        with working("reading"):
            table = collected(self.stream, self.target, **self.columns)
        self._tell_missing(_n_missing(table), is_text=self.is_text)
        return replace(table, name=self.data)

    def _read_file(self, carried: Sequence[str] = ()) -> "tuple[Table, ColumnDict]":
        """Read one file, or standard input, with the cells of columns to carry over."""
        from ..sources.readers import as_file, column_names, read_carrying

        with working("reading"), as_file(self.data) as path:
            # Columns that do not exist are not dropped here, so that the reader can name them in its error.
            known = column_names(path) if carried else ()
            others = [name for name in carried if name in known and name != self.weights]
            table, beside = read_carrying(
                path if self.data == "-" else self.data,
                carried,
                target=self.target,
                weights=self.weights,
                drop=list(dict.fromkeys([*self.drop, *others])),
                keep=[name for name in self.keep if name not in carried] if self.keep else None,
                na=self.na or None,
            )
            is_text = _is_text(path)
        self._tell_missing(_n_missing(table), is_text=is_text)
        return table, beside

    def read_beside(self, carried: Sequence[str]) -> "tuple[Table, ColumnDict]":
        """Read the whole table without a class, and the cells of columns that are only carried over.

        Cells carried over from a text file stay as they are written.

        Parameters
        ----------
        carried : sequence of str
            Columns to carry over; they are not part of the table.

        Returns
        -------
        table : Table
            The rows.
        beside : dict of str to array
            Cells of the columns carried over.
        """
        # A column may be named twice, but is written once.
        names = list(dict.fromkeys(carried))
        if not names:
            return self.read(needs_target=False), {}
        return self._bundled_beside(names) if self.is_bundled else self._read_file(names)

    def batches(
        self, schema: "Schema", batch_rows: int, *, others: Sequence[str] = (), carried: Sequence[str] = ()
    ) -> "Generator[tuple[Table, ColumnDict]]":
        """Read the variables of a schema in batches, with the cells of columns to carry over.

        Columns left out by ``drop`` or ``keep``, and the weights, count as absent. Ignored variables need not
        exist: they are not read, and all their cells are missing.

        Parameters
        ----------
        schema : Schema
            Variables to read.
        batch_rows : int
            Rows of a batch.
        others : sequence of str
            Further columns of the table, such as known classes.
        carried : sequence of str
            Columns to carry over.

        Yields
        ------
        table : Table
            Rows of one batch.
        beside : dict of str to array
            Their cells carried over.
        """
        from ..sources.readers import as_file, column_names, read_batches

        needed = [variable.name for variable in schema.variables if variable.kind != "ignored"]
        wanted = list(dict.fromkeys([*needed, *others]))
        if self.is_bundled:
            whole = self._bundled(needs_target=False, with_target_as_column=True)
            self._check_present([*wanted, *carried], whole.names)
            beside: ColumnDict = {name: whole.column(name).cells for name in carried}
            yield _completed(whole.keep(wanted), schema), beside
            return
        # Counted over all batches, for one note at the end.
        n_missing = 0
        with as_file(self.data) as path:
            names = column_names(path)
            self._check_present([*wanted, *carried], names)
            # Without variables to read, any column gives the number of rows.
            keep = wanted or names[:1]
            is_text = _is_text(path)
            kinds = _verbatim(schema, others) if is_text else schema
            for batch, beside in read_batches(
                path, batch_rows, carried, keep=keep, na=self.na or None, kinds=kinds
            ):
                n_missing += _n_missing(batch)
                yield _completed(batch, schema), beside
        self._tell_missing(n_missing, is_text=is_text)

    def _bundled_beside(self, names: Sequence[str]) -> "tuple[Table, ColumnDict]":
        """Read a bundled table with columns to carry over, one of which may be its class."""
        from ..table._messages import suggestion

        drop = tuple(name for name in self.drop if name not in names)
        wide = replace(self, drop=drop, keep=(*self.keep, *names) if self.keep else ())
        whole = wide._bundled(needs_target=False, with_target_as_column=True)
        for name in names:
            if name not in whole.names:
                near = suggestion(name, whole.names)
                raise SchemaMismatch(f"{self._shown}: has no column {name!r} to carry over{near}")
        own = self.read(needs_target=False)
        beside: ColumnDict = {name: whole.column(name).cells for name in names}
        return own.drop([name for name in own.names if name in names]), beside

    @property
    def _shown(self) -> str:
        return "standard input" if self.data == "-" else self.data

    def _bundled(self, *, needs_target: bool, with_target_as_column: bool = False) -> "Table":
        """Load a bundled table and apply the roles of columns to it."""
        from .. import datasets

        table: Table = datasets.load(self.data, target=self.target, backend="columns").table
        if with_target_as_column and table.target is not None:
            table = replace(table, columns=(*table.columns, table.target))
        if self.weights is not None:
            table = table.with_weights(table.column(self.weights).cells).drop([self.weights])
        table = table.drop(self.drop) if self.drop else table
        if needs_target and table.target is None:
            raise InvalidParameter("--drop: the column to predict cannot be left out; name another one")
        table = table.keep(self.keep) if self.keep else table
        return table if needs_target else replace(table, target=None)

    def check_kept(self, wanted: Sequence[str]) -> None:
        """Raise if columns that are needed are left out."""
        self._check_present([name for name in wanted if self.keep or name in self.drop], wanted)

    def _check_present(self, wanted: Sequence[str], names: Sequence[str]) -> None:
        """Raise for the first wanted column that is not there or is left out."""
        from ..table._messages import suggestion

        # Weights are None if there are none, which is not the name of a column.
        gone = {*self.drop, self.weights}
        present = [name for name in self.keep or names if name in names and name not in gone]
        for name in wanted:
            if name not in present:
                raise SchemaMismatch(f"{self._shown}: has no column {name!r}{suggestion(name, present)}")

    def _tell_missing(self, n_cells: int, *, is_text: bool) -> None:
        """Add a note on missing cells of a text file, unless the user has named texts that mean missing."""
        if n_cells and is_text and not self.na:
            from ..sources.files.formats import USUAL_NA

            which = f"{', '.join(USUAL_NA)} or empty"
            note(f"{self._shown}: {n_cells:,} cells are missing ({which}); --na names other texts")


def _is_text(path: str | Path) -> bool:
    """Return whether the cells of a file are texts without types of their own."""
    from ..sources.files.formats import format_named

    format_ = format_named(path)
    return format_ is None or not format_.has_types


def _verbatim(schema: "Schema", others: Sequence[str]) -> "Schema":
    """Return the schema by which a text file is read; columns unknown to the model are read as text."""
    from ..table import Schema, Variable

    unknown = [name for name in others if name not in schema.names]
    return Schema((*schema.variables, *(Variable(name, ("text",)) for name in unknown)))


def _files_named(path: str) -> tuple[str, ...]:
    """Return the files of a directory or a pattern."""
    from ..sources.engines._files import files_within

    return tuple(str(file) for file in files_within(path))


def _files_in(sql: str) -> tuple[str, ...]:
    """Return the files that a query may read: those that match a text or a name in it."""
    import duckdb

    from ..sources.files._duckdb import session

    try:
        with session() as connection:
            # DuckDB parses the query without running it, so that file names are found whatever function reads
            # them.
            ((parsed,),) = connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()
    except duckdb.Error:  # a query that cannot be run reads nothing
        return ()
    # Texts without letters and digits, such as "*", are parts of the query and not patterns of files.
    named = {text for text in _texts(json.loads(parsed)) if any(map(str.isalnum, text))}
    return tuple(file for text in sorted(named) for file in glob.glob(text, recursive=True))


def _texts(document: Any) -> Iterator[str]:
    """Yield all texts in a document."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, (dict, list)):
        for part in document.values() if isinstance(document, dict) else document:
            yield from _texts(part)


def _completed(table: "Table", schema: "Schema") -> "Table":
    """Return a table with blank columns for the variables of a schema that it lacks."""
    import numpy as np

    from ..table.column import Factor

    nothing = np.full(table.n_rows, -1)
    blank = tuple(Factor(name, nothing, ()) for name in schema.names if name not in table.names)
    return replace(table, columns=(*table.columns, *blank))


def _n_missing(table: "Table") -> int:
    return sum(int(column.missing.sum()) for column in table.columns)
