r"""Normalised maximum likelihood, Rissanen's code: of one multinomial, and of a labelled table.

:func:`nml_code_length` divides the maximised likelihood of a table by its sum over all tables. For naive
Bayes with the class observed, :func:`naive_bayes_log_normaliser` computes this sum, classes included. Given
the classes, the variables are independent multinomials, so it is a sum over the class counts:

.. math:: C(N) = \sum_{h_1 + \dots + h_K = N} \frac{N!}{N^N} \prod_k w(h_k), \quad
          w(n) = \frac{n^n}{n!} \prod_i C(n_i, n)

with the normalisers :math:`C(n_i, n)` of :mod:`codelength.scores.multinomial`. That is coefficient N of
the K-th power of the generating function of w, which takes about :math:`\log_2 K` convolutions: of quadratic
cost [1]_, or by fast Fourier transforms [2]_.

Both work on :math:`w(n)\, e^{-tn}`, divided by its sum. The factor changes every coefficient by a known
amount. With ``t`` such that the mean of this distribution is N/K, coefficient N is near the peak of its K-th
power. Relevant terms then do not underflow, and the rounding error of a transform, which is relative to the
peak everywhere, is small compared with it.

Depends on ``multinomial``, which has the normaliser of one multinomial.

References
----------
.. [1] Kontkanen, Myllymäki, Buntine, Rissanen and Tirri (2005). An MDL framework for data clustering.
       In: Advances in Minimum Description Length. MIT Press.
.. [2] Mononen and Myllymäki (2007). Fast NML computation for naive Bayes models. Discovery Science.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from ..counts import Counts
from ..errors import DataError, Infeasible, InvalidParameter
from ..table._messages import shown
from ..table.checks import as_array, check_choice, check_flag
from ..typing import FloatArray, IntArray
from .multinomial import is_whole, log_fit, log_normalisers, stirling_gap

Method: TypeAlias = Literal["auto", "quadratic", "fft"]
"""Method to compute coefficients of a product."""

MAX_ROWS = 10_000_000
"""Largest number of rows: the transforms then take about 1 GB."""

MAX_QUADRATIC = 512
"""Largest number of rows for which a convolution of quadratic cost is as fast as a transform."""

MAX_COUNT = 2**53
"""Largest count that a float represents exactly with all smaller ones."""


def nml_code_length(counts: Any, *, given_classes: bool = False, method: Method = "auto") -> float:
    r"""Return the code length of a table by normalised maximum likelihood, in nats.

    .. math:: -\log \frac{\max_\Theta P(D \mid \Theta)}{\sum_{D'} \max_\Theta P(D' \mid \Theta)}

    This is Rissanen's stochastic complexity [1]_: the maximised likelihood is divided by its sum over all
    tables of as many rows, whose logarithm is the same for every table. Of all codes, it has the smallest
    worst-case excess over the best fit. It does not use a prior. The sum is computed exactly, by the
    linear-time recurrence of [2]_ for one multinomial and by convolutions for naive Bayes with the class
    observed.

    Parameters
    ----------
    counts : Counts, or array of shape (n_values,)
        Counts of a labelled table, whose model is naive Bayes; or counts of the values of one variable.
    given_classes : bool
        Return the code length of the values given the classes, without that of the classes. The sum is then
        a product of sums for single multinomials.
    method : {"auto", "quadratic", "fft"}
        Method for the sum over tables, used if the classes are encoded too. ``"auto"`` convolves directly up
        to 512 rows and by fast Fourier transforms beyond.

    Raises
    ------
    DataError
        If a count is not a whole number: the sum is over tables of whole rows. Or if cells are missing and
        the classes are encoded too: the missing cells of a class then differ between the tables of the sum,
        and no closed form is known. Given the classes, missing cells cost nothing.
    Infeasible
        If there are more than ten million rows and the classes are encoded too.

    See Also
    --------
    evidence_code_length : the code length when all models are averaged under a prior.
    network_code_length : the same for each variable given others, in any network.

    References
    ----------
    .. [1] Rissanen (1996). Fisher information and stochastic complexity. IEEE Transactions on Information
           Theory 42.
    .. [2] Kontkanen and Myllymäki (2007). A linear-time algorithm for computing the multinomial stochastic
           complexity. Information Processing Letters 103.

    Examples
    --------
    Two tosses of a coin: the maximised likelihoods of the four sequences are 1, 1/4, 1/4 and 1, in sum 2.5.

    >>> from codelength.code_lengths import nml_code_length
    >>> [round(float(np.exp(-nml_code_length(tosses))), 3) for tosses in ([2, 0], [1, 1])]
    [0.4, 0.1]
    """
    check_flag("given_classes", given_classes)
    check_choice("method", method, Method)
    if not isinstance(counts, Counts):
        return _of_multinomial(counts)
    if not _are_rows(counts):
        raise DataError(
            "normalised maximum likelihood sums over tables of whole rows, and the rows were counted with "
            "weights that are not whole numbers; use evidence_code_length, or leave the weights out"
        )
    sizes = counts.schema.n_values.tolist()
    log_likelihood = math.fsum(log_fit(counts.of(i)) for i in range(len(sizes)))
    if given_classes:
        # Given the classes, each class and variable is one multinomial of the known cells.
        known = [counts.of(i).sum(axis=1) for i in range(len(sizes))]
        normalisers = (log_normalisers(size, rows).sum() for size, rows in zip(sizes, known, strict=True))
        return math.fsum(normalisers) - log_likelihood
    i = _incomplete(counts)
    if i is not None:
        n_missing = counts.n_rows - float(counts.of(i).sum())
        raise DataError(
            f"variable {shown(counts.schema.names[i])}: {n_missing:,.0f} missing, and normalised maximum "
            'likelihood sums over complete tables; pass missing="value" so that missing is a value, '
            "given_classes=True to describe the values alone, or use evidence_code_length"
        )
    log_likelihood += log_fit(counts.class_counts)
    n_classes = counts.schema.n_classes
    return naive_bayes_log_normaliser(sizes, n_classes, int(counts.n_rows), method) - log_likelihood


def why_not_described(counts: Counts) -> str | None:
    """Return the reason that a table with its classes has no code, in a few words; None if it has one."""
    if not _are_rows(counts):
        return "weights are not whole numbers"
    if counts.n_rows > MAX_ROWS:
        return f"more than {MAX_ROWS:,} rows"
    return None if _incomplete(counts) is None else "cells are missing"


def _are_rows(counts: Counts) -> bool:
    """Return True if all counts are whole and exact."""
    everything = np.concatenate((counts.class_counts, counts.value_counts.ravel()))
    return is_whole(everything) and counts.n_rows <= MAX_COUNT


def _incomplete(counts: Counts) -> int | None:
    """Return the position of the first variable with missing cells, or None."""
    spare = counts.schema.offsets[1:] - 1
    has_missing = counts.value_counts[:, spare].any(axis=0)
    return int(np.argmax(has_missing)) if has_missing.any() else None


def _of_multinomial(counts: Any) -> float:
    """Return the code length of one variable, from the counts of its values."""
    given = as_array(counts)
    if given.ndim != 1 or given.dtype.kind not in "iuf" or not given.size:
        raise InvalidParameter(
            f"counts={shown(counts)}: expected Counts, or a list with the count of each value"
        )
    numbers = given.astype(np.float64)
    if not is_whole(numbers) or numbers.sum() > MAX_COUNT:
        raise DataError(
            f"counts={shown(counts)}: expected whole numbers of at least 0, as counts of rows are"
        )
    # The code length is the log of the normaliser less the maximised log-likelihood.
    normaliser = log_normalisers(len(numbers), np.array([numbers.sum()], dtype=np.int64))[0]
    return float(normaliser) - log_fit(numbers)


def naive_bayes_log_normaliser(
    n_values: Sequence[int], n_classes: int, n_rows: int, method: Method = "auto"
) -> float:
    """Return the log of the sum of the maximised likelihood over all tables of so many rows, in nats.

    The method is one of :func:`nml_code_length`, for products of power series.

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
    rows = np.arange(n_rows + 1)
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
    # Only one coefficient of the last product is needed: an inner product instead of a convolution.
    half = _power(shares, power // 2, by_fft)
    other = half if power % 2 == 0 else _convolved(half, shares, by_fft)
    return float(np.log(half @ other[::-1]) + power * log_total + tilt * last)


def _power(shares: FloatArray, power: int, by_fft: bool) -> FloatArray:
    """Return a power of a series by repeated squaring, truncated to the length of the series."""
    if power == 1:
        return shares
    half = _power(shares, power // 2, by_fft)
    square = _convolved(half, half, by_fft)
    return square if power % 2 == 0 else _convolved(square, shares, by_fft)


def _convolved(one: FloatArray, other: FloatArray, by_fft: bool) -> FloatArray:
    """Return the first coefficients of a product, directly or by real fast Fourier transforms."""
    n = len(one)
    if not by_fft:
        return np.convolve(one, other)[:n]
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
