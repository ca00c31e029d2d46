"""Figures of the experiments drawn from our results, as reproducible SVG files.

Each module returns panels by the name of the file: functions that draw into one pair of axes.
"""

import os
from collections.abc import Callable
from pathlib import Path

from codelength.plot.drawing import Panel, figure_of, save_figure

from ..findings import Findings
from .approximations import approximations
from .curves import hidden_classes, iris, iris_averages, learning_curves, orderings
from .gains import averages, log_losses, selection, versus

__all__ = ["FIGURES", "draw"]

FIGURES: dict[str, Callable[[Findings], dict[str, list[Panel]]]] = {
    "predictive-inference": learning_curves,
    "sc-approximations": approximations,
    "bayes-optimal-ibl": iris,
    "prequential-selection": selection,
    "indifferent-naive-bayes": versus,
    "indifferent-trees": log_losses,
    "evidence-weights": log_losses,
    "interval-averages": lambda findings: log_losses(findings) | iris_averages(findings),
    "predictive-inference-mixtures": hidden_classes,
    "orderings": orderings,
    "averages": averages,
}
"""Functions from the findings of an experiment to panels by the name of the file."""


def draw(findings: Findings, directory: str | os.PathLike[str]) -> list[Path]:
    """Draw the figures of an experiment, if it has any, and return the files written; needs matplotlib."""
    figures_of = FIGURES.get(findings.experiment)
    figures = figures_of(findings) if figures_of else {}
    return [
        save_figure(figure_of(panels), Path(directory) / f"{name}.svg") for name, panels in figures.items()
    ]
