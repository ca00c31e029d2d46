"""How models are compared on a table of some size, so that nobody waits long.

The plan depends on the size of the table alone: the same command gives the same analysis on any computer.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..evaluation import Split, cross_validation
from ..typing import IntArray

EFFORT = 5.0
"""About how many seconds of one processor the comparison of models may take."""

FOLDS = (10, 5, 3, 2)
"""Numbers of folds, the best first."""

MOST_COLUMNS = 200
"""With more columns, models that are slow on many look at the strongest ones only."""

MOST_TEST_ROWS = 5_000
"""Most rows predicted in one split."""

LEAST_TRAINING_ROWS = 100


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """Rows to learn from and rows to predict.

    Attributes
    ----------
    splits : tuple of Split
        One per fold; none where each row is left out in turn.
    protocol : str
        The same in words.
    rows : array of int
        The rows predicted, one split after the other.
    parts : array of int
        Which part of the rows each of them belongs to, for choices that are made on the other parts.
    """

    splits: tuple[Split, ...]
    protocol: str
    rows: IntArray
    parts: IntArray

    @classmethod
    def of(cls, n_rows: int, n_columns: int, n_classes: int, seed: int) -> "Plan":
        """The plan for a table of some size."""
        if n_rows < 2:
            return cls((), "leave-one-out", np.arange(n_rows), np.zeros(n_rows, np.int64))
        for folds in sorted({min(folds, n_rows) for folds in FOLDS}, reverse=True):
            n_training = n_rows - -(-n_rows // folds)
            if folds * effort(n_training, n_columns, n_classes, n_rows / folds) <= EFFORT:
                splits = tuple(cross_validation(n_rows, folds, random_state=seed))
                rows = np.concatenate([split.test for split in splits])
                parts = np.repeat(np.arange(folds), [len(split.test) for split in splits])
                return cls(splits, f"{folds}-fold cross-validation", rows, parts)
        split = _one_split(n_rows, n_columns, n_classes, seed)
        protocol = f"{len(split.test):,} rows predicted from {len(split.train):,} others"
        parts = np.random.default_rng([seed, 1]).permutation(len(split.test)) % max(FOLDS)
        return cls((split,), protocol, split.test, parts)


def effort(n_training: float, n_columns: int, n_classes: int, n_test: float = 0) -> float:
    """About how many seconds it takes to fit all models once, and to predict some rows."""
    looked_at = min(n_columns, MOST_COLUMNS)
    per_row = 6e-4 * math.sqrt(max(n_classes, 2) / 2) + 7e-6 * looked_at
    return 0.3 + 2.2e-3 * looked_at + 5e-4 * n_columns + per_row * n_training + 1.4e-4 * n_test


def _one_split(n_rows: int, n_columns: int, n_classes: int, seed: int) -> Split:
    """As many rows to learn from as the effort allows, in a round number, and others to predict."""
    fixed = effort(0, n_columns, n_classes, MOST_TEST_ROWS)
    affordable = (EFFORT - fixed) / (effort(1, n_columns, n_classes, MOST_TEST_ROWS) - fixed)
    wanted = max(_rounded(affordable), LEAST_TRAINING_ROWS)
    n_training = min(wanted, n_rows * 2 // 3)
    order = np.random.default_rng([seed, 0]).permutation(n_rows)
    test = order[n_training : n_training + MOST_TEST_ROWS]
    return Split(np.sort(order[:n_training]), np.sort(test))


def _rounded(number: float) -> int:
    """The largest number of two digits and zeros that is not larger."""
    if number < 1:
        return 0
    unit = 10 ** max(math.floor(math.log10(number)) - 1, 0)
    return int(number // unit * unit)
