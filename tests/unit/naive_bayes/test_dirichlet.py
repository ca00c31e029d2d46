"""The evidence of counts under a Dirichlet prior, against arithmetic with hundreds of digits."""

from functools import cache
from itertools import product

import mpmath
import numpy as np
import pytest

from codelength.counts import Counts, count
from codelength.naive_bayes import Prior, dirichlet_log_evidence
from codelength.scores import evidence_code_length
from codelength.table import Coded, Schema

# Terms of up to 1e303 are to cancel down to 1e-12.
DIGITS = 340

SIZES = (1e-300, 1e-8, 0.75, 30.0, 1e12, 1e300)
CLOSE = 1e-12
"""Relative, or absolute below 1; it is asked for 1e-11."""


@cache
def log_gamma(number):
    return mpmath.loggamma(number)


def exactly(counts, pseudocounts):
    """The textbook form: log-gamma functions and their differences."""
    with mpmath.workdps(DIGITS):
        n, a = ([mpmath.mpf(float(number)) for number in numbers] for numbers in (counts, pseudocounts))
        cells = mpmath.fsum(
            log_gamma(count + added) - log_gamma(added) for count, added in zip(n, a, strict=True)
        )
        return cells + log_gamma(mpmath.fsum(a)) - log_gamma(mpmath.fsum(n + a))


def assert_close(actual, expected, tolerance=CLOSE):
    assert np.isfinite(actual)
    with mpmath.workdps(DIGITS):
        error = abs(mpmath.mpf(float(actual)) - expected) / max(1, abs(expected))
        assert error <= tolerance, (float(actual), mpmath.nstr(expected, 17))


@pytest.mark.parametrize("pseudocounts", list(product(SIZES, repeat=2)), ids=str)
def test_two_cells_of_any_size(pseudocounts):
    counts = np.array(list(product((0.0, *SIZES), repeat=2)))
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        found = dirichlet_log_evidence(counts, np.array(pseudocounts))
    assert (found <= 0).all()
    for actual, numbers in zip(found, counts, strict=True):
        assert_close(actual, exactly(numbers, pseudocounts))


@pytest.mark.parametrize("scale", [1, 8, 80, 300])
@pytest.mark.parametrize("whole", [False, True])
def test_several_cells_of_any_size(scale, whole):
    generator = np.random.default_rng(scale)
    for n_cells in (1, 3, 7):
        for _ in range(12):
            counts = 10.0 ** generator.uniform(-scale, scale, n_cells) * (generator.random(n_cells) < 0.8)
            counts = np.round(counts) if whole else counts
            pseudocounts = 10.0 ** generator.uniform(-scale, scale, n_cells)
            assert_close(dirichlet_log_evidence(counts, pseudocounts), exactly(counts, pseudocounts))


@pytest.mark.parametrize("size", [1e-8, 1.0, 1e8])
def test_ordinary_tables_keep_all_their_digits(size):
    """Counts up to some thousands: not one digit in a hundred thousand billion is lost."""
    generator = np.random.default_rng(3)
    for _ in range(40):
        counts = generator.integers(0, 10 ** generator.integers(1, 5), 6).astype(float)
        pseudocounts = size * generator.uniform(0.5, 2, 6)
        exact = exactly(counts, pseudocounts)
        assert_close(dirichlet_log_evidence(counts, pseudocounts), exact, 2e-15 if abs(exact) > 1 else 1e-15)


def test_the_order_of_cells_is_a_matter_of_naming():
    generator = np.random.default_rng(4)
    counts, pseudocounts = 10.0 ** generator.uniform(-300, 300, (2, 9))
    expected = dirichlet_log_evidence(counts, pseudocounts)
    for _ in range(10):
        order = generator.permutation(9)
        assert dirichlet_log_evidence(counts[order], pseudocounts[order]) == pytest.approx(
            expected, rel=1e-12
        )


def test_shapes():
    counts = np.arange(24.0).reshape(2, 3, 4)
    whole = dirichlet_log_evidence(counts, np.full(4, 0.5))
    assert whole.shape == (2, 3)
    assert whole[1, 2] == dirichlet_log_evidence(counts[1, 2], np.full((4,), 0.5))
    assert dirichlet_log_evidence(np.zeros((3, 4)), np.ones(4)).tolist() == [0, 0, 0]
    assert dirichlet_log_evidence(np.array([5.0]), np.array([2.0])) == 0
    assert dirichlet_log_evidence(np.zeros((2, 0)), np.zeros((2, 0))).tolist() == [0, 0]
    assert dirichlet_log_evidence([1, 0, 2], [1, 1, 1]) == pytest.approx(-np.log(30), rel=1e-15)


class TestCodeLengths:
    """Whole tables: the classes and two variables."""

    CODED = Coded.of(Schema.from_sizes([2, 3], n_classes=2), [[0, 0], [1, 1], [0, 2], [1, 0]], [0, 0, 1, 1])

    def exact_length(self, counts, of_class, of_value):
        log_evidence = exactly(counts.class_counts, [of_class] * 2)
        for i in range(2):
            for row in counts.of(i):
                log_evidence += exactly(row, [of_value] * len(row))
        return -log_evidence

    @pytest.mark.parametrize("size", [1e12, 1e17, 1e100, 1e300])
    def test_large_pseudocounts_are_a_fair_coin(self, size):
        """Two classes, two values and three values, four rows: ``4 log 2 + 4 log 2 + 4 log 3``."""
        counts = count(self.CODED)
        expected = 8 * np.log(2) + 4 * np.log(3)
        assert evidence_code_length(counts, Prior(size, size)) == pytest.approx(expected, abs=1e-11)
        assert expected == pytest.approx(9.9396, abs=1e-4)

    def test_one_row_of_great_weight(self):
        """One class and one of two values, a million billion times."""
        counts = Counts.empty(Schema.from_sizes([2], n_classes=2)).add([0], 1, weight=1e15)
        assert evidence_code_length(counts) == pytest.approx(2 * np.log(1e15 + 1), rel=1e-14)
        assert evidence_code_length(counts) == pytest.approx(69.08, abs=5e-3)

    @pytest.mark.parametrize("of_class", SIZES)
    @pytest.mark.parametrize("of_value", SIZES)
    def test_priors_of_any_size(self, of_class, of_value):
        counts = count(self.CODED)
        length = evidence_code_length(counts, Prior(of_class, of_value))
        assert_close(length, self.exact_length(counts, of_class, of_value))

    @pytest.mark.parametrize("weight", [1e-300, 1e-16, 0.1, 1e15, 1e88])
    def test_weights_of_any_size(self, weight):
        weights = np.array([1.0, weight, weight, 3.5])
        counts = count(Coded.of(self.CODED.schema, self.CODED.codes, self.CODED.class_codes, weights))
        assert_close(evidence_code_length(counts), self.exact_length(counts, 1.0, 1.0))
