"""Plan of the comparison of models, by the size of the table.

The plan depends on the size of the table alone, not on measured times: the same command gives the same
analysis on any computer.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..evaluation import Split, cross_validation
from ..typing import IntArray

EFFORT = 5.0
"""Approximate seconds of one processor that the comparison of models may take."""

FOLDS = (10, 5, 3, 2)
"""Numbers of folds, the best first."""

MAX_COLUMNS = 200
"""Columns that models which are slow on many columns use at most: those with most bits alone."""

MAX_TEST_ROWS = 5_000
"""Most rows predicted in one split."""

LEAST_TRAINING_ROWS = 100


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """Training and test rows of the comparison.

    Attributes
    ----------
    splits : tuple of Split
        One per fold; none for leave-one-out.
    protocol : str
        Description of the splits.
    rows : array of int
        The rows predicted, one split after the other.
    parts : array of int
        Part of each predicted row. Choices for the rows of one part are made on the other parts.
    """

    splits: tuple[Split, ...]
    protocol: str
    rows: IntArray
    parts: IntArray

    @classmethod
    def of(cls, n_rows: int, n_columns: int, n_classes: int, seed: int) -> "Plan":
        """Return the plan for a table: the most folds that fit into the effort, else one split."""
        if n_rows < 2:
            return cls((), "leave-one-out", np.arange(n_rows), np.zeros(n_rows, np.int64))
        # The most folds first: they leave the largest training sets, closest to the whole table.
        for folds in sorted({min(folds, n_rows) for folds in FOLDS}, reverse=True):
            n_training = n_rows - -(-n_rows // folds)
            if folds * effort(n_training, n_columns, n_classes, n_rows / folds) <= EFFORT:
                splits = tuple(cross_validation(n_rows, folds, random_state=seed))
                rows = np.concatenate([split.test for split in splits])
                parts = np.repeat(np.arange(folds), [len(split.test) for split in splits])
                return cls(splits, f"{folds}-fold cross-validation", rows, parts)
        split = _one_split(n_rows, n_columns, n_classes, seed)
        protocol = f"{len(split.test):,} rows predicted from {len(split.train):,} others"
        # One split has no folds that could serve as parts, so that its test rows are divided at random.
        parts = np.random.default_rng([seed, 1]).permutation(len(split.test)) % max(FOLDS)
        return cls((split,), protocol, split.test, parts)


def effort(n_training: float, n_columns: int, n_classes: int, n_test: float = 0) -> float:
    """Estimate the seconds to fit all models once and to predict some rows."""
    looked_at = min(n_columns, MAX_COLUMNS)
    # Constants instead of times measured on this machine, on which the plan would then depend.
    per_row = 6e-4 * math.sqrt(max(n_classes, 2) / 2) + 7e-6 * looked_at
    return 0.3 + 2.2e-3 * looked_at + 5e-4 * n_columns + per_row * n_training + 1.4e-4 * n_test


def _one_split(n_rows: int, n_columns: int, n_classes: int, seed: int) -> Split:
    """Return a split with as many training rows as the effort allows, in a round number."""
    fixed = effort(0, n_columns, n_classes, MAX_TEST_ROWS)
    # The effort is linear in the training rows, so that two values of it give the slope.
    affordable = (EFFORT - fixed) / (effort(1, n_columns, n_classes, MAX_TEST_ROWS) - fixed)
    wanted = max(_rounded(affordable), LEAST_TRAINING_ROWS)
    # At least a third of the rows are left for testing.
    n_training = min(wanted, n_rows * 2 // 3)
    order = np.random.default_rng([seed, 0]).permutation(n_rows)
    test = order[n_training : n_training + MAX_TEST_ROWS]
    return Split(np.sort(order[:n_training]), np.sort(test))


def _rounded(number: float) -> int:
    """Return the largest number of two significant digits that is not larger."""
    if number < 1:
        return 0
    unit = 10 ** max(math.floor(math.log10(number)) - 1, 0)
    return int(number // unit * unit)
