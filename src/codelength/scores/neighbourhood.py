"""Local neighbourhoods: the sum over the clusterings near a few good ones.

Moving one row to another component changes P(Z, D) by the ratio of two predictions of that row from all
the others, so that leave-one-out prediction gives a whole neighbourhood at once.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp

from ..errors import InvalidParameter
from ..rules import Pseudocounts, evidence_rule
from ..table import Coded, Schema
from ..typing import BoolArray, CodeArray, FloatArray, IntArray
from .clusterings import clustering_counts, completed
from .evidence import evidence_code_length
from .leave_one_out import leave_one_out
from .mixtures import MixturePrior, spread_prior


def neighbourhood_code_length(
    schema: Schema,
    codes: CodeArray,
    clustering: Any,
    prior: MixturePrior = "uniform",
    *,
    with_centre: bool = True,
) -> float:
    r"""Code length by the clustering and its one-change neighbours alone, in nats.

    .. math:: -\log \sum_{Z \in \mathcal{N}(\hat Z)} P(Z, D)

    Equation (7) of [1]_, where the neighbours are the N(K - 1) clusterings that differ in one row. It is
    never below the exact code length.

    Parameters
    ----------
    schema : Schema
        The schema of the codes, whose target is the component.
    codes : array of shape (n_rows, n_variables)
        The coded rows.
    clustering : array of shape (n_rows,)
        The component of each row.
    prior : prior or its name
        Pseudocounts of the components and values.
    with_centre : bool
        Whether the clustering itself is summed too. Without it a single component has no neighbours,
        and the code length is infinite.

    References
    ----------
    .. [1] Kontkanen, Myllymäki, Silander and Tirri (1997). On the accuracy of stochastic complexity
       approximations. Causal Models and Statistical Learning.

    Examples
    --------
    With one row the neighbourhood is everything.

    >>> from codelength.scores.mixtures import with_components
    >>> schema = with_components(Schema.from_sizes([2]), 3)
    >>> round(np.exp(-neighbourhood_code_length(schema, np.array([[1]], dtype=np.uint8), [0])), 9)
    0.5
    """
    centre, moves = _log_moves(schema, completed(schema, codes, clustering), spread_prior(prior, schema))
    inside = np.append(moves.ravel(), 0.0 if with_centre else -np.inf)
    return -(centre + float(logsumexp(inside)))


def neighbourhoods_code_length(
    schema: Schema, codes: CodeArray, clusterings: Sequence[Any], prior: MixturePrior = "uniform"
) -> float:
    """Code length by all clusterings that are near one of several, under any names of the components.

    A clustering that is near several centres counts once. Components with the same pseudocounts can swap
    their names without a change of P(Z, D), so that each clustering stands for all its renamings, also
    those that are near no centre. With all clusterings as centres the result is exact; with fewer it
    is never below the exact code length.

    Parameters
    ----------
    schema : Schema
        The schema of the codes, whose target is the component.
    codes : array of shape (n_rows, n_variables)
        The coded rows.
    clusterings : sequence of arrays of shape (n_rows,)
        The centres, such as the local optima that a search found.
    prior : prior or its name
        Pseudocounts of the components and values.

    Examples
    --------
    Two rows in two components: apart or together, and each in two ways.

    >>> from codelength.scores.mixtures import with_components
    >>> schema = with_components(Schema.from_sizes([2]), 2)
    >>> codes = np.array([[0], [1]], dtype=np.uint8)
    >>> round(np.exp(-neighbourhoods_code_length(schema, codes, [[0, 1]])), 9)
    0.194444444
    """
    if not len(clusterings):
        raise InvalidParameter("clusterings: none given; at least one is needed")
    spread = spread_prior(prior, schema)
    names = exchangeable(spread)
    tables = [completed(schema, codes, clustering) for clustering in clusterings]
    centres = np.array([canonical(np.asarray(table.classes, dtype=np.int64), names) for table in tables])
    centres = np.unique(centres, axis=0)
    parts = [_neighbourhood(schema, codes, centre, spread, names) for centre in centres]
    kept = _distinct(centres, names)
    log_probs = np.concatenate([part.ravel() for part in parts])
    return -float(logsumexp(log_probs[kept]))


def exchangeable(prior: Pseudocounts) -> IntArray:
    """For each component the first one with the same pseudocounts: they can swap names.

    Examples
    --------
    >>> from codelength.rules import Prior
    >>> schema = Schema.from_sizes([2], n_classes=3)
    >>> exchangeable(Prior([1, 2, 1]).spread(schema))
    array([0, 1, 0])
    """
    rows = np.column_stack((prior.class_pseudocounts, prior.value_pseudocounts))
    return np.array([int(np.argmax((rows == row).all(axis=1))) for row in rows], dtype=np.int64)


def canonical(clustering: IntArray, names: IntArray) -> IntArray:
    """The first in lexicographic order of the clusterings that differ in exchangeable names only.

    Examples
    --------
    >>> canonical(np.array([2, 2, 0, 1]), np.array([0, 0, 0]))
    array([0, 0, 1, 2])
    """
    renamed = np.full(len(names), -1, dtype=np.int64)
    free = {kind: iter(np.flatnonzero(names == kind)) for kind in set(names.tolist())}
    seen, firsts = np.unique(clustering, return_index=True)
    for k in seen[np.argsort(firsts)]:
        renamed[k] = next(free[int(names[k])])
    return renamed[clustering]


def log_renamings(used: BoolArray, names: IntArray) -> float:
    """Log of the number of clusterings that differ from one in exchangeable names only."""
    return float(_log_renamings(np.array([[used[names == kind].sum() for kind in names]]), names)[0])
