"""Page of a table with a target."""

from ..export.scorer import script
from ..render.markup import join
from .results import Analysis
from .sections.answer.page import answer
from .sections.hidden_classes.page import hidden
from .sections.learning_curve.page import learning
from .sections.models.page import models
from .sections.reliability.page import reliability
from .sections.settings.page import settings
from .sections.surprises.page import surprises
from .sections.table.page import table
from .sections.variables.page import variables
from .sections.what_if.page import whatif
from .shell import page, program
from .words import many, name, table_name


def table_page(analysis: Analysis, title: str | None = None) -> str:
    """Return the text of the HTML file.

    Parameters
    ----------
    analysis : Analysis
        Analysis of the table.
    title : str, optional
        Title of the page; by default it names the target.
    """
    held = analysis.table
    asked = whatif(analysis)
    sections = [table(analysis), settings(analysis)]
    if len(held.classes) > 1:
        measured = [models(analysis), reliability(analysis), learning(analysis), variables(analysis)]
        sections[1:1] = [*measured, *([asked] if asked is not None else []), surprises(analysis)]
    if analysis.latent is not None:
        sections.insert(-1, hidden(analysis.latent, held.target or "the class"))
    over = f"{table_name(held.name)} · {many(held.n_rows, 'row')} · {many(held.n_columns, 'column')}"
    return page(
        title or f"Predicting {name(held.target or 'the class')}",
        sections,
        over=over,
        opening=join(answer(analysis)),
        closing=f"Made with codelength {analysis.version}.",
        scripts=[script(), program("whatif.js")] if asked is not None else [],
    )
