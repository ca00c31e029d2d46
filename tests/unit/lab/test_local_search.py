"""Local search for better orderings."""

import itertools

import numpy as np
import pytest

from codelength.errors import InvalidParameter
from codelength.mixture.fixed_clustering import FixedClustering
from codelength.naive_bayes import RULES
from codelength.prequential import ORDERINGS, best_first, naive_bayes_sequence, sample_orderings
from codelength.table import Coded, Schema, encode
from codelength_lab.row_orderings import improve_ordering
from golden.cases import DATA, cases
from toy_rules import TOY_RULES


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


def test_local_search_is_never_worse_and_beats_the_greedy_orderings():
    model = naive_bayes_sequence(heart())
    start = best_first(model)
    found = improve_ordering(model, start, max_moves=1500, random_state=0)
    assert found.start_code_length == pytest.approx(model.code_length(start), rel=1e-12)
    assert found.code_length == pytest.approx(model.code_length(found.order), rel=1e-12)
    greedy = min(model.code_length(search(model)) for search in ORDERINGS.values())
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


@pytest.mark.parametrize("rule", (RULES | TOY_RULES).values(), ids=RULES | TOY_RULES)
def test_any_rule(rule):
    model = naive_bayes_sequence(drawn_table(30, 4), rule, cap=30.0)
    found = improve_ordering(model, max_moves=30, random_state=0)
    assert found.code_length <= found.start_code_length


def test_a_search_does_not_depend_on_the_numbers_of_rows_that_tie():
    """Rows that differ in their class only, whose costs are rounded in many ways."""
    coded = Coded.of(Schema.from_sizes([3, 2], n_classes=2), [[0, 1]] * 40, [0, 1] * 20)
    model = naive_bayes_sequence(coded)
    order = np.random.default_rng(0).permutation(20) * 2
    start = np.concatenate((order, order + 1))
    found = improve_ordering(model, start, max_moves=300, random_state=0)
    same = naive_bayes_sequence(coded.take(start))
    again = improve_ordering(same, np.arange(40), max_moves=300, random_state=0)
    np.testing.assert_array_equal(found.order, start[again.order])
