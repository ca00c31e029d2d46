"""Summary of the results of tasks: means, standard errors and paired differences."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from codelength.scores.means import Mean as Mean
from codelength.scores.means import mean_of as mean_of
from codelength.typing import FloatArray, IntArray

from .spec import Result, Spec
from .task import Task

ScoreName = Literal["accuracy", "log_score"]
SCORES: tuple[ScoreName, ...] = ("accuracy", "log_score")


@dataclass(frozen=True, slots=True)
class Score:
    """Scores of one model in one experiment: a row of the result table.

    Units are rows under leave-one-out, and whole cross-validations otherwise; standard errors are those of a
    mean over units.

    Attributes
    ----------
    dataset, protocol : str
        Table and protocol.
    folds : int
        Folds of cross-validation.
    fraction : float
        Share of the training rows that is used.
    model : str
        Name of the model.
    n_units : int
        Number of units.
    accuracy, log_score : float
        Mean scores; the log score is in nats.
    accuracy_se, log_score_se : float
        Standard errors.
    n_zero, n_undefined : int
        Predictions with probability zero for the true class, and undefined ones.
    """

    dataset: str
    protocol: str
    folds: int
    fraction: float
    model: str
    n_units: int
    accuracy: float
    accuracy_se: float
    log_score: float
    log_score_se: float
    n_zero: int
    n_undefined: int


@dataclass(frozen=True, slots=True)
class Curve:
    """Learning curve of one model on one table, over partitions.

    The name of a pair of models, ``"EV - SC"``, stands for the first minus the second.

    Attributes
    ----------
    dataset, model : str
        Table and model.
    score : {"accuracy", "log_score"}
        Score.
    n_partitions : int
        Partitions into training and test rows.
    mean, standard_error, lowest, highest : array of shape (n_train,)
        Statistics over partitions after each training row.
    """

    dataset: str
    model: str
    score: ScoreName
    n_partitions: int
    mean: FloatArray
    standard_error: FloatArray
    lowest: FloatArray
    highest: FloatArray

    @property
    def sizes(self) -> IntArray:
        """Numbers of training rows."""
        return np.arange(1, len(self.mean) + 1)


class Summary:
    """Results of predictions, grouped by experiment.

    Parameters
    ----------
    spec : Spec
        The tasks.
    results : dict of str to result
        Results by the key of the task.
    """

    def __init__(self, spec: Spec[Task], results: dict[str, Result]) -> None:
        self.spec = spec
        # Repetitions of one experiment may be spread over several tasks.
        self._groups: dict[str, list[Task]] = {}
        for task in spec.tasks:
            self._groups.setdefault(task.group, []).append(task)
        self._results = results

    def units(self, group: str, model: str, score: ScoreName) -> FloatArray:
        """Return the scores of all units, in the order of repetitions.

        Parameters
        ----------
        group : str
            Name of the experiment.
        model : str
            Name of the model.
        score : {"accuracy", "log_score"}
            Score.
        """
        parts = [self._results[task.key][model][score] for task in self._groups[group]]
        return np.concatenate([np.array(part, dtype=np.float64) for part in parts])

    def mean(self, group: str, model: str, score: ScoreName) -> Mean:
        """Return the mean score of a model, with its standard error over units."""
        return mean_of(self.units(group, model, score))

    def difference(self, group: str, model: str, other: str, score: ScoreName) -> FloatArray:
        """Return the score of one model minus that of another, unit by unit.

        Parameters
        ----------
        group : str
            Name of the experiment.
        model, other : str
            The two models.
        score : {"accuracy", "log_score"}
            Score.
        """
        # The difference of two infinite scores is NaN, without a warning.
        with np.errstate(invalid="ignore"):
            return self.units(group, model, score) - self.units(group, other, score)

    def group(self, dataset: str, protocol: str, fraction: float = 1.0) -> str:
        """Return the name of the experiment of a protocol on a table with a fraction of the training rows.

        Parameters
        ----------
        dataset : str
            Name of the table.
        protocol : str
            Name of the protocol.
        fraction : float
            Share of the training rows.

        Raises
        ------
        KeyError
            If there is no such experiment.
        """
        for name, tasks in self._groups.items():
            task = tasks[0]
            if (task.source.name, task.protocol, task.fraction) == (dataset, protocol, fraction):
                return name
        raise KeyError(f"{dataset}, {protocol}, {fraction}")

    def scores(self) -> list[Score]:
        """Return one row for every model in every experiment, without learning curves."""
        return [
            self._score(group, tasks, model.name)
            for group, tasks in self._groups.items()
            if tasks[0].protocol != "learning-curve"
            for model in tasks[0].models
        ]

    def curves(self, series: int = 0) -> list[Curve]:
        """Return the learning curves of every model and pair of models, in one series of partitions."""
        found = []
        for tasks in self._groups.values():
            if (tasks[0].protocol, tasks[0].series) != ("learning-curve", series):
                continue
            for model in self._results[tasks[0].key]:
                found += [self._curve(tasks, model, score) for score in SCORES]
        return found

    def _score(self, group: str, tasks: list[Task], model: str) -> Score:
        """Return the row of one model in one experiment."""
        accuracy, log_score = self.mean(group, model, "accuracy"), self.mean(group, model, "log_score")
        n_zero, n_undefined = (
            sum(self._results[task.key][model][name] for task in tasks) for name in ("n_zero", "n_undefined")
        )
        task, n_units = tasks[0], len(self.units(group, model, "accuracy"))
        return Score(
            task.source.name,
            task.protocol,
            task.folds,
            task.fraction,
            model,
            n_units,
            *accuracy,
            *log_score,
            n_zero,
            n_undefined,
        )

    def _curve(self, tasks: list[Task], model: str, score: ScoreName) -> Curve:
        """Return one curve from the sums that its tasks have stored."""
        parts = [self._results[task.key][model][score] for task in tasks]
        n = sum(task.last - task.first for task in tasks)
        mean = _stacked(parts, "sum").sum(axis=0) / n
        squares = _stacked(parts, "squares").sum(axis=0) / n
        # Rounding can make the variance of equal values slightly negative.
        with np.errstate(invalid="ignore"):
            # From sums and sums of squares, which tasks can store without their single curves.
            variance = np.maximum(squares - mean**2, 0.0) * n / max(n - 1, 1)
        return Curve(
            tasks[0].source.name,
            model,
            score,
            n,
            mean,
            np.sqrt(variance / n),
            _stacked(parts, "lowest").min(axis=0),
            _stacked(parts, "highest").max(axis=0),
        )


def _stacked(parts: list[dict[str, Any]], name: str) -> FloatArray:
    return np.array([part[name] for part in parts], dtype=np.float64)
