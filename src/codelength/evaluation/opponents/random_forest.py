"""Random forest, calibrated on out-of-bag predictions."""

from itertools import product

import numpy as np

from ...decisions import first_best
from ...typing import FloatArray
from .design import Design
from .fairness import log_score
from .opponent import Opponent, Predict
from .rows import Rows

TREES = 500
SHARES = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
"""Shares of the class prior that are tried."""

POWERS = (0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0, 3.0)
"""Powers of the probabilities that are tried."""


class RandomForest(Opponent):
    """``sklearn.ensemble.RandomForestClassifier`` of 500 trees, calibrated out of bag.

    The share of the class prior that is mixed in, and the power to which probabilities are then raised, are
    those with the best log score of out-of-bag predictions. Shares of trees alone are not usable as
    probabilities: many of them are zero.
    """

    kind = "random-forest"
    title = "random forest"

    def _learned(self, rows: Rows) -> Predict:
        from sklearn.ensemble import RandomForestClassifier

        design = Design.of(rows)
        model = RandomForestClassifier(TREES, oob_score=True, random_state=self.random_state, n_jobs=1)
        model.fit(design.matrix(rows), rows.labels, rows.weights)
        weights = rows.class_weights
        prior = weights[model.classes_] / weights.sum()
        # A row that is in the bag of every tree has no out-of-bag prediction.
        out_of_bag = np.nan_to_num(model.oob_decision_function_, nan=1 / len(prior))
        labels = np.searchsorted(model.classes_, rows.labels)
        # A grid of 64 pairs on predictions that are made already: its cost is negligible next to the forest.
        pairs = list(product(SHARES, POWERS))
        scores = [
            log_score(_calibrated(out_of_bag, prior, *pair), labels, rows.row_weights) for pair in pairs
        ]
        share, power = pairs[first_best(scores)]
        return lambda others: _calibrated(model.predict_proba(design.matrix(others)), prior, share, power)


def _calibrated(shares: FloatArray, prior: FloatArray, share: float, power: float) -> FloatArray:
    """Return probabilities mixed with the class prior, raised to a power and normalised."""
    probs = ((1 - share) * shares + share * prior) ** power
    return np.asarray(probs / probs.sum(axis=1, keepdims=True))
