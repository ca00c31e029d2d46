"""Code lengths of a table under a finite mixture: exact or approximate, all in nats.

======================== ===================================================================================
name                     code length
======================== ===================================================================================
``cheeseman_stutz``      the evidence of the completed data, corrected by two likelihoods; every row is in its
                         most probable component
``cheeseman_stutz_soft`` the same with every row shared out over the components
``bic``, ``aic``         the likelihood of the most probable mixture, with a penalty for its parameters
``neighbourhood``        the sum over a clustering and those that differ from it in one row
``neighbourhoods``       the sum over those that differ in one row from one of several local optima
``annealed``             the sum over all clusterings, estimated by annealed importance sampling
``exact``                the sum over all clusterings, for few distinct rows
======================== ===================================================================================

"The 1997 paper" here is Kontkanen, Myllymäki, Silander and Tirri (1997), On the accuracy of stochastic
complexity approximations, Causal Models and Statistical Learning.
"""

from functools import partial
from typing import Any, Protocol, SupportsFloat

from ...naive_bayes import PriorLike
from .annealed import AnnealedCodeLength, annealed_code_length
from .cheeseman_stutz import cheeseman_stutz_code_length, soft_shares
from .exact import clustering_log_terms, exact_code_length
from .information_criteria import aic_code_length, bic_code_length
from .neighbourhood import N_NEIGHBOURHOODS, neighbourhood_code_length, union_code_length

__all__ = [
    "CRITERIA",
    "ON_DISK_CRITERIA",
    "aic_code_length",
    "annealed_code_length",
    "bic_code_length",
    "cheeseman_stutz_code_length",
    "clustering_log_terms",
    "exact_code_length",
    "neighbourhood_code_length",
    "soft_shares",
    "standard_error",
    "union_code_length",
]


class Criterion(Protocol):
    """A code length of rows under a mixture, in nats; lower is better.

    Parameters
    ----------
    rows : Coded, or a table of any kind
        The rows. A weight of 2 counts as two equal rows; criteria that work on single rows refuse weights
        that are not whole numbers.
    mixture : MixtureParameters
        A fitted mixture. Some criteria also accept the part of it that they need: a clustering, shares of
        rows, or a number of components. The components of a clustering are the classes of the schema of the
        rows; see :func:`codelength.mixture.parameters.with_components`.
    prior : prior or its name
        Dirichlet pseudocounts of the components and values.
    random_state : int, sequence of int, generator or None
        Seed, if the criterion is random.

    Returns
    -------
    float, or an object with a ``__float__``
        The code length; such an object also has the error of an estimate.
    """

    def __call__(
        self, rows: Any, mixture: Any, prior: PriorLike = "uniform", *, random_state: Any = 0
    ) -> SupportsFloat: ...


CRITERIA: dict[str, Criterion] = {
    "cheeseman_stutz": cheeseman_stutz_code_length,
    "cheeseman_stutz_soft": partial(cheeseman_stutz_code_length, completion="soft"),
    "bic": bic_code_length,
    "aic": aic_code_length,
    "neighbourhood": neighbourhood_code_length,
    "neighbourhoods": partial(neighbourhood_code_length, n_neighbourhoods=N_NEIGHBOURHOODS),
    "annealed": annealed_code_length,
    "exact": exact_code_length,
}
"""Criteria by name. All of them take a fitted mixture and have the signature of :class:`Criterion`."""

ON_DISK_CRITERIA = ("cheeseman_stutz", "cheeseman_stutz_soft", "bic", "aic")
"""Criteria that are sums over rows, and so accept rows on disk."""


def standard_error(length: SupportsFloat) -> float:
    """Return the standard error of an estimated code length, in nats; zero if it is not an estimate."""
    return length.standard_error if isinstance(length, AnnealedCodeLength) else 0.0
