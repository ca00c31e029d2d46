"""A coded table laid out for EM: equal rows merged, neighbouring columns taken together.

EM works on one table of shape (n_cells + 2, n_lanes), components side by side: the cells of the schema,
then the row ``n_cells`` for the components themselves, then a row of ones that stands for nothing. A *joint
cell* is a combination of values of a few columns, and ``members`` says which rows of the table it is made
of. Multiplying members gives the joint probabilities, and adding expected counts back to the members
gives the expected counts of cells and of components alike.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...table import Schema
from ...typing import CodeArray, FloatArray, IntArray

LANES = 4
"""Components are padded to a multiple of this: one vector register of float64."""

MAX_JOINT_CELLS = 512
"""Joint cells of a group of columns at most: a group's table stays within the second-level cache."""

MAX_COLUMNS = 6
"""Columns in a group at most."""

ROWS_A_JOINT_CELL = 8
"""A joint table pays when there are this many rows for each of its cells."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The rows as joint cells.

    Attributes
    ----------
    keys : array of shape (n_groups, n_distinct)
        The joint cell of each row in each group of columns.
    weights : array of shape (n_distinct,)
        How often each row occurs, or its weight.
    members : array of shape (n_joint, n_members)
        The rows of the table that each joint cell is made of.
    """

    keys: NDArray[np.uint32]
    weights: FloatArray
    members: IntArray

    @property
    def n_rows(self) -> int:
        """Distinct rows."""
        return int(self.keys.shape[1])

    @classmethod
    def of(cls, schema: Schema, codes: CodeArray, sample_weight: FloatArray | None) -> "Layout":
        """The layout of a coded table; rows of weight zero are left out."""
        weights = np.ones(len(codes)) if sample_weight is None else sample_weight
        if (weights == 0).any():
            codes, weights = codes[weights > 0], weights[weights > 0]
        # The spare cell is needed only where a cell is missing, and a smaller table is a faster one.
        sizes = schema.n_values + (codes == schema.n_values).any(axis=0)
        bounds = column_groups(sizes, min(MAX_JOINT_CELLS, len(codes) // ROWS_A_JOINT_CELL))
        keys, members = _joined(schema, codes, sizes, bounds)
        return cls(*_merged(keys, weights), members)


def column_groups(sizes: IntArray, most_cells: int) -> list[int]:
    """Bounds of runs of columns whose joint table has at most ``most_cells`` cells, or a single column.

    Examples
    --------
    >>> column_groups(np.array([2, 2, 2, 2, 9]), 8)
    [0, 3, 4, 5]
    """
    bounds, n_joint = [0], 1
    for i, size in enumerate(sizes.tolist()):
        if i > bounds[-1] and (n_joint * size > most_cells or i == bounds[-1] + MAX_COLUMNS):
            bounds.append(i)
            n_joint = 1
        n_joint *= size
    return [*bounds, len(sizes)] if len(sizes) else [0]


def _joined(
    schema: Schema, codes: CodeArray, sizes: IntArray, bounds: list[int]
) -> tuple[NDArray[np.uint32], IntArray]:
    of_components, nothing = schema.n_cells, schema.n_cells + 1
    keys, parts, n_joint = [], [], 0
    for g, (first, last) in enumerate(pairwise(bounds)):
        own, key = sizes[first:last], np.zeros(len(codes), dtype=np.uint32)
        for i in range(first, last):
            key = key * np.uint32(sizes[i]) + codes[:, i].astype(np.uint32)
        digits = np.stack(np.unravel_index(np.arange(own.prod()), own.tolist()), axis=1)
        part = np.full((len(digits), MAX_COLUMNS + 1), nothing, dtype=np.int64)
        part[:, : last - first] = digits + schema.offsets[first:last]
        if g == 0:
            part[:, -1] = of_components  # Once a row is enough.
        keys.append(key + np.uint32(n_joint))
        parts.append(part)
        n_joint += len(part)
    if not parts:
        lonely = np.full((1, 1), of_components, dtype=np.int64)
        return np.zeros((1, len(codes)), dtype=np.uint32), lonely
    members = np.concatenate(parts)
    used = (members != nothing).any(axis=0)
    return np.stack(keys), np.ascontiguousarray(members[:, used])


def _merged(keys: NDArray[np.uint32], weights: FloatArray) -> tuple[NDArray[np.uint32], FloatArray]:
    """Equal rows as one with their summed weight, where enough of them are equal to pay for it."""
    prints = fingerprints(keys)
    if 4 * len(np.unique(prints)) > 3 * len(prints):
        return keys, weights
    _, firsts, places = np.unique(prints, return_index=True, return_inverse=True)
    merged = np.ascontiguousarray(keys[:, firsts])
    if not np.array_equal(merged[:, places], keys):
        return keys, weights  # Different rows share a fingerprint: rare, and then nothing is merged.
    return merged, np.bincount(places, weights).astype(np.float64)


def fingerprints(columns: CodeArray) -> NDArray[np.uint64]:
    """One number a row, equal for equal rows and hardly ever for others; ``columns`` has a row a column."""
    prints = np.zeros(columns.shape[1], dtype=np.uint64)
    for column, factor in zip(columns, _factors(len(columns)), strict=True):
        prints += column * factor
    return prints


def _factors(n_columns: int) -> NDArray[np.uint64]:
    """Odd numbers, always the same ones."""
    return np.random.default_rng(0).integers(2**64, size=n_columns, dtype=np.uint64) | np.uint64(1)
