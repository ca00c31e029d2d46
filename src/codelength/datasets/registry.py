"""What is known about each bundled table: its size, its origin, and the papers that use it."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from .._files import sha256_of
from ..errors import DataError
from ..table._messages import suggestion

__all__ = ["Entry", "Size", "describe", "find", "names", "table_path"]

_HERE = Path(__file__).parent


class Size(NamedTuple):
    """The size of a table as a paper prints it; the class is not counted among the attributes."""

    rows: int
    attributes: int
    classes: int


@dataclass(frozen=True)
class Entry:
    """A bundled table.

    Attributes
    ----------
    name, aliases
        What :func:`codelength.datasets.load` knows it by.
    title
        What it is about.
    rows, attributes, classes
        Its size; the class is not counted among the attributes.
    class_counts
        How many rows each class has.
    missing_cells
        How many cells are missing.
    numeric, categorical
        The attributes of each sort.
    id_columns
        Attributes that number the rows, kept only because a paper counts them.
    train_rows
        How many of the first rows its donors meant for training, where they said.
    papers
        The papers whose experiments use it. The one of 2001 names none of its 14 data sets; those
        that stand in for them carry its name.
    quoted
        Its size as papers print it.
    differs
        How it differs from what they print; empty when it does not.
    source, attribution, licence
        Where the copy comes from, who made the data, and on what terms.
    note
        What a user ought to know.
    sha256
        The checksum of the file.
    """

    name: str
    title: str
    rows: int
    attributes: int
    classes: int
    class_counts: Mapping[str, int]
    missing_cells: int
    numeric: tuple[str, ...]
    categorical: tuple[str, ...]
    papers: tuple[str, ...]
    quoted: Mapping[str, Size]
    differs: str
    source: str
    attribution: str
    licence: str
    note: str
    aliases: tuple[str, ...]
    id_columns: tuple[str, ...]
    train_rows: int | None
    sha256: str


def names() -> list[str]:
    """Return the names of the bundled tables, in alphabetical order.

    Examples
    --------
    >>> names()[:3]
    ['adult', 'australian', 'breast-cancer']
    """
    return sorted(_entries())


def describe(name: str) -> Entry:
    """Return what is known about a bundled table.

    Parameters
    ----------
    name
        Its name or an alias.

    Raises
    ------
    DataError
        When there is none of that name; near names are given.

    Examples
    --------
    >>> entry = describe("hepatitis")
    >>> entry.rows, entry.quoted["bayes-optimal-ibl-1998"].rows
    (155, 150)
    >>> entry.differs
    '155 rows, 5 more than the 150 printed, which fit no file found'
    """
    entry = find(name)
    if entry is None:
        near = suggestion(name, _known())
        raise DataError(f"there is no data set {name!r}{near or '; codelength.datasets.names() lists them'}")
    return entry


def find(name: str) -> Entry | None:
    """Return the entry of a name or an alias, or None."""
    return _known().get(name)


def table_path(entry: Entry) -> Path:
    """Return the file of a bundled table once its checksum has been found right."""
    path = _HERE / "tables" / f"{entry.name}.parquet"
    if not path.exists():
        raise DataError(f"{path}: is missing from the installation; install codelength again")
    if sha256_of(path) != entry.sha256:
        raise DataError(
            f"{path}: its checksum is wrong, so it was changed or damaged; install codelength again"
        )
    return path


@cache
def _entries() -> dict[str, Entry]:
    with open(_HERE / "registry.toml", "rb") as file:
        return {name: _entry(name, fields) for name, fields in tomllib.load(file).items()}


def _known() -> dict[str, Entry]:
    entries = _entries()
    return entries | {alias: entry for entry in entries.values() for alias in entry.aliases}


def _entry(name: str, fields: dict[str, Any]) -> Entry:
    quoted = {paper: Size(*size) for paper, size in fields.pop("quoted").items()}
    lists = {key: tuple(value) for key, value in fields.items() if isinstance(value, list)}
    return Entry(name=name, quoted=quoted, train_rows=fields.pop("train_rows", None), **(fields | lists))
