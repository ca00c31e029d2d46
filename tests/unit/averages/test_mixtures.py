"""Finite mixtures: predictions by the formula, held-out rows kept from clusterings, extremes, and files."""

import numpy as np
import pytest

from codelength._packing import packed
from codelength.averages.folds import folds_of
from codelength.averages.members import mixtures as module
from codelength.averages.members.mixtures import Mixtures
from codelength.errors import DataError
from unit.averages.forest_tables import coded_of, training_of

SIZES, N_CLASSES = [2, 3, 4, 2], 3


def grouped_rows(n_rows, seed, sizes=SIZES, n_classes=N_CLASSES, n_groups=5, blur=0.15):
    """Rows of a few hidden groups, each with its own values and class."""
    rng = np.random.default_rng(seed)
    patterns = np.column_stack([rng.integers(size, size=n_groups) for size in [*sizes, n_classes]])
    rows = patterns[rng.integers(n_groups, size=n_rows)]
    noise = np.column_stack([rng.integers(size, size=n_rows) for size in [*sizes, n_classes]])
    rows = np.where(rng.random(rows.shape) < blur, noise, rows)
    for j, size in enumerate([*sizes, n_classes]):
        rows[:size, j] = np.arange(size)
    return rows[:, :-1], rows[:, -1]


def plain_probs(codes, labels, weights, clusters, row, sizes, n_classes):
    """Class probabilities of a row from clustered rows, by the formula; -1 is no value."""
    table = np.column_stack([codes, labels])
    n_clusters = clusters.max() + 1
    log_weights, classes = np.zeros(n_clusters), np.zeros((n_clusters, n_classes))
    for k in range(n_clusters):
        log_weights[k] = np.log(weights[clusters == k].sum() + 1.0)
        for j, size in enumerate([*sizes, n_classes]):
            known = table[:, j] >= 0
            everywhere = np.bincount(table[known, j], weights[known], size) + 0.5
            inside = known & (clusters == k)
            strength = 0.2 if j == len(sizes) else 1.0
            seen = np.bincount(table[inside, j], weights[inside], size)
            probs = seen + strength * everywhere / everywhere.sum()
            probs /= probs.sum()
            if j == len(sizes):
                classes[k] = probs
            elif row[j] >= 0:
                log_weights[k] += np.log(probs[row[j]])
    shares = np.exp(log_weights - log_weights.max())
    return (shares / shares.sum()) @ classes


def clusters_of(rows, method, size, run):
    """The clusters that a run finds."""
    name = f"mixtures {method} {size} {run}"
    seed = np.random.SeedSequence(int(rows.training.generator(name).integers(2**63)))
    found = module.METHODS[method](rows.canonical)(min(size, rows.coded.n_rows), seed)
    return np.unique(found, return_inverse=True)[1]


def rows_of(training):
    return module._Rows.of(training, np.arange(training.views.n_variables))


def table_of(rows):
    """Codes, classes and weights of the rows in the order in which they are clustered; -1 is no value."""
    codes = rows.coded.codes.astype(int)
    codes = np.where(codes == rows.coded.schema.n_values, -1, codes)
    return codes[:, :-1], codes[:, -1], rows.coded.weights


@pytest.mark.parametrize("method", ["kmeans", "em"])
def test_predictions_by_the_formula(method):
    codes, labels = grouped_rows(40, 0)
    codes[20:30, 1] = -1
    weights = np.random.default_rng(0).choice([0.5, 1.0, 3.0], 40)
    training = training_of(codes, labels, SIZES, N_CLASSES, weights)
    rows = rows_of(training)
    counts = rows.clustered(method, 4, 0)
    clusters = clusters_of(rows, method, 4, 0)
    member = Mixtures(
        training.views, training.log_prior, np.arange(4), np.array([0.3, 0.7]), (counts, counts)
    )
    new, _ = grouped_rows(10, 1)
    new[0, 0] = -1
    found = np.exp(member.log_probs(coded_of(new, np.zeros(10, dtype=int), SIZES, N_CLASSES)))
    for row, probs in zip(new, found, strict=True):
        expected = plain_probs(*table_of(rows), clusters, row, SIZES, N_CLASSES)
        np.testing.assert_allclose(probs, expected, atol=1e-12)


@pytest.mark.parametrize("n_variables", [4, 2])
def test_held_out_rows_have_no_part_in_what_predicts_them(n_variables, monkeypatch):
    """Copies of a row that are in different folds are predicted by different clusterings, and averaged.

    Without each fold the variables that take part are chosen again.
    """
    monkeypatch.setattr(module, "MOST_VARIABLES", n_variables)
    monkeypatch.setattr(module, "SIZES", (4,))
    codes, labels = grouped_rows(30, 2)
    training = training_of(codes, labels, SIZES, N_CLASSES, 1.0 + np.arange(30) % 3)
    in_folds = [np.sort(fold.ranking[:n_variables]) for fold in folds_of(training)]
    kinds = {kind.method: kind.held_out for kind in module._kinds(training, in_folds)}
    for method in ("kmeans", "em"):
        expected = np.zeros((training.n_rows, N_CLASSES))
        for k, (fold, variables) in enumerate(zip(folds_of(training), in_folds, strict=True)):
            rows = module._Rows.of(fold.others, variables)
            clusters = clusters_of(rows, method, 4, 4 + k)
            sizes = [SIZES[j] for j in variables]
            for i in fold.rows:
                row = training.coarse[i, variables]
                probs = plain_probs(*table_of(rows), clusters, row, sizes, N_CLASSES)
                expected[i] += fold.shares[i] * probs
        np.testing.assert_allclose(kinds[method], expected, atol=1e-12)


def test_kinds_are_weighed_by_what_they_say_about_other_rows():
    training = training_of(*grouped_rows(60, 3), SIZES, N_CLASSES)
    kinds = list(module._kinds(training, [np.arange(4)] * 5))
    learned = Mixtures.fit(training)
    for i in range(training.n_rows):
        scores = []
        for kind in kinds:
            own = np.log(kind.held_out[np.arange(training.n_rows), training.labels])
            scores.append(training.weights @ own - training.copy_weights[i] * own[i])
        shares = np.exp(np.array(scores) - max(scores))
        shares[shares < 0.03] = 0
        probs = sum(s * kind.held_out[i] for s, kind in zip(shares / shares.sum(), kinds, strict=True))
        np.testing.assert_allclose(np.exp(learned.held_out[i]), probs, atol=1e-12)
    assert learned.member.weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert {kind.method for kind in kinds} == {"kmeans", "em"}


@pytest.mark.parametrize("most_variables", [100, 3])
def test_no_order_matters(most_variables, monkeypatch):
    """Rows, columns, values and classes in another order: the same predictions to nine digits."""
    monkeypatch.setattr(module, "MOST_VARIABLES", most_variables)
    codes, labels = grouped_rows(80, 7)
    first = Mixtures.fit(training_of(codes, labels, SIZES, N_CLASSES)).member
    rng = np.random.default_rng(0)
    columns, classes = rng.permutation(len(SIZES)), np.array([2, 0, 1])
    renamed = np.column_stack([rng.permutation(SIZES[j])[codes[:, j]] for j in columns])
    order = rng.permutation(80)
    sizes = [SIZES[j] for j in columns]
    second = Mixtures.fit(training_of(renamed[order], classes[labels][order], sizes, N_CLASSES)).member
    expected = first.log_probs(coded_of(codes, labels, SIZES, N_CLASSES))
    found = second.log_probs(coded_of(renamed, labels, sizes, N_CLASSES))
    np.testing.assert_allclose(found[:, classes], expected, atol=1e-9)


def test_groups_are_found():
    """The class is the parity of three columns, which no column says alone."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, size=(400, 4))
    labels = codes[:, :3].sum(axis=1) % 2
    training = training_of(codes, labels, [2] * 4, 2)
    learned = Mixtures.fit(training)
    assert training.log_score(learned.held_out) / 400 > -0.2
    new = np.array(list(np.ndindex(2, 2, 2, 2)))
    probs = np.exp(learned.member.log_probs(coded_of(new, np.zeros(16, dtype=int), [2] * 4, 2)))
    assert (probs.argmax(axis=1) == new[:, :3].sum(axis=1) % 2).all()


def test_held_out_scores_are_not_better_than_those_of_new_rows():
    """On tables without information; the mean of six is within 0.02 nats."""
    differences = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        codes, labels = rng.integers(0, 3, size=(1060, 8)), rng.integers(0, 2, size=1060)
        training = training_of(codes[:60], labels[:60], [3] * 8, 2)
        learned = Mixtures.fit(training)
        new = coded_of(codes[60:], labels[60:], [3] * 8, 2)
        fresh = learned.member.log_probs(new)[np.arange(1000), labels[60:]].mean()
        differences.append(training.log_score(learned.held_out) / 60 - fresh)
    assert np.mean(differences) < 0.02


def test_of_many_rows_some_copies_are_drawn(monkeypatch):
    codes, labels = grouped_rows(400, 6, sizes=[3] * 8)
    training = training_of(codes, labels, [3] * 8, N_CLASSES)
    assert training.n_rows > 120
    everything = Mixtures.fit(training)
    monkeypatch.setattr(module, "MOST_ROWS", 120)
    learned = Mixtures.fit(training)
    assert {float(counts.class_counts.sum()) for counts in learned.member.clusterings} == {120.0}
    assert learned.held_out.shape == everything.held_out.shape
    worse = training.log_score(everything.held_out) - training.log_score(learned.held_out)
    assert worse / 400 < 0.1


def _with_clustering(document, **changes):
    first, *others = document["clusterings"]
    return {**document, "clusterings": [{**first, **changes}, *others]}


DAMAGES = [
    lambda d: {**d, "variables": packed(np.array([1, 0, 2, 3], dtype=np.int32))},
    lambda d: {**d, "variables": packed(np.array([9], dtype=np.int32))},
    lambda d: {**d, "variables": packed(np.zeros(0, dtype=np.int32))},
    lambda d: {**d, "weights": packed(np.full(len(d["clusterings"]), 0.9))},
    lambda d: {**d, "weights": packed(np.ones(1))},
    lambda d: {**d, "clusterings": []},
    lambda d: {**d, "clusterings": [{}] * len(d["clusterings"])},
    lambda d: _with_clustering(d, class_counts=packed(np.full(4, -1.0))),
    lambda d: _with_clustering(d, class_counts=packed(np.ones(10**5))),
    lambda d: _with_clustering(d, value_counts=packed(np.ones((4, 3)))),
    lambda d: _with_clustering(d, value_counts=7),
    lambda d: {key: value for key, value in d.items() if key != "weights"},
]


@pytest.fixture(scope="module")
def learned():
    """Rows, and the file of what was learned from them."""
    training = training_of(*grouped_rows(30, 11), SIZES, N_CLASSES)
    return training, Mixtures.fit(training).member.to_json()


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_refused(damage, learned):
    training, document = learned
    with pytest.raises((DataError, LookupError, TypeError, ValueError)):
        Mixtures.from_json(damage(document), training.views, training.log_prior)
