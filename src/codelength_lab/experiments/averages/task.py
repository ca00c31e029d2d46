"""Tasks of the comparison: one model on one table with one share of its rows."""

import time
import warnings
from dataclasses import dataclass

import numpy as np

from codelength import datasets
from codelength.errors import IgnoredValues
from codelength.scores import Predictions
from codelength.table.column import Factor
from codelength.table.schema import smallest_code_type

from ...experiment import Result
from .models import learned
from .tables import n_rows_of, small, split_of

COSTS = {
    "class-prior": 0.01,
    "naive-bayes": 0.02,
    "categorical-nb": 0.05,
    "lightgbm": 0.2,
    "logistic-regression": 0.4,
    "random-forest": 1.5,
    "gradient-boosting": 2.0,
    "catboost": 4.0,
}
"""Approximate seconds of one repetition; one second for models not listed."""

SCORES = ("log_loss", "accuracy", "brier", "calibration", "fit_seconds", "predict_seconds")


@dataclass(frozen=True, slots=True)
class ComparisonTask:
    """Some repetitions of one model on one table.

    Attributes
    ----------
    model : str
        Kind of the model.
    table : str
        Name of the table.
    share : float
        Share of the rows to learn from.
    first, last : int
        The repetitions ``first .. last - 1``.
    seed : int
        Seed of the random splits.
    """

    model: str
    table: str
    share: float
    first: int
    last: int
    seed: int = 0

    @property
    def key(self) -> str:
        """Name of the task.

        Examples
        --------
        >>> ComparisonTask("catboost", "glass", 0.1, 0, 5).key
        'glass/10%/catboost/0-4'
        """
        return f"{self.table}/{self.share:.0%}/{self.model}/{self.first}-{self.last - 1}"

    @property
    def work(self) -> float:
        """Approximate cost of the task, in seconds."""
        entry = datasets.describe(self.table)
        size = n_rows_of(self.table) * self.share * entry.attributes * entry.classes
        return (self.last - self.first) * COSTS.get(self.model, 1.0) * (0.5 + size / 10_000)

    def run(self) -> Result:
        """Return the scores of each repetition; times are processor times, predictions per thousand rows."""
        scores: dict[str, list[float]] = {name: [] for name in SCORES}
        for repetition in range(self.first, self.last):
            for name, score in self._scores(repetition).items():
                scores[name].append(score)
        return dict(scores)

    def _scores(self, repetition: int) -> dict[str, float]:
        """Return the scores and times of one repetition."""
        table, split = small(self.table), split_of(self.table, self.share, repetition, self.seed)
        train, test = table.take(split.train), table.take(split.test)
        target = test.target
        assert isinstance(target, Factor)
        with warnings.catch_warnings():
            # With a tenth of the rows for training, many values of the test rows are new to the model.
            warnings.simplefilter("ignore", IgnoredValues)
            # Processor time, so that other processes of the run do not count.
            start = time.process_time()
            predict = learned(self.model, train, repetition)
            fitted = time.process_time()
            log_probs = predict(test)
            end = time.process_time()
        codes = target.positions.astype(smallest_code_type(len(target.values)))
        made = Predictions(log_probs, np.zeros(test.n_rows, dtype=np.bool_), codes)
        return {
            "log_loss": -made.log_score,
            "accuracy": made.accuracy,
            "brier": made.brier_score,
            "calibration": made.calibration_error,
            "fit_seconds": fitted - start,
            "predict_seconds": 1000 * (end - fitted) / test.n_rows,
        }
