"""One term for each clustering. Arrays in, arrays out, nothing checked."""

import numpy as np
from numba import njit

from ....typing import FloatArray, IntArray
from .problem import StepTables


@njit(cache=True, nogil=True)
def log_terms(
    cells: IntArray,
    spares: IntArray,
    tables: StepTables,
    norm_logs: FloatArray,
    first: int,
    terms: FloatArray,
) -> None:
    """Compute log P(Z, D) of consecutive clusterings in lexicographic order, from number ``first``.

    A clustering differs from the one before it in its last rows only: those are removed and added again,
    each with its predictive probability, to the sum that was kept for the rows before.

    Parameters
    ----------
    cells : array of shape (n_rows, n_variables)
        Cells of the rows.
    spares : array of shape (n_variables,)
        Cells for missing.
    tables : StepTables
        Logs of counts plus pseudocounts.
    norm_logs : array of shape (n_rows,)
        Logs of the denominators of the components.
    first : int
        Number of the first clustering.
    terms : array
        Receives the log terms.
    """
    size_logs, value_logs, total_logs = tables.size_logs, tables.value_logs, tables.total_logs
    n_rows, n_components = len(cells), len(size_logs)
    clustering = np.zeros(n_rows, dtype=np.int64)
    # Digits of the number to the base K, the last row the least significant.
    for n in range(n_rows - 1, -1, -1):
        clustering[n] = first % n_components
        first //= n_components
    sizes = np.zeros(n_components, dtype=np.int64)
    counts = np.zeros(value_logs.shape[:2], dtype=np.int64)
    sums = np.zeros(n_rows + 1)
    n = 0
    for t in range(len(terms)):
        while n < n_rows:
            k = clustering[n]
            step = size_logs[k, sizes[k]] - norm_logs[n]
            for i in range(len(spares)):
                cell = cells[n, i]
                # A missing cell is marginalised: it is not a factor, but it is counted, so that the number of
                # rows with an observed value is size minus missing.
                if cell != spares[i]:
                    n_observed = sizes[k] - counts[k, spares[i]]
                    step += value_logs[k, cell, counts[k, cell]] - total_logs[k, i, n_observed]
                counts[k, cell] += 1
            sizes[k] += 1
            sums[n + 1] = sums[n] + step
            n += 1
        terms[t] = sums[n_rows]
        n = _take_out_last(cells, clustering, n_components, sizes, counts)


@njit(cache=True, nogil=True)
def _take_out_last(
    cells: IntArray, clustering: IntArray, n_components: int, sizes: IntArray, counts: IntArray
) -> int:
    """Advance to the next clustering; return the first row in which it differs."""
    for n in range(len(clustering) - 1, -1, -1):
        k = clustering[n]
        sizes[k] -= 1
        for cell in cells[n]:
            counts[k, cell] -= 1
        if k + 1 < n_components:
            clustering[n] = k + 1
            return n
        clustering[n] = 0
    return 0
