"""The three predictive distributions of a finite mixture with hidden components.

========================= ==================================================================================
rule                      prediction
========================= ==================================================================================
``map``                   by the most probable mixture alone
``evidence``              by all mixtures, each weighted by its posterior probability: P(D, d) / P(D)
``stochastic_complexity`` by the maximised likelihood of all rows and the new one, for each value
========================= ==================================================================================
"""

from .chains import Effort
from .predict import (
    ImputedCells,
    Learned,
    Method,
    MixtureRule,
    packed_rows,
    predict,
    restored_rows,
    shown_value,
)

__all__ = [
    "Effort",
    "ImputedCells",
    "Learned",
    "Method",
    "MixtureRule",
    "packed_rows",
    "predict",
    "restored_rows",
    "shown_value",
]
