"""Code lengths of tables, in nats, and the clustering with the shortest one.

Of labelled tables: :func:`evidence_code_length`, :func:`nml_code_length` and :func:`network_code_length`. Of
tables under a mixture: :func:`exact_code_length` and its approximations. Lower is better.
"""

from .mixture import (
    annealed_code_length,
    best_clustering,
    cheeseman_stutz_code_length,
    exact_code_length,
    neighbourhood_code_length,
)
from .scores import evidence_code_length, network_code_length, nml_code_length

__all__ = [
    "annealed_code_length",
    "best_clustering",
    "cheeseman_stutz_code_length",
    "evidence_code_length",
    "exact_code_length",
    "neighbourhood_code_length",
    "network_code_length",
    "nml_code_length",
]
