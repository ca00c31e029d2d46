"""The definition of an experiment: of a paper, or our own."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .findings import Findings
from .settings import Settings
from .spec import AnyTask, Result, Spec


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment that can be run by name.

    Attributes
    ----------
    key : str
        Name on the command line.
    defaults : Settings
        Usual settings; for papers, those closest to the printed figures.
    tasks : function
        Tasks of a quick or full run under some settings.
    find : function
        Function from a specification and its results, by the key of the task, to the findings.
    unit : str
        Unit in which the tasks count their items.
    page : str
        Page of the documentation that shows the results; "validation" for papers.
    """

    key: str
    defaults: Settings
    tasks: Callable[[bool, Settings], Iterable[AnyTask]]
    find: Callable[[Spec[Any], dict[str, Result]], Findings]
    unit: str = "predictions"
    page: str = "validation"
