"""Figures with standard errors and intervals."""

import math
import statistics

import numpy as np
import pytest

from codelength.reporting.estimates import NORMAL, mean_of, share_of, wilson


def test_the_mean_has_the_standard_error_of_a_mean():
    numbers = [0.3, -1.2, 2.5, 0.0, 0.7, 0.7]
    found = mean_of(numbers)
    assert found.value == pytest.approx(statistics.mean(numbers))
    assert found.standard_error == pytest.approx(statistics.stdev(numbers) / math.sqrt(6))
    assert found.high - found.value == pytest.approx(2.570582 * found.standard_error)  # t with 5 degrees
    assert found.value - found.low == pytest.approx(found.high - found.value)


@pytest.mark.parametrize("numbers", [[], [1.0], [1.0, 1.0, 1.0, 1.0]])
def test_few_rows_do_not_say_how_far_they_can_be_trusted(numbers):
    found = mean_of(numbers)
    assert math.isnan(found.standard_error)
    assert (found.low, found.high) == (-math.inf, math.inf)


def test_one_infinite_row_makes_the_mean_infinite():
    found = mean_of([0.1, 0.2, math.inf, 0.4, 0.5, 0.6])
    assert (found.value, found.low) == (math.inf, math.inf)
    assert math.isnan(found.standard_error)


def test_the_ends_of_wilsons_interval_are_shares_that_the_rows_just_do_not_contradict():
    """At each end the score test is exactly at its bound: that is the definition."""
    successes, n_rows = np.array([1, 5, 17, 99]), np.array([12, 10, 40, 100])
    share = successes / n_rows
    for end in wilson(successes, n_rows):
        assert np.abs(share - end) / np.sqrt(end * (1 - end) / n_rows) == pytest.approx(np.full(4, NORMAL))


def test_shares_of_nothing_and_everything_stay_within_their_intervals():
    low, high = wilson([0, 10], [10, 10])
    assert (low[0], high[1]) == (0.0, 1.0)
    assert 0 < high[0] < 0.5 < low[1] < 1
    found = share_of(np.ones(4))
    assert (found.value, found.standard_error, found.high) == (1.0, 0.0, 1.0)
    assert found.low == pytest.approx(4 / (4 + NORMAL**2))
