"""What is to be computed: a specification, and the independent cells it falls into."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

from .. import datasets
from ..rules import Prior, PriorLike, RuleName
from .settings import Settings

Result: TypeAlias = dict[str, Any]
"""What a cell comes to: JSON types only, so that it can be stored as it is."""

ProtocolName: TypeAlias = Literal["leave-one-out", "cross-validation", "learning-curve"]

TRAIN_SHARE = 0.7
"""Share of the rows in the training reservoir of a learning curve."""


class AnyCell(Protocol):
    """A piece of work that depends on no other.

    A paper may bring a kind of its own: a frozen dataclass whose fields are JSON types or dataclasses of
    them, because they tell one specification from another, and which can be sent to another process.
    """

    @property
    def group(self) -> str:
        """What the repetitions of one experiment have in common."""

    @property
    def key(self) -> str:
        """Name of the cell, unique within its specification."""

    @property
    def work(self) -> float:
        """What the cell costs, roughly, in a unit that all cells of a paper share."""

    @property
    def n_items(self) -> int:
        """How many things the cell computes; the paper says what it counts."""

    def run(self) -> Result:
        """The result, which depends on the fields of the cell alone."""


C_co = TypeVar("C_co", bound=AnyCell, covariant=True)


@dataclass(frozen=True, slots=True)
class Source:
    """A bundled table and how it becomes categorical.

    Attributes
    ----------
    name : str
        Name of the table.
    discretization : {"kmeans", "frequency", "width"}
        How numeric columns are cut.
    bins : int
        Into how many intervals at most.
    missing : {"value", "ignore"}
        What becomes of missing cells.
    learned : {"whole", "train"}
        From which rows cut points are learned.
    categories : tuple of str
        Columns of numbers that are kept as categories.
    """

    name: str
    discretization: Literal["kmeans", "frequency", "width"]
    bins: int
    missing: Literal["value", "ignore"]
    learned: Literal["whole", "train"]
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Model:
    """A predictive rule under the name that a paper gives it.

    Attributes
    ----------
    name : str
        The paper's name.
    rule : str
        The rule.
    pseudocount : float
        What is added to every count beyond the uniform prior.
    power : float
        Power to which the weights of the classes are raised.
    """

    name: str
    rule: RuleName
    pseudocount: float = 0.0
    power: float = 1.0

    @property
    def prior(self) -> PriorLike:
        """The prior of the rule."""
        return Prior(1 + self.pseudocount, 1 + self.pseudocount)


@dataclass(frozen=True, slots=True)
class Cell:
    """Some repetitions of one protocol of prediction on one table.

    Attributes
    ----------
    protocol : {"leave-one-out", "cross-validation", "learning-curve"}
        How rows to learn from and rows to predict are chosen.
    source : Source
        The table.
    models : tuple of Model
        What predicts; all of them the same rows from the same rows.
    seed : int
        Seed of the random streams.
    floor : float, optional
        The most that one row can cost in the log score, in nats.
    first, last : int
        The repetitions ``first .. last - 1``.
    folds : int
        Folds of cross-validation.
    fraction : float
        Share of the training rows that is used.
    """

    protocol: ProtocolName
    source: Source
    models: tuple[Model, ...]
    seed: int = 0
    floor: float | None = None
    first: int = 0
    last: int = 1
    folds: int = 0
    fraction: float = 1.0

    @property
    def group(self) -> str:
        """What the repetitions of one experiment have in common."""
        if self.protocol == "cross-validation":
            return f"{self.source.name}/{self.folds} folds/{self.fraction:.0%}"
        return f"{self.source.name}/{self.protocol}"

    @property
    def key(self) -> str:
        """Name of the cell, unique within its specification.

        Examples
        --------
        >>> source = Source("glass", "kmeans", 5, "value", "whole")
        >>> Cell("cross-validation", source, (), first=10, last=20, folds=7, fraction=0.1).key
        'glass/7 folds/10%/10-19'
        """
        return f"{self.group}/{self.first}-{self.last - 1}"

    def stream(self, repetition: int) -> int:
        """Seed of one repetition: the same whatever cell it falls in and wherever that runs."""
        text = f"{self.seed}/{self.group}/{repetition}"
        return stream_of(text)

    @property
    def n_items(self) -> int:
        """Predictions made."""
        n_rows, n_repeats = datasets.describe(self.source.name).rows, self.last - self.first
        if self.protocol == "learning-curve":
            n_train = round(TRAIN_SHARE * n_rows)
            return n_repeats * n_train * (n_rows - n_train) * len(self.models)
        return n_repeats * n_rows * len(self.models)

    @property
    def work(self) -> float:
        """What the cell costs, roughly."""
        if self.protocol == "learning-curve":
            return float(self.n_items)
        # Every fold has a fixed cost besides that of its rows.
        attributes = datasets.describe(self.source.name).attributes
        return (self.last - self.first) * 3000.0 * max(self.folds, 1) + self.n_items * attributes

    def run(self) -> Result:
        """Scores of the models; see :mod:`codelength.experiments.protocols`."""
        from .protocols import run_cell

        return run_cell(self)


@dataclass(frozen=True, slots=True)
class Spec(Generic[C_co]):
    """All cells of one reproduction.

    Attributes
    ----------
    paper : str
        Key of the paper.
    quick : bool
        Whether repetitions were cut short.
    settings : Settings
        The choices behind the cells.
    cells : tuple
        The cells, in the order of the result table.
    """

    paper: str
    quick: bool
    settings: Settings
    cells: tuple[C_co, ...]

    def to_json(self) -> dict[str, Any]:
        """What tells this specification from others."""
        cells = json.dumps([_fields(cell) for cell in self.cells], sort_keys=True)
        return {
            "paper": self.paper,
            "quick": self.quick,
            "settings": self.settings.to_json(),
            "n_cells": len(self.cells),
            "cells_sha256": hashlib.sha256(cells.encode()).hexdigest(),
        }


def stream_of(text: str) -> int:
    """A seed that depends on a text alone, wherever it is asked for.

    Examples
    --------
    >>> stream_of("0/glass/1") == stream_of("0/glass/1") != stream_of("0/glass/2")
    True
    """
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")


def chunks(n_repeats: int, size: int) -> list[tuple[int, int]]:
    """Consecutive runs of repetitions, the last perhaps shorter.

    Examples
    --------
    >>> chunks(25, 10)
    [(0, 10), (10, 20), (20, 25)]
    """
    return [(first, min(first + size, n_repeats)) for first in range(0, n_repeats, size)]


def _fields(cell: Any) -> dict[str, Any]:
    return asdict(cell)
