"""Tasks of most experiments: some repetitions of one protocol of prediction on one table."""

import importlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from codelength import datasets
from codelength.errors import InvalidParameter

from . import protocols
from .experiment import Model, Result, chunks
from .settings import Settings
from .tables import Source, prepare, stream_of

ProtocolName: TypeAlias = Literal["leave-one-out", "cross-validation", "learning-curve"]

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
    def work(self) -> float:
        """Approximate cost of the task."""
        entry, n_repeats = datasets.describe(self.source.name), self.last - self.first
        if self.protocol == "learning-curve":
            n_train = round(protocols.TRAIN_SHARE * entry.rows)
            return float(n_repeats * n_train * (entry.rows - n_train) * len(self.models))
        n_cells = n_repeats * entry.rows * len(self.models) * entry.attributes
        if self.experiment:
            return self.effort * n_cells * entry.classes
        # Every fold has a fixed cost besides that of its rows.
        return n_repeats * 3000.0 * max(self.folds, 1) + n_cells

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
    if settings.folds is not None and settings.folds > table.n_rows:
        raise InvalidParameter(
            f"setting folds={settings.folds}: {table.name} has {table.n_rows:,} rows; use at most one fold "
            "per row"
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
