"""Running scores of the predictions of a stream, each made before its row was learned."""

import math
from dataclasses import dataclass

import numpy as np

from ..decisions import TOLERANCE
from ..typing import FloatArray


@dataclass(slots=True)
class RunningScores:
    """Sums over the rows that were predicted.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    code_length : float
        Code length of their classes, in nats.
    n_hits : int
        Number of rows whose most probable class occurred.
    """

    n_rows: int = 0
    code_length: float = 0.0
    n_hits: int = 0

    def add(self, log_prob: float, *, hit: bool) -> None:
        """Add a row with the log probability of its class."""
        self.n_rows += 1
        self.code_length -= log_prob
        self.n_hits += hit

    @property
    def log_score(self) -> float:
        """Mean log probability; NaN before the first row."""
        return -self.code_length / self.n_rows if self.n_rows else math.nan

    @property
    def accuracy(self) -> float:
        """Share of hits; NaN before the first row."""
        return self.n_hits / self.n_rows if self.n_rows else math.nan


def probs_of(log_weights: FloatArray) -> FloatArray:
    """Return probabilities from log weights; uniform if all weights are zero.

    Examples
    --------
    >>> probs_of(np.log([0.5, 1.5])), probs_of(np.array([-np.inf, -np.inf]))
    (array([0.25, 0.75]), array([0.5, 0.5]))
    """
    if not len(log_weights):
        return log_weights
    top = log_weights.max()
    if top == -math.inf:
        return np.full(len(log_weights), 1 / len(log_weights))
    below = log_weights - top
    powers = np.where(below >= -TOLERANCE, 1.0, np.exp(below))
    return np.asarray(powers / powers.sum())


def most_probable(log_weights: FloatArray) -> int:
    """Return the place of the largest log weight, or of the first of those that tie with it.

    Examples
    --------
    >>> most_probable(np.array([-2.0, -1.0 - 1e-15, -1.0]))
    1
    """
    return int((log_weights >= log_weights.max() - TOLERANCE).argmax())
