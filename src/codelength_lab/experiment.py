"""Experiments: their definition, the specification of a run, and notes that all experiments share."""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from codelength import datasets
from codelength.naive_bayes import Prior

from .findings import Findings
from .settings import Settings
from .tables import Source

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
        """Approximate cost of the task, in a unit that all tasks of an experiment share."""

    def run(self) -> Result:
        """Return the result, which depends on the fields of the task alone."""


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


T_co = TypeVar("T_co", bound=AnyTask, covariant=True)


@dataclass(frozen=True, slots=True)
class Spec(Generic[T_co]):
    """All tasks of a run of an experiment, in the order of the result table; a quick run has few."""

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
            **self.settings.to_json(),
            "n_tasks": len(self.tasks),
            "tasks_sha256": hashlib.sha256(tasks.encode()).hexdigest(),
        }


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment that can be run by name.

    Attributes
    ----------
    key : str
        Name on the command line; ``published`` has a file of this name with title, citation and notes.
    defaults : Settings
        Usual settings; if a paper reports the experiment, those closest to its figures.
    tasks : function
        Tasks of a quick or full run under some settings.
    find : function
        Function that completes findings from a specification and its results, by the key of the task.
    is_published : bool
        True if a paper reports the experiment.
    """

    key: str
    defaults: Settings
    tasks: Callable[[bool, Settings], Iterable[AnyTask]]
    find: Callable[[Findings, Spec[Any], dict[str, Result]], Findings]
    is_published: bool = True


def chunks(n_repeats: int, size: int) -> list[tuple[int, int]]:
    """Return consecutive ranges of repetitions, the last possibly shorter.

    Examples
    --------
    >>> chunks(25, 10)
    [(0, 10), (10, 20), (20, 25)]
    """
    return [(first, min(first + size, n_repeats)) for first in range(0, n_repeats, size)]


def bins_of(spec: Spec[Any]) -> str:
    """List the numbers of intervals of the tables."""
    bins = {task.source.name: task.source.bins for task in spec.tasks}
    return ", ".join(f"{name} {number}" for name, number in bins.items())


def general_notes(spec: Spec[Any], defaults: Settings) -> list[str]:
    """Return notes on tables that differ from those of the papers, and on cut points and missing cells.

    Experiments whose tasks have no ``source`` prepare their tables in their own way and get no notes.
    """
    settings = spec.settings
    tables: dict[str, Source] = {
        task.source.name: task.source for task in spec.tasks if hasattr(task, "source")
    }
    if not tables:
        return []
    notes = [
        f"{name}: {datasets.describe(name).differs}." for name in tables if _differs(name, spec.experiment)
    ]
    kept = [f"{column} of {table.name}" for table in tables.values() for column in table.categories]
    if len(kept) > 1:
        columns = f"{', '.join(kept[:-1])} and {kept[-1]}"
        notes.append(f"Columns of numbers that are kept as categories, value by value: {columns}.")
    elif kept:
        notes.append(f"The only column of numbers that is kept as categories, value by value: {kept[0]}.")
    else:
        notes.append("Every column of numbers is cut into intervals; none is kept as a category.")
    where = "the whole table" if settings.learned == "whole" else "the training rows alone"
    if settings.learned == defaults.learned == "whole":
        where += ", which fits the printed figures better than the training rows alone (learned=train)"
    notes.append(f"Cut points ({settings.discretization}) are learned from {where}.")
    is_value = settings.missing == "value"
    notes.append("A missing cell is a value of its own." if is_value else "Missing cells are marginalised.")
    if settings.cap is not None:
        notes.append(f"A row costs at most {settings.cap:g} nats, so that log scores of MAP are finite.")
    return notes


def _differs(name: str, experiment: str) -> bool:
    """Return True if this paper, rather than another, prints another size for the table."""
    entry = datasets.describe(name)
    ours = (entry.rows, entry.attributes, entry.classes)
    # Keys of quoted sizes begin with the key of the paper and end with its year.
    return any(tuple(size) != ours for key, size in entry.quoted.items() if key.startswith(experiment))
