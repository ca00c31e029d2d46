"""The single most probable model."""

import numpy as np

from ..counts import Counts
from ..errors import InvalidParameter
from .priors import Pseudocounts
from .rule import Rule, logarithm


def map_rule(counts: Counts, prior: Pseudocounts) -> Rule:
    r"""Predict with the maximum a posteriori model; with the uniform prior, the maximum likelihood one.

    .. math:: \hat\alpha_k \prod_i \hat\phi_{kix_i}, \quad
              \hat\alpha_k \propto h_k + \mu_k - 1, \quad \hat\phi_{kil} \propto f_{kil} + \sigma_{kil} - 1

    Equation (7) of [1]_. A value never seen in a class has probability exactly zero there, and a class
    never seen has weight zero. Where no cell of a variable was seen in a class, every value
    maximises the posterior alike, and the uniform distribution is taken.

    References
    ----------
    .. [1] Kontkanen, Myllymäki, Silander and Tirri (1998). Bayes optimal instance-based learning. ECML.
    """
    rule = Rule("map", prior.class_pseudocounts - 1, _less_one(counts, prior), logarithm)
    _check(counts, rule)
    return rule


def _check(counts: Counts, rule: Rule) -> None:
    """Refuse a prior under which the posterior has no mode inside the simplex."""
    lowest = min(
        (counts.class_counts + rule.class_offsets).min(initial=0.0),
        (counts.value_counts + rule.value_offsets).min(initial=0.0),
    )
    if lowest < 0:
        raise InvalidParameter(
            f'rule="map": a count plus its pseudocount is {lowest + 1:g}, below 1, so there is no most '
            'probable model; use pseudocounts of at least 1, or rule="evidence"'
        )


def _less_one(counts: Counts, prior: Pseudocounts) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    offsets = prior.value_pseudocounts - 1
    offsets[:, counts.schema.offsets[1:] - 1] = 0.0
    return offsets
