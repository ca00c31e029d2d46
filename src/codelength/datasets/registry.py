"""Descriptions of the bundled tables: size, origin, and the papers that use them."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from .._files import sha256_of
from ..errors import DataError
from ..table._messages import suggestion

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
        Names that :func:`codelength.datasets.load` accepts.
    title
        Subject of the table.
    rows, attributes, classes
        Its size; the class is not counted among the attributes.
    class_counts
        Number of rows of each class.
    missing_cells
        Number of missing cells.
    numeric, categorical, id_columns
        The attributes of each sort; those that number the rows are kept only because a paper counts them.
    train_rows
        Number of leading rows that its donors meant for training; None if not stated.
    papers
        The papers whose experiments use it. The paper of 2001 names none of its 14 data sets; the tables
        used in their place list it.
    quoted
        Its size as papers print it.
    differs
        Difference from the table they print; empty if there is none.
    source, attribution, licence
        Origin of the copy, author of the data, and licence.
    note
        Remark for users.
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
    """Return the description of a bundled table, given by its name or an alias.

    Raises
    ------
    DataError
        If there is no table of that name; the message suggests similar names.

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
    """Return the file of a bundled table; raise DataError if it is missing or has another checksum."""
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
    # TOML has lists; the fields of an entry are tuples.
    return Entry(name=name, quoted=quoted, train_rows=fields.pop("train_rows", None), **(fields | lists))
