"""Files as batches: CSV and JSON through a temporary database, Parquet directly."""

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ...errors import DataError
from ...table._messages import listed, shown
from ...table.checks import check_names
from ..batch import Batch, Batches
from ..files._duckdb import session
from ..files._kinds import Kinds, Reading, readings
from ..files._relations import Relation
from ..files._stage import natural_form, stored_as
from ..files.formats import ARFF, PARQUET, Format, format_of
from ..files.readers import read_table
from ..files.standard_input import as_file, name_of
from ._folders import Partitions, files_in, files_like
from ._frames import open_table
from ._parquet import are_plain, parquet_batches, parquet_rows, schema_of
from ._staged import Staged, relations_of


def are_paths(source: Any) -> bool:
    """Return True if a source is a list of paths."""
    is_list = isinstance(source, (list, tuple)) and bool(source)
    return is_list and all(isinstance(path, (str, os.PathLike)) for path in source)


def open_files(source: Any, batch_rows: int, na: Iterable[str] | None, kinds: Kinds) -> Batches:
    """Return the batches of one file or several.

    Parameters
    ----------
    source : path, or list of paths
        Files, directories or patterns.
    batch_rows : int
        Largest number of rows per batch.
    na : iterable of str, optional
        Texts that mean missing; by default those of the format.
    kinds : mapping, Schema or None
        How to read some columns; see :func:`codelength.read_table`.

    Returns
    -------
    Batches
        The rows of all files.
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
            if len(paths) > 1 or Partitions(paths, base, {}, ()).names:
                raise DataError(
                    "ARFF files are read one at a time; name one of them, or convert them to Parquet"
                )
            return open_table(read_table(paths[0], na=markers, kinds=kinds), batch_rows)
        return FileBatches(paths, base, format_, batch_rows, markers, kinds, stack.pop_all())


class FileBatches:
    """Batches of files of one format, one file after the other.

    The kind of a column of text files is decided over all rows of all files, as in memory. Files without
    types are first loaded into a temporary database on disk.

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
        How to read some columns.
    stack : ExitStack
        Temporary files to remove at the end.
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
        self._paths, self._format, self._batch_rows = paths, format_, batch_rows
        self._na, self._readings, self._stack = tuple(na), readings(kinds), stack
        self.name = name_of(paths[0]) if len(paths) == 1 else f"{name_of(paths[0])} and {len(paths) - 1} more"
        with session() as connection:
            relations = relations_of(connection, paths, format_)
        self._own = relations[0].names
        self._types = dict(zip(self._own, relations[0].types, strict=True))
        for path, relation in zip(paths, relations, strict=False):
            _check_same(self._own, self._types, relation, name_of(paths[0]), name_of(path))
        self._partitions = Partitions(paths, base, self._readings, na)
        self._partitions.check_apart(self._own, name_of(paths[0]))
        self.names = (*self._own, *self._partitions.names)
        self.n_rows = parquet_rows(paths) if format_ is PARQUET else None
        self.once = False
        self._staged: Staged | None = None
        self._beside: tuple[str, ...] = ()

    def carry(self, columns: Sequence[str]) -> None:
        """Add columns in the form that they have in the files to every batch."""
        self._beside = tuple(columns)

    def read(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows, in order, with these columns."""
        if not self._partitions.names:
            return self._read(columns, self._beside)
        # Any column says how many rows a file has.
        own = [name for name in columns if name in self._types] or self._own[:1]
        beside = tuple(name for name in self._beside if name in self._types)
        return self._partitions.joined(self._read(own, beside), columns, self._beside)

    def _read(self, columns: Sequence[str], carried: tuple[str, ...]) -> Iterator[Batch]:
        """Yield the rows with columns of the files."""
        # pyarrow reads Parquet much faster than a copy in a database, but only if every cell means what its
        # type says and both engines agree on that.
        if self._format is PARQUET and not self._na and self._stays(columns):
            fields = are_plain(self._paths[0], columns)
            beside = schema_of(self._paths, carried)
            if fields is not None and beside is not None:
                return parquet_batches(self._paths, columns, fields, self._batch_rows, beside)
        if self._staged is None or self._staged.columns != (tuple(columns), carried):
            if self._staged is not None:
                self._staged.close()
            self._staged = Staged(self._paths, self._format, columns, self._readings, self._na, carried)
            self.n_rows = self._staged.n_rows
        return self._staged.read(self._batch_rows)

    def close(self) -> None:
        """Remove the temporary database."""
        if self._staged is not None:
            self._staged.close()
            self._staged = None
        self._stack.close()

    def _stays(self, columns: Sequence[str]) -> bool:
        """Return True if cells are values of the types that the file gives them."""
        for name in columns:
            natural = natural_form(name, "c0", self._types[name])
            reading = self._readings.get(name, Reading())
            if natural is None or stored_as(name, "c0", self._types[name], reading, self.name) != natural:
                return False
        return True


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


def _files_of(source: Any, stack: ExitStack) -> tuple[list[Path], Path]:
    """Return the files of a path, a directory, a pattern or a list of them, and the folder of them all."""
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
