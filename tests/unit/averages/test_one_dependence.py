"""One-dependence estimators: against the formulas, against refitting, at extremes, and in files."""

from dataclasses import replace
from math import exp, inf, lgamma, log

import numpy as np
import pytest

from codelength._packing import packed
from codelength.averages.members.one_dependence import OneDependence
from codelength.errors import DataError
from unit.averages.forest_tables import coded_of, dependent_rows, refitted, training_of

CASES = [([2, 3, 2], 2, 12, 0), ([2, 4, 3, 2], 3, 25, 1), ([3], 2, 8, 2), ([2, 2, 3, 2, 5], 2, 30, 3)]


def log_rising(start, count):
    return lgamma(start + count) - lgamma(start)


def shares_of(rows, labels, weights, sizes, n_classes, bases):
    """Share of each value in each class, averaged over strengths of the prior by their evidence."""
    found = []
    for i, size in enumerate(sizes):
        counts = np.zeros((n_classes, size))
        for row, label, weight in zip(rows, labels, weights, strict=True):
            if row[i] >= 0:
                counts[label, row[i]] += weight
        logs, means = [], []
        for s in (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, inf):
            if s == inf:
                logs.append((counts * np.log(bases[i])).sum())
                means.append(np.tile(bases[i], (n_classes, 1)))
            else:
                terms = [log_rising(s * bases[i][b], counts[c, b]) for c, b in np.ndindex(counts.shape)]
                logs.append(sum(terms) - sum(log_rising(s, in_class) for in_class in counts.sum(axis=1)))
                means.append((counts + s * bases[i]) / (counts.sum(axis=1, keepdims=True) + s))
        weights_of = np.exp(np.array(logs) - max(logs))
        found.append(np.tensordot(weights_of / weights_of.sum(), np.array(means), 1))
    return found


def bases_of(rows, weights, sizes):
    """Share of each value in all classes."""
    found = []
    for i, size in enumerate(sizes):
        counts = np.full(size, 0.5)
        for row, weight in zip(rows, weights, strict=True):
            if row[i] >= 0:
                counts[row[i]] += weight
        found.append(counts / counts.sum())
    return found


def plain_probs(rows, labels, weights, n_classes, row, bases, shares, shares_of_evidence):
    """Class probabilities of a row, by the formulas."""
    prior = np.bincount(labels, weights, n_classes) + 0.5
    joint = np.zeros(n_classes)
    for parent, a in enumerate(row):
        of_parent = np.array([p / prior.sum() for p in prior])
        for i, b in enumerate(row):
            if b >= 0:
                of_parent *= shares[i][:, b] / bases[i][b]
        for child, b in enumerate(row):
            if child == parent or a < 0 or b < 0:
                continue
            pairs = np.zeros((n_classes, 6, shares[child].shape[1]))
            for other, label, weight in zip(rows, labels, weights, strict=True):
                if other[parent] >= 0 and other[child] >= 0:
                    pairs[label, other[parent], other[child]] += weight
            evidences, factors = [1.0], [np.ones(n_classes)]
            for s in (1.0, 4.0, 16.0, 64.0):
                evidence = 0.0
                for c, value in np.ndindex(pairs.shape[:2]):
                    evidence -= log_rising(s, pairs[c, value].sum())
                    for k, count in enumerate(pairs[c, value]):
                        share = shares_of_evidence[child][c, k]
                        evidence += log_rising(s * share, count) - count * log(share)
                evidences.append(exp(evidence) / 4)
                share = shares[child][:, b]
                factors.append((pairs[:, a, b] + s * share) / (pairs[:, a].sum(axis=1) + s) / share)
            of_parent *= np.average(factors, axis=0, weights=evidences)
        joint += of_parent
    return joint / joint.sum()


@pytest.mark.parametrize(("sizes", "n_classes", "n_rows", "seed"), CASES)
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_predictions_and_leaving_out_by_the_formulas(sizes, n_classes, n_rows, seed, missing):
    """Exact, with weights of all kinds; the shares within the evidence of strengths stay when a row goes."""
    rows, labels = dependent_rows(n_rows, sizes, n_classes, seed)
    rng = np.random.default_rng(seed)
    rows[max(sizes) :][rng.random((n_rows - max(sizes), len(sizes))) < missing] = -1
    weights = rng.choice([0.3, 1.0, 2.0, 2.7], n_rows)
    training = training_of(rows, labels, sizes, n_classes, weights)
    learned = OneDependence.fit(training)
    bases = bases_of(rows, weights, sizes)
    shares = shares_of(rows, labels, weights, sizes, n_classes, bases)
    new = dependent_rows(5, sizes, n_classes, seed + 50)[0]
    new[0, 0] = -1
    found = learned.member.log_probs(coded_of(new, np.zeros(5, dtype=int), sizes, n_classes))
    for row, log_probs in zip(new, found, strict=True):
        expected = plain_probs(rows, labels, weights, n_classes, row, bases, shares, shares)
        np.testing.assert_allclose(np.exp(log_probs), expected, atol=1e-10)
    for i in range(0, training.n_rows, 4):
        fewer = training.weights.copy()
        fewer[i] -= training.copy_weights[i]
        table = training.coarse, training.labels, fewer
        without = shares_of(*table, sizes, n_classes, bases)
        expected = plain_probs(*table, n_classes, training.coarse[i], bases, without, shares)
        np.testing.assert_allclose(np.exp(learned.held_out[i]), expected, atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_leaving_out_is_about_refitting(seed):
    """Shares in all classes and within the evidence stay: together less than one nat on 60 rows."""
    sizes, n_classes = [2, 3, 4, 2, 3, 2], 3
    rows, labels = dependent_rows(60, sizes, n_classes, seed)
    training = training_of(rows, labels, sizes, n_classes)
    held_out, expected = OneDependence.fit(training).held_out, refitted(OneDependence, training)
    assert abs(training.log_score(held_out - expected)) < 1.0
    assert np.abs(np.exp(held_out) - np.exp(expected)).max() < 0.1


def test_dependence_is_found():
    """The class is whether two columns agree, which naive Bayes cannot see."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, size=(300, 4))
    labels = (rows[:, 0] == rows[:, 1]).astype(int)
    training = training_of(rows, labels, [2] * 4, 2)
    assert training.log_score(OneDependence.fit(training).held_out) / 300 > -0.3


def test_independent_columns_leave_naive_bayes():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 2000)
    rows = (rng.random((2000, 3)) < np.where(labels, 0.7, 0.4)[:, None]).astype(int)
    training = training_of(rows, labels, [2] * 3, 2)
    new = np.array(list(np.ndindex(2, 2, 2)))
    found = OneDependence.fit(training).member.log_probs(coded_of(new, np.zeros(8, dtype=int), [2] * 3, 2))
    logits = np.log((np.bincount(labels) + 0.5) / 2001) + np.zeros((8, 2))
    for c in range(2):
        ones = (rows[labels == c].sum(axis=0) + 0.5) / ((labels == c).sum() + 1)
        logits[:, c] += np.log(np.where(new, ones, 1 - ones)).sum(axis=1)
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.exp(found), expected, atol=0.02)


def test_rows_of_a_part_are_left_out_of_all_counts():
    """Where only some rows are looked at one by one, counts are still those of all rows."""
    rows, labels = dependent_rows(90, [2, 3, 4], 2, 9)
    whole = training_of(rows, labels, [2, 3, 4], 2)
    part = replace(whole, sample=np.arange(0, whole.n_rows, 2))
    assert part.n_rows < whole.n_rows
    np.testing.assert_array_equal(OneDependence.fit(part).held_out, OneDependence.fit(whole).held_out[::2])


def test_a_row_without_values_has_the_class_prior():
    rows, labels = dependent_rows(50, [2, 3, 2], 3, 10)
    training = training_of(rows, labels, [2, 3, 2], 3)
    blank = coded_of([[-1, -1, -1]], [0], [2, 3, 2], 3)
    found = OneDependence.fit(training).member.log_probs(blank)[0]
    np.testing.assert_allclose(found, training.log_prior, atol=1e-12)


@pytest.mark.parametrize(
    "damage",
    [
        {"variables": packed(np.array([0, 9], dtype=np.int32))},
        {"variables": packed(np.array([1, 0, 2], dtype=np.int32))},
        {"value_counts": packed(np.full((2, 7), -1.0))},
        {"value_counts": packed(np.zeros((2, 6)))},
        {"pair_counts": packed(np.full((35, 2), np.inf))},
        {"pair_counts": 3},
    ],
)
def test_damaged_files_are_refused(damage):
    rows, labels = dependent_rows(40, [2, 3, 2], 2, 12)
    training = training_of(rows, labels, [2, 3, 2], 2)
    document = OneDependence.fit(training).member.to_json()
    OneDependence.from_json(document, training.views, training.log_prior)
    with pytest.raises((DataError, LookupError, TypeError, ValueError)):
        OneDependence.from_json({**document, **damage}, training.views, training.log_prior)


def test_counts_that_contradict_each_other_do_no_harm():
    """A file may hold pairs that its values do not: predictions are wrong, but they are probabilities."""
    rows, labels = dependent_rows(40, [2, 3, 2], 2, 12)
    training = training_of(rows, labels, [2, 3, 2], 2)
    document = OneDependence.fit(training).member.to_json()
    document["pair_counts"] = packed(np.full((33, 2), 1e15))
    member = OneDependence.from_json(document, training.views, training.log_prior)
    log_probs = member.log_probs(training.rows)
    assert np.isfinite(log_probs).all()
    np.testing.assert_allclose(np.exp(log_probs).sum(axis=1), 1.0, atol=1e-12)
