"""Neighbouring columns taken together, so that one look-up in a joint table does for several."""

import numpy as np

from ..typing import IntArray

MOST_COLUMNS = 3
"""Most columns per group where a kernel has no reason to choose another number."""


def column_groups(sizes: IntArray, most_cells: int, most_columns: int = MOST_COLUMNS) -> IntArray:
    """Bounds of runs of a few columns whose joint table has at most ``most_cells`` cells.

    Group ``g`` is columns ``groups[g] .. groups[g + 1] - 1``. A column that is too large stands alone.

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
