"""An experiment that can be run by name: that of a paper, or our own."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .findings import Findings
from .settings import Settings
from .spec import AnyTask, Result, Spec


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment that can be run; ``key`` is its name on the command line.

    ``defaults`` are its usual settings; for those of papers, the ones that come nearest to what is printed.
    ``tasks`` gives the tasks, of any kind, of a quick or full run under some settings; ``unit`` says what
    their items are. ``find`` goes from a specification and its results, by the key of the task, to all that
    is to be told. ``page`` names the page of the documentation that shows the results: "validation" for
    experiments of papers.
    """

    key: str
    defaults: Settings
    tasks: Callable[[bool, Settings], Iterable[AnyTask]]
    find: Callable[[Spec[Any], dict[str, Result]], Findings]
    unit: str = "predictions"
    page: str = "validation"
