"""Clusterings to choose among."""

import numpy as np
import pytest

from codelength.errors import InvalidParameter
from codelength.mixture.candidates import (
    METHODS,
    candidate_clusterings,
    kmeans_clustering,
    numbered,
    spread_sizes,
)
from codelength.table import Coded, Schema

PLAN = [("kmeans", 3), ("em", 3), ("kmeans", 5), ("em", 2)]


def drawn(n_rows=40, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, (n_rows, 4))
    return Coded.of(Schema.from_sizes([3] * 4), codes, weights=rng.integers(1, 4, n_rows)).distinct()


def test_candidates_are_numbered_from_one_by_their_place_in_the_plan():
    found = candidate_clusterings(drawn(), PLAN, 0)
    assert [candidate.number for candidate in found] == [1, 2, 3, 4]
    assert [candidate.method for candidate in found] == [method for method, _ in PLAN]
    for candidate, (_, size) in zip(found, PLAN, strict=True):
        assert 1 <= candidate.n_components <= size
        assert sorted(set(candidate.labels.tolist())) == list(range(candidate.n_components))


def test_a_clustering_found_again_is_left_out():
    found = candidate_clusterings(drawn(), [("em", 1), ("kmeans", 1), ("kmeans", 2)], 0)
    assert [candidate.number for candidate in found] == [1, 3]


def test_runs_have_streams_of_their_own():
    whole, part = (candidate_clusterings(drawn(), plan, [7, 0]) for plan in (PLAN, PLAN[:2]))
    for one, other in zip(whole, part, strict=False):
        np.testing.assert_array_equal(one.labels, other.labels)


def test_there_are_no_more_clusters_than_rows():
    found = candidate_clusterings(drawn(5), [("kmeans", 50), ("em", 50)], 0)
    assert all(candidate.n_components <= 5 for candidate in found)


def test_a_new_method_is_one_entry(monkeypatch):
    monkeypatch.setitem(METHODS, "by_first", lambda coded: lambda size, seed: coded.codes[:, 0] % size)
    coded = drawn()
    (found,) = candidate_clusterings(coded, [("by_first", 2)], 0)
    np.testing.assert_array_equal(found.labels, numbered(coded.codes[:, 0] % 2))


def test_an_unknown_method_is_refused():
    with pytest.raises(InvalidParameter, match="method='guess'"):
        candidate_clusterings(drawn(), [("guess", 2)], 0)


def test_kmeans_weighs_rows_as_if_they_were_repeated():
    """On clusters that are far apart, where the start does not matter."""
    codes = [[0] * 6, [1] * 6, [0] * 5 + [1]]
    for weights in (None, [3.0, 2.0, 1.0]):
        coded = Coded.of(Schema.from_sizes([2] * 6), codes, weights=weights)
        assert numbered(kmeans_clustering(coded, 2, 0)).tolist() == [0, 1, 0]


def test_sizes_are_spread_over_the_range():
    assert spread_sizes(1, 3, 20).tolist() == [12]
    assert spread_sizes(3, 2, 2).tolist() == [2, 2, 2]
    assert spread_sizes(0, 2, 9).tolist() == []
