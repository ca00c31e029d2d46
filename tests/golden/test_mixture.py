"""Approximations of the code length of a mixture against an independent exact oracle."""

import itertools
import math

import numpy as np
import pytest

from codelength.mixture.best_clustering import best_clustering
from codelength.mixture.clusterings import clustering_counts
from codelength.mixture.code_length.annealed import annealed_code_length
from codelength.mixture.code_length.cheeseman_stutz import cheeseman_stutz_code_length
from codelength.mixture.code_length.information_criteria import (
    aic_code_length,
    bic_code_length,
    log_likelihood,
    n_parameters,
)
from codelength.mixture.code_length.neighbourhood import neighbourhood_code_length, union_code_length
from codelength.mixture.parameters import posterior_mode
from codelength.scores import evidence_code_length
from codelength.table import encode
from golden.cases import cases, prior_of, rows_of, schema_of

CASES = cases("mixture")
by_id = pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])


def table_of(case):
    return encode(schema_of(case), rows_of(case, case["X"])), prior_of(case)


def close(expected):
    return pytest.approx(expected, rel=1e-10, abs=1e-14)


def blocks_of(case):
    """Clusterings and what is expected at them."""
    star = [(case["best_z"], case["star"])] if "star" in case else []
    return star + [(given["z"], given) for given in case.get("given", [])]


def test_there_are_as_many_cases_as_were_made():
    assert len(CASES) == 14
    assert sum(len(blocks_of(case)) for case in CASES) > 30


@by_id
def test_best_clustering(case):
    coded, prior = table_of(case)
    best = best_clustering(coded, case["K"], prior)
    assert best.exact
    assert best.clustering.tolist() == case["best_z"]
    assert -best.code_length == close(case["best_log_prob"])


@by_id
def test_scores_at_clusterings(case):
    coded, prior = table_of(case)
    for clustering, expected in blocks_of(case):
        counts = clustering_counts(coded, clustering)
        mode = posterior_mode(counts, prior)
        assert log_likelihood(coded, mode) == close(expected["loglik"])
        assert n_parameters(coded.schema, case["K"]) == expected["d"]
        assert bic_code_length(coded, mode) == close(expected["bic"])
        assert aic_code_length(coded, mode) == close(expected["aic"])
        evidence = -evidence_code_length(counts, prior)
        assert evidence == close(expected["complete_log_evidence"])
        assert cheeseman_stutz_code_length(coded, clustering, prior) == close(expected["cs"])


@by_id
def test_neighbourhoods_of_clusterings(case):
    coded, prior = table_of(case)
    for clustering, expected in blocks_of(case):
        assert neighbourhood_code_length(coded, clustering, prior) == close(expected["ln"])
        alone = neighbourhood_code_length(coded, clustering, prior, with_centre=False)
        outside = expected["ln_excluding_centre"]
        assert alone == (math.inf if outside is None else close(outside))


SMALL = [case for case in CASES if case["n_terms"] < 300]


@pytest.mark.parametrize("case", SMALL, ids=[case["id"] for case in SMALL])
def test_all_clusterings_as_centres_give_the_exact_code_length(case):
    coded, prior = table_of(case)
    clusterings = itertools.product(range(case["K"]), repeat=coded.n_rows)
    everything = [np.array(z, dtype=np.int64) for z in clusterings]
    assert union_code_length(coded, everything, prior) == close(case["sc_nats"])


@by_id
@pytest.mark.parametrize("start", ["uniform", "optima"])
def test_annealed_estimates_are_near_the_exact_code_length(case, start):
    coded, prior = table_of(case)
    estimate = annealed_code_length(coded, case["K"], prior, start=start, random_state=3)
    assert abs(estimate.code_length - case["sc_nats"]) <= 3.5 * estimate.standard_error + 1e-10
