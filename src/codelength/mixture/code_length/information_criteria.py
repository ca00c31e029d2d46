"""Penalised likelihood of a mixture: two classical approximations of its code length."""

import math
from typing import Any

from ...errors import DataError
from ...naive_bayes import PriorLike
from ...table import Schema
from ..cache import RowBlocks, Rows
from ..parameters import MixtureParameters


def log_likelihood(coded: Rows, mixture: MixtureParameters, *, n_threads: int | None = None) -> float:
    r"""Compute the log probability of a table under one mixture, the components summed out, in nats.

    .. math:: \log P(D \mid \Theta) = \sum_n \log \sum_k \alpha_k \prod_i \phi_{kix_{ni}}

    Equation (8) of the 1997 paper (see :mod:`codelength.mixture.code_length`) over all rows, in memory or on
    disk. A row of weight zero is ignored, even if its probability is zero.

    Examples
    --------
    >>> import numpy as np
    >>> from codelength.mixture.parameters import with_components
    >>> from codelength.table import Coded
    >>> schema = with_components(Schema.from_sizes([2]), 1)
    >>> fair_coin = MixtureParameters(schema, np.array([1.0]), np.array([[0.5, 0.5, 1.0]]))
    >>> round(log_likelihood(Coded.of(schema, [[0], [1], [1]]), fair_coin) / math.log(2), 9)
    -3.0
    """
    parts = []
    for block in RowBlocks(coded):
        log_probs = mixture.log_probs(block, n_threads)
        if block.weights is not None:
            # 0 times minus infinity is not a number.
            counted = block.weights > 0
            log_probs = log_probs[counted] * block.weights[counted]
        # math.fsum is several times faster on lists than on arrays.
        parts.append(math.fsum(log_probs.tolist()))
    return math.fsum(parts)


def n_parameters(schema: Schema, n_components: int) -> int:
    """Return the number of free parameters: d = (K - 1) + K sum over variables of (n_values - 1).

    Examples
    --------
    >>> n_parameters(Schema.from_sizes([2, 3]), 2)
    7
    """
    return n_components - 1 + n_components * int((schema.n_values - 1).sum())


def bic_code_length(
    rows: Any, mixture: MixtureParameters, prior: PriorLike = "uniform", *, random_state: Any = 0
) -> float:
    r"""Compute the Bayesian information criterion as a code length in nats; lower is better.

    .. math:: -\log P(D \mid \hat\Theta) + \tfrac{d}{2} \log N

    Equation (4) of the 1997 paper, for the mixture that EM found. With weights, N is their sum.
    Parameters are those of all criteria, :data:`codelength.mixture.code_length.CRITERIA`; no prior enters.

    Raises
    ------
    DataError
        If there are no rows: the penalty would be the logarithm of 0.
    """
    coded = mixture.checked(rows)
    if not coded.total_weight > 0:
        raise DataError("there are no rows, and BIC of no rows is not defined; give at least one row")
    d = n_parameters(mixture.schema, mixture.n_components)
    return -log_likelihood(coded, mixture) + d / 2 * math.log(coded.total_weight)


def aic_code_length(
    rows: Any, mixture: MixtureParameters, prior: PriorLike = "uniform", *, random_state: Any = 0
) -> float:
    r"""Compute Akaike's information criterion as a code length in nats; lower is better.

    .. math:: -\log P(D \mid \hat\Theta) + d

    Equation (5) of the 1997 paper, with the signs of a code length. Parameters are those of
    :func:`bic_code_length`.
    """
    d = n_parameters(mixture.schema, mixture.n_components)
    return -log_likelihood(mixture.checked(rows), mixture) + d
