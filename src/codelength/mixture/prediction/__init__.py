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
from .predict import Learned, Method, MixtureRule, predict

__all__ = ["Effort", "Learned", "Method", "MixtureRule", "predict"]
