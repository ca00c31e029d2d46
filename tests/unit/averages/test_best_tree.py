"""The best forest: against enumeration, against refitting, at extremes, and in files."""

import json
from itertools import permutations, product

import numpy as np
import pytest

from codelength._packing import packed
from codelength.averages.members.best_tree import BestTree
from codelength.errors import DataError
from codelength.networks.forest import best_forests
from unit.averages.forest_tables import (
    all_forests,
    all_log_evidences,
    class_shares,
    coded_of,
    dependent_rows,
    normalised,
    refitted,
    training_of,
)

CASES = [
    ([2, 3, 2], 2, 20, 0),
    ([2, 2, 3, 2], 3, 30, 1),
    ([2, 3, 2, 2, 2], 2, 25, 2),
    ([3, 2], 2, 12, 3),
    ([4], 3, 9, 4),
]


def edges(parents):
    return {frozenset((v, parent)) for v, parent in enumerate(parents) if parent >= 0}


@pytest.mark.parametrize(("sizes", "n_classes", "n_rows", "seed"), CASES)
def test_the_best_of_all_forests(sizes, n_classes, n_rows, seed):
    rows, labels = dependent_rows(n_rows, sizes, n_classes, seed)
    member = BestTree.fit(training_of(rows, labels, sizes, n_classes)).member
    evidences = all_log_evidences(rows, labels, np.ones(n_rows), sizes, n_classes)
    strength, parents = max(evidences, key=evidences.get)
    assert edges(member.parents) == edges(parents)
    new = dependent_rows(5, sizes, n_classes, seed + 100)[0]
    found = member.log_probs(coded_of(new, np.zeros(5, dtype=int), sizes, n_classes))
    for row, log_probs in zip(new, found, strict=True):
        logs = np.log(class_shares(labels, np.ones(n_rows), n_classes))
        for c in range(n_classes):
            with_row = [*rows, row], [*labels, c], np.ones(n_rows + 1)
            logs[c] += all_log_evidences(*with_row, sizes, n_classes, (strength,))[strength, parents]
        assert log_probs == pytest.approx(normalised(logs), abs=1e-10)


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_forests_of_the_largest_sum(scale):
    """Edges only where they pay; many rows of weights at a time."""
    for n_variables in range(1, 6):
        pairs = [(u, v) for u in range(n_variables) for v in range(u)]
        log_weights = scale * np.random.default_rng(n_variables).normal(size=(10, len(pairs)))
        for weights, parents in zip(log_weights, best_forests(log_weights), strict=True):
            of_edge = {frozenset(pair): weight for pair, weight in zip(pairs, weights, strict=True)}
            sums = [sum(of_edge[edge] for edge in edges(forest)) for forest in all_forests(n_variables)]
            assert tuple(parents) in all_forests(n_variables)
            assert sum(of_edge[edge] for edge in edges(parents)) == pytest.approx(max(sums), abs=1e-12)


def test_equally_good_edges_are_taken_in_order():
    """However a tie is rounded: the first variables, and the first parents."""
    for noise in np.random.default_rng(0).normal(size=(20, 6)) * 1e-12:
        assert best_forests(np.ones((1, 6)) + noise)[0].tolist() == [-1, 0, 0, 0]
        assert best_forests(np.zeros((1, 6)) + noise)[0].tolist() == [-1, -1, -1, -1]
        # Rows of weight 1e12 round a thousand million times as much.
        assert best_forests(1e12 * (np.ones((1, 6)) + noise))[0].tolist() == [-1, 0, 0, 0]
        assert best_forests(1e12 * noise[None], scale=1e12)[0].tolist() == [-1, -1, -1, -1]


@pytest.mark.parametrize("seed", range(6))
def test_leaving_out_is_refitting(seed):
    """The strength and the forest are chosen again without each row."""
    sizes, n_classes = [2, 3, 4, 2, 3, 2, 5], 3
    rows, labels = dependent_rows(40, sizes, n_classes, seed)
    generator = np.random.default_rng(seed)
    if seed % 2:
        rows[5:][generator.random((35, len(sizes))) < 0.15] = -1
    weights = None if seed < 3 else generator.choice([0.3, 1.0, 2.0, 2.7, 40.0], 40)
    training = training_of(rows, labels, sizes, n_classes, weights)
    assert BestTree.fit(training).held_out == pytest.approx(refitted(BestTree, training), abs=1e-10)


def test_leaving_out_is_refitting_where_one_strength_is_far_ahead():
    """Strengths that no row can make the best are skipped, and nothing changes."""
    sizes, n_classes = [2, 3, 4, 2], 2
    rows, labels = dependent_rows(600, sizes, n_classes, 3, copying=0.95)
    training = training_of(rows, labels, sizes, n_classes)
    assert BestTree.fit(training).held_out == pytest.approx(refitted(BestTree, training), abs=1e-10)


def test_the_forest_is_honest():
    """With many variables of noise, the forest of all rows fits them by chance; held-out scores must not."""
    generator = np.random.default_rng(0)
    rows, labels = generator.integers(0, 3, (60, 20)), generator.integers(0, 2, 60)
    training = training_of(rows, labels, [3] * 20, 2)
    learned = BestTree.fit(training)
    on_its_own_rows = training.log_score(learned.member.log_probs(training.rows)) / 60
    held_out = training.log_score(learned.held_out) / 60
    new_rows, new_labels = generator.integers(0, 3, (2000, 20)), generator.integers(0, 2, 2000)
    new = learned.member.log_probs(coded_of(new_rows, new_labels, [3] * 20, 2))
    on_new_rows = new[np.arange(2000), new_labels].mean()
    assert on_its_own_rows > on_new_rows + 0.2
    assert held_out == pytest.approx(on_new_rows, abs=0.2)


def test_the_first_variable_of_a_tree_is_its_root():
    rows, labels = dependent_rows(200, [3, 3, 3], 2, 1, copying=0.8)
    member = BestTree.fit(training_of(rows, labels, [3, 3, 3], 2)).member
    assert member.parents.tolist() == [-1, 0, 1]


def test_a_missing_cell_at_the_end_of_a_tree_is_marginalised():
    """Exact where the variable has one edge, against a sum over the values it could have."""
    sizes, n_classes = [3, 3, 3], 2
    rows, labels = dependent_rows(100, sizes, n_classes, 1, copying=0.8)
    member = BestTree.fit(training_of(rows, labels, sizes, n_classes)).member
    assert edges(member.parents) == {frozenset((0, 1)), frozenset((1, 2))}

    def joint(codes):
        table = member.log_values
        logs = member.log_prior + sum(table[v][code] for v, code in enumerate(codes))
        children = np.flatnonzero(member.parents >= 0)
        for v, factors in zip(children, member.log_factors, strict=True):
            logs = logs + factors[codes[v], codes[member.parents[v]]]
        return logs

    for first, second in product(range(3), range(3)):
        for blanked, values in (
            ([-1, first, second], [[value, first, second] for value in range(3)]),
            ([first, second, -1], [[first, second, value] for value in range(3)]),
        ):
            expected = normalised(np.logaddexp.reduce([joint(codes) for codes in values]))
            found = member.log_probs(coded_of([blanked], [0], sizes, n_classes))[0]
            assert found == pytest.approx(expected, abs=1e-10)


def some_member():
    rows, labels = dependent_rows(60, [2, 3, 4, 2], 2, 1)
    training = training_of(rows, labels, [2, 3, 4, 2], 2)
    member = BestTree.fit(training).member
    assert len(member.log_factors) == 3
    return training, member


def damaged(document):
    """Documents that no fit has written."""
    text = json.dumps(document)
    for name in document:
        less = json.loads(text)
        del less[name]
        yield less
        for other in (None, 3, [], {}, [None] * 3, document["log_values"][:-1]):
            yield json.loads(text) | {name: other}
    for name, array in (
        ("variables", [0, 1, 2, 4]),
        ("variables", [0, 1, 1, 2]),
        ("variables", [0, 1, 2]),
        ("parents", [-1, 0, 1, 4]),
        ("parents", [-1, 0, 1, -2]),
        ("parents", [-1, 1, 1, 2]),
        ("parents", [-1, 3, 1, 2]),
        ("parents", [-1, -1, -1, -1]),
        ("parents", [1, 2, 3, 0]),
    ):
        yield json.loads(text) | {name: packed(np.array(array, dtype=np.int32))}
    for name, number in product(("log_values", "log_factors"), (np.inf, np.nan, 1e4)):
        more = json.loads(text)
        shape = more[name][0]["shape"]
        more[name][0] = packed(np.full(shape, number))
        yield more


def test_damaged_files_are_refused():
    training, member = some_member()
    for other in damaged(member.to_json()):
        with pytest.raises((DataError, LookupError, TypeError, ValueError)):
            BestTree.from_json(other, training.views, training.log_prior)


def test_edges_that_tie_do_not_depend_on_the_order_of_columns():
    """Of three columns that go together all edges are equally good; two others tell these columns apart."""
    rows, labels = [], []
    for label, triple in product(range(2), product(range(2), repeat=3)):
        for k in range((6 if len(set(triple)) == 1 else 2) + label + (sum(triple) == 0)):
            rows.append([*triple, triple[0] ^ (k > sum(triple) + 4), triple[1] ^ (k in (2, 3))])
            labels.append(label)
    rows, labels = np.array(rows), np.array(labels)
    new = np.array(list(product(range(2), repeat=5)))
    found = []
    for order in permutations(range(5)):
        member = BestTree.fit(training_of(rows[:, order], labels, [2] * 5, 2)).member
        found.append(member.log_probs(coded_of(new[:, order], np.zeros(32, dtype=int), [2] * 5, 2)))
    np.testing.assert_allclose(found, [found[0]] * len(found), atol=1e-9)
