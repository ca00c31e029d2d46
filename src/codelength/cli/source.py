"""The table that a command line names, and the reading of it.

``TableArgument`` holds the options about a table. ``read_carrying`` returns the whole table, with columns
that are only carried over; ``opened`` and ``tables`` read it piece by piece. Bundled tables, files, standard
input, sets of files and queries differ in what they pass to :func:`codelength.as_batches`, and in nothing
else.

Order of reading: the properties of :class:`TableArgument`, ``opened``, ``read_carrying`` and ``tables``.
Depends on :mod:`codelength.datasets` and :mod:`codelength.sources`, imported when a table is read.
:mod:`codelength.cli.options` makes a ``TableArgument`` of the options of a command.
"""

import glob
import json
import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._display import counted
from ..errors import InvalidParameter, SchemaMismatch
from .output import note
from .progress import working

if TYPE_CHECKING:
    from ..sources.batch import CountedBatches
    from ..sources.files.writers import ColumnDict
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

    Examples
    --------
    >>> argument = TableArgument("vote")
    >>> argument.is_bundled, argument.is_stream, argument.read(needs_target=True).target.name
    (True, False, 'class')
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
        """True if the name is that of a bundled table, or an alias of one."""
        from ..datasets.registry import find

        return self.sql is None and find(self.data) is not None

    @property
    def is_stream(self) -> bool:
        """True for a query, a directory, or a pattern of files."""
        # An existing file whose name contains a bracket or an asterisk is that file, not a pattern.
        is_pattern = not os.path.isfile(self.data) and glob.has_magic(self.data)
        is_set = is_pattern or os.path.isdir(self.data)
        return self.sql is not None or (is_set and not self.is_bundled)

    @property
    def is_large(self) -> bool:
        """True if the table should be read in batches."""
        is_file = self.data != "-" and not self.is_bundled and os.path.isfile(self.data)
        return self.is_stream or (is_file and os.path.getsize(self.data) >= LARGE)

    @property
    def stream(self) -> Any:
        """The table as an argument of :func:`codelength.as_batches`."""
        if self.sql is not None:
            from ..sources import SqlQuery

            return SqlQuery(self.sql, self.database)
        if self.is_bundled:
            from .. import datasets

            return datasets.load(self.data, target=self.target, backend="columns").table
        return self.data

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
    def files(self) -> tuple[str, ...]:
        """Files that are read, which no output may replace."""
        from ..sources.engines._files import files_within

        if self.sql is not None:
            named = _files_in(self.sql)
            return named if self.database is None else (self.database, *named)
        if not self.is_bundled:
            return tuple(map(str, files_within(self.data) if self.is_stream else ())) or (self.data,)
        # A bundled table is replaced by a file of that name in the user's own directory.
        own = os.environ.get("CODELENGTH_DATA")
        return tuple(str(path) for path in Path(own).glob(f"{self.data}.*")) if own else ()

    @property
    def _shown(self) -> str:
        return "standard input" if self.data == "-" else self.data

    @contextmanager
    def opened(
        self,
        schema: "Schema | None" = None,
        batch_rows: int | None = None,
        *,
        others: Sequence[str] = (),
        carried: Sequence[str] = (),
    ) -> "Iterator[CountedBatches]":
        """Open the table as batches; a note tells how many cells of a text file are missing.

        Columns left out by ``drop`` or ``keep``, and the weights, count as absent. Ignored variables need not
        exist.

        Parameters
        ----------
        schema : Schema, optional
            Variables to read; by default all columns are read.
        batch_rows : int, optional
            Largest number of rows of a batch.
        others, carried : sequence of str
            Further columns to read with a schema, such as known classes, and columns to carry over.

        Yields
        ------
        Batches
            The rows, with the columns asked for.
        """
        from ..sources import BATCH_ROWS, as_batches
        from ..sources.batch import CountedBatches
        from ..sources.files.formats import as_file
        from ..table import Schema, Variable

        kinds = schema
        if schema is not None:
            # Columns unknown to the model are read as text.
            unknown = [Variable(name, ("text",)) for name in others if name not in schema.names]
            kinds = Schema((*schema.variables, *unknown))
        with ExitStack() as stack:
            place = stack.enter_context(as_file(self.data)) if self.data == "-" else self.stream
            batches = as_batches(place, batch_rows=batch_rows or BATCH_ROWS, na=self.na or None, kinds=kinds)
            read = CountedBatches(stack.enter_context(closing(batches)))
            if schema is not None:
                own = [variable.name for variable in schema.variables if variable.kind != "ignored"]
                read.names = self._present([*own, *others, *carried], read.names)
            yield read
            if read.n_missing and not self.na and _is_text(place):
                from ..sources.files.formats import USUAL_NA

                cells = counted(read.n_missing, "missing cell")
                which = f"{', '.join(USUAL_NA)} or empty"
                note(f"{self._shown}: {cells} ({which}); use --na to set other markers")

    def read(self, *, needs_target: bool = False) -> "Table":
        """Read the whole table; see :meth:`read_carrying`."""
        return self.read_carrying((), needs_target=needs_target)[0]

    def read_carrying(
        self, carried: Sequence[str], *, needs_target: bool = False
    ) -> "tuple[Table, ColumnDict]":
        """Read the whole table, and the cells of columns that are only carried over.

        Parameters
        ----------
        carried : sequence of str
            Columns to carry over; they are not part of the table. Cells of a text file stay as they are
            written.
        needs_target : bool
            Whether the table must have a target; otherwise it is read without one.

        Returns
        -------
        table : Table
            The rows.
        beside : dict of str to array
            Cells of the columns carried over.

        Raises
        ------
        InvalidParameter
            If a target is needed and none is named.
        DataError
            If the table cannot be read, or lacks a column that is named.
        """
        from ..sources.readers import read_carrying

        target = self.stream.target.name if self.is_bundled else self.target
        if needs_target and target is None:
            raise InvalidParameter("--target is missing: name the column to predict")
        # A column may be named twice, but is written once.
        names = list(dict.fromkeys(carried))
        left_out = [*self.drop, *(name for name in names if name != self.weights)]
        if target is not None and not needs_target:
            left_out.append(target)
        roles: dict[str, Any] = {
            "target": target if needs_target else None,
            "weights": self.weights,
            "drop": list(dict.fromkeys(left_out)),
            "keep": [name for name in self.keep if name not in names] if self.keep else None,
        }
        with working("reading"), self.opened() as batches:
            table, beside = read_carrying(batches, names, **roles)
        return (replace(table, name=self.data) if self.is_stream else table), beside

    def tables(
        self, schema: "Schema", batch_rows: int, *, others: Sequence[str] = (), carried: Sequence[str] = ()
    ) -> "Generator[tuple[Table, ColumnDict]]":
        """Yield the variables of a schema in batches, with the cells of columns to carry over.

        Parameters
        ----------
        schema, batch_rows, others, carried
            As for :meth:`opened`.
        """
        from ..sources.readers import read_batches

        with self.opened(schema, batch_rows, others=others, carried=carried) as batches:
            own = [name for name in batches.names if name in schema.names or name in others]
            yield from read_batches(batches, batch_rows, carried, keep=own or batches.names[:1])

    def _present(self, wanted: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
        """Return the columns to read, each once; raise for one that is not there or is left out."""
        from ..table._messages import suggestion

        # Weights are None if there are none, which is not the name of a column.
        gone = {*self.drop, self.weights}
        present = [name for name in self.keep or names if name in names and name not in gone]
        for name in wanted:
            if name not in present:
                raise SchemaMismatch(f"{self._shown}: has no column {name!r}{suggestion(name, present)}")
        # Without variables to read, any column gives the number of rows.
        return tuple(dict.fromkeys(wanted)) or tuple(names[:1])


def _is_text(place: Any) -> bool:
    """Return whether a table is in files whose cells are texts without types of their own."""
    from ..sources.engines._files import files_within
    from ..sources.files.formats import format_named

    if not isinstance(place, (str, Path)):
        return False
    # All files of a table are of one format.
    format_ = format_named(files_within(str(place))[0])
    return format_ is not None and not format_.has_types


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
