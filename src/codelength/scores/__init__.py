"""Code length of a whole data set, one score a file, all in nats."""

from .evidence import conditional_code_length, dirichlet_log_evidence, evidence_code_length
from .exact import ExactCodeLength, clustering_log_terms, exact_code_length
from .information_criteria import aic_code_length, bic_code_length, log_likelihood, n_parameters
from .leave_one_out import leave_one_out
from .mixtures import MixtureParameters, with_components
from .predictions import Predictions, accuracy, brier_score, log_score

__all__ = [
    "ExactCodeLength",
    "MixtureParameters",
    "Predictions",
    "accuracy",
    "aic_code_length",
    "bic_code_length",
    "brier_score",
    "clustering_log_terms",
    "conditional_code_length",
    "dirichlet_log_evidence",
    "evidence_code_length",
    "exact_code_length",
    "leave_one_out",
    "log_likelihood",
    "log_score",
    "n_parameters",
    "with_components",
]
