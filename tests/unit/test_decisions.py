"""Decisions on computed numbers: ties within rounding go to the first, real differences count."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codelength import _decision_kernels, decisions
from codelength.decisions import TOLERANCE, first_best, first_best_of_rows, is_better, ranked, whole_part

numbers = st.one_of(st.floats(-1e12, 1e12), st.just(-math.inf), st.just(math.inf))


@given(numbers, numbers, st.sampled_from([0.0, 1.0, 1e6]))
def test_the_kernel_decides_as_the_function(score, other, scale):
    assert _decision_kernels.is_better(score, other, scale) == is_better(score, other, scale)


@given(st.floats(1e-6, 1e12), st.integers(-50, 50))
def test_rounding_does_not_make_a_number_better(number, ulps):
    moved = number + ulps * math.ulp(number)
    assert not is_better(moved, number)
    assert not is_better(number, moved)
    assert is_better(number * (1 + 3 * TOLERANCE), number)


def test_a_difference_of_large_sums_is_judged_by_their_size():
    assert is_better(1e-12, 0.0)
    assert not is_better(1e-12, 0.0, scale=1.0)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8), st.integers(0, 2**32))
def test_noise_changes_neither_the_best_nor_the_order(levels, seed):
    """Numbers that are equal but for rounding stay in order, and the first of the largest is best."""
    exact = np.array(levels, dtype=float)
    noisy = exact * (1 + np.random.default_rng(seed).uniform(-1e-15, 1e-15, len(exact)))
    assert first_best(noisy) == levels.index(max(levels))
    assert ranked(noisy).tolist() == sorted(range(len(levels)), key=lambda i: (-levels[i], i))
    assert first_best_of_rows(np.array([noisy, noisy])).tolist() == [first_best(noisy)] * 2


@pytest.mark.parametrize("scores", [[-math.inf, -math.inf], [-math.inf, 1.0], [math.inf, 1.0], [1.0]])
def test_infinite_numbers_are_compared_too(scores):
    assert first_best(scores) == int(np.argmax(scores))
    assert ranked(scores).tolist() == np.argsort(-np.array(scores), kind="stable").tolist()


def test_nothing_is_ranked_as_nothing():
    assert ranked([]).tolist() == []


@given(st.integers(0, 2**50), st.sampled_from([-2, -1, 0, 1, 2]))
def test_whole_numbers_survive_rounding(whole, ulps):
    moved = np.array([whole + ulps * math.ulp(whole)])
    assert whole_part(moved).tolist() == [whole]
    assert whole >= 10**9 or whole_part(np.array([whole + 0.5])).tolist() == [whole]


def test_the_tolerance_is_one_for_both_forms():
    assert _decision_kernels.TOLERANCE is decisions.TOLERANCE
