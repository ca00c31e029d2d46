"""Collected results of all tasks: scores by table, number of components and number of rows."""

from collections.abc import Mapping
from typing import Literal

import numpy as np

from codelength.typing import FloatArray

from ...spec import Result, Spec
from ...summary import Mean, ScoreName, mean_of
from .task import HiddenTask, Protocol

SMALL = 0.1
"""Largest share of the rows of a table that counts as a small training set."""


class Collected:
    """Scores of every repetition.

    Parameters
    ----------
    spec : Spec
        The tasks.
    results : mapping of str to result
        Results by the key of the task.
    """

    def __init__(self, spec: Spec[HiddenTask], results: Mapping[str, Result]) -> None:
        self._groups: dict[tuple[str, int, Protocol], list[HiddenTask]] = {}
        for task in spec.tasks:
            self._groups.setdefault((task.source.name, task.n_components, task.protocol), []).append(task)
        self._results = results
        self.tables = list(dict.fromkeys(name for name, _, _ in self._groups))
        self.components = list(dict.fromkeys(n for _, n, _ in self._groups))

    def sizes(self, table: str) -> tuple[int, ...]:
        """Return the numbers of training rows of the learning curves."""
        return self._groups[table, self.components[0], "learning-curve"][0].sizes

    def small_sizes(self, table: str) -> tuple[int, ...]:
        """Return the numbers of training rows up to a tenth of the table."""
        # Under leave-one-out the only size is that of the table less one.
        [n_others] = self._groups[table, self.components[0], "leave-one-out"][0].sizes
        return tuple(size for size in self.sizes(table) if size <= SMALL * (n_others + 1))

    def n_partitions(self, table: str) -> int:
        """Return the number of partitions."""
        tasks = self._groups[table, self.components[0], "learning-curve"]
        return sum(task.last - task.first for task in tasks)

    def units(
        self,
        table: str,
        n_components: int,
        model: str,
        score: ScoreName | Literal["error"] = "log_score",
        size: int | None = None,
    ) -> FloatArray:
        """Return the scores of all repetitions: partitions with some training rows, or rows left out.

        Parameters
        ----------
        table : str
            Name of the table.
        n_components : int
            Components of the mixture.
        model : str
            One of ``MODELS``.
        score : str
            Score, or the standard error of chains.
        size : int, optional
            Training rows; None for leave-one-out.
        """
        tasks = self._groups[table, n_components, "leave-one-out" if size is None else "learning-curve"]
        place = 0 if size is None else tasks[0].sizes.index(size)
        return np.concatenate(
            [np.array(self._results[task.key][model][score], dtype=np.float64)[:, place] for task in tasks]
        )

    def mean(
        self,
        table: str,
        n_components: int,
        model: str,
        score: ScoreName | Literal["error"] = "log_score",
        size: int | None = None,
    ) -> Mean:
        """Return the mean score, and its standard error over repetitions."""
        return mean_of(self.units(table, n_components, model, score, size))

    def lead(
        self,
        table: str,
        n_components: int,
        pair: tuple[str, str],
        score: ScoreName = "log_score",
        size: int | None = None,
    ) -> Mean:
        """Return the lead of one model over another on the same rows.

        Parameters
        ----------
        table : str
            Name of the table.
        n_components : int
            Components of the mixture.
        pair : (str, str)
            The two models.
        score : {"log_score", "accuracy"}
            Score.
        size : int, optional
            Training rows; None for leave-one-out.
        """
        ours, others = (self.units(table, n_components, model, score, size) for model in pair)
        # Without a cap both scores can be minus infinity; their difference is NaN and settles nothing.
        with np.errstate(invalid="ignore"):
            return mean_of(ours - others)
