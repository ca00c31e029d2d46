"""The Cheeseman-Stutz approximation: the evidence of completed data, corrected by two likelihoods."""

import math
from typing import Any, Literal

import numpy as np

from ...counts import Counts
from ...counts.soft import expected_counts
from ...errors import DataError, InvalidParameter
from ...scores.evidence import evidence_code_length
from ...table import Schema
from ...typing import CodeArray, FloatArray
from ..clusterings import clustering_counts
from ..parameters import MixtureParameters, posterior_mode
from .information_criteria import log_likelihood

Completion = Literal["hard", "soft"]


def cheeseman_stutz_code_length(
    schema: Schema,
    codes: CodeArray,
    memberships: Any,
    prior: PriorLike = "uniform",
    *,
    completion: Completion = "hard",
    parameters: MixtureParameters | None = None,
    sample_weight: FloatArray | None = None,
) -> float:
    r"""Approximate code length of a table under a mixture, in nats; lower is better.

    .. math:: -\log P(D, \tilde Z) - \log P(D \mid \hat\Theta) + \log P(D, \tilde Z \mid \hat\Theta)

    Equation (6) of [1]_: the code length of the completed data, which has a closed form, and a correction
    for what the completion made up.

    Parameters
    ----------
    schema : Schema
        The schema of the codes, whose target is the component.
    codes : array of shape (n_rows, n_variables)
        The coded rows.
    memberships : array of shape (n_rows,) or (n_rows, n_components)
        The component of each row, or the probability of each component for each row.
    prior : prior or its name
        Pseudocounts; the most probable parameters need them to be at least 1 where nothing was seen.
    completion : {"hard", "soft"}
        Whether a row goes to its most probable component (the first of equal ones) or is shared out.
    parameters : MixtureParameters, optional
        The mixture to correct by, such as the one EM ended with; by default the most probable one given
        the completed data. The two agree where EM has converged and the completion is soft.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows.

    References
    ----------
    .. [1] Kontkanen, Myllymäki, Silander and Tirri (1997). On the accuracy of stochastic complexity
       approximations. Causal Models and Statistical Learning.

    Examples
    --------
    With a single component the completion is certain, and the approximation is exact.

    >>> from codelength.scores.mixtures import with_components
    >>> schema, codes = with_components(Schema.from_sizes([2]), 1), np.array([[0], [1]], dtype=np.uint8)
    >>> round(float(np.exp(-cheeseman_stutz_code_length(schema, codes, [0, 0]))), 9)
    0.166666667
    """
    spread = pseudocounts(prior, schema)
    counts = _completed_counts(schema, codes, memberships, completion, sample_weight)
    fitted = posterior_mode(counts, spread) if parameters is None else parameters
    complete = _complete_log_likelihood(counts, fitted)
    if complete == -math.inf:
        raise DataError(
            "the parameters exclude the completed data, so there is nothing to correct by; give those of the "
            "same rows and components, or leave parameters= out"
        )
    observed = log_likelihood(fitted, codes, sample_weight=sample_weight)
    return math.fsum((evidence_code_length(counts, spread), -observed, complete))


def _completed_counts(
    schema: Schema, codes: CodeArray, memberships: Any, completion: str, sample_weight: FloatArray | None
) -> Counts:
    if completion not in ("hard", "soft"):
        raise InvalidParameter(f'completion={completion!r}: expected "hard" or "soft"')
    shares = np.asarray(memberships)
    if shares.ndim != 2:
        return clustering_counts(schema, codes, shares, sample_weight)
    if completion == "soft":
        return expected_counts(schema, codes, shares, sample_weight)
    return clustering_counts(schema, codes, np.argmax(shares, axis=1), sample_weight)


def _complete_log_likelihood(counts: Counts, parameters: MixtureParameters) -> float:
    """Log probability of the rows together with their components; 0 log 0 is 0."""
    tables = parameters.log_tables()
    if tables.value_table.shape != counts.value_counts.shape:
        raise InvalidParameter(
            f"parameters: {parameters.n_components} components over {tables.value_table.shape[1]} cells, "
            f"but the completed data has shape {counts.value_counts.shape}"
        )
    seen_classes, seen_values = counts.class_counts > 0, counts.value_counts > 0
    return math.fsum(
        (
            float(counts.class_counts[seen_classes] @ tables.class_table[seen_classes]),
            float(counts.value_counts[seen_values] @ tables.value_table[seen_values]),
        )
    )
