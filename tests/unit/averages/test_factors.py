"""VariableEvidence of single variables, against sums over all partitions and against refitting."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, permutations, product
from math import inf, lgamma, log

import numpy as np
import pytest

from codelength.averages.factors import (
    MAX_COPY_WEIGHTS,
    VariableEvidence,
    average_of,
    factors_of,
    information_of,
    ranked_by,
    ranking_of,
)
from codelength.averages.training import Training
from codelength.naive_bayes.partitions import PartitionAverage
from codelength.table import Coded, Schema
from unit.averages.mixed_tables import drawn_rows, training_of

STRENGTHS = {True: (2.0, 8.0, 32.0, 128.0), False: (0.5, 1, 2, 4, 8, 16, 32, 64, 128, inf)}


def models_one_by_one(counts, base, n_ordered, strengths):
    """Every partition with every strength: log weight, and log ratios (n_values, n_classes)."""
    n_classes, n_values = counts.shape
    cut = min(0.5, 2 / max(n_ordered - 1, 1))
    for cuts in product((False, True), repeat=max(n_ordered - 1, 0)):
        edges = [0, *(i + 1 for i, is_cut in enumerate(cuts) if is_cut), n_ordered] if n_ordered else [0]
        segments = [list(range(a, b)) for a, b in pairwise(edges)]
        segments += [[v] for v in range(n_ordered, n_values)]
        log_prior = sum(log(cut) if is_cut else log(1 - cut) for is_cut in cuts)
        for s in strengths:
            log_weight, ratios = log_prior - log(len(strengths)), np.zeros((n_values, n_classes))
            for c in range(n_classes if s < inf else 0):
                total = counts[c].sum()
                log_weight += lgamma(s) - lgamma(total + s)
                for segment in segments:
                    mass, seen = base[segment].sum(), counts[c, segment].sum()
                    log_weight += lgamma(seen + s * mass) - lgamma(s * mass) - seen * log(mass)
                    ratios[segment, c] = log((seen + s * mass) / ((total + s) * mass))
            yield log_weight, ratios


def averaged(counts, base, n_ordered, strengths):
    """Log evidence and log ratios, by enumeration."""
    models = list(models_one_by_one(counts, base, n_ordered, strengths))
    logs = np.array([log_weight for log_weight, _ in models])
    log_total = np.logaddexp.reduce(logs)
    shares = np.exp(logs - log_total)
    return log_total, np.log(sum(w * np.exp(ratios) for w, (_, ratios) in zip(shares, models, strict=True)))


def smoothed(counts):
    totals = counts.sum(axis=0)
    return (totals + 0.5) / (totals.sum() + len(totals) / 2)


def drawn_counts(n_classes, n_values, seed, whole=True):
    generator = np.random.default_rng(seed)
    counts = generator.poisson(generator.gamma(0.8, 4.0, (n_classes, n_values))).astype(float)
    counts[0, 0] += 1
    return counts if whole else counts * generator.uniform(0.3, 1.7, counts.shape)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(
    ("n_classes", "n_values", "n_ordered"),
    [(2, 8, 8), (3, 7, 6), (2, 1, 1), (2, 2, 1), (1, 4, 4), (2, 5, 0), (4, 2, 0), (3, 4, 3)],
)
def test_averages_are_those_over_all_partitions(n_classes, n_values, n_ordered, whole):
    for seed in range(2):
        counts = drawn_counts(n_classes, n_values, seed, whole)
        average = average_of(counts, n_ordered)
        log_evidence, ratios = averaged(counts, smoothed(counts), n_ordered, STRENGTHS[n_ordered > 0])
        np.testing.assert_allclose(average.log_ratios(), ratios, rtol=0, atol=1e-10)
        assert average.log_evidence == pytest.approx(log_evidence, abs=1e-10)


@pytest.mark.parametrize(("n_values", "n_ordered"), [(5, 5), (5, 4), (2, 1), (5, 0)])
def test_leaving_out_is_refitting(n_values, n_ordered):
    for seed, weight in enumerate((1.0, 1.0, 0.4, 1.7)):
        counts = drawn_counts(3, n_values, seed) * (1.0 if weight == 1.0 else 1.8)
        base = smoothed(counts)
        average = PartitionAverage.of(counts, base, n_ordered, STRENGTHS[n_ordered > 0])
        labels, values = np.nonzero(counts)
        without = average.without(values, labels, np.full(len(values), weight))
        for cell, (y, v) in enumerate(zip(labels, values, strict=True)):
            fewer = counts.copy()
            fewer[y, v] -= weight
            log_evidence, refitted = averaged(fewer, base, n_ordered, STRENGTHS[n_ordered > 0])
            np.testing.assert_allclose(without[0][cell], refitted[v], rtol=0, atol=1e-10)
            assert without[1][cell] == pytest.approx(log_evidence, abs=1e-10)


def test_every_value_is_in_one_segment():
    average = average_of(drawn_counts(3, 21, 0), 20)
    weights = average.weights.sum(axis=0)
    for v in range(20):
        assert weights[: v + 1, v:].sum() == pytest.approx(1, abs=1e-12)
    assert average.of_strengths.sum() == pytest.approx(1, abs=1e-12)


def test_shares_of_a_class_add_up_to_one():
    counts = drawn_counts(3, 21, 0)
    for n_ordered in (0, 20, 21):
        average = average_of(counts, n_ordered)
        np.testing.assert_allclose(smoothed(counts) @ np.exp(average.log_ratios()), 1, rtol=0, atol=1e-12)


def test_many_rows_leave_digits():
    """Log evidences of ten millions of rows, of which only the differences matter."""
    counts = drawn_counts(2, 20, 0) * 1e5
    average = average_of(counts, 20)
    shares = counts / counts.sum(axis=1, keepdims=True)
    expected = np.log((shares + 1e-12) / smoothed(counts)).T
    seen = counts.T > 0
    np.testing.assert_allclose(average.log_ratios()[seen], expected[seen], atol=1e-3)
    assert np.isfinite(average.log_ratios()).all()


# Training rows.


def test_factors_of_rows_are_those_of_their_counts():
    training = training_of(*drawn_rows(200))
    factors = factors_of(training)
    assert len(factors.tables) == 3
    for j, counts in enumerate(training.fine_counts):
        _, expected = (
            averaged(counts, smoothed(counts), training.views.columns[j].n_intervals, STRENGTHS[j != 1])
            if j < 2
            else (0, average_of(counts, training.views.columns[j].n_intervals).log_ratios())
        )
        np.testing.assert_allclose(factors.tables[j], expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_are_left_out_without_one_copy(weighted):
    codes, labels = drawn_rows(60)
    weights = np.random.default_rng(1).choice([0.4, 1.0, 2.0, 3.5], 60) if weighted else None
    training = training_of(codes, labels, weights)
    left_out = factors_of(training).left_out()
    assert left_out.shape == (training.n_rows, 4, 3)
    for row in range(training.n_rows):
        for j in range(3):
            v, counts = training.fine[row, j], training.fine_counts[j]
            if v < 0:
                assert not left_out[row, :, j].any()
                continue
            n_ordered = training.views.columns[j].n_intervals
            fewer = counts.copy()
            fewer[training.labels[row], v] -= training.copy_weights[row]
            refitted = PartitionAverage.of(fewer, smoothed(counts), n_ordered, STRENGTHS[n_ordered > 0])
            np.testing.assert_allclose(left_out[row, :, j], refitted.log_ratios()[v], rtol=0, atol=1e-10)


def test_classes_never_seen_are_left_as_they_are():
    factors = factors_of(training_of(*drawn_rows(50)))
    for table in (*factors.tables, *factors.left_out_tables):
        assert np.isfinite(table).all()
        np.testing.assert_allclose(table[:, 3], 0, atol=1e-12)


def test_weights_are_repeated_rows():
    codes, labels = drawn_rows(60)
    repeats = np.random.default_rng(2).integers(1, 4, 60)
    weighted = training_of(codes, labels, repeats)
    repeated = training_of(codes.repeat(repeats, axis=0), labels.repeat(repeats))
    one, two = factors_of(weighted), factors_of(repeated)
    np.testing.assert_array_equal(one.left_out(), two.left_out())
    np.testing.assert_array_equal(one.information, two.information)
    assert all(np.array_equal(a, b) for a, b in zip(one.tables, two.tables, strict=True))


def test_order_of_rows_classes_and_values_does_not_matter():
    codes, labels = drawn_rows(80)
    factors = factors_of(training_of(codes, labels))
    order = np.random.default_rng(3).permutation(80)
    again = factors_of(training_of(codes[order], labels[order]))
    np.testing.assert_array_equal(factors.left_out(), again.left_out())
    classes, values = np.array([2, 0, 3, 1]), np.array([1, 2, 0, 3])
    renamed = codes.copy()
    renamed[:, 1] = values[codes[:, 1]]
    other = factors_of(training_of(renamed, classes[labels]))
    for j, table in enumerate(factors.tables):
        moved = other.tables[j][:, classes]
        np.testing.assert_allclose(moved[values[:3]] if j == 1 else moved, table, rtol=0, atol=1e-12)
    np.testing.assert_allclose(other.information, factors.information, rtol=0, atol=1e-12)


def test_information_is_what_held_out_scores_gain():
    training = training_of(*drawn_rows(150), np.random.default_rng(4).choice([1.0, 2.0], 150))
    factors = factors_of(training)
    left_out, prior = factors.left_out(), np.exp(training.log_prior)
    for j in range(3):
        gains = [
            left_out[row, training.labels[row], j] - np.log(prior @ np.exp(left_out[row, :, j]))
            for row in range(training.n_rows)
        ]
        expected = max(0.0, np.average(gains, weights=training.weights))
        assert factors.information[j] == pytest.approx(expected, abs=1e-12)
    assert factors.information[0] > 0.1 > factors.information[2]
    assert ranking_of(training).tolist() == [0, 1, 2]
    np.testing.assert_array_equal(information_of(training), factors.information)


def test_many_weights_are_rounded_to_near_ones():
    codes, labels = drawn_rows(400)
    weights = np.random.default_rng(5).uniform(0.2, 2.0, 400)
    training = training_of(codes, labels, weights)
    assert len(np.unique(training.copy_weights)) > MAX_COPY_WEIGHTS
    left_out = factors_of(training).left_out()
    average = average_of(training.fine_counts[0], 7)
    exact, _ = average.without(training.fine[:, 0], training.labels, training.copy_weights)
    np.testing.assert_allclose(left_out[:, :, 0], exact, rtol=0, atol=0.03)


def test_a_part_of_the_rows_is_left_out_of_all_counts():
    codes, labels = drawn_rows(300)
    training = training_of(codes, labels, most_rows=50)
    whole = training_of(codes, labels)
    factors = factors_of(training)
    assert factors.left_out().shape == (50, 4, 3)
    np.testing.assert_array_equal(factors.left_out(), factors_of(whole).left_out()[training.sample])


def test_factors_are_computed_once_for_all_threads(monkeypatch):
    training = training_of(*drawn_rows(30))
    calls = []
    monkeypatch.setattr(
        VariableEvidence, "of", lambda rows, of=VariableEvidence.of: (calls.append(1), of(rows))[1]
    )
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(factors_of, [training] * 8))
    assert calls == [1]
    assert all(factors is found[0] for factors in found)


def test_variables_that_tie_are_ranked_in_the_given_order():
    """A difference in the last bits is a tie."""
    information = np.array([0.3, 0.0, 0.1 + 0.2, 1e-17, 0.5])
    assert ranked_by(information, np.array([2, 3, 1, 0, 4])).tolist() == [4, 2, 0, 3, 1]
    assert ranked_by(information, np.array([0, 1, 2, 3, 4])).tolist() == [4, 0, 2, 1, 3]


def test_columns_that_say_the_same_are_ranked_by_content():
    """Whatever the order of columns: two say the same about the class, and two nothing."""
    labels = np.arange(40) % 2
    one, other = labels.copy(), 1 - labels
    one[:6], other[10:16] = 1 - one[:6], 1 - other[10:16]
    rng = np.random.default_rng(0)
    columns = {"one": one, "other": other, "coin": rng.permutation(labels), "die": rng.permutation(labels)}
    schema = Schema.from_sizes([2] * 4, n_classes=2)

    def names_in_rank(names):
        training = Training.of(Coded.of(schema, np.column_stack([columns[name] for name in names]), labels))
        return [names[j] for j in ranking_of(training)]

    expected = names_in_rank(list(columns))
    assert set(expected[:2]) == {"one", "other"}
    for names in permutations(columns):
        assert names_in_rank(list(names)) == expected
