"""Gradient boosting of scikit-learn, tuned by a small inner cross-validation."""

from typing import Any

import numpy as np

from ...decisions import first_best
from .fairness import fair, log_score
from .opponent import Opponent, Predict
from .rows import Rows

LEAVES = (3, 20)
"""Minimum numbers of rows in a leaf that are tried."""

MAX_LEVELS = 255
"""Columns with more levels are treated as numeric, because the library accepts no more."""


class GradientBoosting(Opponent):
    """``sklearn.ensemble.HistGradientBoostingClassifier``, tuned by an inner cross-validation.

    The least number of rows in a leaf (3 or 20) and the number of rounds (a fifth, a half or all of 150; 80
    for more than 4 classes, 50 for more than 10) are those with the best log score in 3 folds (2 for more
    than 4 classes).
    """

    kind = "gradient-boosting"
    title = "HistGradientBoosting"

    def _learned(self, rows: Rows) -> Predict:
        rounds = 150 if rows.n_classes <= 4 else 80 if rows.n_classes <= 10 else 50
        stages = (rounds // 5, rounds // 2, rounds)
        scores = np.zeros((len(LEAVES), len(stages)))
        for inner, held in rows.folds(3 if rows.n_classes <= 4 else 2, self.random_state):
            part, others = rows.take(inner), rows.take(held)
            weights = part.class_weights
            # A fold with one class says nothing about the settings, and the library would raise.
            if np.count_nonzero(weights) < 2:
                continue
            for i, leaf in enumerate(LEAVES):
                model = self._fitted(part, leaf, rounds)
                # One fit per leaf size serves all numbers of rounds: predictions are read off at the stages.
                for n_rounds, probs in enumerate(model.staged_predict_proba(others.matrix), 1):
                    if n_rounds in stages:
                        scores[i, stages.index(n_rounds)] += log_score(
                            fair(probs, weights), others.labels, others.row_weights
                        )
        leaf, n_rounds = divmod(first_best(scores.ravel()), len(stages))
        best = self._fitted(rows, LEAVES[leaf], stages[n_rounds])
        return lambda others: best.predict_proba(others.matrix)

    def _fitted(self, rows: Rows, leaf: int, rounds: int) -> Any:
        """Fit one model with a minimum number of rows in a leaf and a number of rounds."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        model = HistGradientBoostingClassifier(
            # Rounds are chosen by the inner cross-validation, which uses all rows; early stopping would hold
            # out a tenth.
            early_stopping=False,
            learning_rate=0.06,
            max_iter=rounds,
            min_samples_leaf=leaf,
            max_leaf_nodes=15,
            categorical_features=np.append(
                np.zeros(rows.numbers.shape[1], bool), rows.n_levels <= MAX_LEVELS
            ),
            random_state=self.random_state,
        )
        return model.fit(rows.matrix, rows.labels, rows.weights)
