"""The sum over all clusterings, term by term: the readable form, and the terms themselves."""

import math
from typing import Any

import numpy as np

from ....rules import PriorLike
from ....table import Schema
from ....typing import FloatArray
from .costs import Cost, count_of, refuse
from .mixture import Mixture, class_norm_logs, mixture_of, step_tables, table_bytes

_STEPS_A_SECOND = 1.2e8
_CHUNK = 1 << 20


def clustering_log_terms(
    X: Any, n_components: int, *, prior: PriorLike = "uniform", schema: Schema | None = None
) -> FloatArray:
    r"""Log P(Z, D) of every clustering Z of the rows, in nats.

    Equation (9) of [1]_ for each of the :math:`K^N` terms of the sum (11): the evidence of the table
    completed by the clustering. No symmetry is used, so a term occurs as often as the clustering has
    labellings.

    Parameters
    ----------
    X : data frame, array, or mapping of names to columns
        The rows.
    n_components : int
        Number of components K.
    prior : {"uniform", "jeffreys", "indifferent"}, float or Prior
        Dirichlet pseudocounts, which may differ between components.
    schema : Schema, optional
        What the rows may hold; by default inferred from ``X``.

    Returns
    -------
    array of shape (n_components ** n_rows,)
        In lexicographic order of the clusterings: term t is the clustering whose components are the
        digits of t to the base K, the first row the most significant.

    References
    ----------
    .. [1] Kontkanen, Myllymäki, Silander and Tirri (1997). On the accuracy of stochastic complexity
       approximations. Causal Models and Statistical Learning.

    Examples
    --------
    >>> terms = clustering_log_terms([["red"], ["blue"]], 2)
    >>> np.exp(terms).round(4)
    array([0.0556, 0.0417, 0.0417, 0.0556])
    """
    mixture = mixture_of(X, n_components, prior, schema)
    cost = enumeration_cost(mixture)
    cost = Cost(cost.seconds, cost.n_bytes + 8 * count_of(mixture.n_rows * math.log(mixture.n_components)))
    if not cost.is_feasible:
        raise refuse(f"all terms of {mixture.n_rows} rows and {mixture.n_components} components", cost)
    return _terms(mixture, 0, mixture.n_components**mixture.n_rows)


def enumeration_cost(mixture: Mixture) -> Cost:
    """Estimated cost of summing all terms."""
    n_terms = count_of(mixture.n_rows * math.log(mixture.n_components))
    seconds = n_terms * 2 * (mixture.n_variables + 2) / _STEPS_A_SECOND
    return Cost(seconds, 24 * min(n_terms, _CHUNK) + table_bytes(mixture, mixture.n_components))


def enumeration_log_sum(mixture: Mixture) -> float:
    """Log of the sum of all terms, which are never held all at once."""
    n_terms = mixture.n_components**mixture.n_rows
    parts = []
    for first in range(0, n_terms, _CHUNK):
        terms = _terms(mixture, first, min(first + _CHUNK, n_terms))
        largest = float(terms.max())
        parts.append(largest + math.log(math.fsum(np.exp(terms - largest))))
    largest = max(parts)
    return largest + math.log(math.fsum(math.exp(part - largest) for part in parts))


def _terms(mixture: Mixture, first: int, stop: int) -> FloatArray:
    from ._enumeration_kernels import log_terms

    tables = step_tables(mixture, mixture.n_components)
    norm_logs = class_norm_logs(mixture, mixture.n_components)
    terms = np.empty(stop - first)
    log_terms(
        mixture.cells,
        mixture.spares,
        tables.size_logs,
        tables.value_logs,
        tables.total_logs,
        norm_logs,
        first,
        terms,
    )
    return terms
