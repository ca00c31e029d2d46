r"""Moments of cells and components, from which every information matrix of a mixture is built.

Row *n* has weight :math:`w_n` and belongs to component *r* with probability :math:`h_{nr}`. For every pair
of cells the moments are the sums over the rows that hold both,

.. math:: \sum_n w_n h_{nr} h_{ns} \quad (r \le s) \qquad\text{and}\qquad \sum_n w_n h_{nr}.

A row holds few cells, so this takes far fewer steps than the outer products of its scores. A last cell, which
every row holds, gives the moments of single cells and of none.
"""

from dataclasses import dataclass

import numpy as np

from ..._threads import in_threads
from ...mixture.costs import check_memory
from ...table import Coded
from ...typing import FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Moments:
    """Moments of pairs of cells.

    Attributes
    ----------
    lanes : array of shape (n_lanes, n_cells + 1, n_cells + 1)
        One symmetric matrix for each pair of components, then one for each component. Cells are laid out as
        in the schema, those for missing included; the last one is held by every row.
    n_components : int
        Number of components.
    """

    lanes: FloatArray
    n_components: int

    def of_pair(self, r: int, s: int) -> FloatArray:
        """Return the sums of products of two components' shares."""
        # Position in the upper triangle, row by row, as the kernel fills the lanes.
        low, high = min(r, s), max(r, s)
        return np.asarray(self.lanes[low * self.n_components - low * (low - 1) // 2 + high - low])

    def of_component(self, r: int) -> FloatArray:
        """Return the sums of one component's shares."""
        return np.asarray(self.lanes[self.n_components * (self.n_components + 1) // 2 + r])


def pair_moments(
    coded: Coded, weights: FloatArray, shares: FloatArray, n_threads: int | None = None
) -> Moments:
    """Compute the moments of rows shared out over components; the same for any number of threads.

    Parameters
    ----------
    coded : Coded
        The rows.
    weights : array of shape (n_rows,)
        Weights of the rows, in place of those of ``coded``.
    shares : array of shape (n_rows, n_components)
        Probability of each component for each row.
    n_threads : int, optional
        Threads to run on; by default one for each processor.

    Returns
    -------
    Moments
        One symmetric matrix per pair of components and per component.
    """
    from ._moment_kernels import add_moments

    schema, n_components = coded.schema, shares.shape[1]
    n_cells, n_lanes = schema.n_cells + 1, n_components * (n_components + 3) // 2
    check_memory(
        f"the moments of {n_cells} cells in {n_components} components",
        16.0 * n_lanes * n_cells**2,
        "use a bootstrap, which needs no information matrix",
    )
    # A last variable with a single value is the cell that every row holds.
    codes = np.zeros((schema.n_variables + 1, coded.n_rows), dtype=coded.codes.dtype)
    codes[:-1] = coded.codes.T
    offsets = np.append(schema.offsets, n_cells)
    shares = np.ascontiguousarray(shares)
    lanes = np.zeros((n_lanes, n_cells, n_cells))

    # Threads share the work by first variable and write to disjoint parts of ``lanes``: sums do not depend on
    # their number.
    def work(first: int) -> None:
        start, stop = offsets[first], offsets[first + 1]
        found = np.zeros((stop - start, n_cells - start, n_lanes))
        add_moments(codes, offsets, weights, shares, first, found)
        lanes[:, start:stop, start:] = found.transpose(2, 0, 1)

    list(in_threads(work, range(len(codes)), n_threads))
    # Only pairs with first <= second were added: each variable's own block is diagonal, the others are
    # mirrored.
    for lane in lanes:
        lane += np.triu(lane, 1).T
    return Moments(lanes, n_components)
