"""Annealed importance sampling.

``CODELENGTH_TABLES=100 pytest tests/unit/mixture/test_annealed.py`` tries a hundred tables of up to 18 rows.
"""

import math
import os

import numpy as np
import pytest
from scipy.special import gammaln

from codelength.errors import Infeasible, InvalidParameter
from codelength.mixture.code_length.annealed import AnnealedCodeLength, annealed_code_length
from codelength.mixture.code_length.exact import exact_code_length
from codelength.naive_bayes import Prior
from codelength.table import Coded, Schema, encode
from unit.mixture.mixture_tables import case_of, random_coded, random_table

N_TABLES = int(os.environ.get("CODELENGTH_TABLES", "25"))
MOST_ROWS = 10 if N_TABLES <= 25 else 18


def exact_by_subsets(table, n_values, n_components):
    """Uniform prior: components take disjoint sets of rows, so their weights convolve over subsets."""
    n_rows = len(table)
    subsets = (np.arange(1 << n_rows)[:, None] >> np.arange(n_rows)) & 1
    log_weights = gammaln(subsets.sum(axis=1) + 1)
    for i, size in enumerate(n_values):
        counts = subsets @ (table[:, [i]] == np.arange(size))
        log_weights += gammaln(size) - gammaln(counts.sum(axis=1) + size) + gammaln(counts + 1).sum(axis=1)
    weights = np.exp(log_weights)
    sums = weights
    for _ in range(n_components - 1):
        sums = np.array([_convolved(weights, sums, subset) for subset in range(1 << n_rows)])
    return -math.log(sums[-1]) - gammaln(n_components) + gammaln(n_rows + n_components)


def _convolved(left, right, subset):
    total, part = 0.0, subset
    while True:
        total += left[part] * right[subset ^ part]
        if not part:
            return total
        part = (part - 1) & subset


def small_tables():
    for seed in range(N_TABLES):
        generator = np.random.default_rng(seed)
        n_values = generator.integers(2, 5, generator.integers(2, 13)).tolist()
        n_rows = int(generator.integers(2, MOST_ROWS + 1 if MOST_ROWS > 10 else 8))
        table = random_table(seed, n_rows, n_values, n_groups=1 + seed % 3, missing=0.1 * (seed % 2))
        yield table, n_values, int(generator.integers(2, 6))


def exact(table, n_values, n_components):
    if len(table) <= 10:
        return exact_by_subsets(table, n_values, n_components)
    return exact_code_length(encode(Schema.from_sizes(n_values), table), n_components).code_length


@pytest.mark.parametrize("start", ["auto", "optima"])
def test_estimates_are_within_three_standard_errors_on_random_tables(start):
    errors = []
    for seed, (table, n_values, n_components) in enumerate(small_tables()):
        coded = encode(Schema.from_sizes(n_values), table)
        estimate = annealed_code_length(coded, n_components, start=start, random_state=seed)
        errors.append((estimate.code_length - exact(table, n_values, n_components)) / estimate.standard_error)
    assert np.mean(np.abs(errors) < 3) >= 0.95
    assert np.sqrt(np.mean(np.square(errors))) < 1.5


@pytest.mark.parametrize("start", ["uniform", "optima"])
def test_weights_have_the_evidence_as_their_mean_when_components_differ(start):
    """Many short chains: the mean weight, not its log, must be right even with two temperatures."""
    case = case_of([2, 3], 3, [[0, 1], [1, 2], [0, None], [1, 2]], [1, 2, 1], [[1, 1], [2, 1], [1, 1]])
    expected = exact_code_length(case.coded, 3, case.prior)
    estimate = annealed_code_length(
        case.coded, 3, case.prior, n_chains=4000, n_temperatures=2, start=start, random_state=0
    )
    assert abs(estimate.code_length - expected.code_length) < 3.5 * estimate.standard_error
    assert estimate.standard_error < 0.1


def test_a_start_at_optima_and_a_uniform_start_agree():
    coded = random_coded(11, 40, [2, 3, 2, 2])
    near = annealed_code_length(coded, 2, random_state=0)
    far = annealed_code_length(coded, 2, start="uniform", n_temperatures=1000, random_state=0)
    error = math.hypot(near.standard_error, far.standard_error)
    assert abs(near.code_length - far.code_length) < 4 * error
    assert near.effective_sample_size > 20


def test_results_depend_on_the_random_state_but_not_on_the_threads():
    coded = random_coded(2, 30, [2, 3, 2], missing=0.1)
    settings = {"n_chains": 8, "n_temperatures": 5}
    first = annealed_code_length(coded, 3, random_state=4, n_threads=1, **settings)
    again = annealed_code_length(coded, 3, random_state=4, n_threads=3, **settings)
    other = annealed_code_length(coded, 3, random_state=5, n_threads=3, **settings)
    assert np.array_equal(first.log_weights, again.log_weights)
    assert not np.array_equal(first.log_weights, other.log_weights)


def test_edges():
    schema = Schema.from_sizes([1, 2])
    nothing = annealed_code_length(Coded.of(schema, np.zeros((0, 2), int)), 2, start="optima", random_state=0)
    assert nothing.code_length == pytest.approx(0, abs=1e-12)
    unseen = encode(schema, np.full((30, 2), -1))
    estimate = annealed_code_length(unseen, 3, random_state=0, n_chains=400)
    assert estimate.code_length == pytest.approx(0, abs=0.3)
    alone = annealed_code_length(unseen, 2, n_chains=1, random_state=0)
    assert alone.standard_error == math.inf


def test_standard_error_and_effective_sample_size():
    equal = AnnealedCodeLength(1.0, np.full(4, -1.0))
    assert (equal.standard_error, equal.effective_sample_size) == (0, 4)
    lone = AnnealedCodeLength(1.0, np.array([0.0, -np.inf, -np.inf, -np.inf]))
    assert lone.effective_sample_size == 1
    assert lone.standard_error == pytest.approx(np.std([4, 0, 0, 0], ddof=1) / 2)


def test_bad_arguments_are_refused():
    coded = Coded.of(Schema.from_sizes([2]), [[0]] * 3)
    for settings in ({"n_chains": 0}, {"n_temperatures": 0}, {"start": "hot"}, {"n_threads": 0}):
        with pytest.raises(InvalidParameter):
            annealed_code_length(coded, 2, **settings)
    with pytest.raises(Infeasible, match="renamings"):
        annealed_code_length(coded, 11, start="optima")
    with pytest.raises(InvalidParameter, match="n_components"):
        annealed_code_length(coded, 0, Prior(1, 1))
    with pytest.raises(Infeasible, match=r"at most [\d,]+ components"):
        annealed_code_length(coded, 10**9)
    heavy = Coded.of(coded.schema, coded.codes, weights=[10**15, 1, 1])
    with pytest.raises(Infeasible, match="single rows would take"):
        annealed_code_length(heavy, 2)
