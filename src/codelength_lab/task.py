"""Tasks of most papers: some repetitions of one protocol of prediction on one table."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from codelength import datasets

from . import protocols
from .prepared import prepare
from .protocols import TRAIN_SHARE
from .spec import Model, Result, Source, stream_of

ProtocolName: TypeAlias = Literal["leave-one-out", "cross-validation", "learning-curve"]


@dataclass(frozen=True, slots=True)
class Task:
    """Some repetitions of one protocol of prediction on one table.

    Attributes
    ----------
    protocol : {"leave-one-out", "cross-validation", "learning-curve"}
        Choice of training and test rows.
    source : Source
        The table.
    models : tuple of Model
        Models, all fitted to the same rows and scored on the same others.
    seed : int
        Seed of the random streams.
    cap : float, optional
        Largest cost of a row in the log score, in nats.
    first, last : int
        The repetitions ``first .. last - 1``.
    folds : int
        Folds of cross-validation.
    fraction : float
        Share of the training rows that is used.
    series : int
        Number of the independent run of the same experiment; all but the first are part of the key.
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
        # Every fold has a fixed cost besides that of its rows.
        attributes = datasets.describe(self.source.name).attributes
        return (self.last - self.first) * 3000.0 * max(self.folds, 1) + self.n_items * attributes

    def run(self) -> Result:
        """Return the scores of the models; see :mod:`codelength_lab.protocols`."""
        prepared = prepare(self.source)
        streams = [self.stream(repetition) for repetition in range(self.first, self.last)]
        match self.protocol:
            case "leave-one-out":
                return protocols.leave_one_out(prepared, self.models, self.cap)
            case "cross-validation":
                return protocols.cross_validations(
                    prepared, self.models, streams, self.folds, self.fraction, self.cap
                )
            case "learning-curve":
                return protocols.learning_curves(prepared, self.models, streams, self.cap)
