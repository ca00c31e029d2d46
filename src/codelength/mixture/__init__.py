"""Finite mixtures: tables whose rows belong to hidden components."""

from .best_clustering import best_clustering, local_optima
from .code_length import (
    CRITERIA,
    annealed_code_length,
    bic_code_length,
    cheeseman_stutz_code_length,
    exact_code_length,
    neighbourhood_code_length,
)
from .em import fit_mixture
from .parameters import posterior_mode, with_components

__all__ = [
    "CRITERIA",
    "annealed_code_length",
    "best_clustering",
    "bic_code_length",
    "cheeseman_stutz_code_length",
    "exact_code_length",
    "fit_mixture",
    "local_optima",
    "neighbourhood_code_length",
    "posterior_mode",
    "with_components",
]
