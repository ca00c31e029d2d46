"""Uncertainty of the probabilities of a mixture, and tests of its number of components."""

from .alignment import align
from .bootstrap import Bootstrap, bootstrap
from .convergence import effective_sample_size, r_hat
from .coordinates import Coordinates
from .design import design_standard_errors
from .gibbs import PosteriorSample, posterior_sample
from .information import StandardErrors, standard_errors
from .intervals import Intervals
from .likelihood_ratio import LikelihoodRatioTest, likelihood_ratio_test
from .profile import with_profile_bounds

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
