"""scikit-learn's naive Bayes for categories."""

import numpy as np

from ...table import cut_points
from ...table.intervals.cuts import assign
from ...typing import FloatArray, IntArray
from .opponent import Opponent, Predict
from .rows import Rows

INTERVALS = 5


class CategoricalNB(Opponent):
    """``sklearn.naive_bayes.CategoricalNB``, with numbers cut into five intervals of equal frequency."""

    kind = "categorical-nb"
    title = "CategoricalNB"

    def _learned(self, rows: Rows) -> Predict:
        from sklearn.naive_bayes import CategoricalNB as Classifier

        cuts = [cut_points(column, n_bins=INTERVALS, sample_weight=rows.weights) for column in rows.numbers.T]
        # One code more than intervals and levels, for missing cells: otherwise a missing cell among the test
        # rows alone would be an index out of range.
        sizes = np.array([*(len(edges) + 2 for edges in cuts), *(rows.n_levels + 1)])
        model = Classifier(min_categories=sizes)
        model.fit(_codes(rows, cuts), rows.labels, sample_weight=rows.weights)
        return lambda others: model.predict_proba(_codes(others, cuts))


def _codes(rows: Rows, cuts: list[FloatArray]) -> IntArray:
    """Return intervals and levels; the last code of each column stands for a missing or ignored cell."""
    intervals = [assign(column, edges) for column, edges in zip(rows.numbers.T, cuts, strict=True)]
    # Ignored and missing cells share the last code, because the library accepts no negative ones.
    levels = np.where(rows.levels < 0, rows.n_levels, rows.levels)
    return np.column_stack([*intervals, levels]).astype(np.int64)
