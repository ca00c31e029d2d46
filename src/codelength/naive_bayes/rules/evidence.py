"""The evidence rule: the average over all models."""

from .rule import Rule


class Evidence(Rule):
    r"""Predict by averaging over every naive Bayes model, weighted by its posterior.

    .. math:: \frac{h_k + \mu_k}{N + \sum_{k'} \mu_{k'}}
              \prod_i \frac{f_{kix_i} + \sigma_{kix_i}}{h_k + \sum_l \sigma_{kil}}

    Equation (9) of [1]_: the integral over all parameters equals the prediction of the one model with
    the expected parameters.

    References
    ----------
    .. [1] Kontkanen, Myllymäki, Silander and Tirri (1998). Bayes optimal instance-based learning. ECML.
    """

    name = "evidence"
    averages = True
