"""The indifferent rule: the average over all models under a prior that favours none."""

from ..priors import PriorLike
from .rule import Rule


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
