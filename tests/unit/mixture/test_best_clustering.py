"""The search for the most probable clustering."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings

import naive
from codelength.errors import Infeasible, InvalidParameter
from codelength.mixture.best_clustering import best_clustering, local_optima
from codelength.mixture.clusterings import clustering_counts
from codelength.mixture.code_length.neighbourhood import neighbourhood_code_length
from codelength.naive_bayes import Prior
from codelength.scores import evidence_code_length
from codelength.table import Coded, Schema
from unit.mixture.mixture_tables import case_of, cases, random_coded


@settings(max_examples=60)
@given(cases(pseudocounts=(1, 2, 0.5)))
def test_exhaustive_search_finds_the_first_of_the_best(case):
    best = best_clustering(case.coded, case.n_components, case.prior, n_starts=1)
    slow = naive.best_terms(naive.mixture_terms(case.rows, case.naive_prior))
    assert best.exact
    assert tuple(best.clustering.tolist()) == slow[0].clustering
    assert -best.code_length == pytest.approx(naive.log(slow[0].probability), rel=1e-12, abs=1e-12)


def test_no_single_move_improves_a_local_optimum():
    coded = random_coded(3, 50, [2, 3, 2, 4], n_groups=3, missing=0.1, n_components=3)
    optima = local_optima(coded, 3, n_starts=6)
    assert [optimum.code_length for optimum in optima] == sorted(optimum.code_length for optimum in optima)
    for optimum in optima:
        counts = clustering_counts(coded, optimum.clustering)
        assert optimum.code_length == evidence_code_length(counts)
        for n in range(50):
            for k in range(3):
                moved = optimum.clustering.copy()
                moved[n] = k
                length = evidence_code_length(clustering_counts(coded, moved))
                assert length > optimum.code_length - 1e-8


def test_well_separated_groups_are_found_by_climbing():
    groups = np.repeat([0, 1, 2], 40)
    codes = (groups[:, None] == np.arange(3)).repeat(4, axis=1).astype(np.uint8)
    best = best_clustering(Coded.of(Schema.from_sizes([2] * 12), codes), 3, method="climb")
    assert not best.exact
    assert best.clustering.tolist() == groups.tolist()


def test_a_search_that_takes_too_long_says_so(monkeypatch):
    # By name: in the package the function of the same name stands in front of the module.
    monkeypatch.setattr(import_module("codelength.mixture.best_clustering"), "MAX_STEPS", 50)
    coded = random_coded(0, 25, [2, 3])
    assert not best_clustering(coded, 3).exact
    with pytest.raises(Infeasible, match="25 rows in 3 components"):
        best_clustering(coded, 3, method="exact")


def test_edges():
    nothing = best_clustering(Coded.of(Schema.from_sizes([2]), np.zeros((0, 1), int)), 2)
    assert (nothing.clustering.tolist(), nothing.code_length, nothing.exact) == ([], 0.0, True)
    case = case_of([1, 2], 4, [[None, None], [0, None]])
    best = best_clustering(case.coded, 4)
    assert best.clustering.tolist() == [0, 0]
    assert neighbourhood_code_length(case.coded, best.clustering) < best.code_length
    with pytest.raises(InvalidParameter, match="method"):
        best_clustering(case.coded, 2, method="guess")
    with pytest.raises(InvalidParameter, match="n_starts=0"):
        best_clustering(case.coded, 2, n_starts=0)


def test_pseudocounts_that_counts_would_swallow_are_refused():
    coded = random_coded(0, 30, [3] * 40)
    with pytest.raises(InvalidParameter, match="pseudocount of 1e-16 would be lost"):
        best_clustering(coded, 3, Prior(1e-16, 1e-16))
    assert np.isfinite(best_clustering(coded, 3, Prior(1e-6, 1e-6), method="climb").code_length)
