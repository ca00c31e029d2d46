"""Likelihood and penalties of a mixture."""

import math

import numpy as np
import pytest
from hypothesis import given

import naive
from codelength.counts import expected_counts
from codelength.errors import DataError
from codelength.mixture.clusterings import clustering_counts
from codelength.mixture.code_length.information_criteria import (
    aic_code_length,
    bic_code_length,
    log_likelihood,
    n_parameters,
)
from codelength.mixture.parameters import MixtureParameters, posterior_mode, with_components
from codelength.table import Coded, Schema
from unit.mixture.mixture_tables import case_of, cases, random_coded


def labels_of(case):
    return [j % case.n_components for j in range(len(case.rows))]


@given(cases())
def test_scores_at_a_clustering_are_those_of_the_definition(case):
    labels = labels_of(case)
    mode = posterior_mode(clustering_counts(case.coded, labels), case.prior)
    slow = naive.mode_of_completed(
        naive.clustering_counts(case.rows, labels, case.naive_prior), case.naive_prior
    )
    assert log_likelihood(case.coded, mode) == pytest.approx(naive.log_likelihood(case.rows, slow), abs=1e-11)
    bic = naive.bic_at(case.rows, labels, case.naive_prior)
    assert bic_code_length(case.coded, mode) == pytest.approx(bic, rel=1e-11, abs=1e-11)
    aic = naive.aic_at(case.rows, labels, case.naive_prior)
    assert aic_code_length(case.coded, mode) == pytest.approx(aic, rel=1e-11, abs=1e-11)


def test_weights_count_as_repetition():
    coded = random_coded(0, 30, [2, 3, 4], missing=0.1, n_components=2, weights=np.arange(30) % 4)
    mode = posterior_mode(clustering_counts(coded, np.arange(30) % 2), "indifferent")
    for score in (log_likelihood, bic_code_length, aic_code_length):
        assert score(coded, mode) == pytest.approx(score(coded.repeated(), mode))


def test_a_row_that_the_mixture_excludes_costs_everything_unless_it_has_no_weight():
    schema = with_components(Schema.from_sizes([2]), 1)
    certain = MixtureParameters(schema, np.array([1.0]), np.array([[1.0, 0.0, 1.0]]))
    assert log_likelihood(Coded.of(schema, [[0], [1]]), certain) == -math.inf
    assert log_likelihood(Coded.of(schema, [[0], [1]], weights=[2.0, 0.0]), certain) == 0


def test_rows_without_a_single_observed_cell_cost_nothing():
    case = case_of([2, 3], 2, [[None, None], [None, None]])
    mode = posterior_mode(expected_counts(case.coded, np.full((2, 2), 0.5)), case.prior)
    assert log_likelihood(case.coded, mode) == pytest.approx(0, abs=1e-15)


def test_constant_columns_have_no_parameters():
    assert n_parameters(Schema.from_sizes([1, 1]), 3) == 2
    assert n_parameters(Schema.from_sizes([]), 1) == 0


def test_no_rows_have_no_bic():
    schema = with_components(Schema.from_sizes([2]), 1)
    coin = MixtureParameters(schema, np.array([1.0]), np.array([[0.5, 0.5, 1.0]]))
    nothing = Coded.of(schema, np.zeros((0, 1), int))
    assert aic_code_length(nothing, coin) == 1
    with pytest.raises(DataError, match="at least one row"):
        bic_code_length(nothing, coin)
