"""The table that a command line names."""

import glob
import json
import os
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InvalidParameter, SchemaMismatch
from .output import note
from .progress import working

if TYPE_CHECKING:
    from ..sources.files._cells import ColumnDict
    from ..table import Schema, Table


LARGE = 100_000_000
"""Bytes from which on a file is read batch after batch, by models that can."""


@dataclass(frozen=True, slots=True)
class Source:
    """A table as the command line names it, and which of its columns are meant.

    Attributes
    ----------
    data : str
        A file, a directory or a pattern of files, the name of a bundled table, or ``"-"`` for standard input;
        what messages call the query where there is one.
    target : str, optional
        The column to predict.
    weights : str, optional
        The column that says how many rows each row stands for.
    drop, keep : tuple of str
        Columns to leave out, or the only ones to take.
    na : tuple of str
        Texts that mean missing; none for the usual ones.
    sql, database : str, optional
        A query whose result is the table, and the database that it is put to.
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
    def is_bundled(self) -> bool:
        """Whether the name is that of a bundled table, or another name for one."""
        from ..datasets.registry import find

        return self.sql is None and find(self.data) is not None

    @property
    def is_stream(self) -> bool:
        """Whether it is a query, a directory, or a pattern of files."""
        if self.sql is not None:
            return True
        is_file = self.is_bundled or self.data == "-" or os.path.isfile(self.data)
        return not is_file and (os.path.isdir(self.data) or any(sign in self.data for sign in "*?["))

    @property
    def is_large(self) -> bool:
        """Whether it is better read batch after batch."""
        if self.is_stream:
            return True
        is_file = not self.is_bundled and self.data != "-" and os.path.isfile(self.data)
        return is_file and os.path.getsize(self.data) >= LARGE and _has_arrow()

    @property
    def keeps_types(self) -> bool:
        """Whether it is a file whose cells have types, all of which Arrow knows."""
        is_file = not self.is_stream and not self.is_bundled and self.data != "-"
        return is_file and not self.is_text and _has_arrow()

    @property
    def stream(self) -> Any:
        """What :func:`codelength.as_batches` takes."""
        if self.sql is None:
            return self.data
        from ..sources import SqlQuery

        return SqlQuery(self.sql, self.database)

    @property
    def columns(self) -> dict[str, Any]:
        """What is meant by the columns, as methods that read streams take it."""
        return {
            "weights": self.weights,
            "drop": self.drop,
            "keep": self.keep or None,
            "na": self.na or None,
        }

    @property
    def is_text(self) -> bool:
        """Whether the cells are texts that have no types of their own."""
        if self.is_bundled or self.sql is not None:
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
        own = os.environ.get("CODELENGTH_DATA")
        return tuple(str(path) for path in Path(own).glob(f"{self.data}.*")) if own else ()

    def read(self, *, needs_target: bool) -> "Table":
        """Read the whole table; it may lack a class if none is needed.

        Raises
        ------
        InvalidParameter
            When a target is needed and none is named.
        DataError
            When the table cannot be read, or lacks a column that is named.
        """
        if self.is_bundled:
            return self._bundled(needs_target=needs_target)
        if needs_target and self.target is None:
            raise InvalidParameter("--target is missing: name the column to predict")
        return self._collected() if self.is_stream else self._read_file()

    def _collected(self) -> "Table":
        """A query, or several files, as one table in memory."""
        from ..sources import collected

        with working("reading"):
            table = collected(self.stream, self.target, **self.columns)
        self._tell_missing(_n_missing(table), is_text=self.is_text)
        return replace(table, name=self.data)

    def _read_file(self) -> "Table":
        from ..sources.files.readers import as_file, read_table

        with working("reading"), as_file(self.data) as path:
            is_text = _is_text(path)
            table = read_table(
                path if self.data == "-" else self.data,
                target=self.target,
                weights=self.weights,
                drop=self.drop,
                keep=self.keep or None,
                na=self.na or None,
            )
        self._tell_missing(_n_missing(table), is_text=is_text)
        return table

    def read_beside(self, carried: Sequence[str]) -> "tuple[Table, ColumnDict]":
        """The whole table without a class, and the cells of columns that go along but take no part in it.

        Cells that are carried over from a text file stay as they stand there.
        """
        names = list(dict.fromkeys(carried))
        if not names:
            return self.read(needs_target=False), {}
        if self.is_bundled:
            return self._bundled_beside(names)
        from ..sources.files.readers import as_file, column_names, read_beside
        from ..sources.roles import AskedRoles

        keep = [name for name in self.keep if name not in names] if self.keep else None
        with working("reading"), as_file(self.data) as path:
            # A column that is not there is refused where it would be carried over.
            others = [name for name in names if name in column_names(path) and name != self.weights]
            asked = AskedRoles.of(self.target, self.weights, list(dict.fromkeys([*self.drop, *others])), keep)
            ((table, beside),) = read_beside(path, names, asked, na=self.na or None)
            is_text = _is_text(path)
        self._tell_missing(_n_missing(table), is_text=is_text)
        return table, beside

    def batches(
        self, schema: "Schema", batch_rows: int, *, others: Sequence[str] = (), carried: Sequence[str] = ()
    ) -> "Generator[tuple[Table, ColumnDict]]":
        """Read the variables of a schema, some rows at a time, and the cells of columns to carry over.

        Columns that are left out by ``drop`` or ``keep``, or are the weights, are not there. Variables that
        are ignored need not be there: they are not read, and all their cells are missing. Columns that are
        named by ``others`` are in the table too.
        """
        from ..sources.files.readers import as_file, column_names, read_beside
        from ..sources.roles import AskedRoles

        needed = [variable.name for variable in schema.variables if variable.kind != "ignored"]
        wanted = list(dict.fromkeys([*needed, *others]))
        if self.is_bundled:
            whole = self._bundled(needs_target=False, with_target_as_column=True)
            self._check_present([*wanted, *carried], whole.names)
            beside: ColumnDict = {name: whole.column(name).cells for name in carried}
            yield _completed(whole.keep(wanted), schema), beside
            return
        n_missing = 0
        with as_file(self.data) as path:
            names = column_names(path)
            self._check_present([*wanted, *carried], names)
            # Any column says how many rows there are.
            asked = AskedRoles.of(None, None, (), wanted or names[:1])
            is_text = _is_text(path)
            kinds = _verbatim(schema, others) if is_text else schema
            for batch, beside in read_beside(
                path, carried, asked, batch_rows, na=self.na or None, kinds=kinds
            ):
                n_missing += _n_missing(batch)
                yield _completed(batch, schema), beside
        self._tell_missing(n_missing, is_text=is_text)

    def _bundled_beside(self, names: Sequence[str]) -> "tuple[Table, ColumnDict]":
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
        """Refuse to leave out columns that are needed."""
        self._check_present([name for name in wanted if self.keep or name in self.drop], wanted)

    def _check_present(self, wanted: Sequence[str], names: Sequence[str]) -> None:
        from ..table._messages import suggestion

        gone = {*self.drop, self.weights}
        present = [name for name in self.keep or names if name in names and name not in gone]
        for name in wanted:
            if name not in present:
                raise SchemaMismatch(f"{self._shown}: has no column {name!r}{suggestion(name, present)}")

    def _tell_missing(self, n_cells: int, *, is_text: bool) -> None:
        if n_cells and is_text and not self.na:
            from ..sources.files.formats import USUAL_NA

            which = f"{', '.join(USUAL_NA)} or empty"
            note(f"{self._shown}: {n_cells:,} cells are missing ({which}); --na names other texts")


def _is_text(path: str | Path) -> bool:
    """Whether the cells of a file are texts that have no types of their own."""
    from ..sources.files.formats import format_named

    format_ = format_named(path)
    return format_ is None or not format_.has_types


def _verbatim(schema: "Schema", others: Sequence[str]) -> "Schema":
    """How cells of a text file are read: as the model knows them, or else as they stand there."""
    from ..table import Schema, Variable

    unknown = [name for name in others if name not in schema.names]
    return Schema((*schema.variables, *(Variable(name, ("text",)) for name in unknown)))


def _files_named(path: str) -> tuple[str, ...]:
    """The files of a directory or a pattern."""
    from ..sources.engines._files import files_within

    return tuple(str(file) for file in files_within(path))


def _files_in(sql: str) -> tuple[str, ...]:
    """Files that a query may read: those that a text or a name in it means."""
    import duckdb

    from ..sources.files._duckdb import session

    try:
        with session() as connection:
            ((parsed,),) = connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()
    except duckdb.Error:  # a query that cannot be run reads nothing
        return ()
    # A text of signs alone is no pattern of files.
    named = {text for text in _texts(json.loads(parsed)) if any(map(str.isalnum, text))}
    return tuple(file for text in sorted(named) for file in glob.glob(text, recursive=True))


def _texts(document: Any) -> Iterator[str]:
    """All texts in a document."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, (dict, list)):
        for part in document.values() if isinstance(document, dict) else document:
            yield from _texts(part)


def _completed(table: "Table", schema: "Schema") -> "Table":
    """A table with blank columns for the variables of a schema that it lacks."""
    import numpy as np

    from ..table.column import Factor

    nothing = np.full(table.n_rows, -1)
    blank = tuple(Factor(name, nothing, ()) for name in schema.names if name not in table.names)
    return replace(table, columns=(*table.columns, *blank))


def _has_arrow() -> bool:
    from importlib.util import find_spec

    return find_spec("pyarrow") is not None


def _n_missing(table: "Table") -> int:
    return sum(int(column.missing.sum()) for column in table.columns)
