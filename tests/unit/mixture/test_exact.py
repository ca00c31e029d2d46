"""The sum over all clusterings: methods against each other, against fractions, and against identities."""

import itertools
import math
from fractions import Fraction

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln, logsumexp

import naive
from codelength.counts import count
from codelength.errors import Infeasible, InvalidParameter, UnknownValue
from codelength.mixture.code_length.clustering_sum import ClusteringSum
from codelength.mixture.code_length.exact import clustering_log_terms, exact_code_length
from codelength.mixture.code_length.subsets import DigitOrder, digit_order, subsets_sums
from codelength.mixture.costs import MAX_BYTES
from codelength.naive_bayes import Prior, dirichlet_log_evidence
from codelength.scores import evidence_code_length
from codelength.table import Coded, Schema, encode

METHODS = ("enumeration", "subsets")
needs_compiler = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow without compilation")


def clustered(n_rows, n_columns, seed, n_clusters=3):
    """Rows from well separated clusters."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 6, n_columns)
    labels = rng.integers(0, n_clusters, n_rows)
    rows = np.empty((n_rows, n_columns), dtype=np.int64)
    for i, size in enumerate(sizes):
        bounds = np.cumsum(rng.dirichlet(np.full(size, 0.3), n_clusters), axis=1)[labels, :-1]
        rows[:, i] = (rng.random((n_rows, 1)) > bounds).sum(axis=1)
    return Coded.of(Schema.from_sizes(sizes.tolist()), rows)


def uniform(n_rows, n_columns, seed):
    """Rows without any structure."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 6, n_columns)
    return Coded.of(Schema.from_sizes(sizes.tolist()), rng.integers(0, sizes, (n_rows, n_columns)))


def holed(coded, seed, share=0.2):
    """The rows with some cells missing."""
    holes = np.random.default_rng(seed).random(coded.codes.shape) < share
    return Coded.of(coded.schema, np.where(holes, coded.schema.n_values, coded.codes))


def fraction_of(coded, n_components, class_pseudocount, value_pseudocounts):
    """Code length from exact fractions, under a prior that is the same for all components."""
    sizes = coded.schema.n_values.tolist()
    lists = [
        [None if value == size else int(value) for value, size in zip(row, sizes, strict=True)]
        for row in coded.codes
    ]
    prior = naive.Prior([class_pseudocount] * n_components, [value_pseudocounts] * n_components)
    return -math.log(naive.mixture_evidence(naive.mixture_terms(lists, prior)))


@st.composite
def small_mixtures(draw):
    """A table of a few rows with missing cells, a number of components and a symmetric prior."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    rows = draw(st.lists(st.tuples(*(st.integers(0, size) for size in sizes)), min_size=1, max_size=5))
    pseudocounts = st.sampled_from(
        [Fraction(1, 16), Fraction(1, 2), Fraction(1), Fraction(9, 4), Fraction(40)]
    )
    own = [draw(st.lists(pseudocounts, min_size=size, max_size=size)) for size in sizes]
    coded = Coded.of(Schema.from_sizes(sizes), rows)
    return coded, draw(st.integers(1, 3)), draw(pseudocounts), own


@settings(max_examples=60)
@given(small_mixtures())
def test_every_method_is_within_its_bound_of_the_exact_fraction(mixture):
    coded, n_components, class_pseudocount, own = mixture
    wanted = fraction_of(coded, n_components, class_pseudocount, own)
    prior = Prior(float(class_pseudocount), [[float(number) for number in block] for block in own])
    for method in METHODS:
        result = exact_code_length(coded, n_components, prior, method=method)
        assert result.method == method
        assert abs(result.code_length - wanted) <= result.error_bound < 1e-11


@needs_compiler
@pytest.mark.parametrize("make", [clustered, uniform])
@pytest.mark.parametrize("n_rows", [1, 2, 3, 5, 7, 9, 10, 13, 14])
def test_two_methods_agree(make, n_rows):
    coded = holed(make(n_rows, 4, seed=n_rows), n_rows, 0.1)
    subsets = exact_code_length(coded, 8, method="subsets")
    for k in range(1, 9):
        if k**n_rows <= 2e6:
            terms = exact_code_length(coded, k, method="enumeration")
            assert terms.code_length == pytest.approx(subsets.code_lengths[k - 1], abs=1e-10)


@needs_compiler
@pytest.mark.parametrize("make", [clustered, uniform])
@pytest.mark.parametrize("n_rows", [15, 16, 17, 18, 20])
def test_two_methods_agree_on_larger_tables(make, n_rows):
    coded = make(n_rows, 10, seed=n_rows)
    subsets = exact_code_length(coded, 3, method="subsets")
    terms = exact_code_length(coded, 2, method="enumeration")
    assert abs(subsets.code_lengths[1] - terms.code_length) <= subsets.error_bound + terms.error_bound < 1e-10


@needs_compiler
def test_twenty_rows_and_six_components_take_little_memory():
    result = exact_code_length(uniform(20, 10, seed=1), 6)
    assert result.method == "subsets"
    assert result.error_bound < 1e-9
    assert result.memory_bytes < 2**25


@pytest.mark.parametrize("prior", ["uniform", "jeffreys", "indifferent", Prior(0.3, 2.5)])
def test_one_pass_gives_the_code_length_of_every_number_of_components(prior):
    coded = clustered(7, 3, seed=4)
    together = exact_code_length(coded, 5, prior)
    alone = [exact_code_length(coded, k, prior).code_length for k in range(1, 6)]
    np.testing.assert_allclose(together.code_lengths, alone, rtol=0, atol=1e-12)
    assert together.code_length == together.code_lengths[-1]


@pytest.mark.parametrize("method", METHODS)
def test_an_equivalent_sample_size_is_shared_out_by_the_number_of_components(method):
    coded = uniform(5, 2, seed=3)
    result = exact_code_length(coded, 3, 2.0, method=method)
    own = [[Fraction(2, 3 * size)] * size for size in coded.schema.n_values.tolist()]
    wanted = fraction_of(coded, 3, Fraction(2, 3), own)
    assert result.code_length == pytest.approx(wanted, abs=1e-12)
    assert result.code_lengths is None


def test_one_component_is_the_evidence_of_a_table_in_one_class():
    coded = uniform(12, 5, seed=2)
    wanted = evidence_code_length(count(coded))
    for method in METHODS:
        found = exact_code_length(coded, 1, method=method)
        assert found.code_length == pytest.approx(wanted, abs=1e-11)


@pytest.mark.parametrize("method", METHODS)
def test_probabilities_of_all_tables_of_three_rows_sum_to_one(method):
    schema, kinds = Schema.from_sizes([2, 2]), list(itertools.product(range(2), range(2)))
    tables = [Coded.of(schema, rows) for rows in itertools.product(kinds, repeat=3)]
    lengths = [exact_code_length(coded, 3, method=method).code_length for coded in tables]
    assert math.fsum(np.exp(-np.array(lengths))) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_order_of_rows_columns_and_values_does_not_matter(method):
    coded = holed(clustered(8, 4, seed=9), 0)
    wanted = exact_code_length(coded, 3, method=method).code_length
    rng = np.random.default_rng(0)
    columns = rng.permutation(4)
    renamed = np.empty_like(coded.codes)
    for i, size in enumerate(coded.schema.n_values):
        renamed[:, i] = np.append(rng.permutation(size), size)[coded.codes[:, i]]
    moved = renamed[rng.permutation(8)][:, columns]
    sizes = coded.schema.n_values[columns].tolist()
    result = exact_code_length(Coded.of(Schema.from_sizes(sizes), moved), 3, method=method)
    assert result.code_length == pytest.approx(wanted, abs=1e-11)


@pytest.mark.parametrize("method", METHODS)
def test_what_says_nothing_costs_nothing(method):
    """A row of missing cells, a column of missing cells and a constant column are marginalised away."""
    coded = uniform(6, 3, seed=5)
    n_values = coded.schema.n_values
    wanted = exact_code_length(coded, 3, method=method).code_length
    empty_row = Coded.of(coded.schema, np.vstack((coded.codes, n_values)))
    result = exact_code_length(empty_row, 3, method=method)
    assert result.code_length == pytest.approx(wanted, abs=1e-11)
    wider = Schema.from_sizes([*n_values.tolist(), 4, 1])
    padded = Coded.of(wider, np.column_stack((coded.codes, np.full(6, 4), np.zeros(6, dtype=np.int64))))
    result = exact_code_length(padded, 3, method=method)
    assert result.code_length == pytest.approx(wanted, abs=1e-11)


@needs_compiler
@pytest.mark.parametrize(
    "copies", [[16], [1, 15], [5, 5, 5], [2] * 8, [1] * 4 + [3] * 4, [1] * 6 + [2, 3, 5], [1, 1, 2] * 3]
)
def test_merged_rows_give_the_same_sum_in_every_order_of_digits(copies):
    coded = uniform(len(copies), 6, seed=len(copies))
    coded = coded.take(np.repeat(np.arange(len(copies)), copies))
    result = exact_code_length(coded, 5, method="subsets")
    assert (result.n_rows, result.n_distinct_rows) == (sum(copies), len(copies))
    terms = exact_code_length(coded, 2, method="enumeration")
    assert abs(result.code_lengths[1] - terms.code_length) <= 1e-10

    problem = ClusteringSum.of(coded, 5, "uniform")
    copies = problem.distinct.copies
    falling = np.argsort(copies, kind="stable")[::-1]
    orders = (
        digit_order(copies),
        DigitOrder(falling, copies[falling], 0),
        DigitOrder(falling, copies[falling], 1),
    )
    found = [subsets_sums(problem, order, 5)[0] for order in orders]
    for logs in found[1:]:
        np.testing.assert_allclose(logs, found[0], rtol=0, atol=1e-10)


def test_sixty_rows_of_two_kinds_against_a_sum_over_how_many_of_each_are_where():
    n_first, n_second = 40, 20
    coded = Coded.of(Schema.from_sizes([2, 2]), [[0, 0], [1, 0]], weights=[n_first, n_second])
    prior = naive.uniform_prior([2, 2], 2)
    total = Fraction(0)
    for a in range(n_first + 1):
        for b in range(n_second + 1):
            taken, left = (a, b), (n_first - a, n_second - b)
            counts = naive.Counts(
                [a + b, sum(left)], [[list(kinds), [sum(kinds), 0]] for kinds in (taken, left)]
            )
            total += math.comb(n_first, a) * math.comb(n_second, b) * naive.evidence(counts, prior)
    result = exact_code_length(coded, 2)
    assert abs(result.code_length + math.log(total)) <= result.error_bound < 1e-9


@pytest.mark.parametrize("n_rows", [1000, 2500])
def test_many_identical_rows_against_a_sum_over_how_many_are_where(n_rows):
    coded = Coded.of(Schema.from_sizes([2, 3]), [[1, 2]], weights=[n_rows])
    first = np.arange(n_rows + 1)
    logs = gammaln(n_rows + 1) - gammaln(first + 1) - gammaln(n_rows - first + 1)
    logs += dirichlet_log_evidence(np.stack((first, n_rows - first), axis=1), np.ones(2))
    for rows in (first, n_rows - first):
        for size in (2, 3):
            of_values = np.zeros((n_rows + 1, size))
            of_values[:, -1] = rows
            logs += dirichlet_log_evidence(of_values, np.ones(size))
    result = exact_code_length(coded, 2)
    assert (result.method, result.n_rows, result.n_distinct_rows) == ("subsets", n_rows, 1)
    assert result.code_length == pytest.approx(-logsumexp(logs), abs=1e-9)
    together = exact_code_length(coded, 4, method="subsets")
    assert together.code_lengths[1] == pytest.approx(result.code_length, abs=1e-9)


def test_weights_are_copies_of_rows():
    coded = Coded.of(Schema.from_sizes([2, 3]), [[0, 1], [1, 2], [0, 1]], weights=[2, 3, 0])
    for method in METHODS:
        weighted = exact_code_length(coded, 2, method=method)
        assert (weighted.n_rows, weighted.n_distinct_rows) == (5, 2)
        assert weighted.code_length == exact_code_length(coded.repeated(), 2, method=method).code_length
    assert np.array_equal(clustering_log_terms(coded, 2), clustering_log_terms(coded.repeated(), 2))
    with pytest.raises(InvalidParameter, match="not whole numbers"):
        exact_code_length(Coded.of(coded.schema, coded.codes, weights=[0.5, 1, 1]), 2)


def test_no_variables():
    coded = Coded.of(Schema.from_sizes([]), np.empty((6, 0), dtype=np.int64))
    for method in ("auto", *METHODS):
        assert exact_code_length(coded, 3, method=method).code_length == pytest.approx(0, abs=1e-12)
    assert logsumexp(clustering_log_terms(coded, 2)) == pytest.approx(0, abs=1e-12)


def test_unequal_priors_are_enumerated():
    coded = uniform(5, 2, seed=6)
    sizes = coded.schema.n_values.tolist()
    own = [[[1 + k + i + value for value in range(size)] for i, size in enumerate(sizes)] for k in range(3)]
    oracle = naive.Prior([1, 2, 3], own)
    terms = naive.mixture_terms(coded.codes.tolist(), oracle)
    prior = Prior([1, 2, 3], [[own[k][i] for k in range(3)] for i in range(2)])
    result = exact_code_length(coded, 3, prior)
    assert (result.method, result.code_lengths) == ("enumeration", None)
    assert abs(result.code_length + math.log(naive.mixture_evidence(terms))) <= result.error_bound
    found = clustering_log_terms(coded, 3, prior)
    np.testing.assert_allclose(found, [naive.log(term.probability) for term in terms], rtol=0, atol=1e-12)
    with pytest.raises(InvalidParameter, match='method="enumeration"'):
        exact_code_length(coded, 3, prior, method="subsets")


def test_terms_of_clusterings_sum_to_the_evidence():
    coded = clustered(9, 3, seed=8)
    terms = clustering_log_terms(coded, 3)
    assert len(terms) == 3**9
    assert -logsumexp(terms) == pytest.approx(exact_code_length(coded, 3).code_length, abs=1e-11)
    swapped = terms.reshape((3,) * 9)[np.ix_(*([[2, 0, 1]] * 9))]  # the components renamed in every row
    np.testing.assert_allclose(swapped.ravel(), terms, rtol=0, atol=1e-12)


def test_no_rows():
    coded = Coded.of(Schema.from_sizes([2, 3]), np.empty((0, 2), dtype=np.int64))
    for method in ("auto", *METHODS):
        result = exact_code_length(coded, 3, method=method)
        assert (result.code_length, result.code_lengths, result.n_rows) == (0.0, (0.0, 0.0, 0.0), 0)
    assert exact_code_length(np.empty((0, 2)), 2).code_length == 0.0
    assert clustering_log_terms(coded, 3).tolist() == [0.0]


@pytest.mark.parametrize("method", METHODS)
def test_more_components_than_rows(method):
    coded = uniform(2, 3, seed=1)
    wanted = fraction_of(coded, 7, 1, [[1] * size for size in coded.schema.n_values.tolist()])
    assert exact_code_length(coded, 7, method=method).code_length == pytest.approx(wanted, abs=1e-11)


def test_raw_values_and_missing_cells():
    table = {"colour": ["red", "blue", None, "red"], "size": ["s", "l", "l", None]}
    result = exact_code_length(table, 2)
    coded = Coded.of(Schema.from_sizes([2, 2]), [[1, 1], [0, 0], [2, 0], [1, 2]])
    assert result.code_length == exact_code_length(coded, 2).code_length


@needs_compiler
def test_wide_tables_do_not_leave_the_range_of_floats():
    coded = clustered(7, 1500, seed=3)
    result = exact_code_length(coded, 4, method="subsets")
    assert result.code_lengths[0] - result.code_length > 700  # more than floats can tell apart in one sum
    for k in range(1, 5):
        terms = exact_code_length(coded, k, method="enumeration")
        assert abs(result.code_lengths[k - 1] - terms.code_length) <= result.error_bound + terms.error_bound


@needs_compiler
def test_a_range_beyond_floats_is_refused_not_guessed():
    coded = clustered(10, 6000, seed=3, n_clusters=5)
    with pytest.raises(Infeasible, match="differ too much in size"):
        exact_code_length(coded, 2, method="subsets")


def test_what_would_explode_is_refused_with_its_cost():
    coded = uniform(60, 10, seed=0)
    with pytest.raises(
        Infeasible,
        match=r"60 rows \(60 distinct\), 3 components.*years and .* of memory \(limits: 10 minutes, 2 GB\)",
    ):
        exact_code_length(coded, 3)
    with pytest.raises(Infeasible, match="'enumeration' would take"):
        exact_code_length(coded.take(np.arange(30)), 3, method="enumeration")
    with pytest.raises(Infeasible, match="unequal priors"):
        exact_code_length(coded.take(np.arange(40)), 2, Prior([1, 2]))
    with pytest.raises(Infeasible, match="all terms of 20 rows and 3 components would take"):
        clustering_log_terms(coded.take(np.arange(20)), 3)
    with pytest.raises(Infeasible, match="n_components"):
        exact_code_length(coded, MAX_BYTES)
    with pytest.raises(Infeasible, match="years"):
        exact_code_length(coded.take(np.tile(np.arange(60), 50)), 3, method="enumeration")


@pytest.mark.parametrize("n_components", [10**9, 10**30])
def test_too_many_components_are_refused_at_once_with_the_most_that_fit(n_components):
    coded = uniform(3, 2, seed=0)
    for score in (exact_code_length, clustering_log_terms):
        with pytest.raises(
            Infeasible, match=rf"n_components={n_components}: .* of memory .* at most [\d,]+ comp"
        ):
            score(coded, n_components)


@pytest.mark.parametrize("weight", [10**5, 10**12, 10**80])
def test_too_many_rows_are_refused_before_they_are_told_apart(weight):
    coded = Coded.of(Schema.from_sizes([2]), [[1], [0]], weights=[weight, 1.0])
    with pytest.raises(Infeasible, match="sample of the rows"):
        exact_code_length(coded, 2)


def test_many_components_for_few_rows():
    coded = Coded.of(Schema.from_sizes([2]), [[0], [1]])
    found = exact_code_length(coded, 3000)
    together = 2 / 3001  # the chance that the second row joins the first
    assert float(found) == pytest.approx(-math.log((1 - together) / 4 + together / 6), abs=1e-11)


@pytest.mark.parametrize("n_components", [0, -1, 2.0, "two", None, True])
def test_number_of_components_must_be_a_whole_number_of_at_least_one(n_components):
    with pytest.raises(InvalidParameter, match="n_components"):
        exact_code_length([["a"], ["b"]], n_components)
    with pytest.raises(InvalidParameter, match="n_components"):
        clustering_log_terms([["a"], ["b"]], n_components)


def test_other_bad_input():
    with pytest.raises(InvalidParameter, match="method="):
        exact_code_length([["a"], ["b"]], 2, method="guess")
    with pytest.raises(InvalidParameter, match="prior="):
        exact_code_length([["a"], ["b"]], 2, "flat")
    with pytest.raises(UnknownValue, match="x0"):
        exact_code_length(encode(Schema.from_sizes([2]), [[0], [5]], handle_unknown="error"), 2)
