"""The Cheeseman-Stutz approximation."""

import numpy as np
import pytest
from hypothesis import given

import naive
from codelength.errors import DataError, InvalidParameter
from codelength.mixture.clusterings import clustering_counts
from codelength.mixture.code_length.cheeseman_stutz import cheeseman_stutz_code_length
from codelength.mixture.em import fit_mixture
from codelength.mixture.parameters import MixtureParameters, with_components
from codelength.scores import evidence_code_length
from unit.mixture.mixture_tables import case_of, cases, random_coded


def shares_of(case):
    shares = 1.0 + np.arange(len(case.rows) * case.n_components).reshape(-1, case.n_components) % 4
    return shares / shares.sum(axis=1, keepdims=True)


@given(cases())
def test_both_completions_are_those_of_the_definition(case):
    shares = shares_of(case)
    labels = naive.hard_clustering(shares.tolist())
    hard = cheeseman_stutz_code_length(case.coded, shares, case.prior)
    expected = naive.cheeseman_stutz_hard(case.rows, labels, case.naive_prior)
    assert hard == pytest.approx(expected, rel=1e-11, abs=1e-11)
    assert hard == cheeseman_stutz_code_length(case.coded, labels, case.prior)
    soft = cheeseman_stutz_code_length(case.coded, shares, case.prior, completion="soft")
    expected = naive.cheeseman_stutz_soft(case.rows, shares.tolist(), case.naive_prior)
    assert soft == pytest.approx(expected, rel=1e-11, abs=1e-11)


@given(cases(max_components=1))
def test_one_component_needs_no_approximation(case):
    labels = [0] * len(case.rows)
    exact = evidence_code_length(clustering_counts(case.coded, labels), case.prior)
    approximate = cheeseman_stutz_code_length(case.coded, labels, case.prior)
    assert approximate == pytest.approx(exact, rel=1e-11, abs=1e-11)


def test_parameters_of_em_and_of_the_completed_data_agree_once_em_has_converged():
    coded = random_coded(5, 60, [2, 3, 2], missing=0.05, n_components=2)
    state, _ = fit_mixture(coded, 2, 40.0, n_init=2, tol=1e-15, max_iter=20_000, random_state=0)
    shares = state.responsibilities(coded)
    own = cheeseman_stutz_code_length(coded, shares, 40.0, completion="soft")
    given_ = cheeseman_stutz_code_length(coded, shares, 40.0, completion="soft", parameters=state)
    assert own == pytest.approx(given_, abs=1e-6)


def test_weights_count_as_repetition():
    weights, labels = np.arange(20) % 3, np.arange(20) % 2
    coded = random_coded(1, 20, [2, 3], n_components=2, weights=weights)
    weighted = cheeseman_stutz_code_length(coded, labels)
    repeated = cheeseman_stutz_code_length(coded.repeated(), np.repeat(labels, weights))
    assert weighted == pytest.approx(repeated)


def test_bad_arguments_are_refused():
    case = case_of([2], 2, [[0], [1]])
    with pytest.raises(InvalidParameter, match="'hard', 'soft'"):
        cheeseman_stutz_code_length(case.coded, [0, 1], completion="medium")
    certain = MixtureParameters(case.schema, np.array([1.0, 0.0]), np.array([[1.0, 0, 1], [0.5, 0.5, 1]]))
    with pytest.raises(DataError, match="exclude the completed data"):
        cheeseman_stutz_code_length(case.coded, [0, 1], parameters=certain)
    single = MixtureParameters(with_components(case.schema, 1), np.array([1.0]), np.array([[1.0, 0, 1]]))
    with pytest.raises(InvalidParameter, match="1 components"):
        cheeseman_stutz_code_length(case.coded, [0, 1], parameters=single)
