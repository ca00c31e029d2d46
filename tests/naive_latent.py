"""Slow and plain forms of what latent class models tell about themselves; nothing here is of the package.

A mixture is a list of class shares and, for each class and variable, a list of probabilities. A row is a list
of codes, with None for missing.
"""

import itertools
import math

import numpy as np


def softmax(logits):
    """Probabilities from logits."""
    powers = [math.exp(x) for x in logits]
    return [power / sum(powers) for power in powers]


def joint_probs(row, shares, profiles):
    """Probability of each class together with the cells of a row."""
    found = []
    for share, profile in zip(shares, profiles, strict=True):
        for code, probs in zip(row, profile, strict=True):
            share = share if code is None else share * probs[code]
        found.append(share)
    return found


def row_log_prob(row, shares, profiles):
    """Log probability of a row."""
    return math.log(sum(joint_probs(row, shares, profiles)))


def moved(shares, profiles, names, theta):
    """The mixture after its logits have moved: ``names`` are ("share", k) or (k, variable, value)."""
    logits = [math.log(share) for share in shares]
    own = [[[math.log(p) for p in probs] for probs in profile] for profile in profiles]
    for name, step in zip(names, theta, strict=True):
        if name[0] == "share":
            logits[name[1]] += step
        else:
            own[name[0]][name[1]][name[2]] += step
    return softmax(logits), [[softmax(probs) for probs in profile] for profile in own]


def row_scores(row, shares, profiles, names, width=1e-5):
    """Derivatives of the log probability of a row by the logits, by central differences."""
    found = []
    for i in range(len(names)):
        step = [0.0] * len(names)
        step[i] = width
        up = row_log_prob(row, *moved(shares, profiles, names, step))
        step[i] = -width
        found.append((up - row_log_prob(row, *moved(shares, profiles, names, step))) / (2 * width))
    return np.array(found)


def observed_information(rows, weights, shares, profiles, names, width=1e-4):
    """Minus the second derivatives of the log-likelihood by the logits, by differences of scores."""
    columns = []
    for i in range(len(names)):
        sides = []
        for sign in (1, -1):
            step = [0.0] * len(names)
            step[i] = sign * width
            there = moved(shares, profiles, names, step)
            sides.append(
                sum(w * row_scores(row, *there, names) for row, w in zip(rows, weights, strict=True))
            )
        columns.append((sides[0] - sides[1]) / (2 * width))
    return -np.array(columns)


def empirical_information(rows, weights, shares, profiles, names):
    """The sum of the outer products of the scores."""
    scores = [row_scores(row, shares, profiles, names) for row in rows]
    return sum(w * np.outer(s, s) for s, w in zip(scores, weights, strict=True))


def expected_information(rows, weights, shares, profiles, names):
    """The expectation of the outer products, over all rows with the same cells missing."""
    total = 0.0
    for row, weight in zip(rows, weights, strict=True):
        choices = [[None] if code is None else range(len(profiles[0][i])) for i, code in enumerate(row)]
        for other in itertools.product(*choices):
            s = row_scores(other, shares, profiles, names)
            total = total + weight * math.exp(row_log_prob(other, shares, profiles)) * np.outer(s, s)
    return total


def sandwich_middle(rows, weights, clusters, strata, shares, profiles, names):
    """The scatter of the scores of clusters about the means of their strata."""
    sums = {}
    for row, weight, cluster, stratum in zip(rows, weights, clusters, strata, strict=True):
        own = sums.setdefault(stratum, {})
        own[cluster] = own.get(cluster, 0.0) + weight * row_scores(row, shares, profiles, names)
    total = 0.0
    for own in sums.values():
        centre = sum(own.values()) / len(own)
        for score in own.values():
            total = total + len(own) / (len(own) - 1) * np.outer(score - centre, score - centre)
    return total


def assignment_errors(rows, shares, profiles):
    """Probability of being assigned to each class (column) for a row of each class (row)."""
    n_classes = len(shares)
    sums = np.zeros((n_classes, n_classes))
    for row in rows:
        joint = np.array(joint_probs(row, shares, profiles))
        sums[:, int(np.argmax(joint))] += joint / joint.sum()
    return sums / sums.sum(axis=1, keepdims=True)


def bch_means(rows, outcomes, shares, profiles):
    """Means of an outcome by class, with the weights of Bolck, Croon and Hagenaars."""
    inverse = np.linalg.inv(assignment_errors(rows, shares, profiles))
    weights = [inverse[int(np.argmax(joint_probs(row, shares, profiles)))] for row in rows]
    return [
        sum(w[t] * y for w, y in zip(weights, outcomes, strict=True)) / sum(w[t] for w in weights)
        for t in range(len(shares))
    ]
