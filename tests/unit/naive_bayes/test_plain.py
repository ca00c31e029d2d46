"""Plain loops and compiled ones give the same bits, so that it does not matter which of them ran."""

from itertools import pairwise

import numpy as np
import pytest

from codelength._threads import FirstCalls
from codelength.counts import column_groups
from codelength.naive_bayes import _kernels, _plain
from codelength.naive_bayes.dirichlet import costs_of_counts

SEEDS = range(20)


def scores(rng, n_rows, n_classes):
    """Log weights of all sizes, with ties, near ties and zero weights among them."""
    drawn = rng.normal(0, 10.0 ** rng.integers(-12, 4, (n_rows, 1)), (n_rows, n_classes))
    drawn[rng.random(drawn.shape) < 0.1] = -np.inf
    drawn[rng.random(n_rows) < 0.2] = drawn[0, 0]
    drawn[rng.random(n_rows) < 0.2] *= 1 + 1e-15
    drawn[rng.random(n_rows) < 0.1] = -np.inf
    return drawn


@pytest.mark.parametrize("seed", SEEDS)
def test_probabilities(seed):
    rng = np.random.default_rng(seed)
    plain = scores(rng, int(rng.integers(1, 400)), int(rng.integers(1, 12)))
    compiled = plain.copy()
    undefined = np.zeros((2, len(plain)), dtype=np.bool_)
    _plain.normalise_rows(plain, undefined[0])
    _kernels.normalise_rows(compiled, undefined[1])
    assert plain.tobytes() == compiled.tobytes()
    assert undefined[0].tolist() == undefined[1].tolist()
    assert undefined[0].any() or len(plain) < 50


@pytest.mark.parametrize("seed", SEEDS)
def test_sums_of_look_ups(seed):
    rng = np.random.default_rng(seed)
    n_rows, n_variables, n_classes = rng.integers(1, 700), rng.integers(1, 9), rng.integers(1, 11)
    sizes = rng.integers(1, 7, n_variables) + 1
    groups = column_groups(sizes, 20)
    codes = rng.integers(0, sizes, (n_rows, n_variables)).astype(np.uint8).T
    lengths = [sizes[a:b].prod() for a, b in pairwise(groups)]
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    n_lanes = -(-n_classes // 4)
    joint, base = rng.normal(size=(n_lanes, starts[-1], 4)), rng.normal(size=4 * n_lanes)
    found = np.zeros((2, n_rows, n_classes))
    for loops, into in zip((_plain, _kernels), found, strict=True):
        loops.score_rows(codes, sizes, groups, starts, joint, base, 0, n_rows, into)
    assert found[0].tobytes() == found[1].tobytes()


@pytest.mark.parametrize("seed", SEEDS)
def test_costs_of_counts(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 9, (4, 5)) * 10.0 ** rng.integers(-5, 15, (4, 5))
    pseudocounts = rng.random((4, 5)) * 10.0 ** rng.integers(-20, 20, (4, 5))
    assert costs_of_counts(counts, pseudocounts).tobytes() == (
        _kernels.dirichlet_costs(counts, pseudocounts).tobytes()
    )


def test_what_is_worth_compiling():
    calls = FirstCalls(at_once=10, in_all=25)
    assert [calls.are_plain(n) for n in (10, 10, 4, 4)] == [True, True, True, False]
    calls = FirstCalls(at_once=10, in_all=25)
    # Once a kernel is there it serves small calls too.
    assert [calls.are_plain(n) for n in (1, 11, 1)] == [True, False, False]
