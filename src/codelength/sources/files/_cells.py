"""Columns of cells as writers take them, and the text of each cell in a file."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Cells",
    "ColumnDict",
    "TypedCells",
    "json_text",
    "object_array",
    "plain_cells",
    "repeated",
    "values_of",
]

_SPELT = {bool, Decimal, list, dict}
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")


@runtime_checkable
class Cells(Protocol):
    """Cells of a type that numpy lacks."""

    def __len__(self) -> int:
        """Return the number of cells."""

    def tolist(self) -> list[Any]:
        """Return the cells as text, numbers and truth values, or lists and dicts of them; None if missing."""


@dataclass(frozen=True, eq=False)
class TypedCells:
    """Cells of an SQL type, each as its text in SQL; times in ISO form.

    Attributes
    ----------
    type : str
        The type, such as ``"DECIMAL(5,2)"``.
    texts : array of str or None
        The cells.

    Examples
    --------
    >>> TypedCells("DECIMAL(5,2)", object_array(["1.50", None])).tolist()
    [Decimal('1.50'), None]
    """

    type: str
    texts: NDArray[Any]

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.texts)

    def tolist(self) -> list[Any]:
        """Return the cells as text, numbers and truth values; None if missing."""
        texts: list[str | None] = self.texts.tolist()
        if self.type in _NUMBERS:
            return [None if text is None else int(text) for text in texts]
        if self.type == "FLOAT":
            return [None if text in (None, "nan") else float(text) for text in texts]
        if self.type.startswith("DECIMAL"):
            return [None if text is None else Decimal(text) for text in texts]
        if self.type == "BOOLEAN":
            return [None if text is None else text == "true" for text in texts]
        return list(texts)


ColumnDict: TypeAlias = dict[str, NDArray[Any] | Cells]
"""A table without a dataframe library: the cells of each column, by name."""


def object_array(cells: Sequence[Any]) -> NDArray[Any]:
    """Return a one-dimensional array of objects, whatever the cells are."""
    # np.array would make two dimensions of lists of equal length.
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def repeated(cells: NDArray[Any] | Cells, times: int) -> NDArray[Any] | Cells:
    """Return every cell ``times`` times in a row."""
    if isinstance(cells, np.ndarray):
        return np.repeat(cells, times)
    if isinstance(cells, TypedCells):
        return TypedCells(cells.type, np.repeat(cells.texts, times))
    return np.repeat(object_array(cells.tolist()), times)


def values_of(cells: NDArray[Any] | Cells) -> list[Any]:
    """Return cells as plain Python values.

    Parameters
    ----------
    cells : array or Cells
        The cells.

    Returns
    -------
    list
        Text, numbers and truth values; None if missing.
    """
    if not isinstance(cells, np.ndarray):
        return cells.tolist()
    if cells.dtype.kind == "f":
        # float64 before object, because a float32 scalar is not a Python float.
        objects = cells.astype(np.float64).astype(object)
        objects[np.isnan(cells)] = None
        return list(objects)
    if cells.dtype.kind in "mM":
        return list(cells.astype(str))
    listed: list[Any] = cells.tolist()
    return [_value(cell) for cell in listed] if cells.dtype.kind == "O" else listed


def plain_cells(cells: NDArray[Any] | Cells) -> list[Any]:
    """Return cells as a text file has them.

    Parameters
    ----------
    cells : array or Cells
        The cells.

    Returns
    -------
    list
        Text and numbers; None if missing, and truth values, decimals, lists and dicts as text.
    """
    values = values_of(cells)
    return values if _SPELT.isdisjoint(map(type, values)) else [_plain(value) for value in values]


def json_text(value: Any) -> str:
    """Return a value as JSON; numbers that JSON lacks (infinities, NaN) become null.

    Examples
    --------
    >>> print(json_text({"price": Decimal("1.50"), "sizes": [1, float("inf")]}))
    {"price": 1.50, "sizes": [1, null]}
    """
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else "null"
    if isinstance(value, Decimal):
        return f"{value:f}" if value.is_finite() else "null"
    if isinstance(value, dict):
        members = (f"{json.dumps(str(key))}: {json_text(own)}" for key, own in value.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(json_text, value))}]"
    return json.dumps(value)


def _value(cell: Any) -> Any:
    """Return a Python object for a cell; None for NaN."""
    value = cell.item() if isinstance(cell, np.generic) else cell
    return None if isinstance(value, float) and math.isnan(value) else value


def _plain(value: Any) -> Any:
    """Return a value as a text file has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:f}"
    return json_text(value) if isinstance(value, (list, dict)) else value
