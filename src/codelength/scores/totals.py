"""Additive scores of predictions, for streams: no row is kept, and scores of parts can be merged.

Contains :class:`Scores` of one model, and :class:`Together` for several models on the same rows. Depends on
``predictions``, ``calibration`` and ``means``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import ClassVar

import numpy as np

from ..errors import DataError
from ..table.checks import check_instance
from ..typing import FloatArray
from .calibration import calibration
from .means import Mean, standard_error
from .predictions import NOTHING, Predictions, Scored

FIGURES = ("true_log_probs", "hits", "distances")
"""Figures of rows of :class:`codelength.Predictions` that are summed."""

MAX_PROMISES = 1 << 18
"""Largest number of distinct probabilities to keep; if there are more, they are rounded to as many steps."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Scores(Scored):
    """Scores of predictions, without the predictions themselves.

    The scores are those of :class:`codelength.Predictions`. If there are more than 262,144 distinct
    probabilities, the calibration error is computed from probabilities rounded to as many steps.

    Attributes
    ----------
    n_rows : int
        Number of predictions.
    n_zero : int
        Number of rows whose observed class had probability zero.
    n_undefined : int
        Number of rows in which the definition gives 0/0.
    optimistic : bool
        True if the rows were used to select the model, so that scores on them are optimistic.
    sums : array of shape (8,)
        Number of rows with a weight above zero; sum of their weights; weighted sums of log probabilities,
        hits and squared distances; and of the squares of these three.
    promises : array of shape (n_promises, 3)
        Distinct probabilities of the most probable class, ascending, the weight of their rows, and the weight
        of the rows in which it occurred.
    """

    _heading: ClassVar[str] = "Scores"

    n_rows: int
    n_zero: int
    n_undefined: int
    optimistic: bool
    sums: FloatArray
    promises: FloatArray

    @classmethod
    def empty(cls) -> "Scores":
        """Return scores of no predictions."""
        return cls(0, 0, 0, False, np.zeros(8), np.zeros((0, 3)))

    @classmethod
    def of(cls, predictions: Predictions) -> "Scores":
        """Compute the scores of predictions.

        Examples
        --------
        >>> made = Predictions(np.log([[0.75, 0.25]]), np.array([False]), np.array([0]))
        >>> both = Scores.of(made).merge(Scores.of(made))
        >>> both.n_rows, both.brier_score
        (2, 0.125)
        """
        check_instance("predictions", predictions, Predictions, "Predictions")
        # Rows of weight zero are dropped, because 0 times an infinite log probability is NaN.
        kept = slice(None) if predictions.weights is None else predictions.weights > 0
        weights = np.ones(predictions.n_rows) if predictions.weights is None else predictions.weights[kept]
        figures = [getattr(predictions, name)[kept] for name in FIGURES]
        # Sums and sums of squares are additive over parts; means and standard errors follow from them.
        figures = [np.ones(len(weights)), *figures, *(figure**2 for figure in figures)]
        # Calibration needs the distribution of probabilities, which sums do not keep: distinct values are
        # kept.
        promised = np.exp(predictions.log_probs[kept].max(axis=1))
        return cls(
            predictions.n_rows,
            predictions.n_zero,
            predictions.n_undefined,
            predictions.optimistic,
            np.array([len(weights), *(weights @ figure for figure in figures)]),
            _gathered(np.column_stack([promised, weights, weights * figures[2]])),
        )

    def merge(self, other: "Scores") -> "Scores":
        """Return the scores of both sets of predictions."""
        check_instance("other", other, Scores, "other Scores")
        return replace(
            self,
            n_rows=self.n_rows + other.n_rows,
            n_zero=self.n_zero + other.n_zero,
            n_undefined=self.n_undefined + other.n_undefined,
            optimistic=self.optimistic or other.optimistic,
            sums=self.sums + other.sums,
            promises=_gathered(np.concatenate([self.promises, other.promises])),
        )

    @property
    def log_score_se(self) -> float:
        """Standard error of the log score, over rows."""
        return self._error("true_log_probs")

    @property
    def accuracy_se(self) -> float:
        """Standard error of the accuracy, over rows."""
        return self._error("hits")

    @property
    def brier_score_se(self) -> float:
        """Standard error of the Brier score, over rows."""
        return self._error("distances")

    @property
    def calibration_error(self) -> float:
        """Mean absolute difference of predicted and observed frequencies, over ten bins of the rows."""
        promised, weights, came_true = self.promises.T
        if not self._is_scored:
            raise DataError(NOTHING)
        return calibration(promised, came_true / weights, weights, n_rows=int(self.sums[0])).error

    def _mean(self, figure: str) -> float:
        if not self._is_scored:
            raise DataError(NOTHING)
        return float(self.sums[2 + FIGURES.index(figure)] / self.sums[1])

    def _error(self, figure: str) -> float:
        mean, total, squares = self._mean(figure), float(self.sums[1]), self.sums[5 + FIGURES.index(figure)]
        return standard_error(total, float(squares) - total * mean**2) if isfinite(mean) else nan

    @property
    def _is_scored(self) -> bool:
        return bool(self.sums[0])

    @property
    def _sizes(self) -> list[tuple[str, str]]:
        return [("rows", f"{self.n_rows:,}")]


@dataclass(frozen=True, eq=False, slots=True)
class Together:
    """Scores of several models on the same rows, with sums for paired comparisons.

    Attributes
    ----------
    scores : tuple of Scores
        Scores of each model.
    squares : array of shape (n_models, n_models)
        Weighted sums of squared differences between the log probabilities of the observed classes under two
        models.
    """

    scores: tuple[Scores, ...]
    squares: FloatArray

    @classmethod
    def of(cls, predictions: Sequence[Predictions]) -> "Together":
        """Compute the scores of the predictions of several models for the same rows."""
        weights = predictions[0].row_weights
        logs = np.array([made.true_log_probs for made in predictions])[:, weights > 0]
        weights = weights[weights > 0]
        with np.errstate(invalid="ignore"):
            squares = [[float(weights @ differences(one, other) ** 2) for other in logs] for one in logs]
        return cls(tuple(Scores.of(made) for made in predictions), np.array(squares))

    def merge(self, other: "Together") -> "Together":
        """Return the scores of both sets of rows."""
        scores = tuple(one.merge(two) for one, two in zip(self.scores, other.scores, strict=True))
        return Together(scores, self.squares + other.squares)

    def behind(self, model: int, best: int) -> Mean:
        """Return the mean difference of log scores of the best model and another, paired over rows."""
        if model == best:
            return Mean(0.0, 0.0)
        difference = self.scores[best].log_score - self.scores[model].log_score
        if not isfinite(difference):
            return Mean(difference, nan)
        total = float(self.scores[model].sums[1])
        # Variance of paired differences, from their sum of squares; rows are not kept.
        squares = float(self.squares[model, best]) - total * difference**2
        return Mean(difference, standard_error(total, squares))


def differences(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the differences of two series of log probabilities; equal infinities do not differ."""
    with np.errstate(invalid="ignore"):
        return np.where(one == other, 0.0, one - other)


def _gathered(promises: FloatArray) -> FloatArray:
    """Merge equal probabilities, ascending; round them if too many are distinct."""
    distinct, places = np.unique(promises[:, 0], return_inverse=True)
    if len(distinct) > MAX_PROMISES:
        # Steps of 4e-6 are far below the width of a bin.
        rounded = np.rint(promises[:, 0] * MAX_PROMISES) / MAX_PROMISES
        distinct, places = np.unique(rounded, return_inverse=True)
    return np.column_stack([distinct, *(np.bincount(places, promises[:, i], len(distinct)) for i in (1, 2))])
