"""Greedy orderings of larger tables against plain recomputing, and better ones by local search."""

import itertools

import numpy as np
import pytest
from scipy.special import logsumexp

from codelength.counts import Counts, count
from codelength.errors import InvalidParameter
from codelength.mixture.fixed_clustering import FixedClustering
from codelength.naive_bayes import Predictor
from codelength.prequential import (
    best_first,
    best_last,
    improve_ordering,
    naive_bayes_sequence,
    sample_orderings,
    worst_first,
    worst_last,
)
from codelength.table import Coded, Schema, encode
from golden.cases import DATA, cases

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


def heart():
    case = next(case for case in cases("real_loo") if case["id"] == "heart")
    rows = np.loadtxt(DATA / case["file"], delimiter=",", dtype=np.int64)
    return encode(Schema.from_sizes(case["cards"], case["K"]), rows[:, :-1], rows[:, -1])


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


def test_local_search_is_never_worse_and_beats_the_greedy_orderings():
    model = naive_bayes_sequence(heart())
    start = best_first(model)
    found = improve_ordering(model, start, max_moves=1500, random_state=0)
    assert found.start_code_length == pytest.approx(model.code_length(start), rel=1e-12)
    assert found.code_length == pytest.approx(model.code_length(found.order), rel=1e-12)
    greedy = min(model.code_length(search(model)) for search in SEARCHES)
    assert found.code_length < 0.7 * greedy
    assert found.code_length < sample_orderings(model, 100, scheme="plain", random_state=0).best


def test_local_search_finds_the_best_of_all_orderings_of_a_few_rows():
    """With a window as wide as the table, the shortest path through all subsets is found."""
    for seed in range(5):
        coded = drawn_table(6, 3, missing=0.1, seed=seed)
        for model in (
            naive_bayes_sequence(coded),
            FixedClustering.of(coded.with_class_as_column(), [0, 1, 0, 2, 1, 0]).sequence(),
        ):
            least = min(model.code_length(order) for order in itertools.permutations(range(6)))
            found = improve_ordering(model, np.arange(6), max_moves=0, width=6)
            assert found.code_length == pytest.approx(least, rel=1e-11)


@pytest.mark.parametrize("n_rows", [0, 1, 2])
def test_local_search_of_next_to_nothing(n_rows):
    coded = drawn_table(n_rows, 2)
    found = improve_ordering(naive_bayes_sequence(coded), max_moves=5, random_state=0)
    assert sorted(found.order.tolist()) == list(range(n_rows))


def test_local_search_can_be_repeated():
    model = naive_bayes_sequence(drawn_table(30, 4))
    runs = [improve_ordering(model, max_moves=100, random_state=3).order.tolist() for _ in range(2)]
    assert runs[0] == runs[1]


def test_local_search_starts_from_infinity_too():
    """Under maximum likelihood most orderings are infinitely bad; the search is not stopped by that."""
    coded = drawn_table(12, 2)
    model = naive_bayes_sequence(coded, "map")
    found = improve_ordering(model, max_moves=50, random_state=0)
    assert found.code_length <= found.start_code_length


@pytest.mark.parametrize(
    ("options", "message"), [({"max_moves": -1}, "max_moves=-1"), ({"width": 1}, "width=1: .* from 2 to 10")]
)
def test_local_search_refuses(options, message):
    with pytest.raises(InvalidParameter, match=message):
        improve_ordering(naive_bayes_sequence(drawn_table(3, 2)), **options)
