"""Pseudocounts and weights at the ends of the range of floats, against exact arithmetic."""

from itertools import product

import mpmath
import numpy as np
import pytest

import naive
from codelength.counts import count
from codelength.errors import InvalidParameter
from codelength.naive_bayes import RULES, Predictor, Prior
from codelength.scores import leave_one_out
from codelength.table import Coded, Schema
from properties.strategies import Table, naive_log_weights, naive_prior

SIZES = (1e-300, 1e-30, 1e-16, 0.3, 1.0, 7.0, 1e16, 1e30, 1e300)
TABLE = Table(
    (2, 3, 2),
    3,
    ((0, 0, 1), (1, None, 0), (0, 1, 1), (1, 2, None), (0, 0, 0), (1, 2, 1), (0, 2, 1)),
    (0, 0, 1, 1, 0, 1, 0),
)
"""The last class has no rows."""

pairs = pytest.mark.parametrize(("of_class", "of_value"), list(product(SIZES, repeat=2)))


def exact_log_probs(row, counts, prior):
    weights = naive.evidence_weights(row, counts, prior)
    return [naive.log(prob) for prob in naive.probabilities(weights)]


@pairs
def test_predictions_under_priors_of_any_size(of_class, of_value):
    predictor = Predictor.of(TABLE.counts(), "evidence", Prior(of_class, of_value))
    log_probs, undefined = predictor.log_probs(TABLE.coded)
    log_weights = predictor.log_weights(TABLE.coded)
    slow = naive_prior(predictor.prior, TABLE.schema)
    assert not undefined.any()
    for j, row in enumerate(TABLE.rows):
        np.testing.assert_allclose(
            log_probs[j], exact_log_probs(row, TABLE.naive_counts(), slow), rtol=1e-13, atol=1e-11
        )
        expected = naive_log_weights(row, TABLE.naive_counts(), slow, "evidence")
        np.testing.assert_allclose(log_weights[j], expected, rtol=1e-13, atol=1e-11)


@pairs
@pytest.mark.parametrize("weighted", [False, True])
def test_leave_one_out_under_priors_of_any_size(of_class, of_value, weighted):
    """A row is taken off the counts before the pseudocounts are added: beside them it would vanish."""
    weights = np.array([1.0, 2.0, 0.5, 1.0, 4.0, 1.0, 0.25]) if weighted else None
    predictor = Predictor.of(TABLE.counts(weights), "evidence", Prior(of_class, of_value))
    result = leave_one_out(predictor, TABLE.weighted(weights))
    slow = naive_prior(predictor.prior, TABLE.schema)
    refitted = naive.leave_one_out_counts(
        TABLE.rows, TABLE.labels, TABLE.n_values, TABLE.n_classes, weights if weights is None else [*weights]
    )
    for j, (row, counts) in enumerate(zip(TABLE.rows, refitted, strict=True)):
        expected = exact_log_probs(row, counts, slow)
        np.testing.assert_allclose(result.log_probs[j], expected, rtol=1e-13, atol=1e-11)


def test_tiny_pseudocounts_survive_leaving_a_row_out():
    schema = Schema.from_sizes([3, 2], n_classes=2)
    coded = Coded.of(schema, [[0, 0], [1, 0], [0, 1], [2, 1]], [0, 0, 1, 1])
    result = leave_one_out(Predictor.of(count(coded), "evidence", Prior(1e-16, 1e-16)), coded)
    np.testing.assert_allclose(result.true_log_probs, [np.log(2 / 3), 0, np.log(2 / 3), 0], atol=1e-14)


@pytest.mark.parametrize("size", [1.0, 1 + 1e-15, 2.0, 1e16, 1e300])
def test_the_mode_under_large_pseudocounts(size):
    predictor = Predictor.of(TABLE.counts(), "map", Prior(size, size))
    log_probs, undefined = predictor.log_probs(TABLE.coded)
    slow = naive_prior(predictor.prior, TABLE.schema)
    for j, row in enumerate(TABLE.rows):
        weights = [*map(mpmath.exp, naive_log_weights(row, TABLE.naive_counts(), slow, "map"))]
        assert not undefined[j]
        expected = [float(weight / mpmath.fsum(weights)) for weight in weights]
        np.testing.assert_allclose(np.exp(log_probs[j]), expected, rtol=1e-11, atol=1e-300)


def test_pseudocounts_below_one_have_no_mode():
    with pytest.raises(InvalidParameter, match="below 1"):
        _ = Predictor.of(TABLE.counts(), "map", Prior(1, 1e-300)).tables


class TestStochasticComplexity:
    """No prior enters, but the counts may be of any size."""

    WEIGHTS = (5e-324, 1e-310, 1e-300, 1e-16, 0.5, 1.0, 3.0, 1e15)

    def exact_log_weights(self, row, counts):
        """Maximised log-likelihood of the counts with the row added, class by class, in many digits."""
        with mpmath.workdps(700):
            return [
                mpmath.fsum(
                    _maximised(block)
                    for block in (
                        more.class_counts,
                        *(cells for of_class in more.value_counts for cells in of_class),
                    )
                )
                for more in (naive.with_row(counts, row, k) for k in range(len(counts.class_counts)))
            ]

    def assert_exact(self, log_probs, row, counts):
        weights = self.exact_log_weights(row, counts)
        with mpmath.workdps(700):
            shares = [mpmath.exp(weight - max(weights)) for weight in weights]
            expected = [float(mpmath.log(share / mpmath.fsum(shares))) for share in shares]
        np.testing.assert_allclose(log_probs, expected, rtol=1e-12, atol=1e-11)

    @pytest.mark.parametrize(("light", "heavy"), list(product(WEIGHTS, repeat=2)))
    def test_weights_of_any_size(self, light, heavy):
        table = Table((2, 2), 2, ((0, None), (1, 0), (0, 1)), (0, 1, 1))
        weights = np.array([light, heavy, 1.0])
        predictor = Predictor.of(table.counts(weights), "stochastic_complexity")
        with np.errstate(all="raise", under="ignore"):
            log_probs, undefined = predictor.log_probs(table.coded)
            left_out = predictor.leave_one_out(table.weighted(weights))
        assert not undefined.any()
        assert np.isfinite(left_out.log_probs).all()
        # What was counted, rounding included.
        counts = naive.Counts(
            predictor.counts.class_counts.tolist(),
            [[predictor.counts.of(i)[k].tolist() for i in range(2)] for k in range(2)],
        )
        for j, row in enumerate(table.rows):
            self.assert_exact(log_probs[j], row, counts)

    def test_a_weight_whose_inverse_overflows(self):
        table = Table((2,), 2, ((0,), (None,)), (0, 1))
        predictor = Predictor.of(table.counts(np.array([1e-310, 1.0])), "stochastic_complexity")
        log_probs, _ = predictor.log_probs(table.coded)
        assert np.isfinite(log_probs).all()
        np.testing.assert_allclose(np.exp(log_probs).sum(axis=1), 1)

    @pytest.mark.parametrize("number", [0.0, *WEIGHTS, 0.999, 1.001, 1e300])
    def test_growth(self, number):
        with mpmath.workdps(700):
            n = mpmath.mpf(number)
            expected = (n + 1) * mpmath.log(n + 1) - (n * mpmath.log(n) if n else 0)
        with np.errstate(all="raise", under="ignore"):
            found = RULES["stochastic_complexity"].growth(np.array([number]))[0]
        assert found == pytest.approx(float(expected), rel=1e-15, abs=1e-320)


def _maximised(block):
    """Sum of ``n log(n / total)``."""
    numbers = [mpmath.mpf(float(number)) for number in block if number]
    total = mpmath.fsum(numbers)
    return mpmath.fsum(number * mpmath.log(number / total) for number in numbers)
