"""Common parts of the experiments of papers: findings, sources of tables, tasks and notes."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from codelength import datasets
from codelength.errors import InvalidParameter

from .experiment import Experiment
from .findings import Findings
from .published import published
from .settings import Settings, differences
from .spec import Model, Result, Source, Spec, chunks
from .summary import Summary
from .task import Task

CATEGORIES = {
    "heart-statlog": ("number_of_major_vessels",),
    "lymphography": ("lym_dimin", "no_nodes"),
}
"""Columns of few whole numbers that fit the tables of the 1997 and 1998 papers better as categories."""

CHUNK = 10
"""Repetitions per task."""


def opened(spec: Spec[Any], defaults: Settings) -> Findings:
    """Return findings with the title and settings of a run, to be completed.

    Parameters
    ----------
    spec : Spec
        Specification of the run.
    defaults : Settings
        Usual settings of the paper.
    """
    printed = published(spec.paper)
    return Findings(
        spec.paper,
        printed["title"],
        printed["citation"],
        spec.quick,
        spec.settings.to_json(),
        differences(defaults, spec.settings),
    )


def of_predictions(
    key: str,
    defaults: Settings,
    tasks: Callable[[bool, Settings], Iterable[Task]],
    find: Callable[[Findings, Summary], Findings],
) -> Experiment:
    """Return the experiment of a paper whose tasks are predictions; scores and curves are added.

    Parameters
    ----------
    key : str
        Name of the experiment.
    defaults : Settings
        Settings closest to the printed figures.
    tasks : function
        Tasks of a quick or full run under some settings.
    find : function
        Completes findings from a summary.
    """

    def found(spec: Spec[Task], results: dict[str, Result]) -> Findings:
        summary = Summary(spec, results)
        own = find(opened(spec, defaults), summary)
        notes = [*own.notes, *general_notes(spec, defaults, (task.source for task in spec.tasks))]
        return replace(own, notes=notes, scores=summary.scores(), curves=summary.curves())

    return Experiment(key, defaults, tasks, found)


def source(name: str, settings: Settings, bins: int, *, categories: bool = True) -> Source:
    """Return a table under some settings.

    Parameters
    ----------
    name : str
        Name of the table.
    settings : Settings
        Settings of the run.
    bins : int
        Intervals per numeric column, unless the settings name a number.
    categories : bool
        Whether to keep the columns of ``CATEGORIES`` as categories.
    """
    return Source(
        name,
        settings.discretization,
        settings.bins or bins,
        settings.missing,
        settings.learned,
        CATEGORIES.get(name, ()) if categories else (),
    )


def check_folds(table: Source, settings: Settings) -> None:
    """Raise ``InvalidParameter`` if there are more folds than rows."""
    n_rows = datasets.describe(table.name).rows
    if settings.folds is not None and settings.folds > n_rows:
        raise InvalidParameter(
            f"setting folds={settings.folds}: {table.name} has {n_rows:,} rows; use at most one fold per row"
        )


def cross_validations(
    table: Source, models: tuple[Model, ...], settings: Settings, folds: int, fraction: float, repeats: int
) -> list[Task]:
    """Return tasks of repeated cross-validation; raise at once if there are more folds than rows.

    Parameters
    ----------
    table : Source
        The table.
    models : tuple of Model
        Models to compare.
    settings : Settings
        Settings of the run.
    folds, repeats : int
        Folds and repetitions, unless the settings name other numbers.
    fraction : float
        Share of the training rows that is used.
    """
    check_folds(table, settings)
    return [
        Task(
            "cross-validation",
            table,
            models,
            settings.seed,
            settings.cap,
            first,
            last,
            settings.folds or folds,
            fraction,
        )
        for first, last in chunks(settings.repeats or repeats, CHUNK)
    ]


def general_notes(spec: Spec[Any], defaults: Settings, sources: Iterable[Source]) -> list[str]:
    """Return notes on tables that differ from those of the papers, and on the settings.

    Parameters
    ----------
    spec : Spec
        Specification of the run.
    defaults : Settings
        Usual settings of the experiment.
    sources : iterable of Source
        Tables of the run.
    """
    settings = spec.settings
    tables = {source.name: source for source in sources}
    notes = [f"{name}: {datasets.describe(name).differs}." for name in tables if _differs(name, spec.paper)]
    notes.append(_categories_note(tables.values()))
    where = "the whole table" if settings.learned == "whole" else "the training rows alone"
    if settings.learned == defaults.learned == "whole":
        where += ", which fits the printed figures better than the training rows alone (learned=train)"
    notes.append(f"Cut points ({settings.discretization}) are learned from {where}.")
    if settings.missing == "value":
        notes.append("A missing cell is a value of its own.")
    else:
        notes.append("Missing cells are marginalised.")
    if settings.cap is not None:
        notes.append(f"A row costs at most {settings.cap:g} nats, so that log scores of MAP are finite.")
    return notes


def _categories_note(tables: Iterable[Source]) -> str:
    """Return the note on numeric columns that are kept as categories."""
    kept = [f"{column} of {table.name}" for table in tables for column in table.categories]
    if not kept:
        return "Every column of numbers is cut into intervals; none is kept as a category."
    columns = f"{', '.join(kept[:-1])} and {kept[-1]}" if len(kept) > 1 else kept[0]
    number = "Columns" if len(kept) > 1 else "The only column"
    are = "are" if len(kept) > 1 else "is"
    return f"{number} of numbers that {are} kept as categories, value by value: {columns}."


def _differs(name: str, paper: str) -> bool:
    """Return whether this paper, rather than another, prints another size for the table."""
    entry = datasets.describe(name)
    ours = (entry.rows, entry.attributes, entry.classes)
    # Keys of quoted sizes begin with the key of the paper and end with its year.
    return any(tuple(size) != ours for key, size in entry.quoted.items() if key.startswith(paper))
