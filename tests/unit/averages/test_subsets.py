"""Naive Bayes averaged over subsets of variables, against a sum over all subsets and their models."""

from itertools import pairwise, product
from math import lgamma, log

import numpy as np
import pytest

from codelength.averages.members.subsets import Subsets
from codelength.table import Schema, Variable
from codelength.table.variable import interval_variable
from unit.averages.mixed_tables import (
    assert_distributions,
    assert_explained,
    coded_of,
    drawn_rows,
    training_of,
    wide_rows,
)

SMALL = Schema(
    (
        interval_variable("size", [1, 2, 3], missing_is_value=True),
        Variable("colour", ("blue", "green", "red")),
        interval_variable("age", [1, 2, 3, 4]),
    ),
    Variable("kind", ("a", "b", "never")),
)
"""Few values, so that all models can be listed."""

ORDERED = {0: 4, 1: 0, 2: 5}
NEW = np.array([[0, 0, 3], [4, 1, 4], [5, 3, 5], [3, 2, 0]])


def small_rows(n_rows, seed=0):
    """Rows in which all values occur: size follows the class, the others hardly do; some cells are empty."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 2, n_rows)
    sizes = np.where(generator.random(n_rows) < 0.6, 2 * labels, generator.integers(0, 5, n_rows))
    colours, ages = generator.integers(0, 4, n_rows), generator.integers(0, 6, n_rows)
    codes = np.stack([sizes, colours, ages], axis=1)
    codes[:6] = [[i % 5, i % 3, i % 5] for i in range(6)]
    return codes, labels


def partitions(n_ordered, n_values):
    """Every way to merge neighbours of the first values, with its prior probability."""
    cut = min(0.5, 2 / max(n_ordered - 1, 1))
    for cuts in product((False, True), repeat=max(n_ordered - 1, 0)):
        edges = [0, *(i + 1 for i, is_cut in enumerate(cuts) if is_cut), n_ordered]
        segments = [list(range(a, b)) for a, b in pairwise(edges)] if n_ordered else []
        probability = np.prod([cut if is_cut else 1 - cut for is_cut in cuts])
        yield segments + [[v] for v in range(n_ordered, n_values)], probability


def models_of_variable(cells, labels, weights, n_values, n_ordered, n_groups):
    """All models of one column given the groups of its rows: probability of model and rows, predictions."""
    counts = np.zeros((n_groups, n_values))
    np.add.at(counts, (labels, cells), weights)
    strengths = (2, 8, 32, 128) if n_ordered else (0.5, 1, 2, 4, 8, 16, 32, 64, 128)
    found = []
    for segments, prior in partitions(n_ordered, n_values):
        for s in strengths:
            log_evidence, predictions = log(prior / len(strengths)), np.zeros((n_groups, n_values))
            for k in range(n_groups):
                total = counts[k].sum()
                log_evidence += lgamma(s) - lgamma(total + s)
                for segment in segments:
                    width, seen = len(segment), counts[k, segment].sum()
                    pseudocount = s * width / n_values
                    log_evidence += lgamma(seen + pseudocount) - lgamma(pseudocount) - seen * log(width)
                    predictions[k, segment] = (seen + pseudocount) / (total + s) / width
            found.append((np.exp(log_evidence), predictions))
    return found


def class_shares(training_rows, new, schema=SMALL):
    """Joint probability of class and row, summed over all subsets of variables and all of their models."""
    codes, labels, weights = training_rows
    n_classes = schema.n_classes
    of_classes = np.bincount(labels, weights, n_classes) + 0.5
    columns = []
    for i, variable in enumerate(schema.variables):
        known = codes[:, i] < variable.n_values
        args = codes[known, i], labels[known], weights[known], variable.n_values, ORDERED[i]
        together = args[0], np.zeros_like(args[1]), *args[2:]
        columns.append((models_of_variable(*together, 1), models_of_variable(*args, n_classes)))
    shares = np.zeros((len(new), n_classes))
    total = 0.0
    for subset in product((0, 1), repeat=len(columns)):
        weight, predictions = 1.0, np.ones((len(new), n_classes))
        for i, taking_part in enumerate(subset):
            models = columns[i][taking_part]
            evidence = sum(w for w, _ in models)
            mean = sum(w * p for w, p in models) / evidence
            known = new[:, i] < schema.variables[i].n_values
            predictions[known] *= np.broadcast_to(mean, (n_classes, mean.shape[1])).T[new[known, i]]
            weight *= evidence
        shares += weight * predictions
        total += weight
    shares *= of_classes / of_classes.sum() / total
    return shares / shares.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(3))
def test_average_is_that_over_all_subsets(seed):
    codes, labels = small_rows(25, seed)
    member = Subsets.fit(training_of(codes, labels, schema=SMALL)).member
    expected = class_shares((codes, labels, np.ones(25)), NEW)
    found = np.exp(member.log_probs(coded_of(NEW, schema=SMALL)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
def test_leaving_out_is_refitting(weighted):
    """Every model of every subset again, without one copy of the row."""
    codes, labels = small_rows(16, 5)
    weights = np.random.default_rng(0).choice([0.4, 1.0, 2.0, 2.5], 16) if weighted else np.ones(16)
    training = training_of(codes, labels, weights, SMALL)
    learned = Subsets.fit(training)
    rows = np.asarray(training.rows.codes, dtype=np.int64)
    for row in range(training.n_rows):
        fewer = training.weights.copy()
        fewer[row] -= training.copy_weights[row]
        expected = class_shares((rows, training.labels, fewer), rows[row : row + 1])
        np.testing.assert_allclose(np.exp(learned.held_out[row]), expected[0], rtol=0, atol=1e-10)


def test_inclusion_tells_which_variables_matter():
    member = Subsets.fit(training_of(*drawn_rows(200))).member
    assert (member.inclusion[:2] > 0.999).all()
    assert 0.2 < member.inclusion[2] < 0.8
    assert np.abs(member.tables[2][:, :3]).max() < 0.2 < 1.0 < np.abs(member.tables[0][:, :3]).max()


def test_predictions_are_distributions_and_explained():
    training = training_of(*drawn_rows(150))
    learned = Subsets.fit(training)
    new = coded_of([[0, 0, 3], [7, 1, 59], [8, 3, 60], [3, 2, 30]])
    assert_distributions(learned.held_out, (training.n_rows, 4))
    assert_distributions(learned.member.log_probs(new), (4, 4))
    assert_explained(learned.member, new)
    np.testing.assert_allclose(learned.member.log_probs(new)[2], learned.member.log_prior, atol=1e-12)
    assert training.log_score(learned.held_out) > training.log_score(training.log_prior_left_out)


def test_more_columns_than_rows():
    codes, labels, schema = wide_rows()
    learned = Subsets.fit(training_of(codes, labels, schema=schema))
    assert_distributions(learned.held_out, (50, 2))
    assert np.argmax(learned.member.inclusion) == 1


def test_a_part_of_the_rows_is_looked_at_and_all_are_counted():
    codes, labels = drawn_rows(300)
    training = training_of(codes, labels, most_rows=60)
    part, whole = Subsets.fit(training), Subsets.fit(training_of(codes, labels))
    np.testing.assert_array_equal(part.held_out, whole.held_out[training.sample])
    np.testing.assert_array_equal(part.member.inclusion, whole.member.inclusion)
