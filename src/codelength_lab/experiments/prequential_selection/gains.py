"""Relative gains over the marginal likelihood, from the scores of all splits."""

from typing import Literal

import numpy as np

from codelength.typing import FloatArray

from ...spec import Result, Spec
from ...summary import Mean, mean_of
from .task import MARGINAL, SelectionTask

ScoreName = Literal["log", "error", "accuracy"]
SCORES: tuple[ScoreName, ...] = ("log", "error", "accuracy")


class Gains:
    """Relative gains over the marginal likelihood of the data given the clustering, table by table.

    A table's gain is that of its mean score over splits, because the error of a single split may be zero:
    positive is better, and 100 % would be a perfect score in the log and in the error.

    Parameters
    ----------
    spec : Spec
        The tasks.
    results : dict of str to result
        Results by the key of the task.
    with_class : bool
        Whether the class takes part in the clustering.
    """

    def __init__(self, spec: Spec[SelectionTask], results: dict[str, Result], *, with_class: bool) -> None:
        tasks = [task for task in spec.tasks if task.with_class == with_class]
        self.with_class = with_class
        self.tables = list(dict.fromkeys(task.source.name for task in tasks))
        self.criteria = list(results[tasks[0].key])
        self._scores = {
            table: np.array(
                [
                    [results[task.key][name] for name in self.criteria]
                    for task in tasks
                    if task.source.name == table
                ]
            )
            for table in self.tables
        }

    def means(self, criterion: str) -> FloatArray:
        """Return mean log score, accuracy and number of clusters over splits, one row per table."""
        column = self.criteria.index(criterion)
        return np.array([self._scores[table][:, column].mean(axis=0) for table in self.tables])

    def of_tables(self, criterion: str, score: ScoreName) -> FloatArray:
        """Return the relative gain in per cent on each table; 0 if the score to beat is perfect already.

        Parameters
        ----------
        criterion : str
            Name of the criterion.
        score : {"log", "error", "accuracy"}
            Score whose gain is returned.
        """
        column = 0 if score == "log" else 1
        ours, base = self.means(criterion)[:, column], self.means(MARGINAL)[:, column]
        # The error is compared with the error to beat, and so on: each gain is relative to its own score.
        scale = {"log": -base, "error": 1 - base, "accuracy": base}[score]
        return 100 * np.divide(ours - base, scale, out=np.zeros_like(base), where=scale > 0)

    def gain(self, criterion: str, score: ScoreName) -> Mean:
        """Return the mean relative gain over tables."""
        return mean_of(self.of_tables(criterion, score))

    def lead(self, criterion: str, other: str, score: ScoreName) -> Mean:
        """Return the gain of one criterion less that of another, in points, paired by table."""
        return mean_of(self.of_tables(criterion, score) - self.of_tables(other, score))
