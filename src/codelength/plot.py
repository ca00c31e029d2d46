"""Pictures of latent classes, one line each; matplotlib is loaded when one is drawn.

>>> from codelength import FiniteMixture, plot
>>> model = FiniteMixture(2, random_state=0).fit({"eggs": ["yes", "no"] * 9, "wings": ["yes", "no"] * 9})
>>> figure = plot.profiles(model)

Every function returns a figure of matplotlib, which a notebook shows, and writes it to ``path`` where one is
given: an ``.svg``, ``.png`` or ``.pdf`` file.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .estimators import FiniteMixture
    from .selection.comparison import Comparison

__all__ = ["KINDS", "criteria", "memberships", "profiles", "residuals"]

PathLike = str | os.PathLike[str]


def profiles(model: "FiniteMixture", path: PathLike | None = None, *, title: str = "") -> "Figure":
    """What the classes look like: the probability of each value in each class, in hundredths.

    Parameters
    ----------
    model : FiniteMixture
        A fitted model.
    path : path of a file, optional
        Where to write the figure.
    title : str
        A title.
    """
    from .reports.figures.profiles import profile_panel

    panel, size = profile_panel(model, title)
    return _figure([panel], path, size)


def criteria(
    model: "FiniteMixture | Comparison", path: PathLike | None = None, *, criteria: Sequence[str] = ()
) -> "Figure":
    """Criteria over the number of classes, by how much they are above their best; the choice is marked.

    Parameters
    ----------
    model : FiniteMixture or Comparison
        A fitted model, or its comparison with further criteria (``model.compare("all")``).
    path : path of a file, optional
        Where to write the figure.
    criteria : sequence of str
        Columns of the comparison to draw; by default AIC, BIC, adjusted BIC, ICL and all code lengths.
    """
    from .reports.figures.comparison import criterion_panels
    from .selection.comparison import Comparison

    comparison = model if isinstance(model, Comparison) else model.comparison_
    return _figure(criterion_panels(comparison, criteria), path)


def residuals(model: "FiniteMixture", path: PathLike | None = None) -> "Figure":
    """A heat map of the bivariate residuals: which pairs of variables the classes do not explain.

    Parameters
    ----------
    model, path
        As in :func:`profiles`.
    """
    from .reports.figures.residuals import residual_panel

    panel, size = residual_panel(model.residuals_)
    return _figure([panel], path, size)


def memberships(model: "FiniteMixture", path: PathLike | None = None) -> "Figure":
    """Histograms of the probability of each class over the training rows: how certain they are.

    Parameters
    ----------
    model, path
        As in :func:`profiles`.
    """
    from .reports.figures.memberships import membership_panels

    return _figure(membership_panels(model.memberships_, model._fitted.training.weights), path, (3.6, 2.8))


KINDS: dict[str, Callable[..., "Figure"]] = {
    "profiles": profiles,
    "criteria": criteria,
    "residuals": residuals,
    "memberships": memberships,
}
"""The pictures by name."""


def _figure(panels: Any, path: PathLike | None, size: tuple[float, float] = (4.8, 3.8)) -> "Figure":
    from .reports.figures import check_name, figure_of, save_figure

    if path is not None:
        check_name(Path(path))
    figure = figure_of(panels, size)
    if path is not None:
        save_figure(figure, path)
    return figure
