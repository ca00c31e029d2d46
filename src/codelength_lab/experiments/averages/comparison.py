"""Collected results of the tasks: scores of each model on each table with each share of its rows."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from codelength.evaluation.opponents import OPPONENTS
from codelength.typing import FloatArray

from ...spec import Result, Spec
from ...summary import Mean, mean_of
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
    """Results of a specification, collected by model, table and share.

    Parameters
    ----------
    spec : Spec
        The tasks.
    results : dict of str to result
        Results by the key of the task.
    """

    def __init__(self, spec: Spec[ComparisonTask], results: dict[str, Result]) -> None:
        self.spec = spec
        self._units: dict[tuple[str, Cell, str], list[float]] = {}
        for task in spec.tasks:
            for score, units in results[task.key].items():
                place = task.model, Cell(task.table, task.share), score
                # Repetitions may be divided into several tasks.
                self._units.setdefault(place, []).extend(units)
        self.kinds = list(dict.fromkeys(task.model for task in spec.tasks))
        self.tables = list(dict.fromkeys(task.table for task in spec.tasks))
        self.shares = list(dict.fromkeys(task.share for task in spec.tasks))
        self.n_repetitions = max(task.last for task in spec.tasks)

    @property
    def opponents(self) -> list[str]:
        """Kinds of the opponents."""
        return [kind for kind in self.kinds if kind in OPPONENTS]

    @property
    def members(self) -> list[str]:
        """Kinds of the members of the average."""
        others = {AVERAGE, NAIVE_BAYES, PRIOR, *OPPONENTS}
        return [kind for kind in self.kinds if kind not in others]

    @property
    def field(self) -> list[str]:
        """Kinds of the models that are ranked: the average and its opponents."""
        return [AVERAGE, *self.opponents]

    @property
    def cells(self) -> list[Cell]:
        """Every table with every share."""
        return [Cell(table, share) for table in self.tables for share in self.shares]

    def units(self, kind: str, cell: Cell, score: str) -> FloatArray:
        """Return the scores of the repetitions.

        Parameters
        ----------
        kind : str
            Model.
        cell : Cell
            Table and share.
        score : str
            Name of the score.
        """
        return np.array(self._units[kind, cell, score])

    def mean(self, kind: str, cell: Cell, score: str = "log_loss") -> Mean:
        """Return the mean score over repetitions."""
        return mean_of(self.units(kind, cell, score))

    def means(
        self, kinds: Sequence[str], score: str = "log_loss", shares: Sequence[float] | None = None
    ) -> FloatArray:
        """Return mean scores over repetitions, of shape (n_tables, n_shares, n_models).

        Parameters
        ----------
        kinds : sequence of str
            Models.
        score : str
            Name of the score.
        shares : sequence of float, optional
            Shares of the training rows; by default all.
        """
        chosen = self.shares if shares is None else shares
        return np.array(
            [
                [[self.mean(kind, Cell(table, share), score).value for kind in kinds] for share in chosen]
                for table in self.tables
            ]
        )

    def overall(self, kind: str, score: str = "log_loss", shares: Sequence[float] | None = None) -> float:
        """Return the mean score over tables and shares.

        Parameters
        ----------
        kind : str
            Model.
        score : str
            Name of the score.
        shares : sequence of float, optional
            Shares of the training rows; by default all.
        """
        return float(self.means([kind], score, shares).mean())

    def seconds(self, kind: str, score: str) -> float:
        """Return a mean time over cells of medians over repetitions: the first may include compilation."""
        return float(np.mean([np.median(self.units(kind, cell, score)) for cell in self.cells]))

    def gain(self, cell: Cell, other: str, score: str = "log_loss") -> Mean:
        """Return the loss of another model less that of the average, over repetitions.

        Parameters
        ----------
        cell : Cell
            Table and share.
        other : str
            Model to compare with.
        score : str
            Name of the score.
        """
        return mean_of(self.units(other, cell, score) - self.units(AVERAGE, cell, score))

    def gains(self, other: str, score: str = "log_loss", shares: Sequence[float] | None = None) -> FloatArray:
        """Return the loss of another model less that of the average on each table, as a mean over shares.

        Parameters
        ----------
        other : str
            Model to compare with.
        score : str
            Name of the score.
        shares : sequence of float, optional
            Shares of the training rows; by default all.
        """
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
