"""The MAP rule: the single most probable model."""

from ...errors import InvalidParameter
from ...table import Schema
from ..priors import Pseudocounts
from .rule import Offsets, Rule


class Map(Rule):
    r"""Predict with the maximum a posteriori model; with the uniform prior, the maximum likelihood one.

    .. math:: \hat\alpha_k \prod_i \hat\phi_{kix_i}, \quad
              \hat\alpha_k \propto h_k + \mu_k - 1, \quad \hat\phi_{kil} \propto f_{kil} + \sigma_{kil} - 1

    Equation (7) of [1]_. A value never seen in a class has probability exactly zero there, and a class
    never seen has weight zero. If no cell of a variable was seen in a class, every distribution maximises
    the posterior, and the uniform one is used.

    References
    ----------
    .. [1] Kontkanen, Myllymäki, Silander and Tirri (1998). Bayes optimal instance-based learning. ECML.
    """

    name = "map"
    gives_zero = True

    def offsets(self, prior: Pseudocounts, schema: Schema) -> Offsets:
        """Return the pseudocounts less one."""
        of_values = prior.value_pseudocounts - 1
        of_values[:, schema.offsets[1:] - 1] = 0.0
        return Offsets(prior.class_pseudocounts - 1, of_values)

    def check(self, lowest: float, when: str = "") -> None:
        """Raise InvalidParameter if the posterior has no mode inside the simplex."""
        if lowest < 0:
            raise InvalidParameter(
                f'rule="map": {when}a count plus its pseudocount is {lowest + 1:g}, below 1, so there is '
                'no most probable model; use pseudocounts of at least 1, or rule="evidence"'
            )
