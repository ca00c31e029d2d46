"""Pages of analyses: their sections, in order."""

from ..export.scorer import script
from .page import page, resource
from .results import Analysis, LatentAnalysis
from .sections import (
    answer,
    hidden_classes,
    learning_curve,
    models,
    reliability,
    settings,
    surprises,
    table,
    variables,
    what_if,
)
from .words import name, table_name


def table_page(analysis: Analysis, title: str | None = None) -> str:
    """Return the page of a table with a target."""
    held = analysis.table
    asked = what_if.section(analysis)
    sections = [table.section(held, analysis.variables)]
    if len(held.classes) > 1:
        parts = (models, reliability, learning_curve, variables)
        sections += [part.section(analysis) for part in parts]
        sections += [] if asked is None else [asked]
        sections.append(surprises.section(analysis))
    if analysis.latent is not None:
        sections.append(hidden_classes.section(analysis.latent, held.target or "the class"))
    sections.append(settings.section(analysis))
    scripts = [] if asked is None else [script(), resource("whatif.js")]
    default = f"Predicting {name(held.target or 'the class')}"
    return page(analysis, title or default, answer.opening(analysis), sections, scripts)


def classes_page(analysis: LatentAnalysis, title: str | None = None) -> str:
    """Return the page of a table without a target: its latent classes."""
    sections = [
        table.section(analysis.table),
        hidden_classes.comparison(analysis),
        hidden_classes.profiles(analysis),
        hidden_classes.trust(analysis),
        settings.section(analysis),
    ]
    default = f"Hidden classes in {table_name(analysis.table.name)}"
    return page(analysis, title or default, hidden_classes.opening(analysis), sections)
