"""Plots of latent classes, one function each."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .component_profiles import ComponentProfilesDisplay
from .criterion_path import CriterionPathDisplay

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..estimators import FiniteMixture
    from ..selection.comparison import Comparison
    from .style import Panel

__all__ = ["KINDS", "criteria", "memberships", "profiles", "residuals"]

PathLike = str | os.PathLike[str]


def profiles(model: "FiniteMixture", path: PathLike | None = None, *, title: str = "") -> "Figure":
    """Draw the profiles of the classes: the probability of each value in each class, in per cent.

    Parameters
    ----------
    model : FiniteMixture
        A fitted model.
    path : path of a file, optional
        File to write the figure to.
    title : str
        Title of the figure.

    Returns
    -------
    matplotlib Figure
        The figure, which a notebook shows.
    """
    return _figure(*ComponentProfilesDisplay(model, title=title).panels(), path)


def criteria(
    model: "FiniteMixture | Comparison", path: PathLike | None = None, *, criteria: Sequence[str] = ()
) -> "Figure":
    """Draw criteria over the number of classes, as differences from their best; the choice is marked.

    Parameters
    ----------
    model : FiniteMixture or Comparison
        A fitted model, or its comparison with further criteria (``model.compare("all")``).
    path : path of a file, optional
        File to write the figure to.
    criteria : sequence of str
        Columns of the comparison to draw; by default AIC, BIC, adjusted BIC, ICL and all code lengths.
    """
    return _figure(*CriterionPathDisplay(model, criteria=criteria).panels(), path)


def residuals(model: "FiniteMixture", path: PathLike | None = None) -> "Figure":
    """Draw a heat map of the bivariate residuals: pairs of variables that the classes do not explain.

    Parameters
    ----------
    model, path
        As in :func:`profiles`.
    """
    from ._residual_panel import residual_panel

    panel, size = residual_panel(model.residuals_)
    return _figure([panel], size, path)


def memberships(model: "FiniteMixture", path: PathLike | None = None) -> "Figure":
    """Draw histograms of the probability of each class over the training rows.

    Parameters
    ----------
    model, path
        As in :func:`profiles`.
    """
    from ._membership_panels import membership_panels

    panels = membership_panels(model.memberships_, model._fitted.training.weights)
    return _figure(panels, (3.6, 2.8), path)


KINDS: dict[str, Callable[..., "Figure"]] = {
    "profiles": profiles,
    "criteria": criteria,
    "residuals": residuals,
    "memberships": memberships,
}
"""The pictures by name."""


def _figure(panels: "list[Panel]", size: tuple[float, float], path: PathLike | None) -> "Figure":
    """Return a figure, and write it if a path is given; the name is checked before anything is drawn."""
    from .drawing import check_name, figure_of, save_figure

    if path is not None:
        check_name(Path(path))
    figure = figure_of(panels, size)
    if path is not None:
        save_figure(figure, path)
    return figure
