"""Listed entries are the growth function, for every rule and for rules that nobody has thought of."""

import numpy as np
import pytest

from codelength.naive_bayes import RULES
from codelength.naive_bayes.log_tables import growth_lists
from toy_rules import TOY_RULES

by_rule = pytest.mark.parametrize("rule", (RULES | TOY_RULES).values(), ids=lambda rule: rule.name)


@by_rule
@pytest.mark.parametrize("shape", [(), (7,), (3, 4), (2, 3, 2)])
def test_entries_are_the_growth_of_counts_and_offsets(rule, shape):
    rng = np.random.default_rng(len(shape))
    offsets, most = rng.choice([0.0, 0.25, 1.0, 1e-16, 1e6], shape), rng.integers(0, 9, shape)
    entries, starts = growth_lists(rule, offsets, most)
    assert starts.shape == shape
    assert starts.dtype == np.int64
    for n in range(9):
        reached = most >= n
        expected = rule.growth(np.asarray(offsets)[reached] + n)
        np.testing.assert_array_equal(entries[starts[reached] + n], expected)


@by_rule
def test_equal_offsets_share_a_list_as_long_as_the_longest(rule):
    entries, starts = growth_lists(rule, np.array([1.0, 0.5, 1.0]), np.array([2, 1, 5]))
    assert starts[0] == starts[2]
    assert len(entries) == 2 + 6


@by_rule
def test_the_entry_of_nothing_may_be_another(rule):
    offsets, first = np.array([0.0, 0.0, 0.0, 2.0]), np.array([3.0, 0.0, 5.0, 2.0])
    entries, starts = growth_lists(rule, offsets, np.full(4, 3), first=first)
    np.testing.assert_array_equal(entries[starts], rule.growth(first))
    for n in (1, 2, 3):
        np.testing.assert_array_equal(entries[starts + n], rule.growth(offsets + n))
    assert len(set(starts.tolist())) == 4


def test_no_offsets():
    entries, starts = growth_lists(RULES["evidence"], np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))
    assert (entries.shape, starts.shape) == ((0,), (0, 3))
