"""The function that makes a report of a table."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._files import atomic_write
from ..errors import InvalidParameter
from ..evaluation.fits import Progress
from ..table.checks import check_instance, check_path
from .page import framed
from .results import Analysis, LatentAnalysis

if TYPE_CHECKING:
    from ..estimators import TableClassifier


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Report:
    """A page about a table: one HTML file that needs nothing else.

    A notebook shows the page itself.

    Attributes
    ----------
    html : str
        The text of the file.
    analysis : Analysis or LatentAnalysis
        The figures on the page.
    """

    html: str
    analysis: Analysis | LatentAnalysis

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file atomically.

        Parameters
        ----------
        path : path
            File to write.
        """
        with atomic_write(check_path("path", path)) as temporary:
            temporary.write_text(self.html, encoding="utf-8", newline="\n")

    def __repr__(self) -> str:
        return f"<Report: {len(self.html.encode()) / 1000:,.0f} kB of HTML; .save(path) writes it>"

    def _repr_html_(self) -> str:
        return framed(self.html)


def report(
    data: Any,
    target: Any = None,
    *,
    model: "TableClassifier | None" = None,
    rows: bool = False,
    random_state: int = 0,
    progress: Progress | None = None,
    title: str | None = None,
) -> Report:
    """Make a page about a table: how well its class can be predicted, by which models and variables.

    The page has a comparison of models, a reliability diagram, a learning curve, the variables ranked by bits
    about the class, the rows that surprised the best model, a what-if that scores new cases, and a first look
    at latent classes. Without a target it is about latent classes alone.

    Parameters
    ----------
    data : table of any kind, fitted FiniteMixture, Analysis or LatentAnalysis
        The rows, in any form that :func:`codelength.sources.as_table` takes, or the path of a file; or a
        mixture whose latent classes are to be shown; or an earlier analysis.
    target : name of a column, series or array, optional
        Class to predict. A :class:`Table` may have one already. Without one, latent classes are fitted.
    model : classifier of this library, optional
        A model of your own, fitted or not, to compare with the others. It is cloned and fitted to the same
        rows.
    rows : bool
        Whether the contents of surprising rows are on the page. Otherwise it holds column names, categories
        and counts, but no rows.
    random_state : int
        Seed of all random choices.
    progress : function, optional
        Called with the work done and the work in all.
    title : str, optional
        Title of the page.

    Returns
    -------
    Report
        The page; ``report.save("report.html")`` writes it.

    Examples
    --------
    >>> from codelength import datasets, report
    >>> page = report(datasets.load("iris").table)  # doctest: +SKIP
    >>> page.save("iris.html")  # doctest: +SKIP
    """
    if title is not None:
        check_instance("title", title, str, "text, or None")
    if isinstance(data, (Analysis, LatentAnalysis)):
        return Report(_page(data, title), data)
    # Imported on use: a page of an earlier analysis needs neither models nor scikit-learn.
    from ..estimators import FiniteMixture
    from ..sources import as_table
    from .analyse import analyse
    from .sections.hidden_classes import analyse_classes, of_model

    made: Analysis | LatentAnalysis
    if isinstance(data, FiniteMixture):
        made = of_model(data)
        return Report(_page(made, title), made)
    # After mixtures, which have this method too but carry their own training rows.
    if hasattr(data, "predict_proba"):
        raise InvalidParameter(
            f"data {type(data).__name__}: a page about a classifier needs rows to judge it by; "
            "pass report(table, target, model=...)"
        )
    table = as_table(data, target)
    if table.target is None:
        if model is not None:
            raise InvalidParameter("model: there is nothing to predict without a target; name one")
        made = analyse_classes(table, random_state=random_state, progress=progress)
    else:
        made = analyse(table, model=model, rows=rows, random_state=random_state, progress=progress)
    return Report(_page(made, title), made)


def _page(analysis: Analysis | LatentAnalysis, title: str | None) -> str:
    """Return the page of an analysis."""
    # Imported on use: the library starts without the templates.
    from .pages import classes_page, table_page

    return table_page(analysis, title) if isinstance(analysis, Analysis) else classes_page(analysis, title)
