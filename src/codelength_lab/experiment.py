"""The definition of an experiment, of a paper or our own, and the notes that all experiments share."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from codelength import datasets

from .findings import Findings
from .settings import Settings
from .spec import AnyTask, Result, Source, Spec


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment that can be run by name.

    Attributes
    ----------
    key : str
        Name on the command line; ``published`` has a file of this name with title, citation and notes.
    defaults : Settings
        Usual settings; for papers, those closest to the printed figures.
    tasks : function
        Tasks of a quick or full run under some settings.
    find : function
        Function that completes findings from a specification and its results, by the key of the task.
    unit : str
        Unit in which the tasks count their items.
    page : str
        Page of the documentation that shows the results; "validation" for papers.
    """

    key: str
    defaults: Settings
    tasks: Callable[[bool, Settings], Iterable[AnyTask]]
    find: Callable[[Findings, Spec[Any], dict[str, Result]], Findings]
    unit: str = "predictions"
    page: str = "validation"


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
    notes.append(_categories_note(tables.values()))
    where = "the whole table" if settings.learned == "whole" else "the training rows alone"
    if settings.learned == defaults.learned == "whole":
        where += ", which fits the printed figures better than the training rows alone (learned=train)"
    notes.append(f"Cut points ({settings.discretization}) are learned from {where}.")
    is_value = settings.missing == "value"
    notes.append("A missing cell is a value of its own." if is_value else "Missing cells are marginalised.")
    if settings.cap is not None:
        notes.append(f"A row costs at most {settings.cap:g} nats, so that log scores of MAP are finite.")
    return notes


def _categories_note(tables: Iterable[Source]) -> str:
    """Return the note on numeric columns that are kept as categories."""
    kept = [f"{column} of {table.name}" for table in tables for column in table.categories]
    if not kept:
        return "Every column of numbers is cut into intervals; none is kept as a category."
    columns = f"{', '.join(kept[:-1])} and {kept[-1]}" if len(kept) > 1 else kept[0]
    which = "Columns of numbers that are" if len(kept) > 1 else "The only column of numbers that is"
    return f"{which} kept as categories, value by value: {columns}."


def _differs(name: str, experiment: str) -> bool:
    """Return whether this paper, rather than another, prints another size for the table."""
    entry = datasets.describe(name)
    ours = (entry.rows, entry.attributes, entry.classes)
    # Keys of quoted sizes begin with the key of the paper and end with its year.
    return any(tuple(size) != ours for key, size in entry.quoted.items() if key.startswith(experiment))
