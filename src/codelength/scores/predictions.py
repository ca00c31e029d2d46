"""Predicted class distributions beside the classes that occurred, and how well they agree."""

from dataclasses import dataclass

import numpy as np

from ..errors import InvalidParameter
from ..typing import BoolArray, CodeArray, FloatArray


def log_score(
    log_probs: FloatArray,
    classes: CodeArray,
    *,
    floor: float | None = None,
    sample_weight: FloatArray | None = None,
) -> float:
    """Mean natural log of the probability given to the class that occurred; higher is better.

    Parameters
    ----------
    log_probs : array of shape (n_rows, n_classes)
        Predicted log probabilities.
    classes : array of shape (n_rows,)
        Codes of the classes that occurred.
    floor : float, optional
        The most that one row can cost, in nats. Without it a class of probability zero that occurs
        makes the score minus infinity, which is the honest answer.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows.

    Examples
    --------
    >>> log_score(np.log([[0.5, 0.5], [0.25, 0.75]]), np.array([0, 1])) == np.log([0.5, 0.75]).mean()
    True
    >>> log_score(np.array([[0.0, -np.inf]]), np.array([1]), floor=100.0)
    -100.0
    """
    if floor is not None and not floor >= 0:
        raise InvalidParameter(f"floor={floor}: expected a cost of at least 0 nats, or None")
    chosen = np.take_along_axis(log_probs, np.asarray(classes, dtype=np.int64)[:, None], axis=1)[:, 0]
    if floor is not None:
        chosen = np.maximum(chosen, -floor)
    return _mean(chosen, sample_weight)


def accuracy(
    log_probs: FloatArray,
    classes: CodeArray,
    *,
    undefined: BoolArray | None = None,
    sample_weight: FloatArray | None = None,
) -> float:
    """Share of rows whose most probable class occurred; the first of several equally probable ones counts.

    A row whose prediction is undefined (0/0) is worth the share 1/n_classes of a guess.

    Examples
    --------
    >>> accuracy(np.log([[0.9, 0.1], [0.6, 0.4]]), np.array([0, 1]))
    0.5
    """
    hits = (np.argmax(log_probs, axis=1) == classes).astype(np.float64)
    if undefined is not None:
        hits[undefined] = 1 / log_probs.shape[1]
    return _mean(hits, sample_weight)


def brier_score(
    log_probs: FloatArray, classes: CodeArray, *, sample_weight: FloatArray | None = None
) -> float:
    """Mean squared distance from the class that occurred, summed over classes: 0 at best, 2 at worst.

    Examples
    --------
    >>> brier_score(np.log([[0.5, 0.5]]), np.array([1]))
    0.5
    """
    distances = np.exp(log_probs)
    distances[np.arange(len(distances)), np.asarray(classes, dtype=np.int64)] -= 1
    return _mean((distances**2).sum(axis=1), sample_weight)


@dataclass(frozen=True, slots=True)
class Predictions:
    """Predicted distributions and the classes that occurred.

    Attributes
    ----------
    log_probs : array of shape (n_rows, n_classes)
        Predicted log probabilities, uniform where undefined.
    classes : array of shape (n_rows,)
        Codes of the classes that occurred.
    undefined : array of shape (n_rows,)
        In which rows the definition gives 0/0.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows.
    """

    log_probs: FloatArray
    classes: CodeArray
    undefined: BoolArray
    sample_weight: FloatArray | None = None

    @property
    def true_log_probs(self) -> FloatArray:
        """Log probability given to the class that occurred, row by row."""
        return self.log_probs[np.arange(len(self.classes)), np.asarray(self.classes, dtype=np.int64)]

    @property
    def log_score(self) -> float:
        """Mean log probability of the class that occurred, in nats; see :func:`log_score` for a floor."""
        return log_score(self.log_probs, self.classes, sample_weight=self.sample_weight)

    @property
    def accuracy(self) -> float:
        """Share of rows whose most probable class occurred."""
        return accuracy(
            self.log_probs, self.classes, undefined=self.undefined, sample_weight=self.sample_weight
        )

    @property
    def brier_score(self) -> float:
        """Mean squared distance from the class that occurred."""
        return brier_score(self.log_probs, self.classes, sample_weight=self.sample_weight)

    @property
    def n_undefined(self) -> int:
        """Rows in which the definition gives 0/0."""
        return int(np.count_nonzero(self.undefined))

    @property
    def n_zero(self) -> int:
        """Rows whose class was given probability zero, although it occurred."""
        return int(np.count_nonzero(np.isneginf(self.true_log_probs)))


def _mean(numbers: FloatArray, sample_weight: FloatArray | None) -> float:
    if not len(numbers):
        raise InvalidParameter("there are no predictions to score; give at least one row")
    return float(numbers.mean() if sample_weight is None else np.average(numbers, weights=sample_weight))
