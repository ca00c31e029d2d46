"""Files as batches.

Order of reading: :func:`open_files` (which files, of which format), :class:`FileBatches` (their rows;
``_settle`` decides what columns of text hold, over all rows of all files). Depends on ``files`` for the
formats, and on ``_folders`` for columns in the names of folders.

Faults are found as early as they can be:

- When files are opened: a missing file, an unknown ending, several formats, a faulty header, damaged
  metadata, files whose columns differ in name or type.
- When a pass reads them: damaged data, rows with too many or too few fields, text that is not UTF-8. The
  message has the file and the line, or the number of the row.
- When somebody uses the cells: infinite numbers, unusable classes and weights, unknown values.

Columns of text may cost one more reading, before the first pass that needs them. A glance at some rows spares
most columns that, because one cell can exclude numbers, truth values and times. What was decided is kept, so
that later passes read the files once.
"""

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import DataError
from ...table._messages import listed, shown
from ...table.checks import check_names
from ...table.table import Table
from ..batch import Batch, Batches, arrow
from ..cells import as_given, type_of, without_marked
from ..files import OpenFile
from ..files._text import Kinds, TextColumn, readings, without_markers
from ..files.arff import read_arff
from ..files.formats import ARFF, Format, as_file, format_of, name_of
from ._folders import files_in, files_like, folder_columns
from ._frames import open_table

_GLANCE = 1000  # rows; enough to exclude numbers and times for most columns of text


def are_paths(source: Any) -> bool:
    """Return True if a source is a list or tuple of paths, and not an empty one."""
    is_list = isinstance(source, (list, tuple)) and bool(source)
    return is_list and all(isinstance(path, (str, os.PathLike)) for path in source)


def open_files(source: Any, batch_rows: int, na: Iterable[str] | None, kinds: Kinds) -> Batches:
    """Return the batches of files, directories or patterns; options as in :func:`codelength.as_batches`.

    An ARFF file is read into memory as a whole, so that all its faults are found here.
    """
    with ExitStack() as stack:
        paths, base = _files_of(source, stack)
        formats = {format_of(path, name_of(path)) for path in paths}
        if len(formats) > 1:
            raise DataError(
                f"{shown(os.fspath(paths[0].parent))}: holds files of several formats "
                f"({', '.join(sorted(each.name for each in formats))}); name those of one"
            )
        format_ = formats.pop()
        markers = format_.markers if na is None else check_names("na", na, of="texts")
        if format_ is ARFF:
            if len(paths) > 1 or folder_columns(paths, base, {}, ()):
                raise DataError(
                    "ARFF files are read one at a time; name one of them, or convert them to Parquet"
                )
            columns = tuple(read_arff(paths[0], na=markers, kinds=kinds))
            table = Table(columns, len(columns[0].missing), name=name_of(paths[0]))
            return open_table(table, batch_rows)
        return FileBatches(paths, base, format_, batch_rows, markers, kinds, stack)


class FileBatches(Batches):
    """Batches of files of one format, one file after the other.

    The kind of a column of text is decided over all rows of all files, as in memory. Columns are matched by
    name; those in the names of folders come last.

    Parameters
    ----------
    paths : sequence of Path
        The files.
    base : Path
        Folder of all files; names of folders below it may be columns.
    format_ : Format
        Their format.
    batch_rows : int
        Largest number of rows per batch.
    na : sequence of str
        Texts that mean missing.
    kinds : mapping, Schema or None
        How to read some columns of text files; columns of other files have types.
    stack : ExitStack
        Temporary files, which are taken over and removed at the end.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        base: Path,
        format_: Format,
        batch_rows: int,
        na: Sequence[str],
        kinds: Kinds,
        stack: ExitStack,
    ) -> None:
        assert format_.open is not None
        self._format, self._batch_rows, self._na = format_, batch_rows, tuple(na)
        rules = readings(kinds)
        self._rules = {} if format_.has_types else rules
        shown = [name_of(path) for path in paths]
        self.name = shown[0] if len(paths) == 1 else f"{shown[0]} and {len(paths) - 1} more"
        self._files = dict(zip(shown, format_.open(paths, shown, stack), strict=True))
        self._first = self._files[shown[0]]
        for name, file in self._files.items():
            _check_same(self._first, file, shown[0], name)
        self._folders = folder_columns(paths, base, rules, na)
        for name in self._folders:
            if name in self._first.names:
                raise DataError(
                    f"{shown[0]}: column {name!r} is in the file and in the name of its folder; rename one"
                )
        self.names = (*self._first.names, *self._folders)
        sizes = [file.n_rows for file in self._files.values()]
        self.n_rows = None if None in sizes else sum(map(int, filter(None, sizes)))
        self._texts: dict[str, TextColumn] = {}
        self._carried: tuple[str, ...] = ()
        self._widest: Any = None
        # Only now, so that an error above leaves the files to the caller.
        self._stack = stack.pop_all()

    def carry(self, columns: Sequence[str]) -> bool:
        """Add columns in the form that they have in the files to every batch.

        Cells of text files are text, except for those that mean missing. Cells of other files have their
        types, and the widest one if files differ.
        """
        pa = arrow()
        self._carried = tuple(columns)
        # Files may have numbers of several widths.
        schemas = [
            pa.schema([(name, _decoded(file.fields[name].type)) for name in columns if name in file.fields])
            for file in self._files.values()
        ]
        self._widest = pa.unify_schemas(schemas, promote_options="permissive")
        return True

    def close(self) -> None:
        """Remove temporary files."""
        self._stack.close()

    def read(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows, in order, with these columns."""
        pa, carried = arrow(), self._carried
        self._settle([*columns, *(carried if self._format.has_types else ())])
        # Any column says how many rows a file has.
        own = [name for name in (*columns, *carried) if name not in self._folders] or self._first.names[:1]
        types = {
            name: pa.type_for_alias(text.form)
            if (text := self._texts.get(name)) and text.is_plain and name not in carried
            else pa.string()
            for name in own
        }
        position = 0
        for number, (source, file) in enumerate(self._files.items()):
            first = 0
            for rows in file.rows(types, self._batch_rows, self._na):
                for start in range(0, rows.num_rows, self._batch_rows):
                    piece = rows.slice(start, self._batch_rows)
                    try:
                        cells = _batch_of([self._converted(piece, name, number) for name in columns])
                        beside = _batch_of([self._as_given(piece, name, number) for name in carried])
                    except DataError as error:
                        raise type(error)(f"{source}, {error}") from None
                    yield Batch(cells, source, first, position + first, carried=beside if carried else None)
                    first += piece.num_rows
            position += first

    def _settle(self, columns: Sequence[str]) -> None:
        """Decide how columns of text are read, over all rows of all files."""
        texts = {
            name: TextColumn(name, self._rules.get(name, own), self._na)
            for name, own in self._first.readings.items()
            if name in columns and name not in self._texts
        }
        if not texts:
            return
        # The first rows decide most columns of text. Only the others are looked at in all rows.
        for rows in self._raw(texts):
            for name, text in texts.items():
                text.look(rows.column(name).slice(0, _GLANCE))
            break
        else:
            raise DataError(f"{self.name}: has a header but no rows")
        if still_open := [name for name, text in texts.items() if text.is_open]:
            for rows in self._raw(still_open):
                for name in still_open:
                    texts[name].look(rows.column(name))
        for text in texts.values():
            text.settle()
        self._texts |= texts

    def _raw(self, columns: Iterable[str]) -> Iterator[Any]:
        """Yield the rows of all files, with columns as text."""
        types = dict.fromkeys(columns, arrow().string())
        for file in self._files.values():
            yield from (rows for rows in file.rows(types, self._batch_rows, self._na) if rows.num_rows)

    def _converted(self, rows: Any, name: str, number: int) -> tuple[Any, Any]:
        """Return the field and the cells of a column of a file, by its number, as values."""
        if name in self._folders:
            folder = self._folders[name]
            # Taken from the array of all files, so that every batch has the same dictionary.
            return folder.field, folder.cells.take(_repeated(number, rows))
        array, column = rows.column(name), rows.schema.field(name)
        if name in self._texts:
            return self._texts[name].convert(array)
        return column, without_marked(array, self._na) if self._na else array

    def _as_given(self, rows: Any, name: str, number: int) -> tuple[Any, Any]:
        """Return a column to carry over: text of text files, cells with their types of other files."""
        pa = arrow()
        if name in self._folders:
            plain = self._folders[name].plain
            return pa.field(name, plain.type), plain.take(_repeated(number, rows))
        array, column = rows.column(name), rows.schema.field(name)
        if not self._format.has_types:
            array = without_markers(array, self._na)
        elif name in self._texts:
            column, array = self._texts[name].keep(array)
        array = as_given(array, column)
        if name in self._widest.names:
            array = array.cast(self._widest.field(name).type)
        return pa.field(name, array.type), array


def _repeated(number: int, rows: Any) -> Any:
    """Return a number once for each row."""
    return arrow().array(np.full(rows.num_rows, number))


def _batch_of(pairs: Sequence[tuple[Any, Any]]) -> Any:
    pa = arrow()
    return pa.RecordBatch.from_arrays(
        [array for _, array in pairs], schema=pa.schema([column for column, _ in pairs])
    )


def _decoded(type_: Any) -> Any:
    """Return the type of the cells of a dictionary; any other type as it is."""
    return type_.value_type if arrow().types.is_dictionary(type_) else type_


def _check_same(one: OpenFile, other: OpenFile, first: str, shown: str) -> None:
    """Raise if two files have other columns, or columns of other types."""
    if set(other.names) != set(one.names):
        lacking = [name for name in one.names if name not in other.names]
        surplus = [name for name in other.names if name not in one.names]
        said = f"has no column {lacking[0]!r}" if lacking else f"has a column {surplus[0]!r}"
        raise DataError(
            f"{shown}: {said}, other than {first}; give all files the columns {listed(one.names)}"
        )
    for name, column in other.fields.items():
        before = one.fields[name]
        if other is not one and type_of(column) != type_of(before):
            raise DataError(
                f"{shown}, column {name!r}: holds {column.type} here and {before.type} in {first}; convert "
                "it to one"
            )


def _files_of(source: Any, stack: ExitStack) -> tuple[list[Path], Path]:
    """Return the files of a path, a directory, a pattern or a list of them, and the folder of them all.

    Files of a list are in the order of the list, and those of a directory or a pattern are sorted by name.
    """
    given = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    found: list[Path] = []
    bases: list[str] = []
    for each in given:
        path = stack.enter_context(as_file(each))
        if os.path.isdir(path):
            files, base = files_in(path), path
        # A file whose name contains a wildcard is that file.
        elif not os.path.exists(path) and glob.has_magic(str(path)):
            files, base = files_like(str(path))
        else:
            files, base = [path], path.parent
        found += files
        bases.append(os.path.abspath(base))
    return found, Path(os.path.commonpath(bases))


def files_within(path: str) -> list[Path]:
    """Return the files of a path, a directory or a pattern; none if nothing has that name."""
    with ExitStack() as stack:
        try:
            return [] if path == "-" else [part for part in _files_of(path, stack)[0] if part.is_file()]
        except (DataError, OSError, ValueError):
            return []
