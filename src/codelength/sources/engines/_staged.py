"""Files loaded into a temporary database, and read from it in batches.

Order of reading: :class:`Staged`: loading in ``_planned`` and ``_load``, reading in :meth:`Staged.read`,
which converts record batches by the plans of their columns and says which file each row comes from.

Depends on ``_relations``, ``_stage``, ``_numbers`` and ``_plan`` of :mod:`codelength.sources.files`, so that
cells mean the same as in memory. Used by ``_files``.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._scratch import Scratch
from ...errors import DataError
from ..batch import Batch, arrow
from ..files._arrow_schema import DURATION
from ..files._beside import Beside
from ..files._csv import DAMAGED, first_rows
from ..files._duckdb import MEMORY, one_line, path_literal, session, without_memory, without_room
from ..files._kinds import Reading
from ..files._numbers import number_plans, what_they_were
from ..files._plan import Plan, look_like_numbers, make_plans
from ..files._relations import Relation, file_relation, json_relation
from ..files._stage import Stored, Wanted, stage
from ..files.formats import CSV, JSON, PARQUET, Format
from ..files.standard_input import name_of
from ._frames import cells_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


_UNITS = {f"{DURATION}{n_digits}": unit for n_digits, unit in ((0, "s"), (3, "ms"), (6, "us"), (9, "ns"))}


class Staged:
    """Files in a temporary database, and plans for reading their columns.

    Parameters
    ----------
    paths : sequence of Path
        The files.
    format_ : Format
        Their format.
    columns : sequence of str
        The columns to read.
    how : dict of str to Reading
        How to read some columns.
    na : tuple of str
        Texts that mean missing.
    beside : tuple of str
        Columns to carry over in the form that they have in the files.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        format_: Format,
        columns: Sequence[str],
        how: dict[str, Reading],
        na: tuple[str, ...],
        beside: tuple[str, ...] = (),
    ) -> None:
        import duckdb

        self.columns = (tuple(columns), beside)
        self._beside: list[Beside] = []
        self._names = [name_of(path) for path in paths]
        self._sizes: list[int] = []
        self.n_rows = 0
        self._stack = ExitStack()
        try:
            self._connection = self._stack.enter_context(session(on_disk=True, memory=MEMORY))
            self._plans = self._planned(paths, format_, columns, how, na)
        except (duckdb.Error, MemoryError, SystemError) as error:
            self._stack.close()
            name = self._names[0]
            damaged = DataError(f"{name}: cannot be read, or is damaged ({one_line(error)})")
            raise without_room(error) or without_memory(error, name) or damaged from error
        except DataError as error:
            self._stack.close()
            if lacking := without_room(error):
                raise lacking from error
            known = any(str(error).startswith(name) for name in self._names)
            raise error if known else DataError(f"{self._names[0]}, {error}") from None
        except BaseException:
            self._stack.close()
            raise

    def read(self, batch_rows: int) -> Iterator[Batch]:
        """Yield the rows, in the order of the files."""
        import duckdb

        select = ", ".join(
            [
                *(f"{plan.select} AS p{i}" for i, plan in enumerate(self._plans)),
                *(f"{_selected(column)} AS {column.sql}" for column in self._beside),
            ]
        )
        n_read = 0
        # A reader of its own, so that one that was left unfinished does no harm.
        cursor = self._connection.cursor()
        try:
            reader = cursor.sql(f"SELECT {select} FROM t").to_arrow_reader(batch_rows)
            for rows in reader:
                yield from self._located(self._converted(rows, n_read), self._along(rows), n_read)
                n_read += rows.num_rows
        except (duckdb.Error, MemoryError, OSError, RuntimeError) as error:
            file, row = self._place(n_read)
            unreadable = DataError(
                f"{self._names[file]}: cannot be read after row {row:,} ({one_line(error)})"
            )
            lacking = without_room(error) or without_memory(error, self._names[file])
            raise lacking or unreadable from error
        finally:
            cursor.close()

    def close(self) -> None:
        """Remove the database."""
        self._stack.close()

    def _planned(
        self,
        paths: Sequence[Path],
        format_: Format,
        columns: Sequence[str],
        how: dict[str, Reading],
        na: tuple[str, ...],
    ) -> list[Plan]:
        """Load the files, and decide how each column is read."""
        as_numbers: frozenset[str] = frozenset()
        if format_ is CSV:
            as_numbers = _seeming_numbers(paths[0], columns, how, na)
        # Columns that look like numbers in the first rows are loaded as numbers, which is faster. If a later
        # row shows that one is text, the files are loaded again. Every round has one such column less.
        while True:
            stored = self._load(paths, format_, Wanted(columns, how, na, as_numbers, self.columns[1]))
            self.n_rows = sum(self._sizes)
            if not self.n_rows:
                raise DataError(f"{self._names[0]}: has a header but no rows")
            numeric = [column for column in stored if column.name in as_numbers]
            plans = number_plans(self._connection, numeric)
            wrong = [name for name, plan in plans.items() if plan is None]
            if not wrong:
                break
            as_numbers -= set(wrong)
            self._drop(len(paths))
        others = [column for column in stored if column.name not in as_numbers]
        found = {plan.name: plan for plan in make_plans(self._connection, others, self.n_rows)}
        found |= {name: plan for name, plan in plans.items() if plan is not None}
        return [found[name] for name in columns]

    def _drop(self, n_files: int) -> None:
        """Drop the loaded tables."""
        if n_files > 1:
            self._connection.execute("DROP VIEW t")
            for i in range(n_files):
                self._connection.execute(f"DROP TABLE part{i}")

    def _load(self, paths: Sequence[Path], format_: Format, wanted: Wanted) -> list[Stored]:
        connection, as_table = self._connection, format_ is not PARQUET
        self._sizes = []
        parts: list[list[Stored]] = []
        along: list[list[Beside]] = []
        for i, (path, relation) in enumerate(
            zip(paths, relations_of(connection, paths, format_), strict=False)
        ):
            stored, beside = stage(connection, path, relation, wanted, name_of(path), as_table=as_table)
            parts.append(stored)
            along.append(beside)
            (n_rows,) = connection.execute("SELECT count(*) FROM t").fetchall()[0]
            self._sizes.append(int(n_rows))
            if len(paths) > 1 and format_ is not JSON:
                connection.execute(f"ALTER {'TABLE' if as_table else 'VIEW'} t RENAME TO part{i}")
        if format_ is JSON:
            self._sizes = [_n_objects(connection, path) for path in paths]
        elif len(paths) > 1:
            _join(connection, parts, wanted.as_numbers, [column.sql for column in along[0]])
        self._beside = along[0]
        return [
            replace(same[0], domain=tuple(dict.fromkeys(chain(*(own.domain for own in same)))))
            for same in zip(*parts, strict=True)
        ]

    def _converted(self, rows: Any, position: int) -> Any:
        """Return rows with canonical values."""
        pa = arrow()
        arrays, fields = [], []
        for i, plan in enumerate(self._plans):
            array = rows.column(i)
            field = pa.field(plan.name, array.type)
            if plan.form != "cells" and not (plan.form == "text" and plan.is_final):
                try:
                    field, array = _of_values(plan, array)
                except DataError as error:
                    raise DataError(f"{self._names[self._place(position)[0]]}, {error}") from None
            arrays.append(array)
            fields.append(field)
        return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))

    def _along(self, rows: Any) -> Any:
        """Return the cells of the columns to carry over; None if there are none."""
        if not self._beside:
            return None
        pa, n_plans = arrow(), len(self._plans)
        arrays = [
            array.cast(pa.duration(_UNITS[column.type])) if column.type in _UNITS else array
            for column, array in zip(self._beside, rows.columns[n_plans:], strict=True)
        ]
        return pa.RecordBatch.from_arrays(arrays, names=[column.name for column in self._beside])

    def _located(self, rows: Any, beside: Any, position: int) -> Iterator[Batch]:
        """Yield the rows, divided at the ends of files."""
        start = 0
        while start < rows.num_rows:
            file, row = self._place(position + start)
            n_rows = min(self._sizes[file] - row, rows.num_rows - start)
            along = None if beside is None else beside.slice(start, n_rows)
            yield Batch(rows.slice(start, n_rows), self._names[file], row, position + start, beside=along)
            start += n_rows

    def _place(self, position: int) -> tuple[int, int]:
        """Return the position of the file of a row, and the number of the row in it."""
        for file, size in enumerate(self._sizes):
            if position < size:
                return file, position
            position -= size
        return len(self._sizes) - 1, self._sizes[-1]


def relations_of(connection: "DuckDBPyConnection", paths: Sequence[Path], format_: Format) -> list[Relation]:
    """Return one relation per file; one for all JSON files, because only together they show the types."""
    if format_ is JSON and len(paths) > 1:
        return [json_relation(connection, paths, name_of(paths[0]))]
    return [file_relation(connection, path, format_.name, name_of(path)) for path in paths]


def _n_objects(connection: "DuckDBPyConnection", path: Path) -> int:
    found = connection.execute(f"SELECT count(*) FROM read_json_objects({path_literal(path)})").fetchall()
    return int(found[0][0])


def _of_values(plan: Plan, array: Any) -> tuple[Any, Any]:
    if plan.form == "positions":
        column = plan.finish(array.to_numpy(zero_copy_only=False))
        field, cells = cells_of(column)
        return field, cells(slice(0, len(array)))
    # Parsed once per distinct text of the batch.
    encoded = array.dictionary_encode()
    column = plan.finish(encoded.dictionary.to_numpy(zero_copy_only=False))
    field, cells = cells_of(column)
    distinct = cells(slice(0, len(encoded.dictionary)))
    return field, distinct.take(encoded.indices)


def _seeming_numbers(
    path: Path, columns: Sequence[str], how: dict[str, Reading], na: tuple[str, ...]
) -> frozenset[str]:
    """Return columns that hold numbers in the first rows of a CSV file."""
    with Scratch() as directory, session() as connection:
        head = Path(directory) / "head.csv"
        try:
            head.write_bytes(first_rows(path))
            relation = file_relation(connection, head, "csv", name_of(path))
            wanted = Wanted(columns, how, na)
            stored, _ = stage(connection, head, relation, wanted, name_of(path), as_table=True)
        except (DataError, *DAMAGED):  # to be said about the whole file
            return frozenset()
        return look_like_numbers(connection, stored)


def _selected(column: Beside) -> str:
    """Return the expression of a column to carry over, with the type that its cells decided."""
    return f"CAST({column.sql} AS {column.type})" if column.is_spelt else column.sql


def _join(
    connection: "DuckDBPyConnection",
    parts: Sequence[Sequence[Stored]],
    as_numbers: Collection[str],
    beside: Sequence[str],
) -> None:
    """Create one view of all files, whose columns may be in another order."""
    selects = []
    for i, part in enumerate(parts):
        pairs = [(own.sql, first.sql) for own, first in zip(part, parts[0], strict=True)]
        said = what_they_were(sum(column.name in as_numbers for column in part))
        columns = ", ".join([*(f"{own} AS {first}" for own, first in pairs), *said, *beside])
        selects.append(f"SELECT {columns} FROM part{i}")
    connection.execute(f"CREATE VIEW t AS {' UNION ALL '.join(selects)}")
