r"""Normaliser of naive Bayes with the class observed: a sum over all tables, classes included.

Given the classes, the variables are independent multinomials, so the sum over all tables is a sum over the
class counts:

.. math:: C(N) = \sum_{h_1 + \dots + h_K = N} \frac{N!}{N^N} \prod_k w(h_k), \quad
          w(n) = \frac{n^n}{n!} \prod_i C(n_i, n)

with the normalisers :math:`C(n_i, n)` of :mod:`codelength.scores.nml.multinomial`. That is coefficient N of
the K-th power of the generating function of w, which takes about :math:`\log_2 K` convolutions: of quadratic
cost [1]_, or by fast Fourier transforms [2]_.

Both work on :math:`w(n)\, e^{-tn}`, divided by its sum. The factor changes every coefficient by a known
amount. With ``t`` such that the mean of this distribution is N/K, coefficient N is near the peak of its K-th
power. Relevant terms then do not underflow, and the rounding error of a transform, which is relative to the
peak everywhere, is small compared with it.

References
----------
.. [1] Kontkanen, Myllymäki, Buntine, Rissanen and Tirri (2005). An MDL framework for data clustering.
       In: Advances in Minimum Description Length. MIT Press.
.. [2] Mononen and Myllymäki (2007). Fast NML computation for naive Bayes models. Discovery Science.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, TypeAlias, get_args

import numpy as np

from ...errors import Infeasible
from ...typing import FloatArray, IntArray
from .multinomial import log_normalisers, stirling_gap

Method: TypeAlias = Literal["auto", "quadratic", "fft"]
"""Method to compute coefficients of a product."""

METHODS: tuple[Method, ...] = get_args(Method)

MAX_ROWS = 10_000_000
"""Largest number of rows: the transforms then take about 1 GB."""

MAX_QUADRATIC = 512
"""Largest number of rows for which a convolution of quadratic cost is as fast as a transform."""

_Convolve: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]


def naive_bayes_log_normaliser(
    n_values: Sequence[int], n_classes: int, n_rows: int, method: Method = "auto"
) -> float:
    """Return the log of the sum of the maximised likelihood over all tables of so many rows, in nats.

    Parameters
    ----------
    n_values : sequence of int
        Number of values of each variable.
    n_classes, n_rows : int
        Numbers of classes and rows.
    method : {"auto", "quadratic", "fft"}
        Method for products of power series; ``"auto"`` uses transforms for more than 512 rows.

    Examples
    --------
    With one variable any joint distribution is a naive Bayes model, so it is one multinomial:

    >>> round(naive_bayes_log_normaliser([3], 2, 10), 9)
    5.202532606
    >>> round(float(log_normalisers(6, np.array([10]))[0]), 9)
    5.202532606
    """
    if n_rows > MAX_ROWS:
        raise Infeasible(
            f"{n_rows:,} rows: the normaliser of naive Bayes is summed for at most {MAX_ROWS:,}; use "
            "evidence_code_length, or the code given the classes"
        )
    rows = np.arange(n_rows + 1, dtype=np.int64)
    log_weights = -stirling_gap(rows.astype(np.float64))
    # Variables with the same number of values have the same normalisers, computed once.
    for size, times in Counter(n_values).items():
        log_weights += times * log_normalisers(size, rows)
    whole = float(stirling_gap(np.array([float(n_rows)]))[0])
    return whole + _log_coefficient(log_weights, n_classes, method)


def _log_coefficient(log_weights: FloatArray, power: int, method: Method) -> float:
    """Return the log of the last coefficient of a power of a series, given logs of its coefficients."""
    last = len(log_weights) - 1
    if power == 1 or last == 0:
        return float(power * log_weights[last])
    tilt = _balancing_tilt(log_weights, last / power)
    shares, log_total = _tilted(log_weights, np.arange(last + 1), tilt)
    by_fft = method == "fft" or (method == "auto" and last > MAX_QUADRATIC)
    convolve: _Convolve = partial(_convolved_by_fft, n=len(shares)) if by_fft else _convolved
    # Only one coefficient of the last product is needed: an inner product instead of a convolution.
    half = _power(shares, power // 2, convolve)
    other = half if power % 2 == 0 else convolve(half, shares)
    return float(np.log(half @ other[::-1]) + power * log_total + tilt * last)


def _power(shares: FloatArray, power: int, convolve: _Convolve) -> FloatArray:
    """Return a power of a series by repeated squaring, truncated to the length of the series."""
    if power == 1:
        return shares
    half = _power(shares, power // 2, convolve)
    square = convolve(half, half)
    return square if power % 2 == 0 else convolve(square, shares)


def _convolved(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the first coefficients of a product, by direct convolution."""
    return np.asarray(np.convolve(one, other)[: len(one)])


def _convolved_by_fft(one: FloatArray, other: FloatArray, n: int) -> FloatArray:
    """Return the first n coefficients of a product, by real fast Fourier transforms."""
    from scipy.fft import irfft, next_fast_len, rfft

    size = next_fast_len(2 * n - 1, real=True)
    # A square needs one forward transform only.
    transformed = rfft(one, size)
    product = transformed * (transformed if other is one else rfft(other, size))
    # Coefficients near zero may be negative by rounding.
    return np.asarray(np.maximum(irfft(product, size)[:n], 0.0))


def _balancing_tilt(log_weights: FloatArray, mean: float) -> float:
    """Return the tilt that gives a distribution about this mean, by safeguarded Newton steps."""
    # The weights are smooth, so a sample of tens of thousands is enough.
    stride = max(1, min(len(log_weights) // 65_536, int(mean) // 256))
    rows, sampled = np.arange(len(log_weights))[::stride], log_weights[::stride]
    low, high, tilt = -np.inf, np.inf, 0.0
    for _ in range(100):
        shares, _ = _tilted(sampled, rows, tilt)
        excess = float(shares @ rows) - mean
        spread = float(shares @ np.square(rows - mean)) - excess * excess
        # A hundredth of a standard deviation is close enough: the tilt affects accuracy, not the result.
        if excess * excess <= 1e-4 * max(spread, 1e-4):
            break
        low, high = (tilt, high) if excess > 0 else (low, tilt)
        step = excess / max(spread, 1e-12)
        # Steps within the bounds are limited; a step beyond them is replaced by bisection.
        if low < tilt + step < high:
            tilt += float(np.clip(step, -1.0 - abs(tilt), 1.0 + abs(tilt)))
        else:
            tilt = (low + high) / 2
    return tilt


def _tilted(log_weights: FloatArray, rows: IntArray, tilt: float) -> tuple[FloatArray, float]:
    """Return the normalised distribution of log weights after a tilt, and the log of its normaliser."""
    logs = log_weights - tilt * rows
    largest = float(logs.max())
    weights = np.exp(logs - largest)
    total = float(weights.sum())
    return weights / total, largest + float(np.log(total))
