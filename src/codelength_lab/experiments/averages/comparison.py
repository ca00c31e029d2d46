"""Scores of each model on each table with each share of its rows."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from codelength.evaluation.opponents import OPPONENTS
from codelength.scores.means import Mean
from codelength.typing import FloatArray

from ...experiment import Result, Spec
from ...results import Results
from .models import AVERAGE, NAIVE_BAYES, PRIOR
from .ranks import Ranking
from .task import ComparisonTask


class Cell(NamedTuple):
    """A table, and the share of its rows used for training."""

    table: str
    share: float

    def __str__(self) -> str:
        return f"{self.table} at {self.share:.0%}"


class Comparison:
    """Results of a specification, and the models in it.

    Gains are losses of another model less those of the average. A score is the log loss unless another is
    named, and means are over all shares unless some are named.
    """

    def __init__(self, spec: Spec[ComparisonTask], results: dict[str, Result]) -> None:
        self.is_quick = spec.quick
        self.results = Results(
            ("table", "share", "model", "score"),
            (
                ((task.table, task.share, task.model, score), units)
                for task in spec.tasks
                for score, units in results[task.key].items()
            ),
        )
        self.kinds: list[str] = self.results.levels("model")
        self.tables: list[str] = self.results.levels("table")
        self.shares: list[float] = self.results.levels("share")
        self.n_repetitions = max(task.last for task in spec.tasks)
        self.opponents = [kind for kind in self.kinds if kind in OPPONENTS]
        others = {AVERAGE, NAIVE_BAYES, PRIOR, *OPPONENTS}
        self.members = [kind for kind in self.kinds if kind not in others]
        self.field = [AVERAGE, *self.opponents]
        """Models that are ranked."""
        self.cells = [Cell(table, share) for table in self.tables for share in self.shares]

    def mean(self, kind: str, cell: Cell, score: str = "log_loss") -> Mean:
        """Return the mean score over repetitions."""
        return self.results.mean(model=kind, table=cell.table, share=cell.share, score=score)

    def means(
        self, kinds: Sequence[str], score: str = "log_loss", shares: Sequence[float] | None = None
    ) -> FloatArray:
        """Return mean scores over repetitions, of shape (n_tables, n_shares, n_models)."""
        own = self.results.at(score=score)
        return own.means(table=self.tables, share=self.shares if shares is None else shares, model=kinds)

    def overall(self, kind: str, score: str = "log_loss", shares: Sequence[float] | None = None) -> float:
        """Return the mean score over tables and shares."""
        return float(self.means([kind], score, shares).mean())

    def seconds(self, kind: str, score: str) -> float:
        """Return a mean time over cells of medians over repetitions: the first may include compilation."""
        own = self.results.at(model=kind, score=score)
        return float(np.mean([np.median(own.units(**cell._asdict())) for cell in self.cells]))

    def gain(self, cell: Cell, other: str, score: str = "log_loss") -> Mean:
        """Return the gain of the average over another model, over repetitions."""
        return self.results.lead(other, AVERAGE, table=cell.table, share=cell.share, score=score)

    def gains(self, other: str, score: str = "log_loss", shares: Sequence[float] | None = None) -> FloatArray:
        """Return the gain of the average over another model on each table, as a mean over shares."""
        means = self.means([AVERAGE, other], score, shares)
        # Shares of one table are averaged first, because they are not independent.
        return np.asarray((means[:, :, 1] - means[:, :, 0]).mean(axis=1))

    def best_opponent(self, cell: Cell) -> str:
        """Return the opponent with the lowest log loss."""
        return min(self.opponents, key=lambda kind: self.mean(kind, cell).value)

    def n_wins(self, kind: str) -> int:
        """Return the number of cells in which a model of the field has the lowest log loss."""
        best = self.means(self.field).argmin(axis=2)
        return int((best == self.field.index(kind)).sum())

    def ranking(self, shares: Sequence[float] | None = None) -> Ranking:
        """Return the ranking of the field by log loss, over tables and some shares."""
        return Ranking.of(self.means(self.field, shares=shares))
