"""Latent class analysis: inference, relations to other variables, and fit of mixtures.

The methods of :class:`codelength.FiniteMixture` return these results.
"""

from .identifiability import Identifiability
from .inference import Bootstrap, Intervals, LikelihoodRatioTest, PosteriorSample, StandardErrors
from .relations import CovariateRelation, InactiveProfile, OneStepModel, OutcomeRelation
from .residuals import BivariateResiduals

__all__ = [
    "BivariateResiduals",
    "Bootstrap",
    "CovariateRelation",
    "Identifiability",
    "InactiveProfile",
    "Intervals",
    "LikelihoodRatioTest",
    "OneStepModel",
    "OutcomeRelation",
    "PosteriorSample",
    "StandardErrors",
]
