"""Rows as joint cells: the values of a few neighbouring columns taken together, one number for each group.

EM works on one table of shape (n_cells + 2, n_lanes), components side by side: the cells of the schema,
then the row ``n_cells`` for the components themselves, then a row of ones that stands for nothing. A *joint
cell* is a combination of values of a few columns, and ``members`` lists the rows of the table that it is made
of. Multiplying members gives the joint probabilities, and adding expected counts back to the members
gives the expected counts of cells and of components alike.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..counts import column_groups
from ..table import Coded, Schema
from ..typing import BoolArray, CodeArray, IntArray

MAX_JOINT_CELLS = 512
"""Maximum number of joint cells of a group of columns: its table fits into the second-level cache."""

MAX_COLUMNS = 6
"""Maximum number of columns in a group."""

ROWS_PER_JOINT_CELL = 8
"""A joint table pays if there are this many rows for each of its cells."""


@dataclass(frozen=True, eq=False, slots=True)
class JointCells:
    """Groups of columns, and the numbers of their joint cells.

    Attributes
    ----------
    schema : Schema
        The schema of the rows.
    sizes : array of shape (n_variables,)
        Cells of each column, with one for missing only if a cell is missing: smaller tables are faster.
    groups : array of shape (n_groups + 1,)
        First column of each group.
    starts : array of shape (n_groups,)
        The first joint cell of each group.
    members : array of shape (n_joint, n_members)
        The rows of the table that each joint cell is made of.
    """

    schema: Schema
    sizes: IntArray
    groups: IntArray
    starts: IntArray
    members: IntArray

    @classmethod
    def of(cls, schema: Schema, has_missing: BoolArray, n_rows: int) -> "JointCells":
        """Choose groups of columns, and number their joint cells.

        Parameters
        ----------
        schema : Schema
            The schema of the rows.
        has_missing : array of shape (n_variables,)
            Columns with missing cells.
        n_rows : int
            Number of distinct rows.
        """
        sizes = np.asarray(schema.n_values + has_missing)
        # Few rows do not pay for large tables: the limit on joint cells grows with the number of rows.
        groups = column_groups(sizes, min(MAX_JOINT_CELLS, n_rows // ROWS_PER_JOINT_CELL), MAX_COLUMNS)
        of_components, nothing = schema.n_cells, schema.n_cells + 1
        parts: list[IntArray] = []
        for first, last in pairwise(groups.tolist()):
            own = sizes[first:last]
            digits = np.stack(np.unravel_index(np.arange(own.prod()), own.tolist()), axis=1)
            part = np.full((len(digits), MAX_COLUMNS + 1), nothing, dtype=np.int64)
            part[:, : last - first] = digits + schema.offsets[first:last]
            if not parts:
                part[:, -1] = of_components  # In the first group only: once per row is enough.
            parts.append(part)
        if not parts:
            lonely = np.full((1, 1), of_components, dtype=np.int64)
            return cls(schema, sizes, groups, np.zeros(1, dtype=np.int64), lonely)
        starts = np.cumsum([0, *(len(part) for part in parts[:-1])]).astype(np.int64)
        members = np.concatenate(parts)
        # Groups with fewer columns leave spare members; columns that all groups leave are dropped.
        used = (members != nothing).any(axis=0)
        return cls(schema, sizes, groups, starts, np.ascontiguousarray(members[:, used]))

    @property
    def n_groups(self) -> int:
        """Number of groups of columns; one without columns if there are none."""
        return len(self.starts)

    @property
    def key_type(self) -> type[np.unsignedinteger[Any]]:
        """The smaller of two types that holds every joint cell."""
        return np.uint16 if len(self.members) <= 1 << 16 else np.uint32

    def keys(self, codes: CodeArray) -> NDArray[Any]:
        """Compute the joint cell of each row in each group of columns, shape (n_groups, n_rows).

        Examples
        --------
        >>> cells = JointCells.of(Schema.from_sizes([2, 3, 2]), np.zeros(3, dtype=bool), 100)
        >>> cells.keys(np.array([[0, 2, 1], [1, 0, 0]], dtype=np.uint8))
        array([[5, 6]], dtype=uint16)
        """
        kind = self.key_type
        keys = np.zeros((self.n_groups, len(codes)), dtype=kind)
        for g, (first, last) in enumerate(pairwise(self.groups.tolist())):
            for i in range(first, last):
                keys[g] *= kind(self.sizes[i])
                keys[g] += codes[:, i].astype(kind)
            # Joint cells of all groups are numbered consecutively, so that one table holds them.
            keys[g] += kind(self.starts[g])
        return keys

    def codes(self, keys: NDArray[Any]) -> CodeArray:
        """Restore the rows from their keys, column by column in memory."""
        schema = self.schema
        codes = np.empty((keys.shape[1], schema.n_variables), dtype=schema.code_type, order="F")
        for g, (first, last) in enumerate(pairwise(self.groups.tolist())):
            for i in range(first, last):
                own = (self.members[:, i - first] - schema.offsets[i]).astype(schema.code_type)
                np.take(own, keys[g], out=codes[:, i])
        return codes


def missing_columns(coded: Coded) -> BoolArray:
    """Return a mask of the columns with missing cells."""
    n_values = coded.schema.n_values.tolist()
    found = [bool((coded.codes[:, i] == size).any()) for i, size in enumerate(n_values)]
    return np.array(found, dtype=np.bool_)
