"""Decision trees: against all prunings one by one, against plain walks, held out honestly, and in files."""

import json
from math import exp, log
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp

from codelength._packing import packed
from codelength.averages.folds import copies_per_fold
from codelength.averages.members import trees as module
from codelength.averages.members._tree_kernels import Columns, grow
from codelength.averages.members._tree_pruning_kernels import average_prunings
from codelength.averages.members._tree_split_kernels import below, log_table
from codelength.averages.members.trees import Trees
from codelength.averages.training import Training
from codelength.averages.views import Views
from codelength.errors import DataError
from codelength.sources import as_table
from codelength.table import Cutting, encode, infer_schema


def coded_of(columns, labels, weights=None, missing="value"):
    table = as_table(columns, labels)
    cutting = Cutting(n_bins=100)
    schema = infer_schema(table, missing=missing, numeric="discretize", cutting=cutting, identifiers="keep")
    return encode(schema, table, sample_weight=weights)


def some_columns(n_rows=60, seed=0, n_classes=3, missing=0.0):
    """Two numbers, a category of seven values that says something and one that does not."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=n_rows)
    numbers = labels[:, None] + rng.normal(size=(n_rows, 2)).round(1)
    numbers[rng.random(numbers.shape) < missing] = np.nan
    kinds = np.where(
        rng.random(n_rows) < 0.5, labels + rng.integers(3, size=n_rows), rng.integers(7, size=n_rows)
    )
    columns = {
        "u": numbers[:, 0],
        "v": numbers[:, 1],
        "kind": [f"k{k}" for k in kinds],
        "coin": [f"c{k}" for k in rng.integers(2, size=n_rows)],
    }
    return columns, [f"y{label}" for label in labels]


def random_columns(rng, n_rows, sizes, ordered, missing=()):
    """Random codes: unknown cells are 0, and some ordered variables have a last code that means missing."""
    codes = np.array([rng.integers(0, size + 1, size=n_rows) for size in sizes]).astype(np.uint8)
    sizes = np.array(sizes)
    n_ordered = np.where(ordered, sizes - np.isin(np.arange(len(sizes)), missing), 0)
    scans = np.tile(np.arange(1, sizes.max() + 1), (len(sizes), 1))
    return Columns(codes, np.arange(len(sizes)), scans, sizes, n_ordered)


class Grown(NamedTuple):
    """A tree before it is averaged over its prunings."""

    features: np.ndarray
    masks: np.ndarray
    counts: np.ndarray


def logs_of(counts, pseudocounts):
    """The table of log rising factorials that kernels use, for classes with these weights in all rows."""
    return log_table(np.append(counts, counts.sum()), np.append(pseudocounts, pseudocounts.sum()))


def grown(columns, labels, weights, pseudocounts, n_tried, one_cut, seed):
    logs = logs_of(np.bincount(labels, weights, len(pseudocounts)), pseudocounts)
    return Grown(*grow(columns, labels, weights, logs, n_tried, one_cut, 30, seed))


def children(features):
    """Left child of each node that is split, when nodes are numbered level by level."""
    return {node: 2 * k + 1 for k, node in enumerate(np.flatnonzero(features >= 0).tolist())}


def plain_leaf(features, masks, codes):
    """Where a row goes, one node at a time."""
    lefts, node = children(features), 0
    while node in lefts:
        goes_left = codes[features[node]] in {k for k in range(63) if int(masks[node]) & (1 << k)}
        node = lefts[node] if goes_left else lefts[node] + 1
    return node


def log_evidence(counts, pseudocounts):
    total = gammaln(pseudocounts.sum()) - gammaln((counts + pseudocounts).sum())
    return total + (gammaln(counts + pseudocounts) - gammaln(pseudocounts)).sum()


def prunings(lefts, node):
    """Every pruning below a node: its leaves, and how many nodes end it early or go on."""
    if node not in lefts:
        yield [node], 0, 0
        return
    yield [node], 1, 0
    for left_leaves, left_ends, left_on in prunings(lefts, lefts[node]):
        for right_leaves, right_ends, right_on in prunings(lefts, lefts[node] + 1):
            yield left_leaves + right_leaves, left_ends + right_ends, left_on + right_on + 1


def plain_average(features, leaf_counts, pseudocounts, split_prob):
    """Evidence of a tree and distributions at its leaves, by going through all its prunings."""
    lefts = children(features)
    above = {child: node for node, left in lefts.items() for child in (left, left + 1)}
    counts = np.zeros((len(features), len(pseudocounts)))
    counts[features < 0] = leaf_counts
    for node in sorted(lefts, reverse=True):
        counts[node] = counts[lefts[node]] + counts[lefts[node] + 1]
    scores, predictions = [], []
    for ends, n_ends, n_on in prunings(lefts, 0):
        score = n_ends * log(1 - split_prob) + n_on * log(split_prob)
        scores.append(score + sum(log_evidence(counts[node], pseudocounts) for node in ends))
        found = []
        for leaf in np.flatnonzero(features < 0).tolist():
            node = leaf
            while node not in ends:
                node = above[node]
            found.append((counts[node] + pseudocounts) / (counts[node] + pseudocounts).sum())
        predictions.append(found)
    shares = np.exp(np.array(scores) - logsumexp(scores))
    return logsumexp(scores), np.tensordot(shares, np.array(predictions), 1)


@pytest.mark.parametrize("split_prob", [0.5, 0.8])
@pytest.mark.parametrize("seed", range(6))
def test_the_average_is_over_all_prunings(seed, split_prob):
    """Evidence and distributions, for whole weights and others, seen and unseen classes, small and large."""
    rng = np.random.default_rng(seed)
    columns = random_columns(rng, 14, [4, 3, 5], [True, False, True], missing=[2])
    labels = rng.integers(3, size=14)
    weights = [np.ones(14), rng.integers(0, 4, size=14) + (np.arange(14) == 0), rng.random(14) * 3][seed % 3]
    weights = weights * (1e6 if seed == 5 else 1.0)
    pseudocounts = rng.dirichlet(np.ones(4)) * rng.choice([0.2, 1.0, 5.0])
    tree = grown(columns, labels, weights, pseudocounts, 2, seed % 2 == 1, seed + 1)
    assert len(tree.features) > 5
    leaf_counts = tree.counts[tree.features < 0]
    logs = logs_of(leaf_counts.sum(axis=0), pseudocounts)
    found_evidence, found = average_prunings(tree.features, leaf_counts, logs, split_prob)
    evidence, distributions = plain_average(tree.features, leaf_counts, pseudocounts, split_prob)
    np.testing.assert_allclose(found_evidence[0], evidence, rtol=1e-10)
    np.testing.assert_allclose(found[tree.features < 0], distributions, atol=1e-10)
    np.testing.assert_allclose(found[tree.features < 0].sum(axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("one_cut", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_trees_are_grown_until_nothing_is_left_to_split(seed, one_cut):
    """Rows are where a plain walk finds them; leaves have one class, or rows that no variable tells apart."""
    rng = np.random.default_rng(seed)
    columns = random_columns(rng, 80, [20, 6, 3, 2], [True, False, True, False], missing=[0, 2])
    labels = rng.integers(3, size=80)
    weights = rng.integers(0, 3, size=80) * (1.0 if seed % 2 else 0.7)
    tree = grown(columns, labels, weights, np.full(3, 0.1), 2, one_cut, seed + 1)
    rows = np.flatnonzero(weights)
    places = np.array([plain_leaf(tree.features, tree.masks, columns.codes[:, row]) for row in rows])
    for leaf in np.flatnonzero(tree.features < 0):
        there = rows[places == leaf]
        expected = np.bincount(labels[there], weights[there], 3)
        np.testing.assert_allclose(tree.counts[leaf], expected, atol=1e-12)
        assert len(there) > 0
        varies = [len(set(codes[codes > 0].tolist())) > 1 for codes in columns.codes[:, there]]
        assert np.count_nonzero(expected) == 1 or not any(varies)
    np.testing.assert_allclose(tree.counts[0], np.bincount(labels, weights, 3), atol=1e-12)


def plain_sets(codes, size, n_ordered):
    """All sets of codes that a tree may send to the left at its root."""
    present = sorted(set(codes[codes > 0].tolist()))
    if n_ordered == 0:
        return [{code} for code in present]
    low = [code for code in present if code <= n_ordered]
    cuts = [set(low[: k + 1]) for k in range(len(low))]
    missing = set(present) - set(low)
    return [cut for cut in cuts + [cut | missing for cut in cuts] if 0 < len(cut) < len(present)]


@pytest.mark.parametrize("seed", range(6))
def test_the_root_has_the_split_of_largest_evidence(seed):
    """Among all cuts, with missing cells on either side, and all single values; unknown cells go with the
    heavier side. Groups of several values may be better still."""
    rng = np.random.default_rng(seed)
    columns = random_columns(rng, 60, [8, 6, 5], [True, False, True], missing=[0])
    labels = rng.integers(3, size=60)
    weights = np.ones(60) if seed % 2 else rng.random(60) + 0.5
    pseudocounts = np.array([0.2, 0.1, 0.3])

    def score(i, left):
        codes = columns.codes[i]
        goes_left = np.isin(codes, list(left))
        known = weights @ (codes > 0)
        if 2 * (weights @ goes_left) >= known:
            goes_left = goes_left | (codes == 0)
        sides = (np.bincount(labels[side], weights[side], 3) for side in (goes_left, ~goes_left))
        return sum(log_evidence(side, pseudocounts) for side in sides)

    best = max(
        score(i, left)
        for i in range(3)
        for left in plain_sets(columns.codes[i], columns.n_values[i], columns.n_ordered[i])
    )
    tree = grown(columns, labels, weights, pseudocounts, 3, False, seed + 1)
    found = sum(log_evidence(tree.counts[child], pseudocounts) for child in (1, 2))
    i = tree.features[0]
    present = set(columns.codes[i].tolist()) - {0}
    chosen = {code for code in present if (int(tree.masks[0]) >> code) & 1}
    assert found == pytest.approx(score(i, chosen), abs=1e-9)
    if columns.n_ordered[i] > 0 or len(chosen) in (1, len(present) - 1):
        assert found == pytest.approx(best, abs=1e-9)
    else:
        assert found > best - 1e-9


def test_groups_of_values_are_found_by_their_shares_of_a_class():
    """Values 1, 4, 6 have one class and 2, 3, 5 the other: one split tells them apart."""
    codes = np.tile(np.arange(1, 7), 20).astype(np.uint8)[None]
    labels = np.isin(codes[0], [2, 3, 5]).astype(np.int64)
    columns = Columns(codes, np.arange(1), np.arange(1, 7)[None], np.array([6]), np.array([0]))
    tree = grown(columns, labels, np.ones(120), np.full(2, 0.1), 1, False, 1)
    assert len(tree.features) == 3
    assert int(tree.masks[0]) & ~1 in (0b1010010, 0b0101100)


def test_cuts_are_in_the_middle_of_gaps():
    """With codes 2 and 8 at the node, 3 to 5 go with 2, and 6 and 7 with 8; 9 is missing and not there."""
    codes = np.array([[2] * 5 + [8] * 4], dtype=np.uint8)
    columns = Columns(codes, np.arange(1), np.arange(1, 10)[None], np.array([9]), np.array([8]))
    tree = grown(columns, np.repeat([0, 1], [5, 4]), np.ones(9), np.full(2, 0.1), 1, False, 1)
    left = {code for code in range(10) if (int(tree.masks[0]) >> code) & 1}
    assert left == {0, 1, 2, 3, 4, 5, 9}  # the left side is heavier


def test_random_numbers_are_below_their_bound_and_about_uniform():
    state = np.array([12345], dtype=np.uint64)
    counts = np.bincount([below(state, 10) for _ in range(20_000)], minlength=10)
    assert len(counts) == 10
    assert ((counts - 2000) ** 2 / 2000).sum() < 30


def moved_by_ulps(numbers, rng, most=3):
    """Numbers that differ by a few units in the last place, as sums on another machine do."""
    return numbers * (1.0 + rng.integers(-most, most + 1, size=len(numbers)) * np.finfo(float).eps)


@pytest.mark.parametrize("one_cut", [False, True])
@pytest.mark.parametrize("unit", [1.0, 0.7, 1e12])
def test_rounding_of_pseudocounts_and_weights_changes_no_tree(unit, one_cut):
    """Columns with few values divide the classes equally well at many nodes; not one of 40 trees changes."""
    rng = np.random.default_rng(0)
    columns = random_columns(rng, 120, [2, 2, 3, 3, 6, 8], [False, False, True, False, False, True], [5])
    labels = rng.integers(2, size=120)
    for seed in range(40):
        weights = unit * rng.integers(0, 3, size=120)
        pseudocounts = module._pseudocounts(np.bincount(labels, weights, 2), 0.3)
        tree = grown(columns, labels, weights, pseudocounts, 3, one_cut, seed + 1)
        assert len(tree.features) > 10
        for moved in (weights, moved_by_ulps(weights, rng)):
            other = grown(columns, labels, moved, moved_by_ulps(pseudocounts, rng), 3, one_cut, seed + 1)
            np.testing.assert_array_equal(other.features, tree.features)
            np.testing.assert_array_equal(other.masks, tree.masks)


def test_what_is_drawn_at_a_node_does_not_depend_on_other_nodes():
    """One row more in the left half of a tree leaves the right half as it was."""
    rng = np.random.default_rng(1)
    columns = random_columns(rng, 200, [2, 5, 5, 5, 5], [False] * 5)
    columns.codes[0] = np.repeat([1, 2], 100)
    labels = np.where(rng.random(200) < 0.9, columns.codes[0] - 1, rng.integers(2, size=200))
    weights = np.ones(200)
    weights[:60] = 0.0  # so the heavier half is the same before and after
    found = []
    for n_more in range(0, 40, 5):
        weights[:n_more] = 1.0
        tree = grown(columns, labels, weights, np.full(2, 0.1), 5, True, 3)
        assert tree.features[0] == 0
        found.append(_below_node(tree, 2 if int(tree.masks[0]) >> 1 & 1 else 1))
    assert len(found[0]) > 20
    assert all(one == found[0] for one in found)


def _below_node(tree, node):
    """Splits below a node, the node first and then all that is below its children."""
    lefts = children(tree.features)
    if node not in lefts:
        return [(-1, 0)]
    own = (int(tree.features[node]), int(tree.masks[node]))
    return [own, *_below_node(tree, lefts[node]), *_below_node(tree, lefts[node] + 1)]


def test_a_tree_knows_nothing_of_rows_outside_its_bag():
    """Other classes of these rows give the same tree, pseudocounts included."""
    training = Training.of(coded_of(*some_columns(60, seed=1, missing=0.2)))
    growth = module._Growth.of(training)
    weights = np.ones(60)
    weights[::5] = 0.0
    changed = growth.labels.copy()
    changed[::5] = (changed[::5] + 1) % 3
    found = []
    for labels in (growth.labels, changed):
        pseudocounts = module._pseudocounts(np.bincount(labels, weights, 3), 0.5)
        found.append(grown(growth.columns, labels, weights, pseudocounts, 2, True, 1))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_held_out_predictions_are_those_of_trees_without_the_copy():
    """Recomputed with plain walks, for rows of one copy and of several, whole weights and others."""
    columns, labels = some_columns(40, seed=2, missing=0.1)
    weights = np.tile([1.0, 2.0, 7.0, 2.5, 0.3], 8)
    training = Training.of(coded_of(columns, labels, weights))
    growth = module._Growth.of(training)
    rows = growth.arranged.rows
    out = copies_per_fold(training, rows[np.random.default_rng(77).permutation(len(rows))])
    np.testing.assert_array_equal(out.sum(axis=0), training.n_copies)
    found, totals = growth.round(0, 77)
    expected = np.zeros_like(totals)
    codes = module._codes(training.fine)
    for tree, n_out in zip(found, out, strict=True):
        inside = (training.n_copies - n_out) * training.copy_weights
        class_counts = np.bincount(training.labels, inside, 3)
        np.testing.assert_allclose(tree.leaf_counts.table(3).sum(axis=0), class_counts, atol=1e-12)
        leaf_numbers = np.cumsum(tree.features < 0) - 1
        leaves = module._leaves(tree.features, tree.leaf_counts.table(3), module.STRENGTH, module.SPLIT_PROB)
        for row in np.flatnonzero(n_out):
            leaf = leaf_numbers[plain_leaf(tree.features, tree.masks, codes[:, row])]
            expected[row] += n_out[row] * leaves[leaf].astype(float)
    np.testing.assert_allclose(totals, expected, atol=1e-12)


def test_predictions_are_means_over_trees():
    """New rows with missing and unseen cells too, by plain walks; in blocks of rows as all at once."""
    coded = coded_of(*some_columns(50, seed=3, missing=0.2))
    member = Trees.fit(Training.of(coded)).member
    new = {"u": [None, 1e9, 0.5], "v": [None, None, -1e9], "kind": ["new", None, "k1"], "coin": [None] * 3}
    rows = encode(coded.schema, new)
    codes = module._codes(member.views.fine(rows))
    assert (codes == 0).any()
    expected = np.zeros((3, 3))
    starts, first_leaf = np.cumsum(member.sizes) - member.sizes, 0
    for start, size in zip(starts, member.sizes, strict=True):
        features, masks = member.features[start : start + size], member.masks[start : start + size]
        leaf_numbers = np.cumsum(features < 0) - 1 + first_leaf
        for row in range(3):
            expected[row] += member.leaves[leaf_numbers[plain_leaf(features, masks, codes[:, row])]]
        first_leaf += (size + 1) // 2
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.exp(member.log_probs(rows)), expected, atol=1e-12)


def test_blocks_of_rows_change_nothing(monkeypatch):
    coded = coded_of(*some_columns(50, seed=3))
    member = Trees.fit(Training.of(coded)).member
    expected = member.log_probs(coded)
    monkeypatch.setattr(module, "BLOCK", 7)
    np.testing.assert_array_equal(member.log_probs(coded), expected)


def test_missing_cells_that_carry_no_information_are_learned_from_too():
    """Where missing is no value, such rows go with the heavier child while trees grow."""
    columns, labels = some_columns(80, seed=4, missing=0.3)
    training = Training.of(coded_of(columns, labels, missing="ignore"))
    assert (training.fine < 0).any()
    learned = Trees.fit(training)
    gain = training.log_score(learned.held_out) - training.log_score(training.log_prior_left_out)
    assert gain > 0.1 * 80


@pytest.mark.parametrize("weights", [None, 0.5 + np.arange(80) % 7 / 3])
def test_no_order_matters(weights):
    """Rows, columns, values and classes in another order: the same predictions to nine digits."""
    columns, labels = some_columns(80, seed=6, missing=0.1)
    coded = coded_of(columns, labels, weights)
    first = Trees.fit(Training.of(coded))
    rng = np.random.default_rng(0)
    order = rng.permutation(80)
    kinds = {f"k{k}": f"{name}" for k, name in enumerate("gbfaedc")}
    renamed = {"y0": "c", "y1": "a", "y2": "b"}
    others = {name: np.asarray(columns[name])[order] for name in ("coin", "v", "kind", "u")}
    others["kind"] = np.array([kinds[kind] for kind in others["kind"]])
    other = coded_of(others, [renamed[labels[i]] for i in order], None if weights is None else weights[order])
    second = Trees.fit(Training.of(other))
    found = second.member.log_probs(other)[:, [2, 0, 1]]
    np.testing.assert_allclose(found, first.member.log_probs(coded)[order], atol=1e-9)
    own = first.held_out[coded.merged()[1]][order]
    np.testing.assert_allclose(second.held_out[other.merged()[1]][:, [2, 0, 1]], own, atol=1e-9)


def test_another_seed_moves_predictions_a_little():
    coded = coded_of(*some_columns(100, seed=7))
    first, second = (np.exp(Trees.fit(Training.of(coded, seed)).member.log_probs(coded)) for seed in (0, 1))
    assert 1e-4 < np.abs(first - second).mean() < 0.02


def test_many_cells_mean_fewer_trees(monkeypatch):
    training = Training.of(coded_of(*some_columns(60, seed=9)))
    assert len(Trees.fit(training).member.sizes) == 300
    monkeypatch.setattr(module, "MAX_CELLS", 60 * 3 * 150)
    assert len(Trees.fit(training).member.sizes) == 150
    monkeypatch.setattr(module, "MAX_CELLS", 1)
    learned = Trees.fit(training)
    assert len(learned.member.sizes) == 100
    assert training.log_score(learned.held_out) > training.log_score(training.log_prior_left_out)


def test_of_many_rows_some_are_looked_at():
    coded = coded_of(*some_columns(200, seed=10))
    training = Training.of(coded, most_rows=80)
    learned = Trees.fit(training)
    assert learned.held_out.shape == (80, 3)
    assert training.log_score(learned.held_out) > training.log_score(training.log_prior_left_out)


def test_a_table_without_information_scores_near_the_class_prior():
    """Trees grown to the end learn noise by heart; averages of many of them hardly do."""
    for n_classes, kind in ((2, "numbers"), (3, "numbers"), (2, "values")):
        losses = []
        for seed in range(4):
            rng = np.random.default_rng(seed)
            cells = rng.normal(size=(10, 200)) if kind == "numbers" else rng.integers(4, size=(10, 200))
            columns = {
                f"x{j}": column if kind == "numbers" else [f"v{value}" for value in column]
                for j, column in enumerate(cells)
            }
            training = Training.of(coded_of(columns, [f"y{k}" for k in rng.integers(n_classes, size=200)]))
            held_out = Trees.fit(training).held_out
            losses.append(-training.log_score(held_out - training.log_prior_left_out) / 200)
        assert -0.03 < np.mean(losses) < 0.1


def test_held_out_scores_are_about_those_of_new_rows():
    """A little pessimistic, because held-out rows are predicted by fewer trees on fewer rows."""
    differences = []
    for seed in range(5):
        columns, labels = some_columns(1200, seed=20 + seed)
        coded = coded_of({name: column[:200] for name, column in columns.items()}, labels[:200])
        training = Training.of(coded)
        learned = Trees.fit(training)
        new = as_table({name: column[200:] for name, column in columns.items()}, labels[200:])
        rows = encode(coded.schema, new)
        log_probs = learned.member.log_probs(rows)[np.arange(1000), rows.class_codes]
        differences.append(log_probs.mean() - training.log_score(learned.held_out) / 200)
    assert -0.05 < np.mean(differences) < 0.08


def test_an_exception_between_two_variables_is_learned():
    """Neither variable says anything alone; from both the class is known."""
    rng = np.random.default_rng(0)
    left, right = rng.integers(2, size=(2, 200))
    columns = {"left": [f"v{k}" for k in left], "right": [f"v{k}" for k in right], "x": rng.normal(size=200)}
    coded = coded_of(columns, [f"y{k}" for k in left ^ right])
    training = Training.of(coded)
    learned = Trees.fit(training)
    assert -training.log_score(learned.held_out) / 200 < 0.2
    assert (np.argmax(learned.member.log_probs(coded), axis=1) == coded.class_codes).all()


def test_heavy_rows_are_held_out_one_copy_at_a_time():
    """Two values, 300 equal rows each: without one copy all others still say what its class is."""
    coded = coded_of({"x": ["u", "v"]}, ["a", "b"], [300.0, 300.0])
    training = Training.of(coded)
    learned = Trees.fit(training)
    assert np.exp(learned.held_out)[[0, 1], training.labels].min() > 0.99


@pytest.mark.parametrize("weights", [None, 0.5 + np.arange(70) % 7 / 3])
def test_files_keep_every_bit(weights):
    coded = coded_of(*some_columns(70, seed=13, missing=0.1), weights)
    training = Training.of(coded)
    member = Trees.fit(training).member
    views = Views.from_json(json.loads(json.dumps(training.views.to_json())), coded.schema)
    text = json.dumps(member.to_json())
    restored = Trees.from_json(json.loads(text), views, training.log_prior)
    np.testing.assert_array_equal(restored.log_probs(coded), member.log_probs(coded))
    assert json.dumps(restored.to_json()) == text
    assert len(text) < 100_000


def _changed(name, change):
    def damage(document, member):
        arrays = {
            "sizes": member.sizes,
            "features": member.features.astype(np.int64),
            "masks": member.masks,
            "leaf sizes": member.leaf_counts.sizes,
            "leaf classes": member.leaf_counts.classes,
            "leaf weights": member.leaf_counts.weights,
        }
        changed = packed(change(arrays[name].copy()))
        if name in document:
            return {**document, name: changed}
        return {**document, "leaf_counts": {**document["leaf_counts"], name.split()[1]: changed}}

    return damage


def _with(place, value):
    def change(array):
        array[place] = value
        return array

    return change


DAMAGES = [
    lambda d, m: {**d, "strength": 0.0},
    lambda d, m: {**d, "strength": "1"},
    lambda d, m: {**d, "strength": float("nan")},
    lambda d, m: {**d, "split_prob": 1.0},
    lambda d, m: {**d, "split_prob": 1},
    lambda d, m: {key: value for key, value in d.items() if key != "masks"},
    lambda d, m: {**d, "sizes": 3},
    lambda d, m: {**d, "sizes": packed(np.zeros(0, dtype=np.int64)), "features": packed(np.zeros(0))},
    _changed("sizes", _with(0, 0)),
    _changed("sizes", _with(0, -1)),
    _changed("sizes", _with(0, 2**62)),
    _changed("sizes", lambda a: a[::-1].copy()),
    _changed("sizes", lambda a: np.ones(a.sum(), dtype=np.int64)),
    _changed("sizes", lambda a: np.append(a, 1)),
    _changed("features", _with(0, 4)),
    _changed("features", _with(0, -2)),
    _changed("features", _with(0, -1)),
    _changed("features", _with(-1, 0)),
    _changed("features", lambda a: np.sort(a)),
    _changed("features", lambda a: a[:-1]),
    _changed("features", lambda a: a.astype(float)),
    _changed("masks", _with(0, -1)),
    _changed("masks", lambda a: a[:-1]),
    _changed("masks", lambda a: a.astype(float)),
    _changed("leaf sizes", _with(0, 0)),
    _changed("leaf sizes", _with(0, 4)),
    _changed("leaf sizes", _with(0, 3)),
    _changed("leaf classes", _with(0, 3)),
    _changed("leaf classes", _with(0, -1)),
    _changed("leaf weights", _with(0, 0.0)),
    _changed("leaf weights", _with(0, -1.0)),
    _changed("leaf weights", _with(0, np.nan)),
    _changed("leaf weights", _with(0, np.inf)),
    _changed("leaf weights", _with(0, 1e200)),
]


@pytest.fixture(scope="module")
def kept():
    training = Training.of(coded_of(*some_columns(40, seed=14)))
    member = Trees.fit(training).member
    return training, member


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_refused(damage, kept):
    training, member = kept
    document = damage(member.to_json(), member)
    with pytest.raises((DataError, LookupError, TypeError, ValueError)):
        Trees.from_json(document, training.views, training.log_prior)


def test_trees_whose_nodes_are_their_own_children_are_refused(kept):
    """As many splits as there should be, but the first node is a leaf and the others wait behind it."""
    training, member = kept
    size = int(member.sizes[0])
    features = member.features.copy()
    features[:size] = np.sort(features[:size])
    with pytest.raises(DataError, match="do not make up trees"):
        Trees.from_json(
            {**member.to_json(), "features": packed(features)}, training.views, training.log_prior
        )


def test_pseudocounts_grow_with_the_effective_number_of_classes():
    for n_classes in (2, 5):
        pseudocounts = module._pseudocounts(np.full(n_classes, 9.0), 0.5)
        np.testing.assert_allclose(pseudocounts, 0.5 * n_classes**0.5 / n_classes)
    skewed = module._pseudocounts(np.array([9.5, 0.5]), 1.0)
    entropy = -(10 * log(10 / 11) + log(1 / 11)) / 11
    np.testing.assert_allclose(skewed, np.array([10, 1]) / 11 * exp(entropy / 2))
