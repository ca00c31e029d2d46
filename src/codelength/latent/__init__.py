"""Latent class analysis: inference, relations to other variables, and fit of mixtures.

The methods of :class:`codelength.FiniteMixture` return these results.

:mod:`~codelength.latent.fit_measures`, :mod:`~codelength.latent.residuals` and
:mod:`~codelength.latent.identifiability` ask whether a mixture describes the table;
:mod:`~codelength.latent.inference` says how precisely it is known;
:mod:`~codelength.latent.relations` relates its classes to other columns. Mixtures are fitted in
:mod:`codelength.mixture`.
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
