r"""Sums over all clusterings by inclusion and exclusion, :math:`O(2^N N^2)`.

The sum over partitions into *disjoint* sets is an alternating sum, over all subsets S of the rows, of
sums over sets that merely lie in S and whose sizes add up to N. The latter are coefficients of powers of a
polynomial, one for each S, and a ranked zeta transform gives all these polynomials. The
alternating sum cancels about 8 of the 16 digits of a float at 20 rows and more on wide tables, hence
double-double arithmetic. The sum of the absolute values measures the loss.
"""

import numpy as np

from ...costs import Cost, count_of
from .problem import ClusteringSum
from .sums import SIZES_PER_SECOND, Sums
from .weights import ROUNDING, SMALLEST, scaled_weights

N_SLAB = 13
"""Number of rows whose subsets are held at once, each with its polynomial."""

_ROUNDING = 2.0**-102
"""Bound on the relative error of one double-double operation on positive numbers."""

_PRODUCTS_PER_SECOND = 1.5e8


def transform_cost(problem: ClusteringSum) -> Cost:
    """Estimate the cost of the sums for all numbers of components."""
    n_rows = problem.n_rows
    n_subsets = count_of(n_rows * np.log(2.0))
    products = n_rows**2 / 4 * max(problem.n_components - 2, 0) + n_rows * 2
    n_slab = min(N_SLAB, n_rows - 1)
    gathered = count_of(np.log(3.0) * (n_rows - 1 - n_slab) + np.log(2.0) * (n_slab + 1))
    seconds = (n_subsets * (products + problem.n_variables / 4) + gathered / 2) / _PRODUCTS_PER_SECOND
    seconds += problem.n_components / SIZES_PER_SECOND
    return Cost(seconds, 8 * n_subsets + 2**n_slab * n_rows * 32 + problem.table_bytes(1))


def transform_sums(problem: ClusteringSum, n_components: int) -> Sums:
    """Compute log sums over all clusterings into 1 .. ``n_components`` components, with error bounds."""
    from ._transform_kernels import signed_sums

    n_rows = problem.n_rows
    weights = scaled_weights(problem, problem.cells, np.ones(n_rows, dtype=np.int64), n_components)
    n_slab = min(N_SLAB, n_rows - 1)
    signed, magnitudes = signed_sums(weights.scaled, n_rows, n_slab, n_components)
    k = np.arange(1, n_components + 1)
    # The kernel fixes the cluster of the last row, which is one of k: the factor puts the others back.
    sums = np.maximum(k * signed.sum(axis=0), 0.0)
    chain = 2.0**n_slab + 2 * 2.0 ** (n_rows - 1 - n_slab) + n_rows + 4 * k * (n_rows + 2)
    with np.errstate(divide="ignore", over="ignore"):
        # A number that underflows is multiplied by at most the sum of all weights per further cluster.
        underflow = 2.0**-1000 * max(1.0, float(weights.scaled.sum())) ** k
        lost = k * magnitudes * chain * _ROUNDING + 4 * SMALLEST * k ** (n_rows + 1.0) + underflow
        errors = np.where(sums > 0, lost / np.where(sums > 0, sums, 1.0), np.inf) + 4 * k * ROUNDING
        logs = np.log(sums) + k * weights.cluster_log + weights.rows_log
    return Sums(logs, errors, weights.log_magnitude)
