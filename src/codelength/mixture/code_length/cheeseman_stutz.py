"""The Cheeseman-Stutz approximation: the evidence of completed data, corrected by two likelihoods."""

import math
from typing import Any

import numpy as np

from ...counts import Counts, expected_counts
from ...errors import DataError, InvalidParameter
from ...naive_bayes import PriorLike, pseudocounts
from ...scores import evidence_code_length
from ...sources import as_coded
from ...table import Coded
from ...table.checks import as_array, check_choice, check_instance
from ...typing import FloatArray
from ..clusterings import clustering_counts
from ..parameters import MixtureParameters, mode_prior, posterior_mode
from .information_criteria import log_likelihood

COMPLETIONS = ("hard", "soft")

LEAST_SHARE = 1e-200
"""Smaller shares of a row do not change any sum, but ratios of such counts are not exact."""


def cheeseman_stutz_code_length(
    rows: Any,
    mixture: Any,
    prior: PriorLike = "uniform",
    *,
    random_state: Any = 0,
    completion: str = "hard",
    parameters: MixtureParameters | None = None,
) -> float:
    r"""Approximate code length of a table under a mixture, in nats; lower is better.

    .. math:: -\log P(D, \tilde Z) - \log P(D \mid \hat\Theta) + \log P(D, \tilde Z \mid \hat\Theta)

    Equation (6) of the 1997 paper: the code length of the completed data, which has a closed form, and a
    correction for the completion.

    Parameters
    ----------
    rows, prior, random_state
        As in :data:`codelength.mixture.code_length.CRITERIA`; nothing is random.
    mixture : MixtureParameters, array of shape (n_rows,) or array of shape (n_rows, n_components)
        The completion of the data: a mixture, the component of each row, or the share of each component in
        each row.
    completion : {"hard", "soft"}
        Whether a row is assigned to its most probable component (the first of equal ones) or shared out.
    parameters : MixtureParameters, optional
        The mixture to correct by, such as the one EM ended with; by default the most probable one given
        the completed data, under the uniform prior if a pseudocount is below 1. The two agree if EM has
        converged and the completion is soft.

    Returns
    -------
    float
        The approximate code length in nats.

    Raises
    ------
    DataError
        If ``parameters`` exclude the completed data.

    Examples
    --------
    With a single component the completion is certain, and the approximation is exact.

    >>> round(math.exp(-cheeseman_stutz_code_length([["a"], ["b"]], [0, 0])), 9)
    0.166666667
    """
    check_choice("completion", completion, COMPLETIONS)
    check_instance(
        "parameters", parameters, (MixtureParameters, type(None)), "the parameters of a mixture, or None"
    )
    if isinstance(mixture, MixtureParameters):
        coded = mixture.checked(rows)
        counts = Counts.empty(mixture.schema)
        for block in mixture.blocks(coded):
            # Block by block, so that shares of rows on disk are never held for all of them.
            counts = counts.merge(_completed_counts(block, mixture, completion))
    else:
        coded = as_coded(rows)
        counts = _completed_counts(coded, mixture, completion)
    spread = pseudocounts(prior, counts.schema)
    fitted = posterior_mode(counts, mode_prior(spread, counts.schema)) if parameters is None else parameters
    complete = _complete_log_likelihood(counts, fitted)
    if complete == -math.inf:
        raise DataError(
            "the parameters exclude the completed data, so there is nothing to correct by; give those of the "
            "same rows and components, or leave parameters= out"
        )
    # Three large numbers that nearly cancel: summed without intermediate rounding.
    return math.fsum((evidence_code_length(counts, spread), -log_likelihood(coded, fitted), complete))


def soft_shares(coded: Coded, mixture: MixtureParameters, n_threads: int | None = None) -> FloatArray:
    """Compute the probability of each component for each row; those so small that counts underflow are 0."""
    shares = mixture.responsibilities(coded, n_threads)
    return np.where(shares < LEAST_SHARE, 0.0, shares)


def _completed_counts(coded: Coded, mixture: Any, completion: str) -> Counts:
    if completion == "hard" or as_array(mixture).ndim == 1:
        return clustering_counts(coded, mixture)
    is_fitted = isinstance(mixture, MixtureParameters)
    return expected_counts(coded, soft_shares(coded, mixture) if is_fitted else mixture)


def _complete_log_likelihood(counts: Counts, parameters: MixtureParameters) -> float:
    """Compute the log probability of the rows together with their components; 0 log 0 is 0."""
    tables = parameters.log_tables()
    if tables.value_table.shape != counts.value_counts.shape:
        raise InvalidParameter(
            f"parameters: {parameters.n_components} components over {tables.value_table.shape[1]} cells, "
            f"but the completed data has shape {counts.value_counts.shape}"
        )
    # Only cells with counts: 0 log 0 is 0 here, but not a number in floating point.
    seen_classes, seen_values = counts.class_counts > 0, counts.value_counts > 0
    return math.fsum(
        (
            float(counts.class_counts[seen_classes] @ tables.class_table[seen_classes]),
            float(counts.value_counts[seen_values] @ tables.value_table[seen_values]),
        )
    )
