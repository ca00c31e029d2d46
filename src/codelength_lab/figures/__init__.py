"""Figures of the papers drawn from our results, as reproducible SVG files."""

import os
from collections.abc import Callable
from pathlib import Path

from codelength.plot.drawing import save
from codelength.plot.style import Panel

from ..findings import Findings
from ..registry import shown_on
from .approximations import approximations
from .averages import averages
from .further import further
from .iris import interval_averages, iris
from .learning_curves import learning_curves
from .questions import hidden_classes, orderings
from .selection import selection
from .versus import versus

__all__ = ["FIGURES", "draw"]

FIGURES: dict[str, Callable[[Findings], dict[str, list[Panel]]]] = {
    "predictive-inference": learning_curves,
    "sc-approximations": approximations,
    "bayes-optimal-ibl": iris,
    "prequential-selection": selection,
    "indifferent-naive-bayes": versus,
    "averages": averages,
    "predictive-inference-mixtures": hidden_classes,
    "orderings": orderings,
    **dict.fromkeys(shown_on("further"), further),
    "interval-averages": interval_averages,
}
"""Functions from the findings of an experiment to panels by the name of the file."""


def draw(findings: Findings, directory: str | os.PathLike[str]) -> list[Path]:
    """Draw the figures of an experiment, if it has any; needs matplotlib.

    Parameters
    ----------
    findings : Findings
        Findings of the experiment.
    directory : path
        Directory to write to.

    Returns
    -------
    list of Path
        The files written.
    """
    figures_of = FIGURES.get(findings.paper)
    if figures_of is None:
        return []
    return [save(panels, Path(directory) / f"{name}.svg") for name, panels in figures_of(findings).items()]
