"""Codes of single rows by look-ups in dictionaries, without a table.

A stream predicts or learns one row at a time, for which a :class:`codelength.table.Table` and arrays would
cost many times more than the arithmetic. :class:`RowReader` has the same results as
:func:`codelength.table.encode`: a spelling that it meets for the first time is read by ``code_of``, and
remembered.

Order of reading: :class:`RowReader`, then :class:`CellReader`, which reads the cells of one variable.
"""

from bisect import bisect_right
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ..errors import DataError, SchemaMismatch, UnknownValue
from ._messages import listed, shown
from .encode import code_of
from .schema import Schema
from .values import LARGEST
from .variable import Variable

MAX_REMEMBERED = 10_000
"""Largest number of remembered spellings of a variable; others are looked up again each time."""


class RowReader:
    """Encoder of single rows, with the same result as :func:`codelength.table.encode` for a table.

    Parameters
    ----------
    schema : Schema
        The variables and their values.
    refuse_values : bool
        Raise on a value that the schema does not list; otherwise it is missing.
    refuse_names : bool
        Raise on a name that the schema does not have; otherwise it is ignored.

    Examples
    --------
    >>> schema = Schema([Variable("colour", ("blue", "red")), Variable("size", (1, 2, 3))])
    >>> reader = RowReader(schema, refuse_values=False)
    >>> reader.codes({"colour": "red"}), reader.cells({"colour": "red", "size": 1})
    ([1, 3], ([1, 3], [0, 1]))
    """

    def __init__(self, schema: Schema, *, refuse_values: bool, refuse_names: bool = False) -> None:
        self._refuse_values = refuse_values
        self._names = frozenset(schema.names) if refuse_names else None
        self._readers = [
            (position, start, reader, reader.texts, variable.name)
            for position, (variable, start) in enumerate(
                zip(schema.variables, schema.offsets.tolist(), strict=False)
            )
            if variable.kind != "ignored"
            for reader in [CellReader(variable)]
        ]
        self._missing = [0 if v.kind == "ignored" else v.n_values for v in schema.variables]

    def cells(self, row: Mapping[str, Any]) -> tuple[list[int], list[int]]:
        """Return the cells of a flat table that the values of a row count in, and their variables.

        Parameters
        ----------
        row : mapping of str to object
            Cells by the names of their columns; absent ones are missing.

        Returns
        -------
        cells, positions : list of int
            Cells of the flat table, see :attr:`Schema.offsets`, and variables; missing cells are left out.
        """
        self._check(row)
        cells, positions = [], []
        for position, start, reader, texts, name in self._readers:
            value = row.get(name)
            # Most cells are text, whose hash is known already.
            code = texts.get(value) if type(value) is str else None
            if code is None:
                code = reader.code(value)
                if code is None:
                    continue
                if code < 0:
                    self._judge(reader, row)
                    continue
            cells.append(start + code)
            positions.append(position)
        return cells, positions

    def codes(self, row: Mapping[str, Any]) -> list[int]:
        """Return the code of each variable; that of a missing cell if the row has none."""
        self._check(row)
        # The loop is written out twice: a function call per cell is a large part of the time of a row.
        codes = self._missing.copy()
        for position, _, reader, texts, name in self._readers:
            value = row.get(name)
            code = texts.get(value) if type(value) is str else None
            if code is None:
                code = reader.code(value)
                if code is None:
                    continue
                if code < 0:
                    self._judge(reader, row)
                    continue
            codes[position] = code
        return codes

    def _check(self, row: Mapping[str, Any]) -> None:
        check_row(row)
        if self._names is not None and not self._names.issuperset(row):
            name = next(name for name in row if name not in self._names)
            raise SchemaMismatch(f"column {shown(name)} is not in the schema; drop it")

    def _judge(self, reader: "CellReader", row: Mapping[str, Any]) -> None:
        if self._refuse_values:
            raise UnknownValue(
                f"variable {shown(reader.name)}: value {shown(row[reader.name])} is not in the schema "
                f'{listed(reader.variable.values)}; pass handle_unknown="ignore"'
            )


def check_row(row: Any) -> None:
    """Raise if a row is not a mapping of names to cells."""
    if type(row) is not dict and not isinstance(row, Mapping):
        raise DataError(f"row {shown(row)}: expected a mapping of names to cells")


class CellReader:
    """Codes of the values of one variable.

    ``texts`` holds the codes of listed texts that were read before.

    Examples
    --------
    >>> reader = CellReader(Variable("colour", ("blue", "red")))
    >>> reader.code("red"), reader.code(None), reader.code("green"), reader.texts
    (1, None, -1, {'red': 1})
    """

    __slots__ = ("_codes", "_cuts", "_missing", "name", "texts", "variable")

    def __init__(self, variable: Variable) -> None:
        self.name, self.variable = variable.name, variable
        self._missing = variable.n_values - 1 if variable.missing_is_value else None
        self._cuts = variable.cuts if variable.kind == "interval" and variable.scale == "number" else None
        self._codes: dict[Any, int | None] = {}
        self.texts: dict[str, int] = {}

    def code(self, value: Any) -> int | None:
        """Return the code of a value; None if it is missing, negative if it is not listed."""
        if value is None:
            return self._missing
        kind = type(value)
        if kind is float or kind is int:
            if value != value:
                return self._missing
            # Infinite numbers take the general path, which rejects them.
            if self._cuts is not None and -LARGEST <= value <= LARGEST:
                return bisect_right(self._cuts, value)
        # Values of different types may be equal, such as 1 and True, and yet be read differently.
        key = (kind, value)
        try:
            return self._codes[key]
        except Exception:  # not met before, or an object that cannot be looked up
            pass
        found = code_of(self.variable, value)
        code = self._missing if found is None else found
        if len(self._codes) < MAX_REMEMBERED and kind.__hash__ is not None:
            with suppress(Exception):  # what hashing foreign objects raises is up to them
                self._codes[key] = code
                if kind is str and code is not None and code >= 0:
                    self.texts[value] = code
        return code
