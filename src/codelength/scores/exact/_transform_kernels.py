"""The ranked zeta transform in double-double arithmetic. Arrays in, arrays out, nothing checked.

A number is the unevaluated sum of two floats, the second at most half a unit in the last place of the
first: 106 bits. No fast-math flag may stand here: reassociation would delete the second float.
"""

import numpy as np
from numba import njit

from ...typing import FloatArray, IntArray

_SPLITTER = 134217729.0  # 2 ** 27 + 1 cuts a float64 into halves of 26 bits

Double = tuple[float, float]


@njit(cache=True, nogil=True, inline="always")
def _add(a: float, a_low: float, b: float, b_low: float) -> Double:
    total = a + b
    rest = total - a
    error = (a - (total - rest)) + (b - rest) + (a_low + b_low)
    high = total + error
    return high, error - (high - total)


@njit(cache=True, nogil=True, inline="always")
def _multiply(a: float, a_low: float, b: float, b_low: float) -> Double:
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
) -> tuple[FloatArray, FloatArray, FloatArray]:
    r"""Sums over all clusterings into 1 .. ``n_components`` clusters, divided by their number.

    .. math:: \frac{f_K}{K} = \sum_S (-1)^{n - |S|} [z^n] G_S(z)^{K - 1} H_S(z)

    where S runs over the subsets of all rows but the last, n in number, :math:`G_S` is the polynomial
    of the weights of the subsets of S by their sizes, and :math:`H_S` that of the same subsets with
    the last row added. Subsets of the first ``n_slab`` rows are held at once, for one choice of the
    other rows after another. Returns the sums, their low floats, and the sums of absolute values.
    """
    n = n_rows - 1
    sizes = _sizes(max(n_slab, n - n_slab))
    shape = (1 << n_slab, n_rows)
    plain, plain_low, last, last_low = np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape)
    sums, lows, magnitudes = np.zeros(n_components), np.zeros(n_components), np.zeros(n_components)
    part, part_low = np.empty(n_components), np.empty(n_components)
    for above in range(1 << (n - n_slab)):
        _gather(weights, above, n_slab, sizes, plain, plain_low)
        _gather(weights[1 << n :], above, n_slab, sizes, last, last_low)
        _zeta(plain, plain_low, n_slab, sizes, sizes[above])
        _zeta(last, last_low, n_slab, sizes, sizes[above])
        part[:] = 0.0
        part_low[:] = 0.0
        for below in range(1 << n_slab):
            size = sizes[above] + sizes[below]
            sign = 1.0 if (n - size) % 2 == 0 else -1.0
            _add_coefficients(
                plain[below],
                plain_low[below],
                last[below],
                last_low[below],
                size,
                sign,
                part,
                part_low,
                magnitudes,
            )
        for k in range(n_components):
            sums[k], lows[k] = _add(sums[k], lows[k], part[k], part_low[k])
    return sums, lows, magnitudes


@njit(cache=True, nogil=True)
def _sizes(n_rows: int) -> IntArray:
    """Number of rows in every subset."""
    sizes = np.zeros(1 << n_rows, dtype=np.int64)
    for state in range(1, 1 << n_rows):
        sizes[state] = sizes[state >> 1] + (state & 1)
    return sizes


@njit(cache=True, nogil=True)
def _gather(
    weights: FloatArray, above: int, n_slab: int, sizes: IntArray, high: FloatArray, low: FloatArray
) -> None:
    """Sum over all subsets of ``above``, each weight in the column of its size."""
    high[:] = 0.0
    low[:] = 0.0
    chosen = above
    while True:
        start = chosen << n_slab
        for below in range(1 << n_slab):
            rank = sizes[chosen] + sizes[below]
            high[below, rank], low[below, rank] = _add(
                high[below, rank], low[below, rank], weights[start + below], 0.0
            )
        if chosen == 0:
            return
        chosen = (chosen - 1) & above


@njit(cache=True, nogil=True)
def _zeta(high: FloatArray, low: FloatArray, n_slab: int, sizes: IntArray, size_above: int) -> None:
    """Sum over all subsets of the rows of the slab, rank by rank."""
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
    plain_low: FloatArray,
    last: FloatArray,
    last_low: FloatArray,
    size: int,
    sign: float,
    sums: FloatArray,
    lows: FloatArray,
    magnitudes: FloatArray,
) -> None:
    """Add, with their sign, the topmost coefficients of last, last * plain, last * plain ** 2, ..."""
    n = len(plain) - 1
    power, power_low = last.copy(), last_low.copy()
    product, product_low = np.empty(n + 1), np.empty(n + 1)
    degree = size
    for k in range(len(sums)):
        if degree >= n:
            sums[k], lows[k] = _add(sums[k], lows[k], sign * power[n], sign * power_low[n])
            magnitudes[k] += power[n]
        if k + 1 == len(sums):
            return
        product[:] = 0.0
        product_low[:] = 0.0
        first = n if k + 2 == len(sums) else 0
        for t in range(min(size, n) + 1):
            for j in range(max(first, t), min(n, degree + t) + 1):
                a, a_low = _multiply(plain[t], plain_low[t], power[j - t], power_low[j - t])
                product[j], product_low[j] = _add(product[j], product_low[j], a, a_low)
        degree = min(n, degree + size)
        power, product = product, power
        power_low, product_low = product_low, power_low
