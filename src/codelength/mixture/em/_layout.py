"""Coded rows laid out for EM: equal rows merged, neighbouring columns taken together.

Nothing here depends on the number of components, so one layout serves all of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._threads import MAX_BLOCKS
from ...table import Coded
from ...typing import FloatArray, IntArray
from ..cache import CachedRows, Rows
from ..joint_cells import JointCells, missing_columns
from ..parameters import with_components

LANES = 4
"""Components are padded to a multiple of this: one vector register of float64."""

BLOCK_ROWS = 8192
"""Minimum number of rows per block. Fixed, so that sums over blocks are the same for any number of
threads.
"""


def block_bounds(n_rows: int) -> IntArray:
    """Return the bounds of the blocks of rows that are summed separately.

    Examples
    --------
    >>> block_bounds(20_000)
    array([    0,  8192, 16384, 20000])
    """
    block = max(BLOCK_ROWS, -(-n_rows // MAX_BLOCKS))
    return np.append(np.arange(0, n_rows, block), n_rows).astype(np.int64)


class JointRows(NamedTuple):
    """Distinct rows as joint cells, for the kernels.

    Attributes
    ----------
    keys : array of shape (n_groups, n_distinct)
        The joint cell of each row in each group of columns.
    weights : array of shape (n_distinct,)
        Multiplicity of each row, or its weight.
    members : array of shape (n_joint, n_members)
        The rows of the table that each joint cell is made of.
    bounds : array of shape (n_blocks + 1,)
        Bounds of the blocks of rows that are summed separately.
    """

    keys: NDArray[Any]
    weights: FloatArray
    members: IntArray
    bounds: IntArray

    @property
    def total_weight(self) -> float:
        """Number of rows that these stand for."""
        return float(self.weights.sum())

    def pieces(self, block: int) -> Iterator[tuple["JointRows", int, int]]:
        """Yield the rows of one block, with its start and stop among them."""
        yield self, int(self.bounds[block]), int(self.bounds[block + 1])


@dataclass(frozen=True, eq=False, slots=True)
class CachedJointRows:
    """Rows on disk as joint cells: a block is read piece by piece on every access."""

    rows: CachedRows
    bounds: IntArray

    @property
    def members(self) -> IntArray:
        """The rows of the table that each joint cell is made of."""
        return self.rows.cells.members

    @property
    def total_weight(self) -> float:
        """Number of rows that these stand for."""
        return self.rows.total_weight

    def pieces(self, block: int) -> Iterator[tuple[JointRows, int, int]]:
        """Yield the rows of one block in pieces, with start and stop in each."""
        for keys, weights in self.rows.pieces(int(self.bounds[block]), int(self.bounds[block + 1])):
            yield JointRows(keys, weights, self.members, self.bounds), 0, len(weights)


@dataclass(frozen=True, eq=False, slots=True)
class Layout:
    """Rows laid out for EM with any number of components, in memory or on disk.

    Made by :meth:`of`, once for all fits to the same rows.

    Attributes
    ----------
    rows : Coded or CachedRows
        The rows as given, from which starts are drawn.
    joint : JointRows or CachedJointRows
        The distinct ones among them.
    """

    rows: Rows
    joint: JointRows | CachedJointRows

    @classmethod
    def of(cls, rows: "Rows | Layout") -> "Layout":
        """Lay out rows; a layout is returned as it is. Rows of weight zero are dropped.

        Examples
        --------
        >>> from codelength.table import Schema
        >>> Layout.of(Coded.of(Schema.from_sizes([2]), [[0], [1], [0]])).joint.weights
        array([2., 1.])
        """
        if isinstance(rows, Layout):
            return rows
        if isinstance(rows, CachedRows):
            return cls(rows, CachedJointRows(rows, block_bounds(rows.n_rows)))
        return cls(rows, joint_rows(rows))

    @property
    def n_distinct(self) -> int:
        """Number of distinct rows."""
        return int(self.joint.bounds[-1])


def joint_rows(rows: Coded) -> JointRows:
    """Return the distinct rows as joint cells."""
    # Classes, if there are any, are ignored: rows that differ in nothing else are equal.
    distinct = with_components(rows, 1).distinct()
    weights = np.ones(distinct.n_rows) if distinct.weights is None else distinct.weights
    # Columns without missing cells get no cell for missing: joint tables are smaller.
    cells = JointCells.of(distinct.schema, missing_columns(distinct), distinct.n_rows)
    return JointRows(cells.keys(distinct.codes), weights, cells.members, block_bounds(distinct.n_rows))
