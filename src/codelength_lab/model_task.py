"""Tasks of our own experiments: cross-validations of models that are more than a rule on counts."""

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from codelength import datasets
from codelength.evaluation.splits import Split
from codelength.naive_bayes import Distributions
from codelength.scores import Predictions
from codelength.table import Coded
from codelength.typing import FloatArray

from . import protocols
from .experiment import Experiment
from .findings import Findings
from .paper import check_folds, general_notes
from .prepared import Prepared, prepare
from .settings import Settings, differences
from .spec import Model, Result, Source, Spec, chunks
from .summary import Summary
from .task import Task


@dataclass(frozen=True, slots=True)
class ModelTask(Task):
    """Some cross-validations of one table; the module of the experiment makes the predictions.

    Attributes
    ----------
    experiment : str
        Name of the module, which has a function ``predictions(prepared, models, split)``.
    effort : float
        Approximate cost of one prediction relative to naive Bayes.
    """

    experiment: str = ""
    effort: float = 1.0

    @property
    def work(self) -> float:
        """Approximate cost of the task."""
        entry = datasets.describe(self.source.name)
        return self.effort * self.n_items * entry.attributes * entry.classes

    def run(self) -> Result:
        """Return the scores of the models; see :func:`codelength_lab.protocols.cross_validations`."""
        # By name, because tasks are pickled and hashed: a function among their fields could not be written as
        # JSON.
        module = importlib.import_module(f".experiments.{self.experiment}", __package__)
        streams = [self.stream(repetition) for repetition in range(self.first, self.last)]
        return protocols.cross_validations(
            prepare(self.source),
            self.models,
            streams,
            self.folds,
            self.fraction,
            self.cap,
            module.predictions,
        )


def cross_validations(
    experiment: str,
    table: Source,
    names: Iterable[str],
    settings: Settings,
    *,
    folds: int,
    fraction: float,
    repeats: int,
    effort: float = 1.0,
) -> list[ModelTask]:
    """Return tasks of repeated cross-validation, one repetition each.

    Parameters
    ----------
    experiment : str
        Name of the module of the experiment.
    table : Source
        The table.
    names : iterable of str
        Names of the models.
    settings : Settings
        Settings of the run.
    folds : int
        Folds, unless the settings name a number.
    fraction : float
        Share of the training rows that is used.
    repeats : int
        Repetitions, unless the settings name a number.
    effort : float
        Approximate cost of one prediction relative to naive Bayes.
    """
    check_folds(table, settings)
    return [
        ModelTask(
            "cross-validation",
            table,
            tuple(Model(name, experiment) for name in names),
            settings.seed,
            settings.cap,
            first,
            last,
            settings.folds or folds,
            fraction,
            experiment=experiment,
            effort=effort,
        )
        for first, last in chunks(settings.repeats or repeats, 1)
    ]


def predictions_of(log_weights: FloatArray, test: Coded) -> Predictions:
    """Return predictions from log weights of the classes of test rows.

    Parameters
    ----------
    log_weights : array of shape (n_rows, n_classes)
        Log weights, up to a constant of each row.
    test : Coded
        Test rows with their classes.
    """
    from codelength.naive_bayes import normalised

    made: Distributions = normalised(log_weights)
    return Predictions(*made, test.class_codes)


def parts(prepared: Prepared, split: Split) -> tuple[Coded, Coded]:
    """Return the training and test rows of a split."""
    coded = prepared.learned_on(split.train)
    return coded.take(split.train), coded.take(split.test)


def experiment(
    key: str,
    title: str,
    citation: str,
    defaults: Settings,
    tasks: Callable[[bool, Settings], Sequence[Any]],
    find: Callable[[Findings, Summary, Mapping[str, Result]], Findings],
) -> Experiment:
    """Return an experiment whose tasks are cross-validations, possibly among others.

    Parameters
    ----------
    key, title, citation : str
        Name, title and citation.
    defaults : Settings
        Usual settings.
    tasks : function
        Tasks of a quick or full run under some settings.
    find : function
        Completes findings from a summary and all results.
    """

    def found(spec: Spec[Any], results: dict[str, Result]) -> Findings:
        # An experiment may have tasks of other kinds, whose results only its own function reads.
        folds = [task for task in spec.tasks if isinstance(task, ModelTask)]
        summary = Summary(replace(spec, tasks=tuple(folds)), results)
        opened = Findings(
            spec.paper,
            title,
            citation,
            spec.quick,
            spec.settings.to_json(),
            differences(defaults, spec.settings),
        )
        own = find(opened, summary, results)
        notes = [*own.notes, *general_notes(spec, defaults, (task.source for task in folds))]
        return replace(own, notes=notes, scores=summary.scores())

    return Experiment(key, defaults, tasks, found, page="further")


def mean_losses(
    summary: Summary, names: Sequence[str], shares: Sequence[float], models: Sequence[str], score: str
) -> FloatArray:
    """Return mean scores, of shape (n_tables, n_shares, n_models).

    Parameters
    ----------
    summary : Summary
        Results.
    names, models : sequence of str
        Tables and models.
    shares : sequence of float
        Shares of the training rows.
    score : str
        Score.
    """
    return np.array(
        [
            [
                [
                    summary.mean(summary.group(name, "cross-validation", share), model, score).value  # type: ignore[arg-type]
                    for model in models
                ]
                for share in shares
            ]
            for name in names
        ]
    )
