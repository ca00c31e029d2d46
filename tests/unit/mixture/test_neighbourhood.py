"""Sums over neighbourhoods of clusterings."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.special import logsumexp

import naive
from codelength.errors import DataError, InvalidParameter
from codelength.mixture.best_clustering import local_optima
from codelength.mixture.code_length import clustering_log_terms
from codelength.mixture.code_length.neighbourhood import neighbourhood_code_length, union_code_length
from codelength.mixture.em import fit_mixture
from codelength.mixture.parameters import with_components
from codelength.naive_bayes import Prior
from unit.mixture import mixture_tables
from unit.mixture.mixture_tables import case_of, cases, random_coded


def all_clusterings(case):
    return [np.array(z) for z in itertools.product(range(case.n_components), repeat=len(case.rows))]


def orbit(labels, case):
    """All renamings of a clustering by components with the same pseudocounts."""
    kinds = [str(kind) for kind in zip(*case.naive_prior, strict=True)]
    for p in itertools.permutations(range(case.n_components)):
        if [kinds[k] for k in p] == kinds:
            yield tuple(p[k] for k in labels)


@given(cases())
def test_one_neighbourhood_is_that_of_the_definition(case):
    labels = [j % case.n_components for j in range(len(case.rows))]
    for with_centre in (True, False):
        fast = neighbourhood_code_length(case.coded, labels, case.prior, with_centre=with_centre)
        slow = naive.neighbourhood_code_length(case.rows, labels, case.naive_prior, with_centre=with_centre)
        assert fast == (math.inf if slow is None else pytest.approx(slow, rel=1e-11, abs=1e-12))


@settings(max_examples=30)
@given(cases(max_rows=4))
def test_several_neighbourhoods_are_the_sum_over_their_union_and_its_renamings(case):
    centres = all_clusterings(case)[::4]
    union = {tuple(near) for z in centres for near in naive.neighbours(z.tolist(), case.n_components)}
    union |= {tuple(z.tolist()) for z in centres}
    union = {renamed for z in union for renamed in orbit(z, case)}
    counts = [naive.clustering_counts(case.rows, z, case.naive_prior) for z in union]
    slow = -naive.log(sum(naive.evidence(of_one, case.naive_prior) for of_one in counts))
    fast = union_code_length(case.coded, centres, case.prior)
    assert fast == pytest.approx(slow, rel=1e-11, abs=1e-11)


@settings(max_examples=30)
@given(cases(max_rows=4))
def test_all_clusterings_as_centres_give_the_exact_code_length(case):
    exact = -naive.log(naive.mixture_evidence(naive.mixture_terms(case.rows, case.naive_prior)))
    fast = union_code_length(case.coded, all_clusterings(case), case.prior)
    assert fast == pytest.approx(exact, rel=1e-11, abs=1e-11)


def test_copies_and_renamings_of_a_centre_add_nothing():
    coded = random_coded(0, 40, [2, 3, 2], n_components=3)
    labels = np.arange(40) % 3
    once = union_code_length(coded, [labels])
    again = union_code_length(coded, [labels, (labels + 1) % 3, labels])
    assert again == once
    more = union_code_length(coded, [labels, (labels + (np.arange(40) == 7)) % 3])
    assert more < once < neighbourhood_code_length(coded, labels)


def test_tiny_pseudocounts_survive_the_counts_beside_them():
    """One row less one row leaves the pseudocount alone, however small it is beside 1."""
    case = case_of([2, 3], 2, [[0, 1], [1, 2], [0, None], [1, 2]], 1e-16, 1e-16)
    for labels in ([0, 1, 0, 1], [0, 1, 1, 1], [0, 0, 0, 0]):
        fast = neighbourhood_code_length(case.coded, labels, Prior(1e-16, 1e-16))
        slow = naive.neighbourhood_code_length(case.rows, labels, case.naive_prior)
        assert fast == pytest.approx(slow, rel=1e-12)
        near = [z for z in all_clusterings(case) if np.count_nonzero(z != labels) <= 1]
        terms = clustering_log_terms(case.coded, 2, Prior(1e-16, 1e-16))
        places = [int("".join(map(str, z)), 2) for z in near]
        assert fast == pytest.approx(-logsumexp(terms[places]), rel=1e-12)


def test_weights_count_as_repetition():
    weights, labels = np.arange(20) % 3, np.arange(20) % 2
    coded = random_coded(1, 20, [2, 3], n_components=2, weights=weights)
    again, repeated = coded.repeated(), np.repeat(labels, weights)
    once = neighbourhood_code_length(coded, labels)
    assert once == neighbourhood_code_length(again, repeated)
    assert union_code_length(coded, [labels]) == union_code_length(again, [repeated])


def test_a_mixture_stands_for_its_clustering_and_for_local_optima():
    coded = random_coded(3, 30, [2, 3, 2, 2])
    mixture, _ = fit_mixture(coded, 3, random_state=0)
    rows = with_components(coded, 3)
    optima = [optimum.clustering for optimum in local_optima(coded, 3, n_starts=7, random_state=4)]
    expected = union_code_length(rows, [mixture.labels(coded), *optima])
    assert neighbourhood_code_length(coded, mixture, n_neighbourhoods=8, random_state=4) == expected
    assert expected < neighbourhood_code_length(coded, mixture)


def test_no_rows_cost_nothing():
    case = mixture_tables.case_of([2], 3, [])
    assert neighbourhood_code_length(case.coded, []) == 0
    assert union_code_length(case.coded, [[]]) == 0


def test_bad_arguments_are_refused():
    case = case_of([2], 2, [[0], [1]])
    with pytest.raises(InvalidParameter, match="at least one centre"):
        union_code_length(case.coded, [])
    with pytest.raises(DataError, match="row 0"):
        neighbourhood_code_length(case.coded, [5, 0])
    with pytest.raises(InvalidParameter, match="several neighbourhoods include their centres"):
        neighbourhood_code_length(case.coded, [1, 0], n_neighbourhoods=2, with_centre=False)
