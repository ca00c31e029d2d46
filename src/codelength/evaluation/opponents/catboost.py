"""CatBoost with its default settings."""

from typing import Any

import numpy as np

from .opponent import Opponent, Predict
from .rows import Rows

ROUNDS = (1000, 300, 60)


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

        most, fewer, fewest = ROUNDS
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
