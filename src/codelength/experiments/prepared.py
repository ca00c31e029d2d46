"""Bundled tables as codes, with intervals that can be learned again from some rows."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from .. import datasets
from ..errors import DataError
from ..table import Coded, Schema, Variable, encode
from ..table.intervals.cuts import assign, cut_points
from ..table.schema import interval_variable
from ..typing import FloatArray, IntArray
from .spec import Source


@dataclass(frozen=True)
class Table:
    """A coded table.

    Attributes
    ----------
    source : Source
        How it was made.
    schema : Schema
        Its variables and classes.
    coded : Coded
        Its codes.
    numbers : dict of int to array
        The numbers behind each interval variable, by its position.
    """

    source: Source
    schema: Schema
    coded: Coded
    numbers: dict[int, FloatArray]

    def learned_on(self, rows: IntArray) -> "Table":
        """The table with its intervals learned from some rows, where its source asks for that."""
        if self.source.learned == "whole" or not self.numbers:
            return self
        variables = list(self.schema.variables)
        bins = {}
        for i, numbers in self.numbers.items():
            old = variables[i]
            variables[i] = _intervals(old.name, numbers[rows], self.source, old.missing_is_value)
            # The code after the last interval is that of a missing cell, a value of its own or not.
            bins[i] = assign(numbers, variables[i].cuts)
        schema = replace(self.schema, variables=tuple(variables))
        codes = np.array(self.coded.codes, dtype=schema.code_type, order="F")
        for i, column in bins.items():
            codes[:, i] = column
        return replace(self, schema=schema, coded=Coded(codes, self.coded.classes))


@lru_cache(maxsize=4)
def prepare(source: Source) -> Table:
    """The coded table of a source; domains of categories are those of the whole table."""
    dataset = datasets.load(source.name, backend="columns")
    if dataset.info is None:
        raise DataError(
            f"{source.name}: a file in CODELENGTH_DATA takes the place of the bundled table, which the "
            "printed figures are about; unset CODELENGTH_DATA"
        )
    variables, numbers = [], {}
    for i, (name, column) in enumerate(dataset.frame.items()):
        if name in dataset.info.numeric and name not in source.categories:
            numbers[i] = column.astype(np.float64)
            missing = source.missing == "value" and bool(np.isnan(numbers[i]).any())
            variables.append(_intervals(name, numbers[i], source, missing))
        else:
            variables.append(_category(name, column, dataset.domains.get(name), source))
    target = Variable(dataset.target_name, dataset.domains[dataset.target_name])
    schema = Schema(tuple(variables), target)
    coded = encode(schema, dataset.frame, dataset.target, handle_unknown="error")
    return Table(source, schema, coded, numbers)


def rows_of(coded: Coded, rows: IntArray) -> Coded:
    """Some rows of a coded table."""
    return Coded(np.asfortranarray(coded.codes[rows]), coded.classes[rows])


def _intervals(name: str, numbers: FloatArray, source: Source, missing_is_value: bool) -> Variable:
    cuts = cut_points(numbers, source.discretization, source.bins)
    return interval_variable(name, cuts, missing_is_value=missing_is_value, origin=source.discretization)


def _category(name: str, column: Any, domain: tuple[str, ...] | None, source: Source) -> Variable:
    if domain is None:
        present = np.unique(column[~np.isnan(column.astype(np.float64))])
        values: tuple[Any, ...] = tuple(number.item() for number in present)
        has_missing = bool(np.isnan(column.astype(np.float64)).any())
    else:
        values = domain
        has_missing = any(cell is None for cell in column)
    return Variable(name, (*values, None) if source.missing == "value" and has_missing else values)
