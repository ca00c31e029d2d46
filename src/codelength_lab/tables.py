"""Bundled tables as experiments use them: treatment of cells, codes, and random streams."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache

from codelength import datasets
from codelength.errors import DataError
from codelength.table import Coded, Cutting, Table, encode, infer_schema
from codelength.table.cutting import with_intervals_of
from codelength.table.infer import Missing
from codelength.typing import IntArray

from .settings import Discretization, Learned, Settings

CATEGORIES = {
    "heart-statlog": ("number_of_major_vessels",),
    "lymphography": ("lym_dimin", "no_nodes"),
}
"""Columns of few whole numbers that fit the tables of the 1997 and 1998 papers better as categories."""


@dataclass(frozen=True, slots=True)
class Source:
    """A bundled table, and its conversion to categories.

    Attributes
    ----------
    discretization : {"kmeans", "frequency", "width"}
        Method of cutting numeric columns.
    bins : int
        Most intervals of a numeric column.
    missing : {"value", "ignore"}
        Treatment of missing cells.
    learned : {"whole", "train"}
        Rows that cut points are learned from.
    categories : tuple of str
        Numeric columns that are kept as categories.
    """

    name: str
    discretization: Discretization
    bins: int
    missing: Missing
    learned: Learned
    categories: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return datasets.describe(self.name).rows

    @property
    def cutting(self) -> Cutting:
        """Method and number of intervals of numeric columns."""
        return Cutting(self.discretization, self.bins)


def source(name: str, settings: Settings, bins: int, *, categories: bool = True) -> Source:
    """Return a table under some settings, with the columns of ``CATEGORIES`` kept as categories if asked.

    ``bins`` are the intervals per numeric column, unless the settings name a number.
    """
    return Source(
        name,
        settings.discretization,
        settings.bins or bins,
        settings.missing,
        settings.learned,
        CATEGORIES.get(name, ()) if categories else (),
    )


@dataclass(frozen=True, eq=False, slots=True)
class Prepared:
    """A table, and its codes with intervals learned from all rows."""

    source: Source
    table: Table
    coded: Coded

    @property
    def is_fixed(self) -> bool:
        """True if the codes do not depend on the training rows."""
        has_intervals = any(variable.kind == "interval" for variable in self.coded.schema.variables)
        return self.source.learned == "whole" or not has_intervals

    def learned_on(self, rows: IntArray) -> Coded:
        """Return all rows as codes, with intervals learned from some of them if the source asks for it."""
        if self.is_fixed:
            return self.coded
        return with_intervals_of(self.coded, self.table, rows, self.source.cutting)


# Tasks of one table tend to follow each other, so that a few tables are enough.
@lru_cache(maxsize=4)
def prepare(source: Source) -> Prepared:
    """Return the coded table of a source; the values of categories are those of the whole table."""
    table = bundled(source.name)
    schema = infer_schema(
        table,
        missing=source.missing,
        numeric="discretize",
        cutting=source.cutting,
        categories=source.categories,
    )
    return Prepared(source, table, encode(schema, table, handle_unknown="error"))


def bundled(name: str) -> Table:
    """Return a bundled table; raise if a file of the user has its name."""
    dataset = datasets.load(name)
    if dataset.info is None:
        raise DataError(
            f"{name}: a file in CODELENGTH_DATA takes the place of the bundled table, which this experiment "
            "is about; unset CODELENGTH_DATA"
        )
    return dataset.table


def stream_of(text: str) -> int:
    """Return a seed that depends on a text alone.

    Examples
    --------
    >>> stream_of("0/glass/1") == stream_of("0/glass/1") != stream_of("0/glass/2")
    True
    """
    # Not hash(), which differs between processes: results must not depend on where a task runs.
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")
