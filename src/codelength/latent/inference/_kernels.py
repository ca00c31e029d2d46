"""Sums over cells and pairs of cells. Arrays in, arrays out, nothing checked."""

import numpy as np
from numba import njit

from ...typing import CodeArray, FloatArray, IntArray

_ROWS_AT_ONCE = 64


@njit(cache=True, nogil=True)
def add_moments(
    cells: CodeArray,
    offsets: IntArray,
    weights: FloatArray,
    shares: FloatArray,
    less: float,
    first: int,
    moments: FloatArray,
) -> None:
    """Add the moments of the pairs whose first variable is ``first``; see ``information.pair_moments``.

    Parameters
    ----------
    cells : array of shape (n_variables, n_rows)
        Codes, one row per variable.
    offsets : array of shape (n_variables + 1,)
        First cell of each variable.
    weights : array of shape (n_rows,)
        Weights of the rows.
    shares : array of shape (n_rows, n_components)
        Probability of each component for each row.
    less : float
        Subtracted from the share of a component in its product with itself.
    first : int
        The first variable.
    moments : array of shape (n_values of first + 1, n_cells, n_lanes)
        Moments, to which those of the rows are added; cells begin with those of ``first``.
    """
    n_components, n_lanes = shares.shape[1], moments.shape[2]
    lanes = np.empty((_ROWS_AT_ONCE, n_lanes))
    start = offsets[first]
    # The products of shares are the same for all pairs of cells: computed once per block of rows, and kept in
    # the cache while all second variables are visited.
    for low in range(0, cells.shape[1], _ROWS_AT_ONCE):
        n_rows = min(_ROWS_AT_ONCE, cells.shape[1] - low)
        for t in range(n_rows):
            weight, lane = weights[low + t], 0
            for r in range(n_components):
                share = weight * shares[low + t, r]
                lanes[t, lane] = share * (shares[low + t, r] - less)
                for s in range(r + 1, n_components):
                    lanes[t, lane + s - r] = share * shares[low + t, s]
                lane += n_components - r
        for j in range(first, cells.shape[0]):
            shift = offsets[j] - start
            for t in range(n_rows):
                a = np.int64(cells[first, low + t])
                b = shift + np.int64(cells[j, low + t])
                # Lanes are contiguous, so that this loop vectorises.
                for lane in range(n_lanes):
                    moments[a, b, lane] += lanes[t, lane]


@njit(cache=True, nogil=True)
def add_cell_shares(
    codes: CodeArray,
    offsets: IntArray,
    weighted: FloatArray,
    groups: IntArray,
    sums: FloatArray,
) -> None:
    """Add the shares of rows to the cells they hold.

    ``codes`` and ``groups`` are those of the rows, ``weighted`` the shares times weights, and ``sums`` of
    shape (n_groups, n_components, n_cells) is what they are added to.
    """
    # Variables outside, because codes are stored column by column.
    for i in range(codes.shape[1]):
        for n in range(codes.shape[0]):
            cell, group = offsets[i] + np.int64(codes[n, i]), groups[n]
            for k in range(weighted.shape[1]):
                sums[group, k, cell] += weighted[n, k]
