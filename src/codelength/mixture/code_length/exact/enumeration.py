"""Sum over all clusterings, term by term: the readable form, and the terms themselves."""

import math
from typing import Any

import numpy as np

from ....naive_bayes import PriorLike
from ....typing import FloatArray
from ...costs import Cost, count_of, refuse
from ...parameters import MixtureParameters
from .problem import ClusteringSum

_STEPS_PER_SECOND = 1.2e8
_CHUNK = 1 << 20


def clustering_log_terms(
    rows: Any, mixture: MixtureParameters | int, prior: PriorLike = "uniform"
) -> FloatArray:
    r"""Compute log P(Z, D) of every clustering Z of the rows, in nats.

    Equation (9) of the 1997 paper for each of the :math:`K^N` terms of the sum (11): the evidence of the
    table completed by the clustering. No symmetry is used, so a term occurs as often as the clustering has
    labellings.

    Parameters
    ----------
    rows, mixture, prior
        As in :func:`exact_code_length`.

    Returns
    -------
    array of shape (n_components ** n_rows,)
        In lexicographic order of the clusterings: term t is the clustering whose components are the
        digits of t to the base K, the first row the most significant.

    Examples
    --------
    >>> terms = clustering_log_terms([["red"], ["blue"]], 2)
    >>> np.exp(terms).round(4)
    array([0.0556, 0.0417, 0.0417, 0.0556])
    """
    problem = ClusteringSum.of(rows, mixture, prior)
    cost = enumeration_cost(problem)
    cost = Cost(cost.seconds, cost.n_bytes + 8 * count_of(problem.n_rows * math.log(problem.n_components)))
    if not cost.is_feasible:
        raise refuse(f"all terms of {problem.n_rows} rows and {problem.n_components} components", cost)
    return _terms(problem, 0, problem.n_components**problem.n_rows)


def enumeration_cost(problem: ClusteringSum) -> Cost:
    """Estimate the cost of summing all terms."""
    n_terms = count_of(problem.n_rows * math.log(problem.n_components))
    seconds = n_terms * 2 * (problem.n_variables + 2) / _STEPS_PER_SECOND
    return Cost(seconds, 24 * min(n_terms, _CHUNK) + problem.table_bytes(problem.n_components))


def enumeration_log_sum(problem: ClusteringSum) -> float:
    """Return the log of the sum of all terms, in chunks of bounded memory."""
    n_terms = problem.n_components**problem.n_rows
    parts = []
    for first in range(0, n_terms, _CHUNK):
        terms = _terms(problem, first, min(first + _CHUNK, n_terms))
        largest = float(terms.max())
        # Each chunk relative to its own largest term, then all chunks relative to the largest of them.
        parts.append(largest + math.log(math.fsum(np.exp(terms - largest))))
    largest = max(parts)
    return largest + math.log(math.fsum(math.exp(part - largest) for part in parts))


def _terms(problem: ClusteringSum, first: int, stop: int) -> FloatArray:
    from ._enumeration_kernels import log_terms

    tables, norm_logs = (
        problem.step_tables(problem.n_components),
        problem.class_norm_logs(problem.n_components),
    )
    terms = np.empty(stop - first)
    log_terms(problem.cells, problem.spares, tables, norm_logs, first, terms)
    return terms
