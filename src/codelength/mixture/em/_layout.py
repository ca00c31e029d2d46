"""Coded rows laid out for EM: equal rows merged, neighbouring columns taken together.

EM works on one table of shape (n_cells + 2, n_lanes), components side by side: the cells of the schema,
then the row ``n_cells`` for the components themselves, then a row of ones that stands for nothing. A *joint
cell* is a combination of values of a few columns, and ``members`` says which rows of the table it is made
of. Multiplying members gives the joint probabilities, and adding expected counts back to the members
gives the expected counts of cells and of components alike.

Nothing here depends on how many components there are, so one layout serves all numbers of them.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._threads import MAX_BLOCKS
from ...counts import column_groups
from ...table import Coded
from ...typing import FloatArray, IntArray
from ..parameters import with_components

LANES = 4
"""Components are padded to a multiple of this: one vector register of float64."""

MAX_JOINT_CELLS = 512
"""Joint cells of a group of columns at most: a group's table stays within the second-level cache."""

MAX_COLUMNS = 6
"""Columns in a group at most."""

ROWS_PER_JOINT_CELL = 8
"""A joint table pays when there are this many rows for each of its cells."""

BLOCK_ROWS = 8192
"""Rows per block at least. Fixed, so that sums over blocks are the same for any number of threads."""


class JointRows(NamedTuple):
    """Distinct rows as joint cells, for the kernels.

    Attributes
    ----------
    keys : array of shape (n_groups, n_distinct)
        The joint cell of each row in each group of columns.
    weights : array of shape (n_distinct,)
        How often each row occurs, or its weight.
    members : array of shape (n_joint, n_members)
        The rows of the table that each joint cell is made of.
    bounds : array of shape (n_blocks + 1,)
        Where the blocks of rows begin that are added up one by one.
    """

    keys: NDArray[np.uint32]
    weights: FloatArray
    members: IntArray
    bounds: IntArray


@dataclass(frozen=True, eq=False, slots=True)
class EMLayout:
    """Rows laid out for EM with any number of components.

    Made by :meth:`of`, once for all fits to the same rows.

    Attributes
    ----------
    coded : Coded
        The rows as they were given, for which starts are drawn.
    joint : JointRows
        The distinct ones among them.
    """

    coded: Coded
    joint: JointRows

    @classmethod
    def of(cls, rows: "Coded | EMLayout") -> "EMLayout":
        """The layout of coded rows; a layout stays as it is. Rows of weight zero are left out.

        Examples
        --------
        >>> from codelength.table import Schema
        >>> EMLayout.of(Coded.of(Schema.from_sizes([2]), [[0], [1], [0]])).joint.weights
        array([2., 1.])
        """
        if isinstance(rows, EMLayout):
            return rows
        # Classes, if there are any, play no part: rows that differ in nothing else are equal.
        distinct = with_components(rows, 1).distinct()
        weights = np.ones(distinct.n_rows) if distinct.weights is None else distinct.weights
        sizes = _sizes(distinct)
        most_cells = min(MAX_JOINT_CELLS, distinct.n_rows // ROWS_PER_JOINT_CELL)
        keys, members = _joined(distinct, sizes, column_groups(sizes, most_cells, MAX_COLUMNS))
        block = max(BLOCK_ROWS, -(-distinct.n_rows // MAX_BLOCKS))
        bounds = np.append(np.arange(0, distinct.n_rows, block), distinct.n_rows).astype(np.int64)
        return cls(rows, JointRows(keys, weights, members, bounds))


def _sizes(coded: Coded) -> IntArray:
    """Cells of each column. One for missing is needed only where there is any: smaller tables are faster."""
    n_values = coded.schema.n_values
    return np.asarray(n_values + (coded.codes == n_values).any(axis=0))


def _joined(coded: Coded, sizes: IntArray, bounds: IntArray) -> tuple[NDArray[np.uint32], IntArray]:
    schema, codes = coded.schema, coded.codes
    of_components, nothing = schema.n_cells, schema.n_cells + 1
    keys, parts, n_joint = [], [], 0
    for g, (first, last) in enumerate(pairwise(bounds.tolist())):
        own, key = sizes[first:last], np.zeros(len(codes), dtype=np.uint32)
        for i in range(first, last):
            key = key * np.uint32(sizes[i]) + codes[:, i].astype(np.uint32)
        digits = np.stack(np.unravel_index(np.arange(own.prod()), own.tolist()), axis=1)
        part = np.full((len(digits), MAX_COLUMNS + 1), nothing, dtype=np.int64)
        part[:, : last - first] = digits + schema.offsets[first:last]
        if g == 0:
            part[:, -1] = of_components  # Once per row is enough.
        keys.append(key + np.uint32(n_joint))
        parts.append(part)
        n_joint += len(part)
    if not parts:
        lonely = np.full((1, 1), of_components, dtype=np.int64)
        return np.zeros((1, len(codes)), dtype=np.uint32), lonely
    members = np.concatenate(parts)
    used = (members != nothing).any(axis=0)
    return np.stack(keys), np.ascontiguousarray(members[:, used])
