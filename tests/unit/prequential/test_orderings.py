"""Greedy orderings of larger tables against plain recomputing."""

import numpy as np
import pytest
from scipy.special import logsumexp

from codelength.counts import Counts, count
from codelength.mixture.fixed_clustering import FixedClustering
from codelength.naive_bayes import Predictor
from codelength.prequential import (
    best_first,
    best_last,
    naive_bayes_sequence,
    worst_first,
    worst_last,
)
from codelength.table import Coded, Schema, encode

SEARCHES = {
    best_first: (False, False),
    worst_first: (False, True),
    best_last: (True, False),
    worst_last: (True, True),
}
by_search = pytest.mark.parametrize("search", SEARCHES)


def drawn_table(n_rows, n_variables, n_classes=3, *, missing=0.0, n_values=4, seed=0):
    """Rows whose values depend on their class."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, n_classes, n_rows)
    values = (classes[:, None] + rng.integers(0, 3, (n_rows, n_variables))) % n_values
    values[rng.random(values.shape) < missing] = -1
    return encode(Schema.from_sizes([n_values] * n_variables, n_classes), values, classes)


def log_odds_against(counts, coded, rows, rule, prior, leave_out):
    """Log odds against the class of each row, from log tables made anew."""
    odds, made = [], Predictor.of(counts, rule, prior).tables
    for n in rows:
        if leave_out:
            own = counts.remove(coded.codes[n], int(coded.class_codes[n]))
            made = Predictor.of(own, rule, prior).tables
        cells = coded.schema.offsets[:-1] + coded.codes[n]
        weights = made.class_table + made.value_table[:, cells].sum(axis=1)
        others = np.delete(weights, int(coded.class_codes[n]))
        odds.append(logsumexp(others) - weights[coded.class_codes[n]] if len(others) else -np.inf)
    return np.array(odds)


def recomputed_order(coded, rule, prior, backward, worst):
    """The greedy ordering from the definition, all rows left predicted anew at every step."""
    left, order = list(range(coded.n_rows)), []
    counts = count(coded) if backward else Counts.empty(coded.schema)
    while left:
        odds = log_odds_against(counts, coded, left, rule, prior, backward)
        costs = -odds if worst else odds
        tied = (costs <= costs.min() + 1e-10) | (costs == costs.min())
        row = left.pop(int(np.argmax(tied)))
        order.insert(0 if backward else len(order), row)
        change = counts.remove if backward else counts.add
        counts = change(coded.codes[row], int(coded.class_codes[row]))
    return order


@by_search
@pytest.mark.parametrize("rule", ["evidence", "stochastic_complexity", "indifferent"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_naive_bayes_is_recomputing(search, rule, missing):
    coded = drawn_table(40, 5, missing=missing)
    order = search(naive_bayes_sequence(coded, rule, "jeffreys"))
    assert order.tolist() == recomputed_order(coded, rule, "jeffreys", *SEARCHES[search])


@by_search
def test_many_columns_do_not_overflow(search):
    """The product of 400 counts is far beyond the range of a float64, and so are the odds."""
    coded = drawn_table(11, 400, missing=0.05)
    model = naive_bayes_sequence(coded)
    assert np.isfinite(model.terms()).all()
    order = search(model)
    assert order.tolist() == recomputed_order(coded, "evidence", "uniform", *SEARCHES[search])


@by_search
def test_many_columns_of_a_mixture_do_not_overflow(search):
    coded = drawn_table(60, 400, missing=0.05)
    model = FixedClustering.of(coded.with_class_as_column(), np.arange(60) % 4).sequence()
    order = search(model)
    assert sorted(order.tolist()) == list(range(60))
    assert np.isfinite(model.terms(order)).all()


@by_search
def test_rows_that_are_used_up_make_room(search):
    """Long runs of equal labels, many equal rows, and many rows to drop on the way."""
    coded = drawn_table(1500, 3, 2, n_values=3)
    model = naive_bayes_sequence(coded)
    order = search(model)
    assert sorted(order.tolist()) == list(range(1500))
    first = {}
    for place, row in enumerate(order.tolist()):
        first.setdefault((*coded.codes[row].tolist(), int(coded.class_codes[row])), []).append((place, row))
    backward = SEARCHES[search][0]
    for places in first.values():
        rows = [row for _, row in places]
        assert rows == sorted(rows, reverse=backward)  # equal rows tie, and the lowest is placed first


def test_values_beyond_a_byte():
    schema = Schema.from_sizes([300, 2], 2)
    rng = np.random.default_rng(0)
    values = np.column_stack((rng.integers(0, 300, 50), rng.integers(0, 2, 50)))
    coded = encode(schema, values, rng.integers(0, 2, 50))
    order = best_first(naive_bayes_sequence(coded))
    assert order.tolist() == recomputed_order(coded, "evidence", "uniform", *SEARCHES[best_first])


@by_search
def test_no_rows_one_row_and_one_class(search):
    coded = drawn_table(5, 2, 1)
    assert search(naive_bayes_sequence(coded)).tolist() == (
        [4, 3, 2, 1, 0] if SEARCHES[search][0] else [0, 1, 2, 3, 4]
    )
    for n_rows in (0, 1):
        part = coded.take(np.arange(n_rows))
        assert search(naive_bayes_sequence(part)).tolist() == list(range(n_rows))


@by_search
def test_no_columns(search):
    """The classes alone: Laplace's rule of succession."""
    coded = Coded.of(Schema.from_sizes([], 2), np.zeros((4, 0), dtype=np.uint8), [0, 1, 1, 1])
    order = search(naive_bayes_sequence(coded))
    assert order.tolist() == recomputed_order(coded, "evidence", "uniform", *SEARCHES[search])
