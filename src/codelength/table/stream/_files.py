"""Files as batches: CSV and JSON through a temporary database, Parquet as it is."""

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import DataError
from .._messages import listed, shown
from ..checks import check_names
from ..files._duckdb import one_line, path_literal, session
from ..files._kinds import Kinds, Reading, readings
from ..files._plan import Plan, make_plans
from ..files._relations import Relation, file_relation, json_relation
from ..files._stage import Stored, natural_form, stage, stored_as
from ..files.readers import SUFFIXES, as_file, format_of, name_of, read_table, usual_markers
from ._frames import cells_of, open_table
from ._parquet import are_plain, parquet_batches, parquet_rows
from .batch import Batch, Batches, arrow
from .sql import MEMORY

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def are_paths(source: Any) -> bool:
    """Whether a source is a list of paths."""
    is_list = isinstance(source, (list, tuple)) and bool(source)
    return is_list and all(isinstance(path, (str, os.PathLike)) for path in source)


def open_files(source: Any, batch_rows: int, na: Iterable[str] | None, kinds: Kinds) -> Batches:
    """The batches of one file or several."""
    with ExitStack() as stack:
        paths = _files_of(source, stack)
        formats = {format_of(path, name_of(path)) for path in paths}
        if len(formats) > 1:
            raise DataError(
                f"{shown(os.fspath(paths[0].parent))}: holds files of several formats "
                f"({', '.join(sorted(formats))}); name those of one"
            )
        format_ = formats.pop()
        markers = usual_markers(format_) if na is None else check_names("na", na, of="texts")
        if format_ == "arff":
            if len(paths) > 1:
                raise DataError(
                    "ARFF files are read one at a time; name one of them, or convert them to Parquet"
                )
            return open_table(read_table(paths[0], na=markers, kinds=kinds), batch_rows)
        return FileBatches(paths, format_, batch_rows, markers, kinds, stack.pop_all())


class FileBatches:
    """The rows of files of one format, one file after the other.

    What a column of text files holds is decided over all rows of all files, as in memory. Files without types
    of their own are first loaded into a temporary database on disk.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        format_: str,
        batch_rows: int,
        na: Sequence[str],
        kinds: Kinds,
        stack: ExitStack,
    ) -> None:
        self._paths, self._format, self._batch_rows = paths, format_, batch_rows
        self._na, self._readings, self._stack = tuple(na), readings(kinds), stack
        self.name = name_of(paths[0]) if len(paths) == 1 else f"{name_of(paths[0])} and {len(paths) - 1} more"
        with session() as connection:
            relations = _relations_of(connection, paths, format_)
        self.names = relations[0].names
        self._types = dict(zip(self.names, relations[0].types, strict=True))
        for path, relation in zip(paths, relations, strict=False):
            _check_same(self.names, self._types, relation, name_of(paths[0]), name_of(path))
        self.n_rows = parquet_rows(paths) if format_ == "parquet" else None
        self.once = False
        self.is_text = format_ == "csv"
        self._staged: _Staged | None = None

    def read(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The rows, in order, with these columns."""
        if self._format == "parquet" and not self._na and self._stays(columns):
            fields = are_plain(self._paths[0], columns)
            if fields is not None:
                return parquet_batches(self._paths, columns, fields, self._batch_rows)
        if self._staged is None or self._staged.columns != tuple(columns):
            if self._staged is not None:
                self._staged.close()
            self._staged = _Staged(self._paths, self._format, columns, self._readings, self._na)
            self.n_rows = self._staged.n_rows
        return self._staged.read(self._batch_rows)

    def close(self) -> None:
        """Remove the temporary database."""
        if self._staged is not None:
            self._staged.close()
            self._staged = None
        self._stack.close()

    def _stays(self, columns: Sequence[str]) -> bool:
        """Whether cells are what their types say."""
        for name in columns:
            natural = natural_form(name, "c0", self._types[name])
            reading = self._readings.get(name, Reading())
            if natural is None or stored_as(name, "c0", self._types[name], reading, self.name) != natural:
                return False
        return True


class _Staged:
    """Files loaded into a temporary database, and how their columns are read from it."""

    def __init__(
        self,
        paths: Sequence[Path],
        format_: str,
        columns: Sequence[str],
        how: dict[str, Reading],
        na: tuple[str, ...],
    ) -> None:
        import duckdb

        self.columns = tuple(columns)
        self._names = [name_of(path) for path in paths]
        self._stack = ExitStack()
        try:
            self._connection = self._stack.enter_context(session(on_disk=True, memory=MEMORY))
            stored = self._load(paths, format_, columns, how, na)
            self.n_rows = sum(self._sizes)
            if not self.n_rows:
                raise DataError(f"{self._names[0]}: has a header but no rows")
            self._plans = make_plans(self._connection, stored, self.n_rows)
        except duckdb.Error as error:
            self._stack.close()
            raise DataError(f"{self._names[0]}: cannot be read, or is damaged ({one_line(error)})") from error
        except DataError as error:
            self._stack.close()
            known = any(str(error).startswith(name) for name in self._names)
            raise error if known else DataError(f"{self._names[0]}, {error}") from None
        except BaseException:
            self._stack.close()
            raise

    def read(self, batch_rows: int) -> Iterator[Batch]:
        """The rows, in the order of the files."""
        import duckdb

        select = ", ".join(f"{plan.select} AS p{i}" for i, plan in enumerate(self._plans))
        n_read = 0
        # A reader of its own, so that one that was left unfinished does no harm.
        cursor = self._connection.cursor()
        try:
            reader = cursor.sql(f"SELECT {select} FROM t").to_arrow_reader(batch_rows)
            for rows in reader:
                yield from self._located(self._converted(rows), n_read)
                n_read += rows.num_rows
        except (duckdb.Error, OSError, RuntimeError) as error:
            file, row = self._place(n_read)
            raise DataError(
                f"{self._names[file]}: cannot be read after row {row:,} ({one_line(error)})"
            ) from error
        finally:
            cursor.close()

    def close(self) -> None:
        """Remove the database."""
        self._stack.close()

    def _load(
        self,
        paths: Sequence[Path],
        format_: str,
        columns: Sequence[str],
        how: dict[str, Reading],
        na: tuple[str, ...],
    ) -> list[Stored]:
        connection, as_table = self._connection, format_ != "parquet"
        self._sizes: list[int] = []
        parts: list[list[Stored]] = []
        for i, (path, relation) in enumerate(
            zip(paths, _relations_of(connection, paths, format_), strict=False)
        ):
            parts.append(
                stage(connection, path, relation, columns, how, na, name_of(path), as_table=as_table)
            )
            (n_rows,) = connection.execute("SELECT count(*) FROM t").fetchall()[0]
            self._sizes.append(int(n_rows))
            if len(paths) > 1 and format_ != "json":
                connection.execute(f"ALTER {'TABLE' if as_table else 'VIEW'} t RENAME TO part{i}")
        if format_ == "json":
            self._sizes = [_n_objects(connection, path) for path in paths]
        elif len(paths) > 1:
            _join(connection, parts)
        return parts[0]

    def _converted(self, rows: Any) -> Any:
        """Cells as the columns of a stream; text in the form of its kind."""
        pa = arrow()
        arrays, fields = [], []
        for i, plan in enumerate(self._plans):
            array = rows.column(i)
            field = pa.field(plan.name, array.type)
            if plan.form != "cells" and not (plan.form == "text" and plan.is_final):
                field, array = _of_values(plan, array)
            arrays.append(array)
            fields.append(field)
        return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))

    def _located(self, rows: Any, position: int) -> Iterator[Batch]:
        """The rows, divided where a file ends."""
        start = 0
        while start < rows.num_rows:
            file, row = self._place(position + start)
            part = rows.slice(start, min(self._sizes[file] - row, rows.num_rows - start))
            yield Batch(part, self._names[file], row, position + start)
            start += part.num_rows

    def _place(self, position: int) -> tuple[int, int]:
        """The position of the file that has a row, and the number of the row in it."""
        for file, size in enumerate(self._sizes):
            if position < size:
                return file, position
            position -= size
        return len(self._sizes) - 1, self._sizes[-1]


def _relations_of(connection: "DuckDBPyConnection", paths: Sequence[Path], format_: str) -> list[Relation]:
    """One relation per file; one for all JSON files, none of which knows the types of all its columns."""
    if format_ == "json" and len(paths) > 1:
        return [json_relation(connection, paths, name_of(paths[0]))]
    return [file_relation(connection, path, format_, name_of(path)) for path in paths]


def _n_objects(connection: "DuckDBPyConnection", path: Path) -> int:
    found = connection.execute(f"SELECT count(*) FROM read_json_objects({path_literal(path)})").fetchall()
    return int(found[0][0])


def _of_values(plan: Plan, array: Any) -> tuple[Any, Any]:
    if plan.form == "positions":
        column = plan.finish(array.to_numpy(zero_copy_only=False))
        field, cells = cells_of(column)
        return field, cells(slice(0, len(array)))
    encoded = array.dictionary_encode()
    column = plan.finish(encoded.dictionary.to_numpy(zero_copy_only=False))
    field, cells = cells_of(column)
    distinct = cells(slice(0, len(encoded.dictionary)))
    return field, distinct.take(encoded.indices)


def _join(connection: "DuckDBPyConnection", parts: Sequence[Sequence[Stored]]) -> None:
    """One view of all files, whose columns may stand in another order."""
    selects = []
    for i, part in enumerate(parts):
        columns = ", ".join(f"{own.sql} AS {first.sql}" for own, first in zip(part, parts[0], strict=True))
        selects.append(f"SELECT {columns} FROM part{i}")
    connection.execute(f"CREATE VIEW t AS {' UNION ALL '.join(selects)}")


def _check_same(
    names: Sequence[str], types: dict[str, str], relation: Relation, first: str, other: str
) -> None:
    if set(relation.names) != set(names):
        lacking = [name for name in names if name not in relation.names]
        surplus = [name for name in relation.names if name not in types]
        said = f"has no column {lacking[0]!r}" if lacking else f"has a column {surplus[0]!r}"
        raise DataError(f"{other}: {said}, other than {first}; give all files the columns {listed(names)}")
    for name, type_ in zip(relation.names, relation.types, strict=True):
        before = types[name]
        if _stored_type(name, type_) != _stored_type(name, before):
            raise DataError(
                f"{other}, column {name!r}: holds {type_} here and {before} in {first}; convert it to one"
            )


def _stored_type(name: str, type_: str) -> tuple[Any, ...]:
    natural = natural_form(name, "c0", type_)
    if natural is None:
        return (type_,)
    return (natural.type, natural.kind) if natural.kind != "text" else (type_,)


def _files_of(source: Any, stack: ExitStack) -> list[Path]:
    """The files that a path, a directory, a pattern or a list of them means, by name."""
    given = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    found: list[Path] = []
    for each in given:
        path = stack.enter_context(as_file(each))
        if path.is_dir():
            inside = sorted(part for part in path.rglob("*") if _is_table(part))
            if not inside:
                raise DataError(f"{path}: holds no files that can be read ({', '.join(SUFFIXES)})")
            found += inside
        elif not path.exists() and glob.has_magic(str(path)):
            matched = sorted(
                Path(part) for part in glob.glob(str(path), recursive=True) if Path(part).is_file()
            )
            if not matched:
                raise DataError(f"{path}: no file has such a name; check the pattern")
            found += matched
        else:
            found.append(path)
    return found


def _is_table(path: Path) -> bool:
    is_hidden = path.name.startswith((".", "_"))
    return path.is_file() and not is_hidden and path.name.lower().endswith(SUFFIXES)
