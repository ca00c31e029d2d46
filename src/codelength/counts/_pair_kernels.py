"""Compiled counting loops over pairs of variables, without checks.

The layout of cells is that of :class:`codelength.counts.pairs.PairCounts`.
"""

from numba import njit

from ..typing import FloatArray, IntArray

_ROWS_AT_ONCE = 1024


@njit(cache=True, nogil=True)
def add_pairs(
    codes: IntArray,
    labels: IntArray,
    weights: FloatArray,
    sizes: IntArray,
    starts: IntArray,
    cells: FloatArray,
) -> None:
    """Add the weight of every row to its cell of every pair.

    Parameters
    ----------
    codes : array of int of shape (n_variables, n_rows)
        Codes of the values; the number of values for a cell without one.
    labels, weights : array of shape (n_rows,)
        Class and weight of each row.
    sizes : array of int of shape (n_variables,)
        Number of codes of each variable.
    starts : array of int of shape (n_pairs + 1,)
        First cell of each pair.
    cells : array of shape (n_cells, n_classes)
        Updated in place.
    """
    n_rows = len(labels)
    # The codes of a block of rows stay in the cache for all pairs, and the table of a pair for the block.
    for low in range(0, n_rows, _ROWS_AT_ONCE):
        high = min(low + _ROWS_AT_ONCE, n_rows)
        pair = 0
        for u in range(1, len(sizes)):
            for v in range(u):
                start, size = starts[pair], sizes[v]
                for n in range(low, high):
                    cells[start + codes[u, n] * size + codes[v, n], labels[n]] += weights[n]
                pair += 1


@njit(cache=True, nogil=True)
def add_margins(n_values: IntArray, cells: FloatArray) -> None:
    """Replace the cells for missing of every pair by sums over values, in place."""
    start = 0
    for u in range(1, len(n_values)):
        for v in range(u):
            rows, columns = n_values[u], n_values[v]
            size = columns + 1
            last = start + rows * size
            cells[last : last + size] = 0.0
            for a in range(rows):
                row = start + a * size
                for c in range(cells.shape[1]):
                    in_row = 0.0
                    for b in range(columns):
                        in_row += cells[row + b, c]
                        cells[last + b, c] += cells[row + b, c]
                    cells[row + columns, c] = in_row
                    cells[last + columns, c] += in_row
            start = last + size
