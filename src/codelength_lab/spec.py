"""Specification of a run: settings, and the independent tasks that they result in."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from codelength.naive_bayes import Prior
from codelength.table import Cutting
from codelength.table.infer import Missing

from .settings import Discretization, Learned, Settings

Result: TypeAlias = dict[str, Any]
"""Result of a task: JSON types only, so that it can be stored unchanged."""


class AnyTask(Protocol):
    """Interface of a task, which is independent of all others.

    An experiment may define its own kind: a picklable frozen dataclass whose fields are JSON types or
    dataclasses of them, because they identify the specification.
    """

    @property
    def key(self) -> str:
        """Name of the task, unique within its specification."""

    @property
    def work(self) -> float:
        """Approximate cost of the task, in a unit that all tasks of a paper share."""

    @property
    def n_items(self) -> int:
        """Number of items that the task computes; the experiment defines the unit."""

    def run(self) -> Result:
        """Return the result, which depends on the fields of the task alone."""


T_co = TypeVar("T_co", bound=AnyTask, covariant=True)


@dataclass(frozen=True, slots=True)
class Source:
    """A bundled table, and its conversion to categories.

    Attributes
    ----------
    discretization : {"kmeans", "frequency", "width"}
        Method of cutting numeric columns.
    bins : int
        Most intervals of a numeric column.
    missing : {"value", "ignore"}
        Treatment of missing cells.
    learned : {"whole", "train"}
        Rows that cut points are learned from.
    categories : tuple of str
        Numeric columns that are kept as categories.
    """

    name: str
    discretization: Discretization
    bins: int
    missing: Missing
    learned: Learned
    categories: tuple[str, ...] = ()

    @property
    def cutting(self) -> Cutting:
        """Method and number of intervals of numeric columns."""
        return Cutting(self.discretization, self.bins)


@dataclass(frozen=True, slots=True)
class Model:
    """A predictive rule under the name that a paper gives it.

    Attributes
    ----------
    rule : str
        One of ``codelength.naive_bayes.RULES``.
    pseudocount : float
        Number added to every count beyond the uniform prior.
    power : float
        Power to which the weights of the classes are raised.
    """

    name: str
    rule: str
    pseudocount: float = 0.0
    power: float = 1.0

    @property
    def prior(self) -> Prior:
        """Prior of the rule."""
        return Prior(1 + self.pseudocount, 1 + self.pseudocount)


@dataclass(frozen=True, slots=True)
class Spec(Generic[T_co]):
    """All tasks of one reproduction.

    Attributes
    ----------
    quick : bool
        True if the run has few repetitions.
    tasks : tuple
        The tasks, in the order of the result table.
    """

    experiment: str
    quick: bool
    settings: Settings
    tasks: tuple[T_co, ...]

    def to_json(self) -> dict[str, Any]:
        """Return JSON types that identify the specification."""
        # A digest, because the fields of thousands of tasks would make a header of megabytes.
        every: tuple[Any, ...] = self.tasks
        tasks = json.dumps([asdict(task) for task in every], sort_keys=True)
        return {
            "experiment": self.experiment,
            "quick": self.quick,
            "settings": self.settings.to_json(),
            "n_tasks": len(self.tasks),
            "tasks_sha256": hashlib.sha256(tasks.encode()).hexdigest(),
        }


def stream_of(text: str) -> int:
    """Return a seed that depends on a text alone.

    Examples
    --------
    >>> stream_of("0/glass/1") == stream_of("0/glass/1") != stream_of("0/glass/2")
    True
    """
    # Not hash(), which differs between processes: results must not depend on where a task runs.
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")


def chunks(n_repeats: int, size: int) -> list[tuple[int, int]]:
    """Return consecutive ranges of repetitions, the last possibly shorter.

    Examples
    --------
    >>> chunks(25, 10)
    [(0, 10), (10, 20), (20, 25)]
    """
    return [(first, min(first + size, n_repeats)) for first in range(0, n_repeats, size)]
