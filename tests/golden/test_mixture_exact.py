"""The sum over all clusterings against an independent exact oracle, by every method that applies."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import logsumexp

from codelength.mixture.code_length.exact import clustering_log_terms, exact_code_length
from codelength.table import Schema, encode
from golden.cases import cases, prior_of, rows_of

CASES = cases("mixture")
by_id = pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])


def table_of(case):
    return encode(Schema.from_sizes(case["cards"]), rows_of(case, case["X"])), case["K"], prior_of(case)


def is_symmetric(case):
    return all(mu == case["mu"][0] for mu in case["mu"]) and all(
        own == case["sigma"][0] for own in case["sigma"]
    )


def test_there_are_as_many_cases_as_were_made():
    assert len(CASES) == 14
    assert sum(not is_symmetric(case) for case in CASES) == 2


@by_id
@pytest.mark.parametrize("method", ["auto", "enumeration", "subsets"])
def test_code_length(case, method):
    coded, n_components, prior = table_of(case)
    if method == "subsets" and not is_symmetric(case):
        return
    result = exact_code_length(coded, n_components, prior, method=method)
    assert -result.code_length == pytest.approx(case["log_evidence"], rel=1e-12, abs=1e-15)
    assert abs(-result.code_length - case["log_evidence"]) <= result.error_bound + 1e-15 * abs(
        case["log_evidence"]
    )


@by_id
def test_terms(case):
    coded, n_components, prior = table_of(case)
    terms = clustering_log_terms(coded, n_components, prior)
    assert len(terms) == case["n_terms"]
    assert logsumexp(terms) == pytest.approx(case["log_evidence"], rel=1e-12, abs=1e-15)
    assert terms.max() == pytest.approx(case["best_log_prob"], rel=1e-12, abs=1e-15)
    best = np.flatnonzero(np.isclose(terms, terms.max(), rtol=0, atol=1e-12))
    assert len(best) == case["n_best"]
    digits = [int(digit) for digit in np.base_repr(best[0], max(n_components, 2)).zfill(coded.n_rows)]
    assert digits[-coded.n_rows :] == case["best_z"] or not coded.n_rows


@by_id
def test_terms_needed(case):
    coded, n_components, prior = table_of(case)
    terms = np.sort(clustering_log_terms(coded, n_components, prior))[::-1]
    mass = np.cumsum(np.exp(terms - logsumexp(terms)))
    for share, wanted in case["terms_needed_mass"].items():
        assert np.searchsorted(mass, float(Fraction(share)) * (1 - 1e-12)) + 1 == wanted
