"""Forests under the principle of indifference against integrals, fractions and all forests one by one."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import naive_trees
from codelength.counts import count
from codelength.errors import Infeasible
from codelength.naive_bayes import Predictor
from codelength.networks.all_forests import AllForests
from codelength.networks.forest import ForestCounts
from codelength.networks.one_forest import ForestPrior, OneForest, best_forest, pair_sizes, rooted
from codelength.table import Coded, Schema


def rows_of(sizes, n_classes, n_rows, seed):
    rng = np.random.default_rng(seed)
    return [
        (tuple(int(rng.integers(size)) for size in sizes), int(rng.integers(n_classes)))
        for _ in range(n_rows)
    ]


def coded_of(rows, sizes, n_classes):
    cells = np.array([values for values, _ in rows], dtype=np.int64).reshape(len(rows), len(sizes))
    return Coded.of(Schema.from_sizes(sizes, n_classes=n_classes), cells, [label for _, label in rows])


def counts_of(rows, sizes, n_classes):
    return ForestCounts.of(coded_of(rows, sizes, n_classes))


def every_row(sizes):
    return np.array(list(product(*map(range, sizes))), dtype=np.int64)


@pytest.mark.parametrize("seed", range(3))
def test_two_joined_variables_are_uniform_over_all_joint_distributions(seed):
    rows = rows_of([2, 2], 2, 4, seed)
    counts = counts_of(rows, [2, 2], 2)
    expected = naive_trees.uniform_edge(rows)
    for law in ("uniform", "pairs"):
        forest = OneForest(counts, np.array([-1, 0]), law)
        assert math.exp(forest.log_evidence) == pytest.approx(expected, rel=1e-9)
        assert forest.is_exact


@pytest.mark.parametrize("seed", range(4))
def test_with_missing_cells_the_indifferent_rule_is_the_integral_all_the_same(seed):
    """Rows to learn from and rows to predict: a cell that is missing is summed out of both."""
    rng = np.random.default_rng(seed)
    rows = [
        (tuple(None if rng.random() < 0.3 else value for value in values), label)
        for values, label in rows_of([2, 2], 2, 5, seed)
    ]
    *table, (_, label) = rows
    cells = [[2 if value is None else value for value in values] for values, _ in rows]
    coded = Coded.of(Schema.from_sizes([2, 2], n_classes=2), cells, [label for _, label in rows])
    before = naive_trees.uniform_naive(table)
    rule = Predictor.of(count(coded.take(np.arange(4))), "indifferent")
    forest = OneForest(ForestCounts.of(coded.take(np.arange(4))), np.array([-1, -1]), "uniform")
    assert math.exp(-rule.evidence_code_length()) == pytest.approx(before, rel=1e-9)
    assert math.exp(forest.log_evidence) == pytest.approx(before, rel=1e-9)
    joint = naive_trees.uniform_naive(rows) / before
    last = coded.take(np.array([4]))
    assert math.exp(rule.log_weights(last)[0, label]) == pytest.approx(joint, rel=1e-9)
    assert math.exp(forest.log_joint(forest.counts.codes(last))[0, label]) == pytest.approx(joint, rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_a_star_is_uniform_over_all_pairs_of_joint_distributions_that_agree(seed):
    rows = rows_of([2, 2, 2], 1, 5, seed)
    forest = OneForest(counts_of(rows, [2, 2, 2], 1), rooted([(0, 1), (1, 2)], 3), "uniform")
    assert forest.is_exact
    assert math.exp(forest.log_evidence) == pytest.approx(naive_trees.uniform_star(rows), rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_a_path_of_four_is_no_product_and_what_is_put_in_its_place_is_near(seed):
    """Rows that show one variable alone have to be completed in all ways, over which no product is."""
    rows = rows_of([2, 2, 2, 2], 1, 5, seed)
    exact = naive_trees.uniform_path(rows)
    assert exact == pytest.approx(float(naive_trees.path_by_completions(rows)), rel=1e-9)
    forest = OneForest(counts_of(rows, [2] * 4, 1), rooted([(0, 1), (1, 2), (2, 3)], 4), "uniform")
    assert not forest.is_exact
    assert 1e-6 < abs(forest.log_evidence - math.log(exact)) < 0.2


@pytest.mark.parametrize("sizes", [[2, 3], [4, 2, 3], [3]])
def test_without_edges_the_uniform_law_is_the_indifferent_rule(sizes):
    rows = rows_of(sizes, 3, 12, 0)
    coded = coded_of(rows, sizes, 3)
    forest = OneForest(ForestCounts.of(coded), np.full(len(sizes), -1), "uniform")
    rule = Predictor.of(count(coded), "indifferent")
    assert forest.log_evidence == pytest.approx(-rule.evidence_code_length(), rel=1e-12)
    found = forest.log_joint(forest.counts.codes(coded))
    np.testing.assert_allclose(found, rule.log_weights(coded), rtol=1e-12)


@pytest.mark.parametrize(("sizes", "n_rows"), [([2, 3, 2], 6), ([3, 2, 2, 2], 3), ([2, 2], 0)])
def test_all_forests_are_the_sum_over_each_of_them_in_fractions(sizes, n_rows):
    rows = rows_of(sizes, 2, n_rows, 1)
    average = AllForests(counts_of(rows, sizes, 2))
    whole = naive_trees.probability_over_forests(rows, sizes, 2)
    assert average.log_evidence == pytest.approx(math.log(whole), abs=1e-10)
    found = average.log_joint(every_row(sizes)[:2])
    for values, made in zip(every_row(sizes)[:2].tolist(), found, strict=True):
        for label in range(2):
            joint = naive_trees.probability_over_forests([*rows, (tuple(values), label)], sizes, 2) / whole
            assert made[label] == pytest.approx(math.log(joint), abs=1e-10)


def test_edges_are_as_probable_as_the_forests_that_have_them():
    sizes, rows = [2, 3, 2], rows_of([2, 3, 2], 2, 8, 2)
    weights = {
        (parents, size): float(naive_trees.even_probability(rows, sizes, 2, parents, size)) * share
        for parents in naive_trees.forests(3)
        for size, share in zip(*(part.tolist() for part in pair_sizes(np.array(sizes))), strict=True)
        for size in [int(size)]
    }
    found = AllForests(counts_of(rows, sizes, 2)).edge_probs
    for u, v in [(0, 1), (0, 2), (1, 2)]:
        joined = sum(w for (parents, _), w in weights.items() if parents[u] == v or parents[v] == u)
        assert found[u, v] == found[v, u] == pytest.approx(joined / sum(weights.values()), abs=1e-10)


@pytest.mark.parametrize("law", ["pairs", "uniform"])
def test_adding_a_row_multiplies_the_evidence_by_what_was_predicted(law):
    sizes = [3, 2, 2, 4]
    rows = rows_of(sizes, 2, 10, 3)
    parents = rooted([(0, 1), (1, 2), (2, 3)], 4)
    after = OneForest(counts_of(rows, sizes, 2), parents, law)
    before = OneForest(counts_of(rows[:-1], sizes, 2), parents, law)
    values, label = rows[-1]
    predicted = before.log_joint(np.array([values]))[0, label]
    assert after.log_evidence - before.log_evidence == pytest.approx(predicted, abs=1e-10)


def test_the_law_of_pairs_does_not_ask_which_variable_is_the_root():
    sizes = [2, 3, 4]
    counts = counts_of(rows_of(sizes, 2, 15, 4), sizes, 2)
    lengths = [
        ForestPrior.even(counts.n_values, np.array(parents), 6.0).log_evidence(counts)
        for parents in ([-1, 0, 1], [1, -1, 1], [1, 2, -1])
    ]
    np.testing.assert_allclose(lengths, lengths[0], rtol=1e-13)


@pytest.mark.parametrize("law", ["pairs", "uniform"])
@pytest.mark.parametrize("edges", [[], [(0, 1), (1, 2)], [(2, 0), (2, 1), (2, 3)], [(0, 1), (1, 2), (2, 3)]])
def test_cells_without_a_value_are_summed_out(law, edges):
    sizes = [2, 3, 2, 2]
    forest = OneForest(counts_of(rows_of(sizes, 2, 12, 5), sizes, 2), rooted(edges, 4), law)
    every = every_row(sizes)
    joint = np.exp(forest.log_joint(every))
    assert joint.sum() == pytest.approx(1.0, abs=1e-12)
    for hidden in ([1], [0, 2], [1, 2], [0, 1, 2, 3]):
        blank = every.copy()
        blank[:, hidden] = -1
        groups = [tuple(row) for row in blank.tolist()]
        for row, made in zip(groups, np.exp(forest.log_joint(blank)), strict=True):
            same = joint[[other == row for other in groups]].sum(axis=0)
            np.testing.assert_allclose(made, same, rtol=1e-12)


def test_the_best_forest_is_the_most_probable_of_all():
    sizes = [2, 2, 2, 2]
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 2, (60, 4))
    codes[:, 1] = np.where(rng.random(60) < 0.9, codes[:, 0], codes[:, 1])
    codes[:, 3] = np.where(rng.random(60) < 0.8, codes[:, 1], codes[:, 3])
    rows = [
        (tuple(row), int(label)) for row, label in zip(codes.tolist(), rng.integers(0, 2, 60), strict=True)
    ]
    counts = counts_of(rows, sizes, 2)
    best = best_forest(counts, "pairs")
    every = [OneForest(counts, np.array(parents), "pairs") for parents in naive_trees.forests(4)]
    assert best.log_evidence == pytest.approx(max(forest.log_evidence for forest in every), abs=1e-10)
    joined = {frozenset((v, int(p))) for v, p in enumerate(best.parents) if p >= 0}
    assert joined >= {frozenset((0, 1)), frozenset((1, 3))}
    none = OneForest(counts, np.full(4, -1), "uniform")
    assert best_forest(counts, "uniform").log_evidence > none.log_evidence


@pytest.mark.parametrize("law", ["pairs", "uniform"])
@pytest.mark.parametrize("unit", [1.0, 1e12])
def test_rounding_does_not_choose_the_forest(unit, law):
    """Three variables that are mirror images of each other: any two of three edges make a best forest."""
    rows = [((a, b, c), 0) for a, b, c in product(range(2), repeat=3) for _ in range(2 if a == b == c else 1)]
    rows += [((1 - a, 1 - b, 1 - c), 1) for (a, b, c), _ in rows]
    coded = coded_of([((a, 1 - b, c), label) for (a, b, c), label in rows], (2, 2, 2), 2)
    rng, found = np.random.default_rng(0), set()
    for _ in range(20):
        weights = unit * (1.0 + rng.integers(-3, 4, size=coded.n_rows) * np.finfo(float).eps)
        forest = best_forest(ForestCounts.of(replace(coded, weights=weights)), law)
        found.add(tuple(forest.parents.tolist()))
    assert len(found) == 1
    assert unit == 1.0 or found == {(-1, 0, 0)}


def test_tables_without_variables_know_the_classes():
    counts = counts_of([((), 0), ((), 1), ((), 1)], [], 2)
    nothing = np.empty((1, 0), dtype=np.int64)
    for model in (AllForests(counts), best_forest(counts, "pairs"), best_forest(counts, "uniform")):
        np.testing.assert_allclose(np.exp(model.log_joint(nothing)), [[2 / 5, 3 / 5]])
        assert math.exp(model.log_evidence) == pytest.approx(1 / 12)


def test_values_of_a_root_share_one_pseudocount_more_than_its_tree_has_free_parameters():
    sizes = np.array([2, 3, 4, 2, 5])
    parents = rooted([(0, 1), (1, 2), (2, 3)], 5)
    law = ForestPrior.uniform(sizes, parents)
    joints = [2 * 3, 3 * 4, 4 * 2]  # a path: tables of pairs, less what they agree on
    free = sum(joints) - 3 - 4 - 1
    root = int(np.flatnonzero(parents[:4] < 0)[0])
    assert law.of_cells[root] * sizes[root] == pytest.approx(1 + free)
    assert law.of_cells[4] == 1
    assert law.of_class == pytest.approx(1 + free + 4)


def test_roots_are_centres():
    assert rooted([(4, 3), (3, 2), (2, 1), (1, 0)], 5).tolist() == [1, 2, -1, 2, 3]
    assert rooted([], 2).tolist() == [-1, -1]


def test_too_many_variables_are_refused():
    coded = Coded.of(Schema.from_sizes([2] * 129, n_classes=2), np.zeros((2, 129), dtype=int), [0, 1])
    with pytest.raises(Infeasible, match="129 variables are more than the 128"):
        ForestCounts.of(coded)
