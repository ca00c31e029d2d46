"""Figures of the papers drawn from our results, as reproducible SVG files.

Each module returns panels by the name of the file: functions that draw into one pair of axes.
"""

import os
from collections.abc import Callable
from pathlib import Path

from codelength.plot.drawing import save
from codelength.plot.style import Panel

from ..findings import Findings
from .approximations import approximations
from .averages import averages
from .learning_curves import learning_curves
from .models import further, interval_averages, iris, versus
from .questions import hidden_classes, orderings
from .selection import selection

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
    "indifferent-trees": further,
    "evidence-weights": further,
    "interval-averages": interval_averages,
}
"""Functions from the findings of an experiment to panels by the name of the file."""


def draw(findings: Findings, directory: str | os.PathLike[str]) -> list[Path]:
    """Draw the figures of an experiment, if it has any, and return the files written; needs matplotlib."""
    figures_of = FIGURES.get(findings.experiment)
    if figures_of is None:
        return []
    return [save(panels, Path(directory) / f"{name}.svg") for name, panels in figures_of(findings).items()]
