"""Compiled scoring loops, without checks.

Layout: ``codes`` has one row per variable, so that loops over rows of the table read contiguous memory.
Classes are scored in lanes of four, one vector register of float64; the last lane is padded. Neighbouring
variables share a joint table (see :class:`codelength.naive_bayes.scoring.Scorer`), so a row needs one look-up
per group of variables.

``_plain`` has the same functions in numpy. Sums are in the same order in both, and results are equal to the
last bit; a change here needs the same change there.
"""

import math

import numpy as np
from numba import njit

from ..decisions import TOLERANCE
from ..typing import BoolArray, CodeArray, FloatArray, IntArray
from ._plain import LN2_HIGH, LN2_LOW, LOG2_E, LOWEST, ROUNDER
from .dirichlet import costs_of_counts

_ROWS_AT_ONCE = 512
_LANES = 4
_CELLS_AT_ONCE = 2048


@njit(cache=True, nogil=True)
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
    """Write log weights of rows ``start .. stop - 1``: one look-up in a joint table per group of variables.

    Parameters
    ----------
    codes : array of shape (n_variables, n_rows)
        Codes of the cells.
    sizes : array of shape (n_variables,)
        Number of codes of each variable, including the one for missing.
    groups : array of shape (n_groups + 1,)
        First variable of each group.
    starts : array of shape (n_groups + 1,)
        First row of each group in the joint tables.
    joint : array of shape (n_lanes, n_joint_rows, 4)
        Joint tables of all groups, lane by lane.
    base : array of shape (4 * n_lanes,)
        Log weights of the classes, padded.
    start, stop : int
        Rows to score; threads work on disjoint ranges.
    scores : array of shape (n_rows, n_classes)
        Output.
    """
    n_groups, n_classes = len(groups) - 1, scores.shape[1]
    keys = np.empty((n_groups, _ROWS_AT_ONCE), dtype=np.uint32)
    # The keys of a block of rows are computed once for all lanes and stay in the cache.
    for low in range(start, stop, _ROWS_AT_ONCE):
        n_rows = min(_ROWS_AT_ONCE, stop - low)
        for g in range(n_groups):
            _row_keys(
                codes[groups[g] : groups[g + 1], low : low + n_rows], sizes, groups[g], starts[g], keys[g]
            )
        for lane in range(joint.shape[0]):
            table, first = joint[lane], lane * _LANES
            n_own = min(_LANES, n_classes - first)
            for t in range(n_rows):
                # Four scalars instead of an array: they stay in registers through the loop over groups.
                sum_0, sum_1, sum_2, sum_3 = base[first], base[first + 1], base[first + 2], base[first + 3]
                for g in range(n_groups):
                    key = keys[g, t]
                    sum_0 += table[key, 0]
                    sum_1 += table[key, 1]
                    sum_2 += table[key, 2]
                    sum_3 += table[key, 3]
                scores[low + t, first] = sum_0
                if n_own > 1:
                    scores[low + t, first + 1] = sum_1
                if n_own > 2:
                    scores[low + t, first + 2] = sum_2
                if n_own > 3:
                    scores[low + t, first + 3] = sum_3


@njit(cache=True, nogil=True)
def _row_keys(codes: CodeArray, sizes: IntArray, first: int, start: int, keys: CodeArray) -> None:
    """Write the row of each table row in the joint table of a group of one, two or three variables."""
    # Separate loops for each size, and uint32 throughout: both are needed for vector registers. Numba would
    # widen each intermediate result to 64 bits without the casts.
    n_rows = codes.shape[1]
    begin = np.uint32(start)
    if codes.shape[0] == 1:
        for t in range(n_rows):
            keys[t] = np.uint32(begin + np.uint32(codes[0, t]))
    elif codes.shape[0] == 2:
        second = np.uint32(sizes[first + 1])
        for t in range(n_rows):
            key = np.uint32(np.uint32(codes[0, t]) * second)
            keys[t] = np.uint32(np.uint32(key + np.uint32(codes[1, t])) + begin)
    else:
        second, third = np.uint32(sizes[first + 1]), np.uint32(sizes[first + 2])
        for t in range(n_rows):
            key = np.uint32(np.uint32(np.uint32(codes[0, t]) * second) + np.uint32(codes[1, t]))
            keys[t] = np.uint32(np.uint32(np.uint32(key * third) + np.uint32(codes[2, t])) + begin)


# The numpy error model omits checks for division by zero, which prevent vectorisation. One function rather
# than several, because each would be compiled twice: by itself and within its caller.
@njit(cache=True, nogil=True, error_model="numpy")
def normalise_rows(scores: FloatArray, undefined: BoolArray) -> None:
    """Turn log weights into log probabilities, in place; a row of zero weights becomes uniform.

    Blocks of rows are transposed, so that every loop runs along rows in vector registers.

    Parameters
    ----------
    scores : array of shape (n_rows, n_classes)
        Log weights on entry, log probabilities on return.
    undefined : array of shape (n_rows,)
        Set to True for rows in which all weights are zero.
    """
    n_rows, n_classes = scores.shape
    at_once = max(1, _CELLS_AT_ONCE // n_classes)
    below = np.zeros((n_classes, at_once))
    exps, shifted = np.empty((n_classes, at_once)), np.empty((n_classes, at_once))
    bits = shifted.view(np.int64)
    highest, rest = np.empty(at_once), np.empty(at_once)
    for low in range(0, n_rows, at_once):
        n = min(at_once, n_rows - low)
        for t in range(n):
            for c in range(n_classes):
                below[c, t] = scores[low + t, c]
        for t in range(n):
            highest[t], rest[t] = below[0, t], 0.0
        for c in range(1, n_classes):
            for t in range(n):
                highest[t] = below[c, t] if below[c, t] > highest[t] else highest[t]
        for c in range(n_classes):
            for t in range(n):
                # Exact ties may differ by rounding. They are made equal, so that the first class wins.
                less = below[c, t] - highest[t] if highest[t] > -np.inf else 0.0
                below[c, t] = 0.0 if less >= -TOLERANCE else less
            for t in range(n):
                exps[c, t], shifted[c, t] = _exp_in_parts(below[c, t])
            for t in range(n):
                bits[c, t] = (bits[c, t] + 1023) << 52
            # All but the best classes, whose shares are exactly 1: the sum of the others keeps its digits,
            # however small, and log1p keeps them in the result.
            for t in range(n):
                rest[t] += exps[c, t] * shifted[c, t] if below[c, t] < 0.0 else 0.0
        # The number of best classes after the first, added last, so that small shares are summed first.
        for c in range(n_classes):
            for t in range(n):
                exps[0, t] = (exps[0, t] if c > 0 else -1.0) + (1.0 if below[c, t] == 0.0 else 0.0)
        for t in range(n):
            log_total = math.log1p(rest[t] + exps[0, t])
            for c in range(n_classes):
                scores[low + t, c] = below[c, t] - log_total
        for t in range(n):
            if highest[t] == -np.inf:
                undefined[low + t] = True
                for c in range(n_classes):
                    scores[low + t, c] = -math.log(n_classes)


@njit(cache=True, nogil=True)
def exp_of_negative(numbers: FloatArray, shifted: FloatArray, exps: FloatArray) -> None:
    """Write exponentials of numbers of at most 0; numbers below -690 count as -690."""
    for i in range(len(numbers)):
        exps[i], shifted[i] = _exp_in_parts(numbers[i])
    bits = shifted.view(np.int64)
    for i in range(len(numbers)):
        bits[i] = (bits[i] + 1023) << 52
    for i in range(len(numbers)):
        exps[i] *= shifted[i]


@njit(cache=True, nogil=True, inline="always")
def _exp_in_parts(number: float) -> tuple[float, float]:
    """Return the exponential of a number of at most 0, as exp(r) and a float whose lowest bits are n.

    The number is n log 2 + r with r in [-log 2 / 2, log 2 / 2]. exp(r) is its Taylor polynomial, which is
    accurate to one unit of the last place there, and the caller writes 2^n into the exponent bits. Loops of
    arithmetic run in vector registers, calls of exp do not.
    """
    bounded = number if number > LOWEST else LOWEST
    # Adding 1.5 * 2^52 rounds to an integer, which is then in the lowest bits.
    shifted = bounded * LOG2_E + ROUNDER
    whole = shifted - ROUNDER
    # log 2 in two parts (Cody and Waite): the product with the first is exact, so r keeps all digits.
    r = (bounded - whole * LN2_HIGH) - whole * LN2_LOW
    r2 = r * r
    r4 = r2 * r2
    # Estrin's scheme: independent parts of the polynomial are evaluated in parallel.
    first = (1.0 + r) + r2 * (1 / 2 + r * (1 / 6))
    second = (1 / 24 + r * (1 / 120)) + r2 * (1 / 720 + r * (1 / 5040))
    third = (1 / 40320 + r * (1 / 362880)) + r2 * (1 / 3628800 + r * (1 / 39916800)) + r4 * (1 / 479001600)
    return first + r4 * (second + r4 * third), shifted


dirichlet_costs = njit(cache=True, nogil=True)(costs_of_counts)
