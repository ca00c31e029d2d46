"""Sums over the clusterings that differ in up to two rows."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from scipy.special import logsumexp

import naive
from codelength.counts import count
from codelength.errors import Infeasible
from codelength.mixture.clusterings import completed
from codelength.mixture.code_length.neighbourhood import log_moves, neighbourhood_code_length
from codelength.naive_bayes import Prior, pseudocounts
from codelength.scores import evidence_code_length
from codelength_lab.wider_neighbourhood import wider_neighbourhood_code_length
from unit.mixture.mixture_tables import case_of, cases, random_coded


@given(cases())
def test_the_sum_is_that_of_the_definition(case):
    labels = [j % case.n_components for j in range(len(case.rows))]
    for with_centre in (True, False):
        fast = wider_neighbourhood_code_length(case.coded, labels, case.prior, with_centre=with_centre)
        given = {"radius": 2, "with_centre": with_centre}
        slow = naive.neighbourhood_code_length(case.rows, labels, case.naive_prior, **given)
        assert fast == (math.inf if slow is None else pytest.approx(slow, rel=1e-11, abs=1e-12))


def test_tiny_pseudocounts_survive_the_counts_beside_them():
    case = case_of([2, 3], 2, [[0, 1], [1, 2], [0, None], [1, 2]], 1e-16, 1e-16)
    for labels in ([0, 1, 0, 1], [0, 1, 1, 1], [0, 0, 0, 0]):
        fast = wider_neighbourhood_code_length(case.coded, labels, Prior(1e-16, 1e-16))
        slow = naive.neighbourhood_code_length(case.rows, labels, case.naive_prior, radius=2)
        assert fast == pytest.approx(slow, rel=1e-12)


def test_weights_count_as_repetition():
    weights, labels = np.arange(20) % 3, np.arange(20) % 2
    coded = random_coded(1, 20, [2, 3], n_components=2, weights=weights)
    once = wider_neighbourhood_code_length(coded, labels)
    assert once == wider_neighbourhood_code_length(coded.repeated(), np.repeat(labels, weights))


def test_no_rows_cost_nothing():
    assert wider_neighbourhood_code_length(case_of([2], 3, []).coded, []) == 0


@pytest.mark.parametrize("n_components", [2, 3])
def test_pairs_of_rows_are_moves_after_moves(n_components):
    """With more rows than can be enumerated: neighbours of neighbours, each of them met twice."""
    coded = random_coded(2, 40, [2, 3, 2], n_components=n_components, missing=0.2)
    labels = np.arange(40) % n_components
    log_prob = -neighbourhood_code_length(coded, labels, with_centre=False)
    pairs = []
    for j, k in itertools.product(range(40), range(n_components)):
        if k != labels[j]:
            moved = np.where(np.arange(40) == j, k, labels)
            table = completed(coded, moved)
            near = (
                -evidence_code_length(count(table))
                + log_moves(table, pseudocounts("uniform", table.schema))[1]
            )
            away = (np.arange(n_components) != moved[:, None]) & (np.arange(40) != j)[:, None]
            pairs.append(near[away])
    expected = -np.logaddexp(log_prob, logsumexp(np.concatenate(pairs)) - np.log(2))
    fast = wider_neighbourhood_code_length(coded, labels, with_centre=False)
    assert fast == pytest.approx(expected, rel=1e-12)


def test_pairs_that_would_take_too_long_are_refused_at_once():
    coded = random_coded(0, 60_000, [9] * 12, n_components=5)
    with pytest.raises(Infeasible, match=r"all pairs of 60,000 rows would take"):
        wider_neighbourhood_code_length(coded, np.zeros(60_000, dtype=int))
