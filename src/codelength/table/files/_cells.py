"""Arrays of cells as writers take them, and what they write for each cell."""

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["ColumnDict", "object_array", "plain_cells"]

ColumnDict: TypeAlias = dict[str, NDArray[Any]]
"""A table without a dataframe library: the array of each column, by name."""


def object_array(cells: Sequence[Any]) -> NDArray[Any]:
    """Return a one-dimensional array of objects, whatever the cells are."""
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


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
