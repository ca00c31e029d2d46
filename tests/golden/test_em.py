"""EM against an independent oracle of 50 digits."""

from fractions import Fraction

import numpy as np
import pytest

from codelength.counts import expected_counts
from codelength.mixture.clusterings import clustering_counts
from codelength.mixture.code_length.cheeseman_stutz import cheeseman_stutz_code_length
from codelength.mixture.code_length.information_criteria import aic_code_length, bic_code_length
from codelength.mixture.code_length.neighbourhood import neighbourhood_code_length
from codelength.mixture.em import em
from codelength.mixture.parameters import posterior_mode
from codelength.table import encode
from golden.cases import cases, prior_of, rows_of, schema_of

CASES = cases("em")
by_id = pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])


def close(expected):
    # Below 1e-43 the oracle is good to an absolute error only.
    return pytest.approx(expected, rel=1e-10, abs=1e-43)


def run(case):
    coded, prior = encode(schema_of(case), rows_of(case, case["X"])), prior_of(case)
    shares = np.array([[float(Fraction(share)) for share in row] for row in case["R0"]])
    start = posterior_mode(expected_counts(coded, shares), prior)
    return coded, prior, start, *em(coded, start, prior, max_iter=case["iterations"], tol=0)


def check_parameters(parameters, expected):
    assert parameters.class_probs == close(np.array(expected["alpha"], dtype=np.float64))
    for i in range(parameters.schema.n_variables):
        wanted = np.array([of_class[i] for of_class in expected["phi"]], dtype=np.float64)
        assert parameters.of(i) == close(wanted)


def test_there_are_as_many_cases_as_were_made():
    assert len(CASES) == 6


@by_id
def test_every_iteration(case):
    coded, _, start, state, info = run(case)
    assert info.n_iter == case["iterations"]
    assert not info.converged
    assert info.log_likelihoods == pytest.approx(np.array(case["loglik_trace"]), rel=1e-10)
    check_parameters(start, case["after_1"])
    check_parameters(state, case["final"])
    shares = state.responsibilities(coded)
    assert shares == close(np.array(case["final"]["R"], dtype=np.float64))
    assert np.argmax(shares, axis=1).tolist() == case["hard_z"]


@by_id
def test_scores_at_the_end(case):
    coded, prior, _, state, _ = run(case)
    assert bic_code_length(coded, state) == pytest.approx(case["bic_em"], rel=1e-10)
    assert aic_code_length(coded, state) == pytest.approx(case["aic_em"], rel=1e-10)
    shares = state.responsibilities(coded)
    soft = cheeseman_stutz_code_length(coded, shares, prior, completion="soft", parameters=state)
    assert soft == pytest.approx(case["cs_soft"], rel=1e-10)


@by_id
def test_scores_at_the_hard_clustering(case):
    coded, prior, _, state, _ = run(case)
    expected, shares = case["hard"], state.responsibilities(coded)
    mode = posterior_mode(clustering_counts(coded, case["hard_z"]), prior)
    assert bic_code_length(coded, mode) == pytest.approx(expected["bic"], rel=1e-10)
    hard = cheeseman_stutz_code_length(coded, shares, prior)
    assert hard == pytest.approx(expected["cs"], rel=1e-10)
    near = neighbourhood_code_length(coded, case["hard_z"], prior)
    assert near == pytest.approx(expected["ln"], rel=1e-10)
