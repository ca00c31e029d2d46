"""Rissanen's code against enumeration of all tables, closed forms, and what makes it a code."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

import naive_nml
from codelength import NaiveBayes, Schema
from codelength.code_lengths import evidence_code_length, nml_code_length
from codelength.counts import count
from codelength.errors import DataError, Infeasible, InvalidParameter
from codelength.scores.multinomial import _log_by_recurrence, _log_sum_over_rows
from codelength.scores.nml import log_normalisers, naive_bayes_log_normaliser
from codelength.table import Coded
from properties.strategies import tables

quick = settings(max_examples=25)


def log_normaliser(n_values, n_rows):
    return float(log_normalisers(n_values, np.array([n_rows]))[0])


def exact_by_the_recurrence(n_values, n_rows):
    """C(n_values, n_rows) in exact fractions, by the recurrence from the sum over two values."""
    binomials = (
        Fraction(math.comb(n_rows, h) * h**h * (n_rows - h) ** (n_rows - h), n_rows**n_rows)
        for h in range(n_rows + 1)
    )
    before, this = Fraction(1), sum(binomials, start=Fraction(0))
    for k in range(1, n_values - 1):
        before, this = this, this + Fraction(n_rows, k) * before
    return this


@pytest.mark.parametrize("n_values", [1, 2, 3, 4])
@pytest.mark.parametrize("n_rows", [0, 1, 2, 5, 7])
def test_a_multinomial_by_enumeration_of_all_sequences(n_values, n_rows):
    expected = math.log(naive_nml.multinomial_normaliser(n_values, n_rows))
    assert log_normaliser(n_values, n_rows) == pytest.approx(expected, rel=1e-14, abs=1e-14)
    assert _log_by_recurrence(n_values, np.array([float(n_rows)]))[0] == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("n_values", [2, 3, 40])
@pytest.mark.parametrize("n_rows", [31, 63, 64, 65, 200])
def test_a_multinomial_in_exact_fractions(n_values, n_rows):
    """On both sides of where the asymptotic series take over."""
    exact = exact_by_the_recurrence(n_values, n_rows)
    expected = math.log(exact.numerator) - math.log(exact.denominator)
    recurrence = _log_by_recurrence(n_values, np.array([float(n_rows)]))[0]
    assert recurrence == pytest.approx(expected, rel=3e-15)
    assert _log_sum_over_rows(n_values, n_rows) == pytest.approx(expected, rel=3e-15)


@pytest.mark.parametrize(
    ("n_values", "n_rows"), [(2, 10**5), (3, 10**6), (1000, 10**6), (20_000, 100), (3000, 3000)]
)
def test_the_recurrence_over_values_and_the_sum_over_rows_agree(n_values, n_rows):
    """Two formulas that share nothing, at sizes where the normaliser itself is far beyond a float."""
    recurrence = _log_by_recurrence(n_values, np.array([float(n_rows)]))[0]
    assert recurrence == pytest.approx(_log_sum_over_rows(n_values, n_rows), rel=1e-13)
    assert log_normaliser(n_values, n_rows) in (recurrence, _log_sum_over_rows(n_values, n_rows))


@pytest.mark.parametrize("n_values", [2, 3, 10, 10**6, 10**15])
def test_closed_forms_for_one_and_two_rows(n_values):
    assert log_normaliser(n_values, 1) == pytest.approx(math.log(n_values), rel=1e-14)
    two = n_values + n_values * (n_values - 1) / 4
    assert log_normaliser(n_values, 2) == pytest.approx(math.log(two), rel=1e-14)


def test_a_coin_tossed_often_follows_the_circle():
    """C(2, n) is near sqrt(pi n / 2) + 2/3 + sqrt(pi / 2 n) / 12."""
    for n_rows in (10**9, 10**15):
        assert math.exp(log_normaliser(2, n_rows)) == pytest.approx(
            math.sqrt(math.pi * n_rows / 2) + 2 / 3 + math.sqrt(math.pi / 2 / n_rows) / 12, rel=1e-14
        )


@pytest.mark.parametrize("method", ["quadratic", "fft"])
@pytest.mark.parametrize(
    ("n_values", "n_classes", "n_rows"),
    [
        ((2,), 2, 4),
        ((2, 2), 2, 4),
        ((3, 2), 2, 3),
        ((2, 2), 3, 3),
        ((2, 3), 1, 4),
        ((1, 2), 4, 3),
        ((), 3, 5),
        ((2, 2), 5, 2),
        ((2, 2), 3, 0),
        ((4, 2), 3, 1),
    ],
)
def test_naive_bayes_by_enumeration_of_all_tables(method, n_values, n_classes, n_rows):
    expected = math.log(naive_nml.naive_bayes_normaliser(n_values, n_classes, n_rows))
    found = naive_bayes_log_normaliser(n_values, n_classes, n_rows, method)
    assert found == pytest.approx(expected, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("method", ["quadratic", "fft"])
@pytest.mark.parametrize(
    ("n_values", "n_classes", "n_rows"),
    [
        ([], 2, 1000),
        ([], 17, 900),
        ([5], 2, 2000),
        ([4], 26, 3000),
        ([2], 3, 1),
        ([70], 3, 40),
        ([3], 900, 50),
    ],
)
def test_no_variable_or_one_is_one_multinomial(method, n_values, n_classes, n_rows):
    """The classes alone, and the pairs of class and value, which naive Bayes does not restrict."""
    found = naive_bayes_log_normaliser(n_values, n_classes, n_rows, method)
    expected = log_normaliser(n_classes * math.prod(n_values), n_rows)
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("n_values", "n_classes"), [([], 7), ([4], 5), ([2], 300)])
def test_many_rows(n_values, n_classes):
    """Where the tilt is found from a part of the weights only."""
    found = naive_bayes_log_normaliser(n_values, n_classes, 200_000)
    assert found == pytest.approx(log_normaliser(n_classes * math.prod(n_values), 200_000), rel=1e-12)


@pytest.mark.parametrize(
    ("n_values", "n_classes", "n_rows"), [([2] * 36, 3, 3196), ([16] * 16, 26, 2000), ([9, 2, 3], 40, 17)]
)
def test_transforms_and_direct_convolutions_agree(n_values, n_classes, n_rows):
    """Also where the terms of the sum span thousands of orders of magnitude."""
    quadratic, fft = (
        naive_bayes_log_normaliser(n_values, n_classes, n_rows, method) for method in ("quadratic", "fft")
    )
    assert fft == pytest.approx(quadratic, rel=1e-14, abs=1e-11)


def test_the_normaliser_of_one_class_is_a_product():
    rows = np.array([777])
    expected = float(sum(log_normalisers(n, rows)[0] for n in (2, 5, 5)))
    assert naive_bayes_log_normaliser([2, 5, 5], 1, 777) == pytest.approx(expected, rel=1e-14)


@quick
@given(tables(max_rows=3, max_variables=2, max_values=2, max_classes=2, missing=False))
def test_the_code_of_a_table_by_enumeration(table):
    normaliser = naive_nml.naive_bayes_normaliser(table.n_values, table.n_classes, len(table.rows))
    expected = math.log(normaliser / naive_nml.naive_bayes_fit(table.rows, table.labels))
    assert nml_code_length(table.counts()) == pytest.approx(expected, rel=1e-12, abs=1e-13)


def all_tables(n_values, n_classes, n_rows):
    cells = list(itertools.product(range(n_classes), *map(range, n_values)))
    schema = Schema.from_sizes(n_values, n_classes)
    for table in itertools.product(cells, repeat=n_rows):
        yield count(Coded.of(schema, [row[1:] for row in table], [row[0] for row in table]))


@pytest.mark.parametrize("length", [nml_code_length, evidence_code_length])
def test_code_lengths_of_all_tables_are_those_of_a_complete_code(length):
    """The probabilities add up to one; Kraft's inequality holds with equality."""
    total = math.fsum(math.exp(-length(counts)) for counts in all_tables((2, 2), 2, 3))
    assert total == pytest.approx(1, rel=1e-12)


def test_given_the_classes_the_code_is_complete_too():
    schema = Schema.from_sizes([3, 2], n_classes=2)
    rows = itertools.product(itertools.product(range(3), range(2)), repeat=3)
    lengths = [
        nml_code_length(count(Coded.of(schema, list(table), [0, 1, 1])), given_classes=True) for table in rows
    ]
    assert math.fsum(math.exp(-length) for length in lengths) == pytest.approx(1, rel=1e-12)


def test_the_worst_regret_is_the_smallest_there_is():
    """The excess over the best fit is the same for every table; that of the evidence is larger somewhere."""
    best = [naive_fit(counts) for counts in all_tables((2,), 2, 3)]
    regrets = [
        [length(counts) + fit for counts, fit in zip(all_tables((2,), 2, 3), best, strict=True)]
        for length in (nml_code_length, evidence_code_length)
    ]
    assert max(regrets[0]) == pytest.approx(min(regrets[0]), rel=1e-12)
    assert max(regrets[0]) < max(regrets[1])


def naive_fit(counts):
    """Maximised log-likelihood, from the counts alone."""
    h = counts.class_counts
    parts = [n * math.log(n / h.sum()) for n in h if n]
    parts += [f * math.log(f / n) for n, row in zip(h, counts.of(0), strict=True) for f in row if f]
    return math.fsum(parts)


@quick
@given(tables(min_rows=1, max_rows=12, min_classes=2, missing=False))
def test_the_rule_predicts_with_ratios_of_codes(table):
    """The normaliser is the same for every class of the new row, so it cancels: P1 (7) is (8)."""
    model = NaiveBayes("stochastic_complexity", schema=table.schema).fit(table.codes, table.labels)
    row = table.codes[0]
    lengths = np.array([nml_code_length(model.counts_.add(row, k)) for k in range(table.n_classes)])
    weights = np.exp(lengths.min() - lengths)
    np.testing.assert_allclose(
        model.predict_proba(table.codes[:1])[0], weights / weights.sum(), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("counts", [[3, 0, 4], np.array([3, 0, 4]), (3.0, 0.0, 4.0)], ids=repr)
def test_one_multinomial_from_any_sequence(counts):
    expected = math.log(naive_nml.multinomial_normaliser(3, 7) / naive_nml.fit("aaacccc"))
    assert nml_code_length(counts) == pytest.approx(expected, rel=1e-14)


@quick
@given(tables(max_rows=8))
def test_given_the_classes_missing_cells_cost_nothing(table):
    """Each class of each variable is a multinomial of its own, of the rows that have a value."""
    expected = 0.0
    for i in range(len(table.n_values)):
        for row in table.counts().of(i):
            expected += nml_code_length(row)
    found = nml_code_length(table.counts(), given_classes=True)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_whole_weights_are_rows_and_others_are_refused():
    schema = Schema.from_sizes([2], n_classes=2)
    rows, labels = [[0], [1], [1]], [0, 1, 1]
    repeated = Coded.of(
        schema, [rows[j] for j in (0, 0, 0, 1, 2, 2)], [labels[j] for j in (0, 0, 0, 1, 2, 2)]
    )
    weighted = Coded.of(schema, rows, labels, weights=[3, 1, 2])
    assert nml_code_length(count(weighted)) == nml_code_length(count(repeated))
    with pytest.raises(DataError, match="tables of whole rows"):
        nml_code_length(count(Coded.of(schema, rows, labels, weights=[0.5, 1, 1])))


def test_a_table_with_missing_cells_is_refused_by_name():
    schema = Schema.from_sizes([2, 3], n_classes=2)
    counts = count(Coded.of(schema, [[0, 3], [1, 3]], [0, 1]))
    with pytest.raises(DataError, match=r"variable 'x1': 2 missing.*missing=\"value\""):
        nml_code_length(counts)


@pytest.mark.parametrize("counts", [[], "abc", [[1, 2]], None, 5], ids=repr)
def test_what_is_no_list_of_counts_is_refused(counts):
    with pytest.raises(InvalidParameter, match="expected Counts, or a list"):
        nml_code_length(counts)


@pytest.mark.parametrize("counts", [[1.5, 2], [-1, 2], [np.nan, 1], [np.inf, 1], [2**53, 2**53]], ids=repr)
def test_what_are_no_counts_of_rows_is_refused(counts):
    with pytest.raises(DataError, match="whole numbers"):
        nml_code_length(counts)


def test_too_many_rows_are_refused_before_any_memory_is_taken():
    with pytest.raises(Infeasible, match="at most 10,000,000"):
        naive_bayes_log_normaliser([2], 2, 10**9)
    with pytest.raises(InvalidParameter, match="method='slow'"):
        nml_code_length([1, 2], method="slow")
