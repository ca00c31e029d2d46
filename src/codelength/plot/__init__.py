"""Plots of models and predictions; matplotlib is loaded when the first one is drawn.

Displays follow those of scikit-learn: ``from_estimator`` (and ``from_predictions`` if predictions are enough)
computes and draws, ``plot(ax=...)`` draws again, and ``ax_`` and ``figure_`` are the axes and the figure.

>>> from codelength import NaiveBayes, datasets, plot
>>> vote = datasets.load("vote").table
>>> display = plot.CalibrationDisplay.from_estimator(NaiveBayes().fit(vote), vote, leave_one_out=True)
>>> display.ax_.get_xlabel()
'probability given to republican'

A notebook shows a display, and ``save`` writes it to an ``.svg``, ``.png`` or ``.pdf`` file. Four displays
are about latent classes:

>>> from codelength import FiniteMixture
>>> table = {name: ["yes", "no"] * 9 for name in ("eggs", "wings", "beak")}
>>> model = FiniteMixture(2, random_state=0).fit(table)
>>> plot.ComponentProfilesDisplay.from_estimator(model).save("birds.svg")  # doctest: +SKIP
"""

from typing import Any

from .calibration import CalibrationDisplay
from .component_profiles import ComponentProfilesDisplay
from .criterion_path import CriterionPathDisplay
from .evidence_by_variable import EvidenceByVariableDisplay
from .explanation import ExplanationDisplay
from .learning_curve import LearningCurveDisplay
from .memberships import MembershipsDisplay
from .residuals import ResidualsDisplay

__all__ = [
    "KINDS",
    "CalibrationDisplay",
    "ComponentProfilesDisplay",
    "CriterionPathDisplay",
    "EvidenceByVariableDisplay",
    "ExplanationDisplay",
    "LearningCurveDisplay",
    "MembershipsDisplay",
    "ResidualsDisplay",
]

KINDS: dict[str, Any] = {
    "profiles": ComponentProfilesDisplay,
    "criteria": CriterionPathDisplay,
    "residuals": ResidualsDisplay,
    "memberships": MembershipsDisplay,
}
"""Displays of a fitted mixture, as ``codelength cluster --figure`` names them."""
