"""Penalised likelihood of a mixture: two classical approximations of its code length."""

import math

from ...errors import DataError
from ...table import Schema
from ...typing import CodeArray, FloatArray
from ..clusterings import checked_weights
from ..parameters import MixtureParameters


def log_likelihood(
    parameters: MixtureParameters,
    codes: CodeArray,
    *,
    sample_weight: FloatArray | None = None,
    n_threads: int | None = None,
) -> float:
    r"""Log probability of a table under one mixture, the components summed out, in nats.

    .. math:: \log P(D \mid \Theta) = \sum_n \log \sum_k \alpha_k \prod_i \phi_{kix_{ni}}

    Equation (8) of [1]_ over all rows.

    References
    ----------
    .. [1] Kontkanen, Myllymäki, Silander and Tirri (1997). On the accuracy of stochastic complexity
       approximations. Causal Models and Statistical Learning.

    Examples
    --------
    >>> import numpy as np
    >>> from codelength.scores.mixtures import with_components
    >>> schema = with_components(Schema.from_sizes([2]), 1)
    >>> fair_coin = MixtureParameters(schema, np.array([1.0]), np.array([[0.5, 0.5, 1.0]]))
    >>> round(float(log_likelihood(fair_coin, np.array([[0], [1], [1]], dtype=np.uint8)) / np.log(2)), 9)
    -3.0
    """
    weights = checked_weights(sample_weight, len(codes))
    log_probs = parameters.log_probs(codes, n_threads)
    if weights is None:
        return math.fsum(log_probs)
    counted = weights > 0
    return math.fsum(log_probs[counted] * weights[counted])


def n_parameters(schema: Schema, n_components: int) -> int:
    """Free parameters of a mixture: d = (K - 1) + K sum over variables of (n_values - 1).

    Examples
    --------
    >>> n_parameters(Schema.from_sizes([2, 3]), 2)
    7
    """
    return n_components - 1 + n_components * int((schema.n_values - 1).sum())


def bic_code_length(
    parameters: MixtureParameters, codes: CodeArray, *, sample_weight: FloatArray | None = None
) -> float:
    r"""Bayesian information criterion as a code length in nats; lower is better.

    .. math:: -\log P(D \mid \hat\Theta) + \tfrac{d}{2} \log N

    Equation (4) of [1]_, where the parameters are those that EM found. With weights, N is their sum.

    References
    ----------
    .. [1] Kontkanen, Myllymäki, Silander and Tirri (1997). On the accuracy of stochastic complexity
       approximations. Causal Models and Statistical Learning.
    """
    weights = checked_weights(sample_weight, len(codes))
    n_rows = float(len(codes) if weights is None else weights.sum())
    if not n_rows > 0:
        raise DataError("there are no rows, and BIC of no rows is not defined; give at least one row")
    d = n_parameters(parameters.schema, parameters.n_components)
    return -log_likelihood(parameters, codes, sample_weight=weights) + d / 2 * math.log(n_rows)


def aic_code_length(
    parameters: MixtureParameters, codes: CodeArray, *, sample_weight: FloatArray | None = None
) -> float:
    r"""Akaike's information criterion as a code length in nats; lower is better.

    .. math:: -\log P(D \mid \hat\Theta) + d

    Equation (5) of [1]_, with the signs of a code length.

    References
    ----------
    .. [1] Kontkanen, Myllymäki, Silander and Tirri (1997). On the accuracy of stochastic complexity
       approximations. Causal Models and Statistical Learning.
    """
    d = n_parameters(parameters.schema, parameters.n_components)
    return -log_likelihood(parameters, codes, sample_weight=sample_weight) + d
