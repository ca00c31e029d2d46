"""The model that fits best once the new row is in."""

import numpy as np

from ..counts import Counts
from .priors import Pseudocounts
from .rule import Rule, growth_of_complexity


def stochastic_complexity_rule(counts: Counts, prior: Pseudocounts) -> Rule:
    r"""Predict with the maximised likelihood of the data together with the new row.

    .. math:: P(Y = k \mid x, D) \propto \max_\Theta P(D, (x, k) \mid \Theta)

    Equation (8) of [1]_, after Rissanen (1996). The normaliser of the normalised maximum likelihood is
    the same for every class and cancels. Adding a row to class k multiplies the maximised likelihood
    by powers ``(n + 1)^(n + 1) / n^n`` of the counts it touches, whose logarithm is ``g`` of
    :mod:`codelength.rules.rule`. No prior enters.

    References
    ----------
    .. [1] Kontkanen, Myllymäki, Silander, Tirri and Grünwald (1997). Comparing predictive inference
           methods for discrete domains. AISTATS.
    """
    nothing = np.zeros_like(counts.class_counts), np.zeros_like(counts.value_counts)
    return Rule("stochastic_complexity", *nothing, growth_of_complexity)
