"""What a prediction or a table costs, all in nats."""

from .evidence import evidence_code_length
from .leave_one_out import leave_one_out
from .predictions import Predictions, accuracy, brier_score, log_score, predictions_of

__all__ = [
    "Predictions",
    "accuracy",
    "brier_score",
    "evidence_code_length",
    "leave_one_out",
    "log_score",
    "predictions_of",
]
