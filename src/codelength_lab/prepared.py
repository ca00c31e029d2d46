"""Coded bundled tables, with intervals that can be learned again from some rows."""

from dataclasses import dataclass
from functools import lru_cache

from codelength import datasets
from codelength.errors import DataError
from codelength.table import Coded, Table, encode, infer_schema
from codelength.table.cutting import with_intervals_of
from codelength.typing import IntArray

from .spec import Source


@dataclass(frozen=True, eq=False, slots=True)
class Prepared:
    """A coded table, and the numbers behind the codes.

    Attributes
    ----------
    source : Source
        Name and treatment of the table.
    table : Table
        Its columns.
    coded : Coded
        Its codes, with intervals learned from all rows.
    """

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
    dataset = datasets.load(source.name)
    if dataset.info is None:
        raise DataError(
            f"{source.name}: a file in CODELENGTH_DATA takes the place of the bundled table, which the "
            "printed figures are about; unset CODELENGTH_DATA"
        )
    schema = infer_schema(
        dataset.table,
        missing=source.missing,
        numeric="discretize",
        cutting=source.cutting,
        categories=source.categories,
    )
    return Prepared(source, dataset.table, encode(schema, dataset.table, handle_unknown="error"))
