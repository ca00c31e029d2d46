"""Tasks of most experiments: some repetitions of one protocol of prediction on one table."""

import importlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from codelength import datasets
from codelength.errors import InvalidParameter

from . import protocols
from .prepared import prepare
from .protocols import TRAIN_SHARE
from .settings import Settings
from .spec import Model, Result, Source, chunks, stream_of

ProtocolName: TypeAlias = Literal["leave-one-out", "cross-validation", "learning-curve"]

CATEGORIES = {
    "heart-statlog": ("number_of_major_vessels",),
    "lymphography": ("lym_dimin", "no_nodes"),
}
"""Columns of few whole numbers that fit the tables of the 1997 and 1998 papers better as categories."""

CHUNK = 10
"""Repetitions per task, if models are rules on counts."""


@dataclass(frozen=True, slots=True)
class Task:
    """Some repetitions of one protocol of prediction on one table.

    Attributes
    ----------
    protocol : {"leave-one-out", "cross-validation", "learning-curve"}
        Choice of training and test rows.
    models : tuple of Model
        Models, all fitted to the same rows and scored on the same others.
    cap : float, optional
        Largest cost of a row in the log score, in nats.
    first, last : int
        The repetitions ``first .. last - 1``.
    fraction : float
        Share of the training rows that is used.
    series : int
        Number of the independent run of the same experiment; all but the first are part of the key.
    experiment : str
        Module with a function ``predictions(prepared, models, split)``; empty if models are rules on counts.
    effort : float
        Approximate cost of one such prediction relative to naive Bayes.
    """

    protocol: ProtocolName
    source: Source
    models: tuple[Model, ...]
    seed: int = 0
    cap: float | None = None
    first: int = 0
    last: int = 1
    folds: int = 0
    fraction: float = 1.0
    series: int = 0
    experiment: str = ""
    effort: float = 1.0

    @property
    def group(self) -> str:
        """Name shared by the repetitions of one experiment."""
        again = f"/series {self.series}" if self.series else ""
        if self.protocol == "cross-validation":
            return f"{self.source.name}/{self.folds} folds/{self.fraction:.0%}{again}"
        return f"{self.source.name}/{self.protocol}{again}"

    @property
    def key(self) -> str:
        """Name of the task, unique within its specification.

        Examples
        --------
        >>> source = Source("glass", "kmeans", 5, "value", "whole")
        >>> Task("cross-validation", source, (), first=10, last=20, folds=7, fraction=0.1).key
        'glass/7 folds/10%/10-19'
        """
        return f"{self.group}/{self.first}-{self.last - 1}"

    def stream(self, repetition: int) -> int:
        """Return the seed of one repetition, whatever the division into tasks and the process."""
        return stream_of(f"{self.seed}/{self.group}/{repetition}")

    @property
    def n_items(self) -> int:
        """Number of predictions."""
        n_rows, n_repeats = datasets.describe(self.source.name).rows, self.last - self.first
        if self.protocol == "learning-curve":
            n_train = round(TRAIN_SHARE * n_rows)
            return n_repeats * n_train * (n_rows - n_train) * len(self.models)
        return n_repeats * n_rows * len(self.models)

    @property
    def work(self) -> float:
        """Approximate cost of the task."""
        if self.protocol == "learning-curve":
            return float(self.n_items)
        entry = datasets.describe(self.source.name)
        if self.experiment:
            return self.effort * self.n_items * entry.attributes * entry.classes
        # Every fold has a fixed cost besides that of its rows.
        return (self.last - self.first) * 3000.0 * max(self.folds, 1) + self.n_items * entry.attributes

    def run(self) -> Result:
        """Return the scores of the models; see :mod:`codelength_lab.protocols`."""
        prepared = prepare(self.source)
        streams = [self.stream(repetition) for repetition in range(self.first, self.last)]
        match self.protocol:
            case "leave-one-out":
                return protocols.leave_one_out(prepared, self.models, self.cap)
            case "learning-curve":
                return protocols.learning_curves(prepared, self.models, streams, self.cap)
        # By name, because tasks are hashed as JSON, which has no functions.
        own: Any = None
        if self.experiment:
            own = importlib.import_module(f".experiments.{self.experiment}", __package__).predictions
        return protocols.cross_validations(
            prepared, self.models, streams, self.folds, self.fraction, self.cap, own
        )


def source(name: str, settings: Settings, bins: int, *, categories: bool = True) -> Source:
    """Return a table under some settings, with the columns of ``CATEGORIES`` kept as categories if asked.

    ``bins`` are the intervals per numeric column, unless the settings name a number.
    """
    return Source(
        name,
        settings.discretization,
        settings.bins or bins,
        settings.missing,
        settings.learned,
        CATEGORIES.get(name, ()) if categories else (),
    )


def cross_validations(
    table: Source,
    models: Iterable[Model],
    settings: Settings,
    folds: int,
    fraction: float,
    repeats: int,
    experiment: str = "",
    effort: float = 1.0,
) -> list[Task]:
    """Return tasks of repeated cross-validation; raise at once if there are more folds than rows.

    Folds and repetitions are those given, unless the settings name other numbers. See :class:`Task` for the
    other parameters.
    """
    n_rows = datasets.describe(table.name).rows
    if settings.folds is not None and settings.folds > n_rows:
        raise InvalidParameter(
            f"setting folds={settings.folds}: {table.name} has {n_rows:,} rows; use at most one fold per row"
        )
    usual = Task(
        "cross-validation",
        table,
        tuple(models),
        settings.seed,
        settings.cap,
        folds=settings.folds or folds,
        fraction=fraction,
        experiment=experiment,
        effort=effort,
    )
    ranges = chunks(settings.repeats or repeats, 1 if experiment else CHUNK)
    return [replace(usual, first=first, last=last) for first, last in ranges]
