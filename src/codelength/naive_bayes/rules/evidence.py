"""Rules that average over all models: evidence, and indifferent, whose prior favours no model."""

from ..priors import PriorLike
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


class Indifferent(Rule):
    r"""Predict by averaging over every naive Bayes model under a prior that favours no model.

    .. math:: \Bigl(h_k + 1 + \sum_i n_i - m\Bigr) \prod_i \frac{f_{kix_i} + 1}{h_k + n_i}

    Equations (16) and (17) of [1]_: the evidence rule under the indifferent prior. The ``prior`` argument is
    ignored.

    References
    ----------
    .. [1] Cerquides and López de Mántaras (2003). The indifferent naive Bayes classifier. FLAIRS.
    """

    name = "indifferent"
    averages = True
    needs_prior = False

    def prior(self, prior: PriorLike) -> PriorLike:
        """Return the indifferent prior; raise InvalidParameter for earlier cases."""
        super().prior(prior)
        return "indifferent"
