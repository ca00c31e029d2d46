"""Relations of latent classes to other variables: covariates, outcomes, inactive variables."""

from .assignment import Assignment, assign
from .columns import covariate_matrix
from .one_step import OneStepModel, fit_covariates
from .outcomes import InactiveProfile, inactive_profile, relate_outcome
from .results import CovariateRelation, OutcomeRelation
from .three_step import relate_covariates

__all__ = [
    "Assignment",
    "CovariateRelation",
    "InactiveProfile",
    "OneStepModel",
    "OutcomeRelation",
    "assign",
    "covariate_matrix",
    "fit_covariates",
    "inactive_profile",
    "relate_covariates",
    "relate_outcome",
]
