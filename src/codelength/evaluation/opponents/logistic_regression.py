"""Logistic regression with a penalty chosen by cross-validation."""

import numpy as np

from ...decisions import first_best
from .design import Design
from .fairness import fair, log_score
from .opponent import Opponent, Predict
from .rows import Rows

STRENGTHS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0)
"""Inverse strengths of the penalty that are tried."""

FOLDS = 5


class LogisticRegression(Opponent):
    """``sklearn.linear_model.LogisticRegression`` on standardised numbers and indicators of values.

    The strength of the penalty is chosen among eight by the log score of an inner 5-fold cross-validation.
    """

    kind = "logistic-regression"
    title = "logistic regression"

    def _learned(self, rows: Rows) -> Predict:
        from sklearn.linear_model import LogisticRegression as Classifier

        design = Design.of(rows)
        matrix = design.matrix(rows)
        scores = np.zeros(len(STRENGTHS))
        for inner, held in rows.folds(FOLDS, self.random_state):
            part = rows.take(inner)
            weights = part.class_weights
            # A fold with one class says nothing about the penalty, and the library would raise.
            if np.count_nonzero(weights) < 2:
                continue
            # Each strength starts from the solution of the one before, which takes a fraction of the steps.
            model = Classifier(warm_start=True, tol=1e-3, max_iter=200)
            for i, strength in enumerate(STRENGTHS):
                model.set_params(C=strength).fit(matrix[inner], part.labels, part.weights)
                probs = fair(model.predict_proba(matrix[held]), weights)
                scores[i] += log_score(probs, rows.labels[held], rows.row_weights[held])
        best = Classifier(C=STRENGTHS[first_best(scores)], max_iter=500)
        best.fit(matrix, rows.labels, rows.weights)
        return lambda others: best.predict_proba(design.matrix(others))
