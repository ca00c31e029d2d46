"""Page of a table without a target: its latent classes."""

from ..render.markup import join
from .results import LatentAnalysis
from .section import Section
from .sections.hidden_classes.page import answer, comparison, profiles, trust
from .sections.settings.page import settings
from .sections.table.page import notes, table_facts
from .shell import page
from .words import many, table_name


def classes_page(analysis: LatentAnalysis, title: str | None = None) -> str:
    """Return the text of the HTML file.

    Parameters
    ----------
    analysis : LatentAnalysis
        Latent classes of the table.
    title : str, optional
        Title of the page; by default it names the table.
    """
    held = analysis.table
    sections = [
        Section("table", "The table", join(table_facts(held), notes(held))),
        comparison(analysis),
        profiles(analysis),
        trust(analysis),
        settings(analysis),
    ]
    over = f"{table_name(held.name)} · {many(held.n_rows, 'row')} · {many(held.n_columns, 'column')}"
    return page(
        title or f"Hidden classes in {table_name(held.name)}",
        sections,
        over=over,
        opening=answer(analysis),
        closing=f"Made with codelength {analysis.version}.",
    )
