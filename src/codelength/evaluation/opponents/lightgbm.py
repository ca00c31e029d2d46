"""LightGBM with settings for small tables."""

import numpy as np

from .opponent import Opponent, Predict
from .rows import Rows


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
