"""Predicted class distributions beside the classes that occurred, and how well they agree."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InvalidParameter
from ..typing import BoolArray, CodeArray, FloatArray, IntArray


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
    >>> round(log_score(np.log([[0.5, 0.5], [0.25, 0.75]]), np.array([0, 1])), 4)
    -0.4904
    >>> log_score(np.array([[0.0, -np.inf]]), np.array([1]), floor=100.0)
    -100.0
    """
    if floor is not None and not floor >= 0:
        raise InvalidParameter(f"floor={floor}: expected a cost of at least 0 nats, or None")
    predicted, labels = _checked(log_probs, classes)
    chosen = predicted[np.arange(len(labels)), labels]
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
    predicted, labels = _checked(log_probs, classes)
    hits = (np.argmax(predicted, axis=1) == labels).astype(np.float64)
    if undefined is not None:
        hits[undefined] = 1 / predicted.shape[1]
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
    predicted, labels = _checked(log_probs, classes)
    distances = np.exp(predicted)
    distances[np.arange(len(distances)), labels] -= 1
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


def _checked(log_probs: Any, classes: Any) -> tuple[FloatArray, IntArray]:
    predicted = np.asarray(log_probs, dtype=np.float64)
    labels = np.asarray(classes)
    if predicted.ndim != 2 or labels.shape != predicted.shape[:1]:
        raise InvalidParameter(
            f"log_probs of shape {predicted.shape} and classes of shape {labels.shape}: expected one row of "
            "log probabilities, and one class code, a row"
        )
    if labels.dtype.kind not in "iu" and labels.size:
        raise InvalidParameter(f"classes of type {labels.dtype}: expected the codes of the classes, 0 and up")
    outside = (labels < 0) | (labels >= predicted.shape[1])
    if outside.any():
        row = int(np.argmax(outside))
        raise InvalidParameter(
            f"classes, row {row}: {labels[row]} is not the code of one of {predicted.shape[1]} classes"
        )
    return predicted, labels.astype(np.int64)


def _mean(numbers: FloatArray, sample_weight: Any) -> float:
    if not len(numbers):
        raise InvalidParameter("there are no predictions to score; give at least one row")
    if sample_weight is None:
        return float(numbers.mean())
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != numbers.shape or not (weights >= 0).all() or not 0 < weights.sum() < np.inf:
        raise InvalidParameter(
            f"sample_weight of shape {weights.shape} for {len(numbers)} predictions: expected one weight a "
            "row, none negative and not all zero"
        )
    # A row without weight takes no part, whatever it was given.
    counted = weights > 0
    return float(np.average(numbers[counted], weights=weights[counted]))
