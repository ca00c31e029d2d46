"""Normalised maximum likelihood, Rissanen's code, with exact normalisers."""

from .code_length import nml_code_length, why_not_described
from .multinomial import log_normalisers
from .naive_bayes import naive_bayes_log_normaliser
from .networks import NetworkCodeLength, fnml_code_length, network_code_length, qnml_code_length

__all__ = [
    "NetworkCodeLength",
    "fnml_code_length",
    "log_normalisers",
    "naive_bayes_log_normaliser",
    "network_code_length",
    "nml_code_length",
    "qnml_code_length",
    "why_not_described",
]
