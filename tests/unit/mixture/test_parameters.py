"""The parameters of a mixture."""

import numpy as np
import pytest
from hypothesis import given

import naive
from codelength.counts import expected_counts
from codelength.errors import DataError, Infeasible, InvalidParameter, SchemaMismatch
from codelength.mixture.clusterings import clustering_counts
from codelength.mixture.parameters import MixtureParameters, posterior_mode, with_components
from codelength.naive_bayes import Prior, pseudocounts
from codelength.table import Coded, Schema
from unit.mixture.mixture_tables import case_of, cases


@given(cases())
def test_posterior_mode_of_shared_rows_is_that_of_the_definition(case):
    n_rows, n_components = len(case.rows), case.n_components
    shares = 1.0 + np.arange(n_rows * n_components).reshape(n_rows, n_components) % 3
    shares /= shares.sum(axis=1, keepdims=True)
    mode = posterior_mode(expected_counts(case.coded, shares), case.prior)
    counts = naive.soft_count(case.rows, shares.tolist(), case.n_values, n_components)
    slow = naive.mode_of_completed(counts, case.naive_prior, float)
    assert mode.class_probs == pytest.approx(np.array(slow.class_probs), rel=1e-12)
    for i in range(len(case.n_values)):
        assert mode.of(i) == pytest.approx(np.array([blocks[i] for blocks in slow.value_probs]), rel=1e-12)


def test_what_was_never_seen_is_uniform():
    case = case_of([2, 3], 3, [[0, None]])
    mode = posterior_mode(clustering_counts(case.coded, [1]), case.prior)
    assert mode.class_probs.tolist() == [0, 1, 0]
    assert mode.of("x0").tolist() == [[0.5, 0.5], [1, 0], [0.5, 0.5]]
    assert mode.of("x1") == pytest.approx(np.full((3, 3), 1 / 3))


def test_responsibilities_of_a_row_that_no_component_allows_are_equal():
    schema = with_components(Schema.from_sizes([2]), 2)
    mixture = MixtureParameters(schema, np.array([0.5, 0.5]), np.array([[1.0, 0, 1], [1.0, 0, 1]]))
    codes = Coded.of(schema, [[0], [1], [2]])
    assert mixture.responsibilities(codes) == pytest.approx(np.full((3, 2), 0.5))
    assert mixture.log_probs(codes).tolist() == [0, -np.inf, 0]


def test_rows_of_another_shape_are_refused_not_looked_up_out_of_bounds():
    case = case_of([2, 3], 2, [[0, 1], [1, 2]])
    mixture = posterior_mode(clustering_counts(case.coded, [0, 1]))
    assert mixture.labels(case.coded).tolist() == [0, 1]
    with pytest.raises(SchemaMismatch, match=r"sizes \[3, 3\]"):
        mixture.log_probs(Coded.of(Schema.from_sizes([3, 3]), [[0, 1]]))


def test_coded_rows_keep_their_cells_and_lose_their_class():
    coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [0], [1]], [0, 1, 1], [2, 1, 1])
    hidden = with_components(coded, 3)
    assert hidden.schema.n_classes == 3
    assert not hidden.class_codes.any()
    assert hidden.weights.tolist() == [2, 1, 1]
    assert not with_components(coded.distinct(), 3).is_distinct
    assert with_components(hidden.distinct(), 5).is_distinct


def test_pseudocounts_below_one_have_no_mode_where_nothing_was_seen():
    case = case_of([2], 2, [[0]])
    counts = clustering_counts(case.coded, [0])
    with pytest.raises(InvalidParameter, match=r"below 1.*at least 1"):
        posterior_mode(counts, Prior(1, 0.5))


def test_json_round_trip_and_its_checks():
    case = case_of([2, 3], 2, [[0, 1], [1, None], [0, 0]])
    mode = posterior_mode(clustering_counts(case.coded, [0, 1, 0]), Prior(2, 1.5))
    again = MixtureParameters.from_json(mode.to_json(), Schema.from_sizes([2, 3]))
    assert again.schema == mode.schema
    assert np.array_equal(again.class_probs, mode.class_probs)
    assert np.array_equal(again.value_probs, mode.value_probs)
    with pytest.raises(DataError, match="does not fit the schema"):
        MixtureParameters.from_json(mode.to_json(), Schema.from_sizes([2, 2]))
    with pytest.raises(DataError, match="do not add up to 1"):
        MixtureParameters.from_json(mode.to_json() | {"class_probs": [0.5, 0.6]}, Schema.from_sizes([2, 3]))


def test_a_prior_must_fit_the_components():
    schema = with_components(Schema.from_sizes([2]), 3)
    assert pseudocounts("uniform", schema).class_pseudocounts.tolist() == [1, 1, 1]
    with pytest.raises(InvalidParameter, match=r"do not fit \(3, 3\)"):
        pseudocounts(pseudocounts("uniform", with_components(schema, 2)), schema)


@pytest.mark.parametrize("n_components", [0, -1, 1.5, True, "3"])
def test_the_number_of_components_is_a_whole_number(n_components):
    with pytest.raises(InvalidParameter, match="at least 1"):
        with_components(Schema.from_sizes([2]), n_components)


def test_more_components_than_memory_holds_are_refused_at_once():
    with pytest.raises(Infeasible, match=r"n_components=1000000000000: .* at most [\d,]+ components"):
        with_components(Schema.from_sizes([2]), 10**12)
