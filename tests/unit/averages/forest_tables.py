"""Small tables for the tests of forests, and what is true of them, by enumeration of all forests.

The oracle knows neither Bayes factors nor determinants. A forest gives each variable one parent or none,
without rings, and a variable has a Dirichlet distribution for every class and every value of its parent.
"""

from dataclasses import replace
from functools import cache
from itertools import product
from math import lgamma

import numpy as np

from codelength.averages.training import Training
from codelength.table import Coded, Schema

STRENGTHS = (2.0, 8.0, 32.0, 128.0)


@cache
def all_forests(n_variables):
    """Every way to give each variable a parent, or none (-1), without rings."""
    choices = product(*([u for u in range(-1, n_variables) if u != v] for v in range(n_variables)))
    return [parents for parents in choices if not has_ring(parents)]


def has_ring(parents):
    for v in range(len(parents)):
        above = parents[v]
        for _ in range(len(parents)):
            above = above if above < 0 else parents[above]
        if above >= 0:
            return True
    return False


def log_dirichlet(counts, pseudocount):
    """Log evidence of counts under a symmetric Dirichlet distribution."""
    total = lgamma(pseudocount * len(counts)) - lgamma(sum(counts) + pseudocount * len(counts))
    return total + sum(lgamma(count + pseudocount) - lgamma(pseudocount) for count in counts)


def family_log_evidence(rows, labels, weights, sizes, n_classes, strength, v, parent):
    """Log probability of a column given the classes and the column of its parent."""
    n_above = 1 if parent < 0 else sizes[parent]
    counts = np.zeros((n_classes, n_above, sizes[v]))
    for row, label, weight in zip(rows, labels, weights, strict=True):
        counts[label, 0 if parent < 0 else row[parent], row[v]] += weight
    pseudocount = strength / (n_classes * n_above * sizes[v])
    return sum(log_dirichlet(part.tolist(), pseudocount) for part in counts.reshape(-1, sizes[v]))


def all_log_evidences(rows, labels, weights, sizes, n_classes, strengths=STRENGTHS):
    """Log probability of all cells given the classes, for every strength and forest."""
    found = {}
    for strength in strengths:
        families = {
            (v, parent): family_log_evidence(rows, labels, weights, sizes, n_classes, strength, v, parent)
            for v, parent in product(range(len(sizes)), range(-1, len(sizes)))
            if v != parent
        }
        for parents in all_forests(len(sizes)):
            found[strength, parents] = sum(families[family] for family in enumerate(parents))
    return found


def class_shares(labels, weights, n_classes):
    counts = np.bincount(labels, weights, n_classes) + 0.5
    return counts / counts.sum()


def normalised(logs):
    return logs - np.logaddexp.reduce(logs)


def enumerated_log_probs(rows, labels, weights, sizes, n_classes, row, strengths=STRENGTHS):
    """Log class probabilities of a row: the evidence with the row in each class, summed over everything.

    A cell of -1 is summed over too.
    """
    logs = np.log(class_shares(labels, weights, n_classes))
    completions = list(product(*(range(size) if x < 0 else [x] for x, size in zip(row, sizes, strict=True))))
    for c in range(n_classes):
        logs[c] += np.logaddexp.reduce(
            [
                evidence
                for complete in completions
                for evidence in all_log_evidences(
                    [*rows, complete], [*labels, c], [*weights, 1.0], sizes, n_classes, strengths
                ).values()
            ]
        )
    return normalised(logs)


def dependent_rows(n_rows, sizes, n_classes, seed, copying=0.6):
    """Rows in which each variable copies the one before it now and then, and leans towards the class."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, n_classes, n_rows)
    rows = np.empty((n_rows, len(sizes)), dtype=np.int64)
    for v, size in enumerate(sizes):
        rows[:, v] = generator.integers(0, size, n_rows)
        lean = generator.random(n_rows) < 0.3
        rows[lean, v] = labels[lean] % size
        if v:
            copied = generator.random(n_rows) < copying
            rows[copied, v] = rows[copied, v - 1] % size
    # Every value and every class is there, so that views do not depend on chance.
    for v, size in enumerate(sizes):
        rows[:size, v] = np.arange(size)[: len(rows)]
    labels[:n_classes] = np.arange(n_classes)[: len(labels)]
    return rows, labels


def coded_of(rows, labels, sizes, n_classes, weights=None):
    """Coded rows; a cell of -1 is missing."""
    filled = np.where(np.asarray(rows) < 0, sizes, rows)
    return Coded.of(Schema.from_sizes(sizes, n_classes=n_classes), filled, labels, weights)


def training_of(rows, labels, sizes, n_classes, weights=None, views=None):
    """Training rows, in views that are given or their own."""
    training = Training.of(coded_of(rows, labels, sizes, n_classes, weights))
    return training if views is None else replace(training, views=views)


def refitted(member_type, training):
    """Held-out predictions by fitting again without one copy of each row, in the same views."""
    found = []
    for i in range(training.n_rows):
        weights = training.weights.copy()
        weights[i] -= training.copy_weights[i]
        kept = replace(training.coded, weights=weights, is_distinct=False)
        without = replace(Training.of(kept), views=training.views)
        found.append(member_type.fit(without).member.log_probs(training.rows.take([i]))[0])
    return np.array(found)
