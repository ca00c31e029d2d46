"""Uncertainty of the probabilities of a mixture, and tests of its number of components.

Uncertainty comes from the curvature of the log-likelihood (:mod:`.information`, for sampling designs
:mod:`.design`), from refits with a probability held (:mod:`.intervals`), from refits to drawn tables
(:mod:`.bootstrap`, :mod:`.likelihood_ratio`), or from draws of the posterior distribution (:mod:`.gibbs`).
:mod:`.coordinates` says which parameters are free and which estimates lie on the boundary, and
:mod:`.alignment` matches components, whose names are arbitrary in every refit.
"""

from .alignment import align
from .bootstrap import Bootstrap, bootstrap
from .coordinates import Coordinates
from .design import design_standard_errors
from .gibbs import PosteriorSample, effective_sample_size, posterior_sample, r_hat
from .information import StandardErrors, standard_errors
from .intervals import Intervals, with_profile_bounds
from .likelihood_ratio import LikelihoodRatioTest, likelihood_ratio_test

__all__ = [
    "Bootstrap",
    "Coordinates",
    "Intervals",
    "LikelihoodRatioTest",
    "PosteriorSample",
    "StandardErrors",
    "align",
    "bootstrap",
    "design_standard_errors",
    "effective_sample_size",
    "likelihood_ratio_test",
    "posterior_sample",
    "r_hat",
    "standard_errors",
    "with_profile_bounds",
]
