"""Counting loops over pairs of variables. Arrays in, arrays out, nothing checked."""

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
    """Add the weight of every row to its cell of every pair; ``codes`` has one row per variable."""
    n_rows = len(labels)
    # The codes of some rows stay in the cache while all pairs are counted, and so does the table of a pair.
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
    """Replace the spare cells of every pair by sums over values."""
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
