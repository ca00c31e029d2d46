"""The class predicted through the cluster, against sums written out."""

import math
from dataclasses import replace

import numpy as np
import pytest

import naive
from codelength.counts import count
from codelength.mixture.fixed_clustering import ClusterPredictor, FixedClustering
from codelength.naive_bayes import Prior
from codelength.table import Coded, Schema

SIZES = [3, 2, 4, 2]


def drawn(n_rows=20, missing=0.2, seed=0):
    """Rows, the class in their third column, and clusters."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, size, n_rows) for size in SIZES])
    for i in (0, 1, 3):
        codes[rng.random(n_rows) < missing, i] = SIZES[i]
    return Coded.of(Schema.from_sizes(SIZES), codes), rng.integers(0, 3, n_rows)


def slow_probs(row, rows, labels, class_column, pseudocount, n_components=3):
    """Equation (6), every count made anew."""
    probs = np.zeros(SIZES[class_column])
    for k in range(n_components):
        members = [other for other, label in zip(rows, labels, strict=True) if label == k]
        weight = len(members) + pseudocount
        for i, value in enumerate(row):
            if i != class_column and value < SIZES[i]:
                seen = [other[i] for other in members if other[i] < SIZES[i]]
                weight *= (seen.count(value) + pseudocount) / (len(seen) + SIZES[i] * pseudocount)
        of_class = np.array(
            [sum(other[class_column] == c for other in members) for c in range(SIZES[class_column])]
        )
        probs += weight * (of_class + pseudocount) / (len(members) + SIZES[class_column] * pseudocount)
    return probs / probs.sum()


@pytest.mark.parametrize("class_column", [2, "x2", -2])
def test_predictions_are_the_slow_form(class_column):
    coded, labels = drawn()
    new, _ = drawn(8, seed=1)
    clustering = FixedClustering.of(coded, labels, class_column, Prior(0.5, 0.5), n_components=3)
    rows = coded.codes.tolist()
    expected = [slow_probs(row, rows, labels, 2, 0.5) for row in new.codes.tolist()]
    np.testing.assert_allclose(clustering.predictor.probs(new), expected, rtol=1e-12)
    np.testing.assert_allclose(np.exp(clustering.predictor.log_probs(new).log_probs), expected, rtol=1e-12)
    without = new.select([0, 1, 3])
    np.testing.assert_allclose(
        np.exp(clustering.predictor.log_probs(without).log_probs), expected, rtol=1e-12
    )
    assert not clustering.predictor.log_probs(new).undefined.any()


def test_leave_one_out_is_the_slow_form():
    coded, labels = drawn()
    clustering = FixedClustering.of(coded, labels, 2, Prior(0.5, 0.5), n_components=3)
    rows = coded.codes.tolist()
    expected = [
        slow_probs(row, rows[:n] + rows[n + 1 :], np.delete(labels, n), 2, 0.5) for n, row in enumerate(rows)
    ]
    found = clustering.leave_one_out()
    np.testing.assert_allclose(np.exp(found.log_probs), expected, rtol=1e-12)
    np.testing.assert_array_equal(found.class_codes, coded.codes[:, 2])


def test_the_predictor_of_counts_is_that_of_the_clustering():
    coded, labels = drawn()
    clustering = FixedClustering.of(coded.select([0, 1, 3, 2]), labels, prior="jeffreys")
    predictor = ClusterPredictor.of(count(clustering.rows), "jeffreys")
    new, _ = drawn(8, seed=1)
    np.testing.assert_array_equal(
        predictor.probs(new.select([0, 1, 3])), clustering.predictor.probs(new.select([0, 1, 3, 2]))
    )


def test_a_row_is_predicted_the_same_beside_any_others():
    coded, labels = drawn(200)
    predictor = FixedClustering.of(coded, labels, 2).predictor
    together = predictor.probs(coded)
    for n in (0, 3, 117, 199):
        np.testing.assert_array_equal(predictor.probs(coded.take([n]))[0], together[n])
    np.testing.assert_array_equal(predictor.probs(coded.take(np.arange(199, -1, -1))), together[::-1])


@pytest.mark.parametrize("pseudocount", [1e-16, 1e-100])
def test_tiny_pseudocounts_survive_leaving_a_row_out(pseudocount):
    """The only row of its class in its cluster: beside the count the pseudocount would be rounded away."""
    coded = Coded.of(Schema.from_sizes([2, 2]), [[0, 0], [0, 0], [0, 1], [1, 1]])
    clustering = FixedClustering.of(coded, [0, 0, 0, 1], prior=Prior(pseudocount, pseudocount))
    prior = naive.Prior([pseudocount] * 2, [[[pseudocount] * 2] * 2] * 2)
    expected = naive.leave_one_out_probs(coded.codes.tolist(), [0, 0, 0, 1], 1, prior)
    found = clustering.leave_one_out().true_log_probs
    assert np.isfinite(found).all()
    assert found[2] < -30
    np.testing.assert_allclose(found, [math.log(p) for p in expected], rtol=1e-12)
    # So it is in the kernel.
    np.testing.assert_allclose(clustering.sequence().leave_one_out(), -found, rtol=1e-9, atol=1e-15)


def test_weights_are_repetitions():
    coded, labels = drawn()
    weights = np.arange(20) % 3
    again = np.repeat(np.arange(20), weights)
    weighted = FixedClustering.of(replace(coded, weights=weights.astype(np.float64)), labels, 2)
    repeated = FixedClustering.of(coded.take(again), labels[again], 2)
    assert weighted.counts == repeated.counts
    np.testing.assert_array_equal(weighted.sequence().terms(), repeated.sequence().terms())
    assert weighted.code_length() == repeated.code_length()


@pytest.mark.parametrize("number", [3, 7, 10])
def test_classes_that_tie_exactly_are_equal_whatever_the_sum_over_clusters_rounds_to(number):
    """Each cluster has a mirror image, so that neither class is ahead."""
    sizes = [(number, 2), (2, number), (number + 3, 1), (1, number + 3)]
    rows, labels = [], []
    for cluster, (n_first, n_second) in enumerate(sizes):
        rows += [[0, 0]] * n_first + [[0, 1]] * n_second
        labels += [cluster] * (n_first + n_second)
    coded = Coded.of(Schema.from_sizes([2, 2]), rows)
    predictor = FixedClustering.of(coded, labels).predictor
    assert predictor.probs(coded)[0] == pytest.approx([0.5, 0.5], rel=1e-14)
    log_probs = predictor.log_probs(coded).log_probs[0]
    assert log_probs[0] == log_probs[1] == pytest.approx(math.log(0.5), rel=1e-15)
