"""Scores of predictions and code lengths of tables, all in nats."""

from .networks import NetworkCodeLength, network_code_length
from .nml import nml_code_length
from .of_tables import evidence_code_length, leave_one_out, rule_code_length
from .predictions import Predictions, accuracy, brier_score, log_score, predictions_of
from .totals import Scores

__all__ = [
    "NetworkCodeLength",
    "Predictions",
    "Scores",
    "accuracy",
    "brier_score",
    "evidence_code_length",
    "leave_one_out",
    "log_score",
    "network_code_length",
    "nml_code_length",
    "predictions_of",
    "rule_code_length",
]
