"""All models alike, averaged."""

from ..counts import Counts
from .priors import Pseudocounts, pseudocounts
from .rule import Rule, logarithm


def indifferent_rule(counts: Counts, prior: Pseudocounts) -> Rule:
    r"""Predict by averaging over every naive Bayes model when no model is preferred to another.

    .. math:: \Bigl(h_k + 1 + \sum_i n_i - m\Bigr) \prod_i \frac{f_{kix_i} + 1}{h_k + n_i}

    Equations (16) and (17) of [1]_: the evidence rule under the indifferent prior, whatever ``prior`` says.

    References
    ----------
    .. [1] Cerquides and López de Mántaras (2003). The indifferent naive Bayes classifier. FLAIRS.
    """
    own = pseudocounts("indifferent", counts.schema)
    return Rule("indifferent", own.class_pseudocounts, own.value_pseudocounts, logarithm)
