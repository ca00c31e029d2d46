"""Counts of completed tables, and the names of components."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codelength.counts import expected_counts
from codelength.errors import DataError
from codelength.mixture.clusterings import canonical, clustering_counts, exchangeable, log_renamings
from codelength.naive_bayes import Prior
from codelength.table import Schema
from unit.mixture.mixture_tables import case_of, cases


@given(cases())
def test_certain_shares_count_like_labels(case):
    labels = np.arange(len(case.rows)) % case.n_components
    hard = clustering_counts(case.coded, labels)
    soft = expected_counts(case.coded, np.eye(case.n_components)[labels])
    assert hard == soft


@given(st.lists(st.integers(0, 3), max_size=8), st.sampled_from([[0, 0, 0, 0], [0, 1, 0, 1], [0, 1, 2, 3]]))
def test_the_canonical_clustering_is_the_first_of_all_renamings(labels, names):
    names, labels = np.array(names), np.array(labels, dtype=np.int64)
    allowed = [p for p in itertools.permutations(range(4)) if (names[list(p)] == names).all()]
    renamings = {tuple(np.array(p)[labels].tolist()) for p in allowed}
    assert tuple(canonical(labels, names).tolist()) == min(renamings)
    used = np.bincount(labels, minlength=4) > 0
    assert log_renamings(used, names) == pytest.approx(math.log(len(renamings)), abs=1e-12)


def test_components_are_exchangeable_when_all_their_pseudocounts_agree():
    schema = Schema.from_sizes([2], n_classes=4)
    assert exchangeable(Prior(1, 1).spread(schema)).tolist() == [0, 0, 0, 0]
    uneven = Prior([1, 1, 2, 1], [[[1, 1], [1, 2], [1, 1], [1, 1]]]).spread(schema)
    assert exchangeable(uneven).tolist() == [0, 1, 2, 0]


def test_bad_clusterings_and_shares_are_refused():
    case = case_of([2], 2, [[0], [1]])
    for labels, message in (([0], "each of the 2 rows"), ([0.0, 1.0], "whole number"), ([0, 2], "row 1")):
        with pytest.raises(DataError, match=message):
            clustering_counts(case.coded, labels)
    for shares, message in (([[1.0, 0.0]], "expected"), ([[1, 0], [np.nan, 1]], "finite numbers")):
        with pytest.raises(DataError, match=message):
            expected_counts(case.coded, shares)
