"""Code length of a whole data set, one score a file, all in nats."""

from .evidence import conditional_code_length, dirichlet_log_evidence, evidence_code_length
from .leave_one_out import leave_one_out
from .predictions import Predictions, accuracy, brier_score, log_score

__all__ = [
    "Predictions",
    "accuracy",
    "brier_score",
    "conditional_code_length",
    "dirichlet_log_evidence",
    "evidence_code_length",
    "leave_one_out",
    "log_score",
]
