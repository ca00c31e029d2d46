"""A cell of text to a value, and lists of values to the arrays of a plain table."""

import math
import re
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "SPACES",
    "ColumnDict",
    "Kind",
    "as_kind",
    "number_array",
    "object_array",
    "parse_boolean",
    "parse_number",
    "plain_cells",
]

ColumnDict: TypeAlias = dict[str, NDArray[Any]]
"""A table without a dataframe library: the array of each column, by name."""

Kind: TypeAlias = Literal["text", "number", "boolean"]
"""What the cells of a column are read as."""

SPACES = " \t\n\v\f\r"
"""What may stand around a number; those that DuckDB passes over."""

_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_TRUTHS = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}
_LONGEST_WHOLE = 300  # digits: longer ones are beyond float64
_INT64 = np.iinfo(np.int64)


def parse_number(text: str) -> int | float | str | None:
    """Return the number that ``text`` spells; None for NaN, the text itself when it spells none.

    Examples
    --------
    >>> [parse_number(text) for text in ("3", " 2.5", "nan", "many")]
    [3, 2.5, None, 'many']
    """
    stripped = text.strip(SPACES)
    if _WHOLE.fullmatch(stripped) and len(stripped) <= _LONGEST_WHOLE:
        return int(stripped)
    if _NUMBER.fullmatch(stripped) and math.isfinite(value := float(stripped)):
        return value
    return None if stripped.lower() in ("nan", "+nan", "-nan") else text


def parse_boolean(text: str) -> bool | str:
    """Return the truth that ``text`` spells, or the text itself when it spells none.

    Examples
    --------
    >>> [parse_boolean(text) for text in ("TRUE", "0", "yes")]
    [True, False, 'yes']
    """
    return _TRUTHS.get(text.strip(SPACES).lower(), text)


def number_array(cells: Sequence[Any]) -> NDArray[Any]:
    """Return int64 when every cell is a whole number, float64 for numbers and None, else objects.

    Examples
    --------
    >>> number_array([1, 2]), number_array([1, 2.5, None])
    (array([1, 2]), array([1. , 2.5, nan]))
    >>> number_array([1, "many"])
    array([1, 'many'], dtype=object)
    """
    if any(isinstance(cell, str) for cell in cells):
        return object_array(cells)
    if all(isinstance(cell, int) and _INT64.min <= cell <= _INT64.max for cell in cells):
        return np.array(cells, dtype=np.int64)
    return np.array([math.nan if cell is None else float(cell) for cell in cells], dtype=np.float64)


def object_array(cells: Sequence[Any]) -> NDArray[Any]:
    """Return a one-dimensional array of objects, whatever the cells are."""
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def as_kind(array: NDArray[Any], kind: Kind) -> NDArray[Any]:
    """Read the cells of a column as text, numbers or booleans; what cannot be read so stays text.

    Examples
    --------
    >>> as_kind(np.array([1, 2]), "text")
    array(['1', '2'], dtype=object)
    >>> as_kind(np.array(["1", None, "2"], dtype=object), "number")
    array([ 1., nan,  2.])
    """
    if kind == "number" and array.dtype.kind in "if":
        return array
    texts = [None if cell is None or cell != cell else str(cell) for cell in array.tolist()]
    if kind == "text":
        return object_array(texts)
    if kind == "number":
        return number_array([None if text is None else parse_number(text) for text in texts])
    cells = [None if text is None else parse_boolean(text) for text in texts]
    return np.array(cells) if all(isinstance(cell, bool) for cell in cells) else object_array(cells)


def plain_cells(array: NDArray[Any]) -> list[Any]:
    """Return the cells as plain Python values: None where missing, and booleans spelt out."""
    if array.dtype.kind == "f":
        cells = array.astype(np.float64).astype(object)
        cells[np.isnan(array)] = None
        return list(cells)
    if array.dtype.kind == "b":
        return ["true" if cell else "false" for cell in array.tolist()]
    if array.dtype.kind in "mM":
        return list(array.astype(str))
    listed: list[Any] = array.tolist()
    return [_plain(cell) for cell in listed] if array.dtype.kind == "O" else listed


def _plain(cell: Any) -> Any:
    value = cell.item() if isinstance(cell, np.generic) else cell
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if isinstance(value, float) and math.isnan(value) else value
