"""Kernel regression: against a plain form on single rows, against refitting, at extremes, and in files."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from codelength._packing import packed
from codelength.averages.content import subsample
from codelength.averages.factors import factors_of
from codelength.averages.folds import folds_of
from codelength.averages.members import kernel as module
from codelength.averages.members._kernel_machine import KernelRows, regress
from codelength.averages.members.kernel import Kernel
from codelength.averages.pool import best_power
from codelength.averages.training import Training
from codelength.errors import DataError
from codelength.sources import as_table
from codelength.table import Cutting, encode, infer_schema
from unit.averages.forest_tables import refitted


def coded_of(columns, labels, weights=None):
    table = as_table(columns, labels)
    schema = infer_schema(table, missing="value", numeric="discretize", cutting=Cutting(n_bins=100))
    return encode(schema, table, sample_weight=weights)


def some_columns(n_rows=60, seed=0, n_classes=3, missing=0.0):
    """Two numbers, a category that says something and one that does not."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=n_rows)
    numbers = labels[:, None] + rng.normal(size=(n_rows, 2)).round(1)
    numbers[rng.random(numbers.shape) < missing] = np.nan
    kinds = np.where(rng.random(n_rows) < 0.5, labels, rng.integers(3, size=n_rows))
    columns = {
        "u": numbers[:, 0],
        "v": numbers[:, 1],
        "kind": [f"k{k}" for k in kinds],
        "coin": [f"c{k}" for k in rng.integers(2, size=n_rows)],
    }
    return columns, [f"y{label}" for label in labels]


def softmax(logits):
    probs = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return probs / probs.sum(axis=-1, keepdims=True)


def plain_predictions(x, new, labels, prior, width, ridge):
    """Textbook kernel ridge regression on rows of weight one, with left-out predictions by new solutions."""

    def kernel(a, b):
        return np.exp(-((a[:, None] - b[None]) ** 2).sum(axis=2) / width)

    targets = np.eye(len(prior))[labels] - prior
    found = kernel(new, x) @ np.linalg.solve(kernel(x, x) + ridge * np.eye(len(x)), targets)
    left_out = np.empty_like(targets)
    for i in range(len(x)):
        rest = np.arange(len(x)) != i
        counts = np.bincount(labels[rest], minlength=len(prior)) + 0.5
        others = np.eye(len(prior))[labels[rest]] - counts / counts.sum()
        system = kernel(x[rest], x[rest]) + ridge * np.eye(len(x) - 1)
        left_out[i] = kernel(x[i : i + 1], x[rest]) @ np.linalg.solve(system, others)
    return found, left_out


def stretch_of(training):
    """How much each column of numbers is stretched."""
    information = factors_of(training).information
    relevance = np.sqrt(information + 0.1 * information.mean() + 2 / training.weights.sum())
    return (relevance / relevance.mean())[training.views.owners]


def plain_average(training, new):
    """The member, by another way: single rows, searches for powers, all combinations."""
    rows = np.repeat(np.arange(training.n_rows), training.weights.astype(int))
    labels = training.labels[rows]
    counts = np.bincount(labels, minlength=training.n_classes) + 0.5
    prior = counts / counts.sum()
    before = np.array([counts - np.eye(len(counts))[label] for label in labels])
    before /= before.sum(axis=1, keepdims=True)
    stretch, folds = stretch_of(training), folds_of(training)
    stretches = [stretch_of(fold.others) for fold in folds]
    shares_out = [fold.shares[rows, None] for fold in folds]
    scores, predictions = [], []
    for is_stretched, scale, ridge in product((False, True), (0.15, 0.5, 1.5), (0.1, 1.0, 10.0)):

        def predictions_by(by, scale=scale, ridge=ridge):
            x = training.numbers[rows] * by
            mean = ((x[:, None] - x[None]) ** 2).sum(axis=2).mean()
            return plain_predictions(x, new * by, labels, prior, 2 * scale * mean, ridge)

        if is_stretched:
            found = predictions_by(stretch)[0]
            left_out = sum(
                share * predictions_by(by)[1] for share, by in zip(shares_out, stretches, strict=True)
            )
        else:
            found, left_out = predictions_by(np.ones_like(stretch))

        def cost(log_power, left_out=left_out):
            probs = softmax(np.log(before) + np.exp(log_power) * left_out)
            score = np.log(probs[np.arange(len(rows)), labels]).sum()
            return 2 * (log_power - np.log(4)) ** 2 - score

        bounds = (np.log(0.5), np.log(40.0))
        best = minimize_scalar(cost, bounds=bounds, method="bounded", options={"xatol": 1e-11})
        scores.append(-best.fun)
        predictions.append(np.exp(best.x) * found)
    shares = np.exp(np.array(scores) - max(scores))
    shares[shares < 0.03] = 0.0
    shares /= shares.sum()
    return softmax(np.log(prior) + np.tensordot(shares, np.array(predictions), 1))


@pytest.mark.parametrize("seed", range(3))
def test_the_average_is_what_single_rows_give(seed):
    columns, labels = some_columns(25, seed, missing=0.1 * seed)
    coded = coded_of({name: np.tile(column, 2) for name, column in columns.items()}, labels * 2)
    training = Training.of(coded)
    assert training.n_rows < coded.n_rows
    expected = plain_average(training, training.numbers)
    found = Kernel.fit(training).member.log_probs(training.rows)
    np.testing.assert_allclose(np.exp(found), expected, atol=1e-6)


@pytest.mark.parametrize("ridge", [0.1, 10.0])
def test_leaving_out_one_copy_is_solving_again(ridge):
    """Exact for whole weights and others, rows of one copy and of many, equal rows of different classes."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 2))
    x[20:] = x[:10]
    labels = rng.integers(3, size=30)
    weights = rng.choice([0.3, 1.0, 2.5, 3.0, 300.0], size=30)
    copies = weights / np.maximum(weights, 1.0).astype(int)
    kernel = np.exp(-((x[:, None] - x[None]) ** 2).sum(axis=2))

    def rows_of(weights):
        counts = np.bincount(labels, weights, 3) + 0.5
        before = np.array([counts - copy * np.eye(3)[y] for copy, y in zip(copies, labels, strict=True)])
        log_before = np.log(before / before.sum(axis=1, keepdims=True))
        return KernelRows(labels, weights, copies, np.log(counts / counts.sum()), log_before)

    _, left_out = regress(kernel.copy(), ridge, rows_of(weights), len(weights))
    for i in range(30):
        fewer = weights.copy()
        fewer[i] -= copies[i]
        kept = fewer > 1e-9
        counts = np.bincount(labels, fewer, 3) + 0.5
        targets = np.eye(3)[labels] - counts / counts.sum()
        system = kernel[np.ix_(kept, kept)] + ridge * np.diag(1 / fewer[kept])
        expected = kernel[i, kept] @ np.linalg.solve(system, targets[kept])
        np.testing.assert_allclose(left_out[i], expected, atol=1e-10)


@pytest.mark.parametrize("n_last", [0, 1, 7, 20])
def test_last_rows_are_left_out_as_among_all(n_last):
    rng = np.random.default_rng(1)
    x, labels, weights = rng.normal(size=(20, 2)), rng.integers(2, size=20), rng.choice([1.0, 3.0], size=20)
    before = np.log(rng.dirichlet([5.0, 5.0], size=20))
    rows = KernelRows(labels, weights, np.ones(20), np.log([0.5, 0.5]), before)
    kernel = np.exp(-((x[:, None] - x[None]) ** 2).sum(axis=2))
    whole, last = (regress(kernel.copy(), 0.5, rows, n) for n in (20, n_last))
    np.testing.assert_array_equal(last[0], whole[0])
    np.testing.assert_allclose(last[1], whole[1][20 - n_last :], atol=1e-12)


@pytest.mark.parametrize("n_rows", [12, 60])
def test_no_row_has_a_part_in_the_powers_and_weights_that_predict_it(n_rows):
    """The powers are found by one Newton step: probabilities are within 0.1 / n_rows of those by a search."""
    training = Training.of(coded_of(*some_columns(n_rows, seed=1)))
    rows = KernelRows(
        training.labels,
        training.weights,
        training.copy_weights,
        training.log_prior,
        training.log_prior_left_out,
    )
    runs = module._runs(module._Spaces.of(training, np.arange(training.n_rows), rows), rows)
    held_out = Kernel.fit(training).held_out
    before = training.log_prior_left_out
    for i in range(training.n_rows):
        weights = training.weights.copy()
        weights[i] -= training.copy_weights[i]
        scores = []
        powers = [best_power(before, run.left_out, training.labels, weights, module.POWER) for run in runs]
        for run, power in zip(runs, powers, strict=True):
            own = softmax(before[i] + power * run.left_out[i])[training.labels[i]]
            scores.append(run.score - training.copy_weights[i] * np.log(own))
        shares = np.exp(np.array(scores) - max(scores))
        shares[shares < 0.03] = 0.0
        shares /= shares.sum()
        total = sum(s * b * run.left_out[i] for s, b, run in zip(shares, powers, runs, strict=True))
        expected = softmax(before[i] + total)
        np.testing.assert_allclose(np.exp(held_out[i]), expected, atol=0.1 / n_rows)


def test_held_out_scores_are_about_those_of_fits_without_the_row():
    """Everything learned again, relevances and widths too: less than two nats of difference on 50 rows."""
    for seed in range(2):
        training = Training.of(coded_of(*some_columns(50, seed=seed)))
        difference = training.log_score(Kernel.fit(training).held_out - refitted(Kernel, training))
        assert abs(difference) < 2.0


def test_a_table_without_information_is_not_taken_for_one_that_has_some():
    """Columns that go with the class by chance are not stretched, and seem no better than they are."""
    gains = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        columns = {f"x{j}": rng.normal(size=60) for j in range(30)}
        training = Training.of(coded_of(columns, [f"y{k}" for k in rng.integers(2, size=60)]))
        gains.append(training.log_score(Kernel.fit(training).held_out - training.log_prior_left_out) / 60)
    assert np.mean(gains) < 0.02


@pytest.mark.parametrize("few_rows", [300, 10])
def test_no_order_matters(few_rows, monkeypatch):
    """Rows, columns, values and classes in another order: the same predictions to nine digits."""
    monkeypatch.setattr(module, "FEW_ROWS", few_rows)
    columns, labels = some_columns(80, seed=3)
    coded = coded_of(columns, labels)
    training = Training.of(coded)
    first = Kernel.fit(training)
    rng = np.random.default_rng(0)
    order = rng.permutation(80)
    renamed = {"y0": "c", "y1": "a", "y2": "b"}
    others = {name: np.asarray(columns[name])[order] for name in ("coin", "v", "kind", "u")}
    others["kind"] = np.array([{"k0": "z", "k1": "x", "k2": "y"}[kind] for kind in others["kind"]])
    other = coded_of(others, [renamed[labels[i]] for i in order])
    second = Kernel.fit(Training.of(other))
    found = second.member.log_probs(other)[:, [2, 0, 1]]
    np.testing.assert_allclose(found, first.member.log_probs(coded)[order], atol=1e-9)
    own = first.held_out[coded.merged()[1]][order]
    np.testing.assert_allclose(second.held_out[other.merged()[1]][:, [2, 0, 1]], own, atol=1e-9)


def test_the_search_around_the_best_is_about_as_good_as_all_combinations(monkeypatch):
    training = Training.of(coded_of(*some_columns(200, seed=4)))
    all_runs = Kernel.fit(training)
    monkeypatch.setattr(module, "FEW_ROWS", 10)
    some_runs = Kernel.fit(training)
    assert 0 < len(some_runs.member.parts) <= 6
    assert training.log_score(some_runs.held_out) > training.log_score(all_runs.held_out) - 2.0


def test_of_many_rows_some_copies_are_drawn(monkeypatch):
    """Rows that were not drawn are predicted as new rows; nothing depends on the order of columns."""
    columns, labels = some_columns(200, seed=5)
    weights = 1 + np.arange(200) % 3
    coded = coded_of(columns, labels, weights)
    training = Training.of(coded)
    everything = Kernel.fit(training)
    monkeypatch.setattr(module, "MAX_ROWS", 120)
    learned = Kernel.fit(training)
    draw = subsample(training, "kernel", 120)
    assert draw.weights.sum() == 120
    assert len(learned.member.codes) == len(draw.rows) < 120
    out = np.setdiff1d(np.arange(training.n_rows), draw.rows)
    with monkeypatch.context() as patch:
        # Otherwise columns are stretched by what they say without the fold of the row.
        patch.setattr(module, "_relevance", lambda information, weights: np.ones_like(information))
        alike = Kernel.fit(training)
    as_new = alike.member.log_probs(training.rows)
    np.testing.assert_allclose(alike.held_out[out], as_new[out], atol=1e-12)
    prior = training.log_score(training.log_prior_left_out)
    gains = [training.log_score(found.held_out) - prior for found in (learned, everything)]
    assert gains[0] > 0.7 * gains[1]  # from 30 % of the copies
    turned = coded_of({name: columns[name] for name in ("kind", "v", "coin", "u")}, labels, weights)
    other = Kernel.fit(Training.of(turned))
    np.testing.assert_allclose(other.member.log_probs(turned), learned.member.log_probs(coded), atol=1e-9)


def _with_part(document, **changes):
    return {**document, "parts": [{**document["parts"][0], **changes}]}


DAMAGES = [
    lambda d: {**d, "codes": packed(np.zeros((0, 4), dtype=np.uint8))},
    lambda d: {**d, "codes": packed(np.full((70, 4), 200, dtype=np.uint8))},
    lambda d: {**d, "codes": packed(np.full((70, 4), -1, dtype=np.int16))},
    lambda d: {**d, "codes": packed(np.zeros((70, 3), dtype=np.uint8))},
    lambda d: {**d, "relevance": packed(np.full(4, -1.0))},
    lambda d: {**d, "parts": 3},
    lambda d: {**d, "parts": [{}]},
    lambda d: _with_part(d, width=0.0),
    lambda d: _with_part(d, width=float("inf")),
    lambda d: _with_part(d, width="1"),
    lambda d: _with_part(d, is_stretched=1),
    lambda d: _with_part(d, coefficients=packed(np.zeros((69, 3)))),
    lambda d: _with_part(d, coefficients=packed(np.full((70, 3), np.nan))),
    lambda d: {key: value for key, value in d.items() if key != "codes"},
]


@pytest.fixture(scope="module")
def learned():
    """Rows, and the file of what was learned from them."""
    training = Training.of(coded_of(*some_columns(70, seed=9)))
    return training, Kernel.fit(training).member.to_json()


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_refused(damage, learned):
    training, document = learned
    with pytest.raises((DataError, LookupError, TypeError, ValueError)):
        Kernel.from_json(damage(document), training.views, training.log_prior)
