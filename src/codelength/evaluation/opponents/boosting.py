"""Gradient boosting of trees: by scikit-learn, by LightGBM and by CatBoost."""

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

CATBOOST_ROUNDS = (1000, 300, 60)
"""Rounds of CatBoost for tables that are light, for others, and for more than 10 classes."""


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


class LightGBM(Opponent):
    """``lightgbm.LGBMClassifier`` of 100 rounds (60 for more than 4 classes), with small leaves."""

    kind = "lightgbm"
    title = "LightGBM"
    library = "lightgbm"

    def _learned(self, rows: Rows) -> Predict:
        from lightgbm import LGBMClassifier

        model = LGBMClassifier(
            n_estimators=100 if rows.n_classes <= 4 else 60,
            learning_rate=0.05,
            num_leaves=15,
            min_child_samples=5,
            random_state=self.random_state,
            # Sums in a fixed order and one thread: results must not depend on the machine.
            deterministic=True,
            force_row_wise=True,
            n_jobs=1,
            verbose=-1,
        )
        n_numbers, n_columns = rows.numbers.shape[1], rows.matrix.shape[1]
        model.fit(
            rows.matrix,
            rows.labels,
            sample_weight=rows.weights,
            categorical_feature=list(range(n_numbers, n_columns)),
        )
        return lambda others: np.asarray(model.predict_proba(others.matrix))


class CatBoost(Opponent):
    """``catboost.CatBoostClassifier`` with its defaults.

    That is 1000 rounds; 300 for more than 3 classes or 30 categories and 60 for more than 10 classes, for
    which 1000 rounds would take minutes.
    """

    kind = "catboost"
    title = "CatBoost"
    library = "catboost"

    def _learned(self, rows: Rows) -> Predict:
        from catboost import CatBoostClassifier

        most, fewer, fewest = CATBOOST_ROUNDS
        is_light = rows.n_classes <= 3 and rows.levels.shape[1] <= 30
        # CatBoost infers the number of classes from the labels; classes that do not occur are completed by
        # fair().
        seen, codes = np.unique(rows.labels, return_inverse=True)
        model = CatBoostClassifier(
            iterations=most if is_light else fewer if rows.n_classes <= 10 else fewest,
            loss_function="Logloss" if len(seen) == 2 else "MultiClass",
            random_seed=self.random_state,
            thread_count=1,
            allow_writing_files=False,
            verbose=0,
        )
        model.fit(_pool(rows, codes))
        return lambda others: model.predict_proba(_pool(others), thread_count=1)


def _pool(rows: Rows, codes: Any = None) -> Any:
    """Return rows in the form of the library, with labels if they are for training."""
    from catboost import FeaturesData, Pool

    # Categories must be bytes here. A table of texts, looked up by level, is much faster than formatting each
    # cell.
    texts = np.array(
        [str(level).encode() for level in range(-1, int(rows.n_levels.max(initial=0)) + 1)], object
    )
    data = FeaturesData(
        num_feature_data=np.ascontiguousarray(rows.numbers, np.float32) if rows.numbers.size else None,
        cat_feature_data=np.ascontiguousarray(texts[rows.levels + 1]) if rows.levels.size else None,
    )
    return Pool(data, label=codes, weight=None if codes is None else rows.weights)
