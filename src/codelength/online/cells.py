"""From one row to the cells it falls into: look-ups in dictionaries, no table in between."""

import math
from bisect import bisect_right
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ..errors import DataError, UnknownValue
from ..table import Schema, Variable
from ..table._messages import listed, shown
from ..table.encode import code_of

MOST_REMEMBERED = 10_000
"""Spellings of a variable that are remembered; more are looked up again and again."""


class Row:
    """Finds the cells of rows under a schema, which they share with the counts of a table.

    Parameters
    ----------
    schema : Schema
        What rows may hold.
    strict : bool
        Whether a value that the schema does not list is refused, or passed over like a missing cell.
    """

    def __init__(self, schema: Schema, *, strict: bool) -> None:
        self._strict = strict
        self._readers = [
            (position, start, _Reader(variable))
            for position, (variable, start) in enumerate(
                zip(schema.variables, schema.offsets.tolist(), strict=False)
            )
            if variable.kind != "ignored"
        ]

    def cells(self, row: Mapping[str, Any]) -> tuple[list[int], list[int]]:
        """The cells of the values that are there, and the positions of their variables."""
        if type(row) is not dict and not isinstance(row, Mapping):
            raise DataError(f"row {shown(row)}: expected a mapping of names to cells")
        cells, positions = [], []
        for position, start, reader in self._readers:
            code = reader.code(row.get(reader.name))
            if code is None:
                continue
            if code < 0:
                if self._strict:
                    raise UnknownValue(
                        f"variable {shown(reader.name)}: value {shown(row[reader.name])} is not in the "
                        f'schema {listed(reader.variable.values)}; pass handle_unknown="ignore"'
                    )
                continue
            cells.append(start + code)
            positions.append(position)
        return cells, positions


class _Reader:
    """Codes of the values of one variable."""

    __slots__ = ("_codes", "_cuts", "_missing", "name", "variable")

    def __init__(self, variable: Variable) -> None:
        self.name, self.variable = variable.name, variable
        self._missing = variable.n_values - 1 if variable.missing_is_value else None
        self._cuts = variable.cuts if variable.kind == "interval" and variable.scale == "number" else None
        self._codes: dict[Any, int | None] = {}

    def code(self, value: Any) -> int | None:
        """The code of a value; None for one that says nothing, and below zero for one that is not listed."""
        if value is None:
            return self._missing
        kind = type(value)
        if kind is float or kind is int:
            if value != value:
                return self._missing
            if self._cuts is not None and math.isfinite(value):
                return bisect_right(self._cuts, value)
        # Values of different types may be equal, such as 1 and True, and yet be read differently.
        key = (kind, value)
        try:
            return self._codes[key]
        except Exception:  # not met before, or an object that cannot be looked up
            pass
        found = code_of(self.variable, value)
        code = self._missing if found is None else found
        if len(self._codes) < MOST_REMEMBERED and kind.__hash__ is not None:
            with suppress(Exception):  # what hashing foreign objects raises is up to them
                self._codes[key] = code
        return code
