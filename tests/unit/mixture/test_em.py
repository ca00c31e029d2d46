"""EM for finite mixtures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from codelength.counts import expected_counts
from codelength.errors import InvalidParameter
from codelength.mixture.code_length.information_criteria import log_likelihood
from codelength.mixture.em import Layout, _problem, em
from codelength.mixture.parameters import MixtureParameters, posterior_mode
from codelength.table import Coded, Schema
from unit.mixture.mixture_tables import case_of, cases, random_coded


def start_of(case, seed=0):
    shares = np.random.default_rng(seed).dirichlet(np.ones(case.n_components), size=len(case.rows))
    counts = expected_counts(case.coded, shares)
    return shares, posterior_mode(counts, case.prior)


def same(one, other, rel=1e-12):
    np.testing.assert_allclose(one.class_probs, other.class_probs, rtol=rel, atol=1e-14)
    np.testing.assert_allclose(one.value_probs, other.value_probs, rtol=rel, atol=1e-14)


def problem(n_rows, sizes, n_components, seed=0, missing=0.05):
    coded = random_coded(seed, n_rows, sizes, n_components, missing, n_components=n_components)
    shares = np.random.default_rng(seed).dirichlet(np.ones(n_components), size=n_rows)
    return coded, posterior_mode(expected_counts(coded, shares))


@settings(max_examples=60)
@given(cases(max_rows=8), st.integers(0, 5))
def test_iterations_are_those_of_the_definition(case, seed):
    shares, start = start_of(case, seed)
    slow = naive.em(case.rows, shares.tolist(), case.naive_prior, 6)
    state, info = em(case.coded, start, case.prior, max_iter=6, tol=0)
    traced = [of_one.log_likelihood for of_one in slow]
    np.testing.assert_allclose(info.log_likelihoods, traced, rtol=1e-10, atol=1e-10)
    last = slow[-1].parameters
    np.testing.assert_allclose(state.class_probs, last.class_probs, rtol=1e-9, atol=1e-14)
    for i in range(len(case.n_values)):
        expected = [blocks[i] for blocks in last.value_probs]
        np.testing.assert_allclose(state.of(i), expected, rtol=1e-9, atol=1e-14)


@settings(max_examples=80)
@given(cases(max_rows=8, max_components=5, pseudocounts=(1, 1, 3, 1.01)), st.integers(0, 20))
def test_the_objective_never_falls(case, seed):
    _, start = start_of(case, seed)
    _, info = em(case.coded, start, case.prior, max_iter=60, tol=0)
    gains = np.diff(info.log_posteriors)
    assert (gains >= -1e-11 * (1 + np.abs(info.log_posteriors[1:]))).all()


def test_the_objective_is_the_log_posterior_up_to_a_constant():
    case = case_of([2, 3], 2, [[0, 1], [1, 2], [0, None], [1, 0]], 2, 1.5)
    _, start = start_of(case)
    state, info = em(case.coded, start, case.prior, max_iter=5, tol=0)
    assert info.log_likelihood == pytest.approx(log_likelihood(case.coded, state), rel=1e-13)
    values = sum(0.5 * np.log(state.of(i)).sum() for i in range(2))
    prior = np.log(state.class_probs).sum() + values
    assert info.log_posterior == pytest.approx(info.log_likelihood + prior, rel=1e-13)


@pytest.mark.parametrize("n_rows", [40, 3000])
def test_order_of_components_and_of_rows_does_not_matter(n_rows):
    coded, start = problem(n_rows, [2, 3, 4, 2, 1], 4)
    state, info = em(coded, start, max_iter=20, tol=0)
    order = np.array([2, 0, 3, 1])
    swapped, other = em(coded, start.permuted(order), max_iter=20, tol=0)
    same(swapped, state.permuted(order), 1e-9)
    np.testing.assert_allclose(other.log_posteriors, info.log_posteriors, rtol=1e-12)
    order = np.random.default_rng(1).permutation(n_rows)
    shuffled, other = em(coded.take(order), start, max_iter=20, tol=0)
    same(shuffled, state, 1e-9)
    np.testing.assert_allclose(other.log_posteriors, info.log_posteriors, rtol=1e-12)


def test_the_number_of_threads_changes_nothing(monkeypatch):
    monkeypatch.setattr(_problem, "BLOCK_ROWS", 64)
    coded, start = problem(1000, [2, 3, 4], 3)
    runs = [em(coded, start, max_iter=15, tol=0, n_threads=threads) for threads in (1, 2, 5)]
    for state, info in runs[1:]:
        assert np.array_equal(state.class_probs, runs[0][0].class_probs)
        assert np.array_equal(state.value_probs, runs[0][0].value_probs)
        assert np.array_equal(info.log_posteriors, runs[0][1].log_posteriors)


def test_threads_stop_at_the_same_iteration(monkeypatch):
    monkeypatch.setattr(_problem, "BLOCK_ROWS", 64)
    coded, start = problem(500, [2, 3, 4], 2)
    alone, together = (em(coded, start, tol=1e-6, n_threads=threads)[1] for threads in (1, 3))
    assert alone.converged
    assert together.converged
    assert np.array_equal(alone.log_posteriors, together.log_posteriors)


@pytest.mark.parametrize("n_rows", [30, 2000])
def test_weights_count_as_repetition(n_rows):
    coded, start = problem(n_rows, [2, 3, 4], 3)
    coded = Coded.of(coded.schema, coded.codes, weights=np.arange(n_rows) % 4)
    settings = {"prior": "indifferent", "max_iter": 10, "tol": 0}
    weighted, info = em(coded, start, **settings)
    repeated, other = em(coded.repeated(), start, **settings)
    same(weighted, repeated, 1e-9)
    np.testing.assert_allclose(info.log_posteriors, other.log_posteriors, rtol=1e-12)


def test_one_component_is_fitted_at_once():
    case = case_of([2, 3], 1, [[0, 2], [1, 2], [1, None]])
    _, start = start_of(case)
    state, info = em(case.coded, start)
    assert info.converged
    assert info.n_iter == 2
    assert state.of(0) == pytest.approx(np.array([[1 / 3, 2 / 3]]))
    assert state.of(1).tolist() == [[0, 0, 1]]


def test_an_empty_component_stays_empty_and_uniform():
    case = case_of([2], 2, [[0], [1], [1]])
    start = MixtureParameters(case.schema, np.array([1.0, 0.0]), np.array([[0.5, 0.5, 1], [1.0, 0, 1]]))
    state, _ = em(case.coded, start)
    assert state.class_probs.tolist() == [1, 0]
    assert state.of(0)[1].tolist() == [0.5, 0.5]


def test_more_components_than_rows():
    case = case_of([2, 2], 6, [[0, 1], [1, 0]])
    _, start = start_of(case)
    _, info = em(case.coded, start, max_iter=5000)
    assert info.log_likelihood == pytest.approx(2 * np.log(0.5), abs=1e-4)


def test_rows_without_a_single_observed_cell_say_nothing_about_values():
    case = case_of([2, 3], 2, [[None, None]] * 4)
    _, start = start_of(case)
    state, info = em(case.coded, start, max_iter=5, tol=0)
    assert info.log_likelihoods == pytest.approx(np.zeros(5), abs=1e-13)
    assert state.of(0) == pytest.approx(np.full((2, 2), 0.5))


def test_a_table_without_columns_or_rows():
    for rows, sizes in (([[], []], []), ([], [2])):
        case = case_of(sizes, 2, rows)
        state, info = em(case.coded, start_of(case)[1], max_iter=3, tol=0)
        assert info.log_likelihood == pytest.approx(0, abs=1e-13)
        assert state.class_probs.sum() == pytest.approx(1)


def test_probabilities_that_underflow_are_added_up_in_logs():
    """Fifteen hundred columns: a row's probability is far below the smallest float64."""
    coded, start = problem(12, [3] * 1500, 2)
    state, info = em(coded, start, max_iter=2, tol=0)
    assert info.log_likelihoods[0] < -800 * 12
    assert info.log_likelihoods[0] == pytest.approx(log_likelihood(coded, start), rel=1e-12)
    assert info.log_likelihoods[1] == pytest.approx(log_likelihood(coded, state), rel=1e-12)
    shared = expected_counts(coded, start.responsibilities(coded))
    same(state, posterior_mode(shared, "uniform"), 1e-9)


def test_a_start_that_excludes_a_row_is_worth_nothing_and_left_behind():
    case = case_of([2], 2, [[0], [1]])
    start = MixtureParameters(case.schema, np.array([0.5, 0.5]), np.array([[1.0, 0, 1], [1.0, 0, 1]]))
    _, info = em(case.coded, start, max_iter=3, tol=0)
    assert info.log_likelihoods[0] == -np.inf
    assert info.log_likelihoods[1] == pytest.approx(2 * np.log(0.5))


def test_equal_rows_are_merged():
    case = case_of([2, 2], 2, [[0, 1], [1, 1]] * 50)
    assert len(Layout.of(case.coded).joint.weights) == 2
    shares, start = start_of(case)
    slow = naive.em(case.rows, shares.tolist(), case.naive_prior, 3)
    _, info = em(case.coded, start, max_iter=3, tol=0)
    np.testing.assert_allclose(info.log_likelihoods, [of_one.log_likelihood for of_one in slow], rtol=1e-12)


def test_bad_arguments_are_refused():
    case = case_of([2], 2, [[0], [1]])
    _, start = start_of(case)
    with pytest.raises(InvalidParameter, match=r"pseudocount is 0\.5"):
        em(case.coded, start, "jeffreys")
    for name, wrong in (("max_iter", 0), ("tol", -1), ("tol", np.nan)):
        with pytest.raises(InvalidParameter, match=name):
            em(case.coded, start, **{name: wrong})
    with pytest.raises(InvalidParameter, match="n_threads"):
        em(case.coded, start, n_threads=0)
    with pytest.raises(InvalidParameter, match="cells of this schema"):
        em(Coded.of(Schema.from_sizes([3]), case.coded.codes), start)
