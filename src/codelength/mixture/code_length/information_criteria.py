"""Penalised likelihood of a mixture: two classical approximations of its code length."""

import math
from typing import Any

import numpy as np

from ...errors import DataError
from ...naive_bayes import PriorLike
from ...table import Coded, Schema
from ...typing import FloatArray
from ..cache import CachedRows, RowBlocks, Rows
from ..parameters import MixtureParameters


def log_likelihood(coded: Rows, mixture: MixtureParameters, *, n_threads: int | None = None) -> float:
    r"""Compute the log probability of a table under one mixture, the components summed out, in nats.

    .. math:: \log P(D \mid \Theta) = \sum_n \log \sum_k \alpha_k \prod_i \phi_{kix_{ni}}

    Equation (8) of the 1997 paper (see :mod:`codelength.mixture.code_length`) over all rows. A row of weight
    zero is ignored, even if its probability is zero.

    Parameters
    ----------
    coded : Coded or CachedRows
        The rows, with their weights.
    mixture : MixtureParameters
        The mixture.
    n_threads : int, optional
        Threads to use; the result is the same for any number.

    Returns
    -------
    float
        The log-likelihood in nats.

    Examples
    --------
    >>> from codelength.mixture.parameters import with_components
    >>> schema = with_components(Schema.from_sizes([2]), 1)
    >>> fair_coin = MixtureParameters(schema, np.array([1.0]), np.array([[0.5, 0.5, 1.0]]))
    >>> round(log_likelihood(Coded.of(schema, [[0], [1], [1]]), fair_coin) / math.log(2), 9)
    -3.0
    """
    # math.fsum is several times faster on lists than on arrays.
    return math.fsum(math.fsum(_log_probs(block, mixture, n_threads).tolist()) for block in RowBlocks(coded))


def _log_probs(coded: Coded, mixture: MixtureParameters, n_threads: int | None) -> FloatArray:
    log_probs = mixture.log_probs(coded, n_threads)
    if coded.weights is None:
        return log_probs
    # 0 times minus infinity is not a number.
    counted = coded.weights > 0
    return np.asarray(log_probs[counted] * coded.weights[counted])


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
    coded = rows if isinstance(rows, CachedRows) else mixture.coded(rows)
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
    coded = rows if isinstance(rows, CachedRows) else mixture.coded(rows)
    return -log_likelihood(coded, mixture) + d
