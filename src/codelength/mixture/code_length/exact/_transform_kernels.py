"""Ranked zeta transform in double-double arithmetic. Arrays in, arrays out, nothing checked.

A number is the unevaluated sum of two floats, the second at most half a unit in the last place of the
first: 106 bits. No fast-math flag may stand here: reassociation would delete the second float.
"""

import numpy as np
from numba import njit

from ....typing import FloatArray, IntArray

_SPLITTER = 134217729.0  # 2 ** 27 + 1 cuts a float64 into halves of 26 bits

Double = tuple[float, float]


@njit(cache=True, nogil=True, inline="always")
def _add(a: float, a_low: float, b: float, b_low: float) -> Double:
    # Knuth's two-sum: the rounding error of a + b is a float64 and is computed exactly, in any order of size.
    total = a + b
    rest = total - a
    error = (a - (total - rest)) + (b - rest) + (a_low + b_low)
    high = total + error
    return high, error - (high - total)


@njit(cache=True, nogil=True, inline="always")
def _multiply(a: float, a_low: float, b: float, b_low: float) -> Double:
    # Dekker's product: factors are split into halves whose products are exact.
    product = a * b
    scaled = _SPLITTER * a
    a_head = scaled - (scaled - a)
    a_tail = a - a_head
    scaled = _SPLITTER * b
    b_head = scaled - (scaled - b)
    b_tail = b - b_head
    error = ((a_head * b_head - product) + a_head * b_tail + a_tail * b_head) + a_tail * b_tail
    error += a * b_low + a_low * b
    high = product + error
    return high, error - (high - product)


@njit(cache=True, nogil=True)
def signed_sums(
    weights: FloatArray, n_rows: int, n_slab: int, n_components: int
) -> tuple[FloatArray, FloatArray]:
    r"""Sum over all clusterings into 1 .. ``n_components`` clusters, divided by the number of clusters.

    .. math:: \frac{f_K}{K} = \sum_S (-1)^{n - |S|} [z^n] G_S(z)^{K - 1} H_S(z)

    Here S runs over the subsets of all rows but the last, n in number, :math:`G_S` is the polynomial
    of the weights of the subsets of S by their sizes, and :math:`H_S` that of the same subsets with
    the last row added. Subsets of the first ``n_slab`` rows are held at once, for one choice of the
    other rows after another.
    Parameters
    ----------
    weights : array of shape (2 ** n_rows,)
        Weight of every set of rows as one cluster.
    n_rows : int
        Number of rows.
    n_slab : int
        Rows whose subsets are held at once.
    n_components : int
        Largest number of clusters.

    Returns
    -------
    sums : array of shape (2, n_components)
        The sums, as first and second floats.
    magnitudes : array of shape (n_components,)
        Sums of the absolute values, which measure the cancellation.
    """
    n = n_rows - 1
    sizes = _sizes(max(n_slab, n - n_slab))
    plain, last = np.empty((2, 1 << n_slab, n_rows)), np.empty((2, 1 << n_slab, n_rows))
    sums, part, magnitudes = np.zeros((2, n_components)), np.empty((2, n_components)), np.zeros(n_components)
    scratch = np.empty((2, 2, n_rows))
    # One slab at a time: polynomials of all subsets would take n_rows times the memory of the weights.
    for above in range(1 << (n - n_slab)):
        _gather(weights, above, n_slab, sizes, plain)
        _gather(weights[1 << n :], above, n_slab, sizes, last)
        _zeta(plain, n_slab, sizes, sizes[above])
        _zeta(last, n_slab, sizes, sizes[above])
        # Summed per slab first: chains of additions are shorter, and so is the error bound.
        part.fill(0.0)
        for below in range(1 << n_slab):
            size = sizes[above] + sizes[below]
            sign = 1.0 if (n - size) % 2 == 0 else -1.0
            _add_coefficients(plain[:, below], last[:, below], size, sign, scratch, part, magnitudes)
        for k in range(n_components):
            sums[0, k], sums[1, k] = _add(sums[0, k], sums[1, k], part[0, k], part[1, k])
    return sums, magnitudes


@njit(cache=True, nogil=True)
def _sizes(n_rows: int) -> IntArray:
    """Return the number of rows in every subset."""
    sizes = np.zeros(1 << n_rows, dtype=np.int64)
    for state in range(1, 1 << n_rows):
        sizes[state] = sizes[state >> 1] + (state & 1)
    return sizes


@njit(cache=True, nogil=True)
def _gather(weights: FloatArray, above: int, n_slab: int, sizes: IntArray, numbers: FloatArray) -> None:
    """Sum over all subsets of ``above``, each weight in the column of its size."""
    high, low = numbers[0], numbers[1]
    numbers.fill(0.0)
    chosen = above
    while True:
        start = chosen << n_slab
        for below in range(1 << n_slab):
            rank = sizes[chosen] + sizes[below]
            weight = weights[start + below]
            high[below, rank], low[below, rank] = _add(high[below, rank], low[below, rank], weight, 0.0)
        if chosen == 0:
            return
        # The next smaller subset of ``above``.
        chosen = (chosen - 1) & above


@njit(cache=True, nogil=True)
def _zeta(numbers: FloatArray, n_slab: int, sizes: IntArray, size_above: int) -> None:
    """Sum over all subsets of the rows of the slab, rank by rank."""
    high, low = numbers[0], numbers[1]
    # The usual zeta transform, one row after the other; ranks above the size of the smaller set are zero.
    for bit in range(n_slab):
        for state in range(1 << n_slab):
            if state >> bit & 1:
                other = state ^ (1 << bit)
                for rank in range(size_above + sizes[other] + 1):
                    high[state, rank], low[state, rank] = _add(
                        high[state, rank], low[state, rank], high[other, rank], low[other, rank]
                    )


@njit(cache=True, nogil=True)
def _add_coefficients(
    plain: FloatArray,
    last: FloatArray,
    size: int,
    sign: float,
    scratch: FloatArray,
    sums: FloatArray,
    magnitudes: FloatArray,
) -> None:
    """Add, with their sign, the topmost coefficients of last, last * plain, last * plain ** 2, ..."""
    n, n_sums = plain.shape[1] - 1, len(magnitudes)
    power, product = scratch[0], scratch[1]
    for j in range(n + 1):
        power[0, j], power[1, j] = last[0, j], last[1, j]
    degree = size
    for k in range(n_sums):
        if degree >= n:
            sums[0, k], sums[1, k] = _add(sums[0, k], sums[1, k], sign * power[0, n], sign * power[1, n])
            magnitudes[k] += power[0, n]
        if k + 1 == n_sums:
            return
        # Of the last product, only the topmost coefficient is needed.
        _multiply_polynomials(plain, size, power, degree, n if k + 2 == n_sums else 0, product)
        degree = min(n, degree + size)
        power, product = product, power


@njit(cache=True, nogil=True)
def _multiply_polynomials(
    plain: FloatArray, size: int, power: FloatArray, degree: int, first: int, product: FloatArray
) -> None:
    """Compute the coefficients ``first``, ... of a product, up to the topmost rank."""
    n = product.shape[1] - 1
    product.fill(0.0)
    for t in range(min(size, n) + 1):
        factor, factor_low = plain[0, t], plain[1, t]
        for j in range(max(first, t), min(n, degree + t) + 1):
            term, term_low = _multiply(factor, factor_low, power[0, j - t], power[1, j - t])
            product[0, j], product[1, j] = _add(product[0, j], product[1, j], term, term_low)
