"""Formats of files: one object for each, which readers, writers, commands and uploads all ask."""

import os
from dataclasses import dataclass
from pathlib import Path

from ...errors import DataError
from ...table._messages import shortened


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files.

    Attributes
    ----------
    name : str
        Its name in this library.
    endings : tuple of str
        Endings of the names of files that are read in this format.
    written : tuple of str
        Those that are written, too.
    has_types : bool
        Whether the file says what its cells are. If not, cells are text, and some texts mean missing.
    is_uploaded : bool
        Whether the local page takes such files.
    """

    name: str
    endings: tuple[str, ...]
    written: tuple[str, ...] = ()
    has_types: bool = True
    is_uploaded: bool = False

    @property
    def markers(self) -> tuple[str, ...]:
        """Texts that mean missing, beside an empty cell, unless others are named."""
        return () if self.has_types else USUAL_NA


USUAL_NA = ("NA", "?")

CSV = Format(
    "csv",
    (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz"),
    written=(".csv", ".csv.gz", ".tsv"),
    has_types=False,
    is_uploaded=True,
)
PARQUET = Format("parquet", (".parquet",), written=(".parquet",), is_uploaded=True)
ARFF = Format("arff", (".arff",), has_types=False)
JSON = Format("json", (".json", ".jsonl", ".ndjson"))

FORMATS = (CSV, PARQUET, ARFF, JSON)

SUFFIXES = tuple(ending for format_ in FORMATS for ending in format_.endings)
"""Endings of the names of files that can be read."""

WRITTEN = tuple(ending for format_ in FORMATS for ending in format_.written)
"""Endings of the names of files that can be written."""


def format_named(path: str | os.PathLike[str]) -> Format | None:
    """Return the format that the name of a file says, if it is one of ours.

    Examples
    --------
    >>> format_named("Shirts.CSV.gz").name
    'csv'
    """
    name = Path(path).name.lower()
    return next((format_ for format_ in FORMATS if name.endswith(format_.endings)), None)


def format_of(path: Path, shown: str) -> Format:
    """Return the format that the name of a file says, once it is sure that the file can be read."""
    if os.path.isdir(path):
        raise DataError(f"{shown}: is a directory; name a file in it")
    if not os.path.exists(path):  # also if the name is too long for one
        raise DataError(f"{shortened(shown)}: no such file; check the path")
    if not os.path.isfile(path):
        raise DataError(
            f"{shown}: is a pipe or a device, which cannot be read twice; write it to a file, or name - and "
            "pass it to standard input"
        )
    format_ = format_named(path)
    if format_ is None:
        raise DataError(
            f"{shown}: {path.suffix or 'a file without extension'} is not known; use one of "
            f"{', '.join(SUFFIXES)}"
        )
    if not os.access(path, os.R_OK):
        raise DataError(f"{shown}: may not be read; change its permissions")
    return format_
