"""All models, averaged under a prior that favours none."""

from ..priors import PriorLike
from .rule import Rule


class Indifferent(Rule):
    r"""Predict by averaging over every naive Bayes model under a prior that favours no model.

    .. math:: \Bigl(h_k + 1 + \sum_i n_i - m\Bigr) \prod_i \frac{f_{kix_i} + 1}{h_k + n_i}

    Equations (16) and (17) of [1]_: the evidence rule under the indifferent prior, whatever prior is asked
    for.

    References
    ----------
    .. [1] Cerquides and López de Mántaras (2003). The indifferent naive Bayes classifier. FLAIRS.
    """

    name = "indifferent"
    averages = True
    needs_prior = False

    def prior(self, prior: PriorLike) -> PriorLike:
        """Always the indifferent one; earlier cases are refused."""
        super().prior(prior)
        return "indifferent"
