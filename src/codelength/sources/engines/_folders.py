"""Folders of files, and columns in the names of folders, ``year=2020``.

Order of reading: :func:`files_in` and :func:`files_like` (the files of a folder and of a pattern),
:func:`folder_columns` (columns in the names of the folders between).

Files are sorted by name, so that rows have the same order on every file system. Hidden files, such as
``_SUCCESS``, do not count. Folders of Delta Lake and Hudi are refused: besides the current files they hold
those of earlier versions, and only a log says which is which.
"""

import glob
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ...errors import DataError
from ...table.table import table_of
from ..batch import arrow
from ..files._text import Reading
from ..files.formats import SUFFIXES
from ._frames import cells_of

_HIDDEN = (".", "_")
_NOTHING = "__HIVE_DEFAULT_PARTITION__"
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}")
_LOGS = {
    "_delta_log": (
        "a Delta Lake table",
        "pass deltalake.DeltaTable(path).to_pyarrow_dataset(), or export it to a Parquet file",
    ),
    ".hoodie": ("a Hudi table", "export it to a Parquet file"),
}


def files_in(folder: Path) -> list[Path]:
    """Return the tables in a folder and its subfolders, by name, without hidden ones.

    Files with endings of no known format do not count, such as a text about the data. Raise if none is left.
    """
    # Sorted, because the order of a directory differs between file systems.
    found = sorted(path for path in folder.rglob("*") if _is_table(path) and not _is_hidden(path, folder))
    _check_current(found, folder)
    if not found:
        raise DataError(f"{folder}: holds no files that can be read ({', '.join(SUFFIXES)})")
    return found


def files_like(pattern: str) -> tuple[list[Path], Path]:
    """Return the files that match a pattern, by name, and the folder before its first wildcard.

    Hidden files and folders count only if the pattern names some. ``**`` matches folders of any depth.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for year in (2021, 2020):
    ...         part = Path(folder, f"year={year}", "part.csv")
    ...         part.parent.mkdir()
    ...         _ = part.write_text("size\\n1\\n")
    ...     found, base = files_like(f"{folder}/*/part.csv")
    ...     columns = folder_columns(found, base, {}, ())
    >>> columns["year"].plain.to_pylist()
    [2020, 2021]
    """
    parts = Path(pattern).parts
    first = next(i for i, part in enumerate(parts) if glob.has_magic(part))
    base, names_hidden = Path(*parts[:first]), any(part.startswith(_HIDDEN) for part in parts[first:])
    found = sorted(Path(path) for path in glob.glob(pattern, recursive=True))
    found = [path for path in found if path.is_file() and (names_hidden or not _is_hidden(path, base))]
    _check_current(found, base)
    if not found:
        raise DataError(f"{pattern}: no file has such a name; check the pattern")
    return found, base


def _is_table(path: Path) -> bool:
    return path.name.lower().endswith(SUFFIXES) and path.is_file()


def _is_hidden(path: Path, base: Path) -> bool:
    return any(part.startswith(_HIDDEN) for part in path.relative_to(base).parts)


def _check_current(paths: Sequence[Path], base: Path) -> None:
    """Raise if the files belong to a table format that keeps files with removed rows."""
    folders = {folder for path in paths for folder in path.absolute().parents} | {base.absolute()}
    for folder in sorted(folders):
        for log, (what, remedy) in _LOGS.items():
            if os.path.isdir(folder / log):
                raise DataError(f"{folder}: is {what}, in which files with removed rows remain; {remedy}")


@dataclass(frozen=True, slots=True)
class FolderColumn:
    """A column in the names of folders.

    Attributes
    ----------
    field, cells : pyarrow.Field, pyarrow.Array
        The cell of each file, as a value.
    plain : pyarrow.Array
        The same to carry over: whole numbers if all folders have them, and text otherwise.
    """

    field: Any
    cells: Any
    plain: Any


def folder_columns(
    paths: Sequence[Path], base: Path, readings: Mapping[str, Reading], na: Sequence[str]
) -> dict[str, FolderColumn]:
    """Return columns in the names of folders, as Hive, Spark and pyarrow write them.

    They are whole numbers if all folders have whole numbers, and text otherwise. ``year=2020`` below a folder
    ``sales`` is a column ``year`` of ``sales``, but not of ``sales/year=2020``.

    Parameters
    ----------
    paths : sequence of Path
        The files.
    base : Path
        The folder of them all; names of folders above it do not count.
    readings : mapping
        How to read some columns.
    na : sequence of str
        Texts that mean missing, in addition to the name that Hive gives to the folder of missing values.

    Returns
    -------
    dict of FolderColumn
        By name, in the order of the folders; cells are one per file, in the order of ``paths``.

    Raises
    ------
    DataError
        If the folders of two files spell different columns.
    """
    spelt = [_spelt(path, base) for path in paths]
    for path, own in zip(paths, spelt, strict=True):
        if own.keys() != spelt[0].keys():
            raise DataError(
                f"{path}: its folders spell other columns than those of {paths[0]}; keep all files in "
                "folders of one form, such as year=2020"
            )
    markers = {marker.strip() for marker in na}
    found = {}
    for name in spelt[0]:
        texts = [None if (text := own[name]) is None or text.strip() in markers else text for own in spelt]
        column = table_of({name: _read(texts, readings.get(name, Reading()))}).columns[0]
        found[name] = FolderColumn(*cells_of(column), arrow().array(_read(texts, Reading())))
    return found


def _spelt(path: Path, base: Path) -> dict[str, str | None]:
    """Return the columns in the names of folders between ``base`` and a file.

    Examples
    --------
    >>> _spelt(Path("/sales/year=2020/kind=a%2Fb=c/part.csv"), Path("/sales"))
    {'year': '2020', 'kind': 'a/b=c'}
    """
    folders = Path(os.path.abspath(path)).relative_to(os.path.abspath(base)).parts[:-1]
    pairs = (folder.partition("=") for folder in folders)
    return {
        unquote(name): None if text == _NOTHING else unquote(text)
        for name, sign, text in pairs
        if sign and name
    }


def _read(texts: Sequence[str | None], reading: Reading) -> list[Any]:
    present = [text for text in texts if text is not None]
    parse: Any = reading.parse
    if parse is None and reading.kind is None and all(map(_WHOLE.fullmatch, present)):
        parse = int
    return [text if text is None or parse is None else parse(text) for text in texts]
