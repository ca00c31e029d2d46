"""What the files of all papers share."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from ... import datasets
from ..findings import Claim, Comparison, ResultTable, Versus
from ..settings import Settings
from ..spec import AnyCell, Cell, Model, Result, Source, Spec, chunks
from ..summary import Curve, Score, Summary

CATEGORIES = {
    "heart-statlog": ("number_of_major_vessels",),
    "lymphography": ("lym_dimin", "no_nodes"),
}
"""Columns of few whole numbers that the tables of the 1997 and 1998 papers fit better as categories."""

CHUNK = 10
"""Repetitions a cell."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a paper's own file has to say about the results."""

    comparisons: list[Comparison]
    claims: list[Claim]
    notes: list[str]
    versus: list[Versus] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    tables: list[ResultTable] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper whose experiments can be run.

    Attributes
    ----------
    key : str
        Its name on the command line.
    defaults : Settings
        Settings that come nearest to what it prints.
    cells : function
        Cells of a quick or full run under some settings; of any kind.
    find : function
        From a specification and its results, by the key of the cell, to all that is to be told.
    unit : str
        What the items of its cells are.
    """

    key: str
    defaults: Settings
    cells: Callable[[bool, Settings], Iterable[AnyCell]]
    find: Callable[[Spec[Any], dict[str, Result]], Found]
    unit: str = "predictions"


def of_predictions(
    key: str,
    defaults: Settings,
    cells: Callable[[bool, Settings], Iterable[Cell]],
    find: Callable[[Summary], Found],
) -> Paper:
    """A paper whose cells are predictions, with their scores and curves beside what it has to say."""

    def found(spec: Spec[Cell], results: dict[str, Result]) -> Found:
        summary = Summary(spec, results)
        own = find(summary)
        notes = [*own.notes, *general_notes(spec, defaults, (cell.source for cell in spec.cells))]
        return replace(own, notes=notes, scores=summary.scores(), curves=summary.curves())

    return Paper(key, defaults, cells, found)


def source(name: str, settings: Settings, bins: int, *, categories: bool = True) -> Source:
    """A table under some settings; ``bins`` is used where the settings name no number."""
    return Source(
        name,
        settings.discretization,
        settings.bins or bins,
        settings.missing,
        settings.learned,
        CATEGORIES.get(name, ()) if categories else (),
    )


def cross_validations(
    table: Source, models: tuple[Model, ...], settings: Settings, folds: int, fraction: float, repeats: int
) -> list[Cell]:
    """Cells of repeated cross-validation."""
    return [
        Cell(
            "cross-validation",
            table,
            models,
            settings.seed,
            settings.floor,
            first,
            last,
            settings.folds or folds,
            fraction,
        )
        for first, last in chunks(settings.repeats or repeats, CHUNK)
    ]


def general_notes(spec: Spec[AnyCell], defaults: Settings, sources: Iterable[Source]) -> list[str]:
    """Where a table is not quite the one of the papers, and what the settings mean."""
    notes = []
    settings = spec.settings
    names = dict.fromkeys(source.name for source in sources)
    notes += [f"{name}: {datasets.describe(name).differs}." for name in names if _differs(name, spec.paper)]
    where = "the whole table" if settings.learned == "whole" else "the training rows alone"
    if settings.learned == defaults.learned == "whole":
        where += ", which fits the printed figures better than the training rows alone (learned=train)"
    notes.append(f"Cut points ({settings.discretization}) are learned from {where}.")
    if settings.missing == "value":
        notes.append("A missing cell is a value of its own.")
    else:
        notes.append("Missing cells are marginalised.")
    if settings.floor is not None:
        notes.append(f"A row costs at most {settings.floor:g} nats, so that log scores of MAP are finite.")
    return notes


def _differs(name: str, paper: str) -> bool:
    """Whether this paper, rather than another, prints another size for the table."""
    entry = datasets.describe(name)
    ours = (entry.rows, entry.attributes, entry.classes)
    return any(tuple(size) != ours for key, size in entry.quoted.items() if key.startswith(paper))
