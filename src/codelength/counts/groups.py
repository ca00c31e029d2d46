"""Groups of neighbouring columns that share a joint table, so that one look-up serves several."""

import numpy as np

from ..typing import IntArray

MOST_COLUMNS = 3
"""Default of the largest number of columns per group."""


def column_groups(sizes: IntArray, most_cells: int, most_columns: int = MOST_COLUMNS) -> IntArray:
    """Return bounds of groups of columns whose joint table has at most ``most_cells`` cells.

    Group ``g`` is columns ``groups[g] .. groups[g + 1] - 1``. A column that is too large forms a group alone.

    Parameters
    ----------
    sizes : array of shape (n_columns,)
        Number of codes of each column.
    most_cells : int
        Largest joint table of several columns.
    most_columns : int
        Largest number of columns per group.

    Examples
    --------
    >>> column_groups(np.array([3, 4, 5, 2, 90]), 20)
    array([0, 2, 4, 5])
    """
    bounds, n_joint = [0], 1
    for i, size in enumerate(sizes.tolist()):
        if i > bounds[-1] and (n_joint * size > most_cells or i == bounds[-1] + most_columns):
            bounds.append(i)
            n_joint = 1
        n_joint *= size
    if len(sizes):
        bounds.append(len(sizes))
    return np.array(bounds, dtype=np.int64)
