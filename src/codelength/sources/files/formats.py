"""Formats of files: one object per format, used by readers, writers, commands and uploads."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from ...errors import DataError
from ...table._messages import shortened
from ._csv import CsvFile
from ._json import open_json
from ._parquet import ParquetFile
from ._text import Reading


class OpenFile(Protocol):
    """A file whose header or metadata was read.

    Attributes
    ----------
    names : tuple of str
        Names of the columns.
    fields : mapping of str to pyarrow.Field
        Columns whose cells have types.
    readings : mapping of str to Reading
        Columns of text, whose cells decide what they are, and rules for reading them.
    n_rows : int, optional
        Number of rows, if it is known beforehand.
    """

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def fields(self) -> Mapping[str, Any]: ...
    @property
    def readings(self) -> Mapping[str, Reading]: ...
    @property
    def n_rows(self) -> int | None: ...

    def rows(self, columns: Mapping[str, Any], batch_rows: int, markers: Sequence[str] = ()) -> Iterator[Any]:
        """Yield record batches of some columns, in order.

        Parameters
        ----------
        columns : mapping of str to pyarrow.DataType
            Types in which to read columns of text, by name; other columns have their own.
        batch_rows : int
            Desired number of rows per batch.
        markers : sequence of str
            Texts that mean missing.
        """


Opener: TypeAlias = Callable[[Sequence[Path], Sequence[str], ExitStack], Sequence[OpenFile]]
"""Function of the paths of some files, their names in messages, and a stack that closes what is opened."""


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
        Endings of the names of files that are written in this format.
    has_types : bool
        True if the file has types for its columns. If not, cells are text, and some texts mean missing.
    is_uploaded : bool
        True if the local page accepts such files.
    open : callable, optional
        Function that opens files; None for a format that is read into memory as a whole.
    """

    name: str
    endings: tuple[str, ...]
    written: tuple[str, ...] = ()
    has_types: bool = True
    is_uploaded: bool = False
    open: Opener | None = None

    @property
    def markers(self) -> tuple[str, ...]:
        """Texts that mean missing by default, in addition to an empty cell."""
        return () if self.has_types else USUAL_NA


USUAL_NA = ("NA", "?")
"""Texts that mean missing in files without types."""


def _each(opened: Callable[[Path, str], OpenFile]) -> Opener:
    """Return the opener of a format whose files are opened one by one."""
    return lambda paths, shown, _: [opened(path, name) for path, name in zip(paths, shown, strict=True)]


CSV = Format(
    "csv",
    (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz"),
    written=(".csv", ".csv.gz", ".tsv"),
    has_types=False,
    is_uploaded=True,
    open=_each(CsvFile),
)
PARQUET = Format("parquet", (".parquet",), written=(".parquet",), is_uploaded=True, open=_each(ParquetFile))
ARFF = Format("arff", (".arff",), has_types=False)
JSON = Format("json", (".json", ".jsonl", ".ndjson"), open=open_json)

FORMATS = (CSV, PARQUET, ARFF, JSON)
"""All formats, in the order in which messages list them."""

SUFFIXES = tuple(ending for format_ in FORMATS for ending in format_.endings)
"""Endings of the names of files that can be read."""

WRITTEN = tuple(ending for format_ in FORMATS for ending in format_.written)
"""Endings of the names of files that can be written."""


def format_named(path: str | os.PathLike[str]) -> Format | None:
    """Return the format of a file by the ending of its name; None for an unknown ending.

    Examples
    --------
    >>> format_named("Shirts.CSV.gz").name
    'csv'
    """
    name = Path(path).name.lower()
    return next((format_ for format_ in FORMATS if name.endswith(format_.endings)), None)


def format_of(path: Path, shown: str) -> Format:
    """Return the format of a file; raise if there is no such file, or it cannot be read.

    Parameters
    ----------
    path : Path
        The file.
    shown : str
        Its name in messages.

    Returns
    -------
    Format
        The format by the ending of its name.
    """
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
