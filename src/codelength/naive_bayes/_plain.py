"""Scoring loops in plain numpy, for small calls; results are equal to those of ``_kernels`` to the last bit.

Every function adds and multiplies in the order of its namesake in ``_kernels``, and takes logarithms from the
same library, so that results do not depend on which of the two is called.
"""

import math
from itertools import pairwise

import numpy as np

from ..decisions import TOLERANCE
from ..typing import BoolArray, CodeArray, FloatArray, IntArray

LOWEST, LOG2_E, ROUNDER = -690.0, 1 / math.log(2), 1.5 * 2.0**52
LN2_HIGH, LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10


def score_rows(
    codes: CodeArray,
    sizes: IntArray,
    groups: IntArray,
    starts: IntArray,
    joint: FloatArray,
    base: FloatArray,
    start: int,
    stop: int,
    scores: FloatArray,
) -> None:
    """Write log weights of rows ``start .. stop - 1``: one look-up per group of variables."""
    sums = np.repeat(base.reshape(len(joint), 1, -1), stop - start, axis=1)
    for g, (first, last) in enumerate(pairwise(groups.tolist())):
        keys = codes[first, start:stop].astype(np.int64)
        for i in range(first + 1, last):
            keys = keys * sizes[i] + codes[i, start:stop]
        sums += joint[:, starts[g] + keys]
    scores[start:stop] = sums.transpose(1, 0, 2).reshape(stop - start, -1)[:, : scores.shape[1]]


def normalise_rows(scores: FloatArray, undefined: BoolArray) -> None:
    """Turn log weights into log probabilities, in place; a row of zero weights becomes uniform."""
    highest = scores[:, 0].copy()
    # Comparisons as in the kernel; np.max would propagate NaN.
    for weights in scores.T[1:]:
        np.copyto(highest, weights, where=weights > highest)
    with np.errstate(invalid="ignore"):
        below = np.where(highest > -np.inf, scores.T - highest, 0.0)
    # Exact ties may differ by rounding. They are made equal, so that the first class wins everywhere.
    below[below >= -TOLERANCE] = 0.0
    rest = np.zeros(len(scores))
    for own, shares in zip(below, _exp_of_negative(below), strict=True):
        rest += np.where(own < 0.0, shares, 0.0)
    rest += (below == 0.0).sum(axis=0) - 1.0
    scores[...] = (below - _log1p(rest)).T
    of_zero = highest == -np.inf
    undefined[of_zero] = True
    scores[of_zero] = -math.log(scores.shape[1])


def _exp_of_negative(numbers: FloatArray) -> FloatArray:
    """Return exponentials of numbers of at most 0, by the polynomial of ``_kernels._exp_in_parts``."""
    number = np.where(numbers > LOWEST, numbers, LOWEST)
    shifted = number * LOG2_E + ROUNDER
    whole = shifted - ROUNDER
    r = (number - whole * LN2_HIGH) - whole * LN2_LOW
    r2 = r * r
    r4 = r2 * r2
    first = (1.0 + r) + r2 * (1 / 2 + r * (1 / 6))
    second = (1 / 24 + r * (1 / 120)) + r2 * (1 / 720 + r * (1 / 5040))
    third = (1 / 40320 + r * (1 / 362880)) + r2 * (1 / 3628800 + r * (1 / 39916800)) + r4 * (1 / 479001600)
    exps = first + r4 * (second + r4 * third)
    return np.asarray(exps * ((shifted.view(np.int64) + 1023) << 52).view(np.float64))


def _log1p(numbers: FloatArray) -> FloatArray:
    # math.log1p, because that of numpy differs in the last digit on some processors.
    return np.array([math.log1p(number) if number > -1.0 else -math.inf for number in numbers.tolist()])
