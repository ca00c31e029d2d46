"""Tasks of the comparison of models: one model on one table with one share of its rows.

Models are the average, its members alone, naive Bayes, the class prior and opponents of other libraries.
"""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from inspect import signature
from typing import Any

import numpy as np

from codelength import datasets
from codelength.errors import IgnoredValues
from codelength.evaluation.opponents import OPPONENTS
from codelength.evaluation.opponents.fairness import class_prior
from codelength.evaluation.splits import Split
from codelength.scores import Predictions
from codelength.table import Table
from codelength.table.column import Factor
from codelength.table.schema import smallest_code_type
from codelength.typing import FloatArray

from ..experiment import Result
from ..tables import bundled, stream_of

AVERAGE, NAIVE_BAYES, PRIOR = "model-average", "naive-bayes", "class-prior"

_TITLES = {AVERAGE: "ModelAverage", NAIVE_BAYES: "NaiveBayes (evidence)", PRIOR: "class prior"}

TWINS = {
    "australian": "crx",
    "breast-w-with-id": "breast-w",
    "glass-with-id": "glass",
    "soybean-large": "soybean",
}
"""Bundled tables that share rows with another one, and would count twice, with that other table."""

TABLES = tuple(name for name in datasets.names() if name not in TWINS)

MAX_ROWS, MAX_TEST_ROWS = 1500, 1000
"""Most rows of a table, and of a test set. The comparison is about small tables; larger ones are sampled."""

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


def title_of(kind: str) -> str:
    """Return the name of a model in tables and figures.

    Examples
    --------
    >>> title_of("model-average"), title_of("catboost"), title_of("kernel")
    ('ModelAverage', 'CatBoost', 'kernel alone')
    """
    return OPPONENTS[kind].title if kind in OPPONENTS else _TITLES.get(kind, f"{kind} alone")


def learned(kind: str, train: Table, seed: int) -> Callable[[Table], FloatArray]:
    """Fit a model, and return a function from rows to their log probabilities."""
    if kind == PRIOR:
        target = _target(train)
        counts = np.bincount(target.positions, minlength=len(target.values)).astype(np.float64)
        return lambda test: np.tile(np.log(class_prior(counts)), (test.n_rows, 1))
    if kind in OPPONENTS:
        opponent = OPPONENTS[kind](random_state=seed).fit(train)
        return lambda test: np.log(opponent.probabilities(test))
    from codelength.estimators import constructor_of

    model: Any = constructor_of(kind)
    # Not all models have random numbers.
    seeded = {"random_state": seed} if "random_state" in signature(model).parameters else {}
    fitted = model(**seeded).fit(train)
    return lambda test: np.asarray(fitted.predict_log_proba(test), dtype=np.float64)


def _target(table: Table) -> Factor:
    target = table.target
    assert isinstance(target, Factor)
    return target


@lru_cache(maxsize=4)
def small(name: str) -> Table:
    """Return a bundled table, or a random sample of its rows that is the same in every run."""
    table = bundled(name)
    if table.n_rows <= MAX_ROWS:
        return table
    rows = np.random.default_rng(stream_of(f"{name}/rows")).permutation(table.n_rows)[:MAX_ROWS]
    return table.take(np.sort(rows))


def split_of(name: str, share: float, repetition: int, seed: int) -> Split:
    """Return training and test rows; the rows of a smaller share are the first of a larger one.

    Examples
    --------
    >>> train, test = split_of("iris", 0.1, 0, seed=0)
    >>> len(train), len(test), train.tolist() == split_of("iris", 0.66, 0, seed=0).train[:15].tolist()
    (15, 135, True)
    """
    n_rows = min(datasets.describe(name).rows, MAX_ROWS)
    rows = np.random.default_rng(stream_of(f"{seed}/{name}/{repetition}")).permutation(n_rows)
    # Two rows at least: some opponents cannot be fitted to one.
    n_train = max(2, round(share * n_rows))
    return Split(rows[:n_train], rows[n_train : n_train + MAX_TEST_ROWS])


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
        size = min(entry.rows, MAX_ROWS) * self.share * entry.attributes * entry.classes
        return (self.last - self.first) * COSTS.get(self.model, 1.0) * (0.5 + size / 10_000)

    def run(self) -> Result:
        """Return the scores of each repetition; times are processor times, predictions per thousand rows."""
        found = [self._scores(repetition) for repetition in range(self.first, self.last)]
        return {name: [scores[name] for scores in found] for name in SCORES}

    def _scores(self, repetition: int) -> dict[str, float]:
        """Return the scores and times of one repetition."""
        table, split = small(self.table), split_of(self.table, self.share, repetition, self.seed)
        train, test = table.take(split.train), table.take(split.test)
        with warnings.catch_warnings():
            # With a tenth of the rows for training, many values of the test rows are new to the model.
            warnings.simplefilter("ignore", IgnoredValues)
            # Processor time, so that other processes of the run do not count.
            start = time.process_time()
            predict = learned(self.model, train, repetition)
            fitted = time.process_time()
            log_probs = predict(test)
            end = time.process_time()
        target = _target(test)
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
