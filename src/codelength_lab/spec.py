"""What is to be computed: a specification, and the independent tasks it falls into."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from codelength.naive_bayes import Prior
from codelength.table import Cutting
from codelength.table.infer import Missing

from .settings import Discretization, Learned, Settings

Result: TypeAlias = dict[str, Any]
"""What a task comes to: JSON types only, so that it can be stored as it is."""


class AnyTask(Protocol):
    """A piece of work that depends on no other.

    A paper may bring a kind of its own: a frozen dataclass whose fields are JSON types or dataclasses of
    them, because they tell one specification from another, and which can be sent to another process.
    """

    @property
    def group(self) -> str:
        """What the repetitions of one experiment have in common."""

    @property
    def key(self) -> str:
        """Name of the task, unique within its specification."""

    @property
    def work(self) -> float:
        """What the task costs, roughly, in a unit that all tasks of a paper share."""

    @property
    def n_items(self) -> int:
        """How many things the task computes; the paper says what it counts."""

    def run(self) -> Result:
        """The result, which depends on the fields of the task alone."""


T_co = TypeVar("T_co", bound=AnyTask, covariant=True)


@dataclass(frozen=True, slots=True)
class Source:
    """A bundled table and how it becomes categorical.

    ``discretization`` says how numeric columns are cut, into at most ``bins`` intervals, ``learned`` from
    which rows the cut points are learned, and ``missing`` what becomes of missing cells; the alternatives are
    those of :class:`codelength_lab.settings.Settings`. ``categories`` are the columns of numbers that
    are kept as categories.
    """

    name: str
    discretization: Discretization
    bins: int
    missing: Missing
    learned: Learned
    categories: tuple[str, ...] = ()

    @property
    def cutting(self) -> Cutting:
        """How numeric columns are cut."""
        return Cutting(self.discretization, self.bins)


@dataclass(frozen=True, slots=True)
class Model:
    """A predictive rule under the name that a paper gives it.

    Attributes
    ----------
    name : str
        The paper's name.
    rule : str
        One of ``codelength.naive_bayes.RULES``.
    pseudocount : float
        What is added to every count beyond the uniform prior.
    power : float
        Power to which the weights of the classes are raised.
    """

    name: str
    rule: str
    pseudocount: float = 0.0
    power: float = 1.0

    @property
    def prior(self) -> Prior:
        """The prior of the rule."""
        return Prior(1 + self.pseudocount, 1 + self.pseudocount)


@dataclass(frozen=True, slots=True)
class Spec(Generic[T_co]):
    """All tasks of one reproduction.

    Attributes
    ----------
    paper : str
        Key of the paper.
    quick : bool
        Whether repetitions were cut short.
    settings : Settings
        The choices behind the tasks.
    tasks : tuple
        The tasks, in the order of the result table.
    """

    paper: str
    quick: bool
    settings: Settings
    tasks: tuple[T_co, ...]

    def to_json(self) -> dict[str, Any]:
        """What tells this specification from others."""
        tasks = json.dumps([_fields(task) for task in self.tasks], sort_keys=True)
        return {
            "paper": self.paper,
            "quick": self.quick,
            "settings": self.settings.to_json(),
            "n_tasks": len(self.tasks),
            "tasks_sha256": hashlib.sha256(tasks.encode()).hexdigest(),
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


def _fields(task: Any) -> dict[str, Any]:
    return asdict(task)
