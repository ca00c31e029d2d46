"""Sums over clusterings that differ from a good one in up to two rows: "some distance" in equation (7)."""

from typing import Any

import numpy as np

from codelength.mixture.clusterings import ClusteringState, ObservedCells, completed, single_rows
from codelength.mixture.code_length import neighbourhood_code_length
from codelength.mixture.code_length.neighbourhood import log_moves
from codelength.mixture.costs import Cost, refuse
from codelength.naive_bayes import PriorLike, Pseudocounts, pseudocounts
from codelength.table import Coded

SECONDS_PER_STEP = 3.5e-9
"""Time for one cell of one pair of rows."""


def wider_neighbourhood_code_length(
    rows: Any, mixture: Any, prior: PriorLike = "uniform", *, with_centre: bool = True
) -> float:
    """Compute the code length by the clusterings that differ from a good one in up to two rows, in nats.

    Pairs of rows take time that grows with the square of the number of distinct rows.

    Parameters
    ----------
    rows, mixture, prior, with_centre
        As in :func:`codelength.mixture.code_length.neighbourhood_code_length`.

    Returns
    -------
    float
        An upper bound on the exact code length, in nats.

    Raises
    ------
    Infeasible
        If all pairs of rows would take too long.
    """
    table = single_rows(completed(rows, mixture))
    near = neighbourhood_code_length(table, table.class_codes, prior, with_centre=with_centre)
    spread = pseudocounts(prior, table.schema)
    return -float(np.logaddexp(-near, log_moves(table, spread)[0] + _log_pairs(table, spread)))


def _log_pairs(table: Coded, prior: Pseudocounts) -> float:
    """Return the log of the gain of P(Z, D), summed over all pairs of rows that both move."""
    from ._neighbourhood_kernels import log_pairs_of_moves

    rows = table.distinct()
    observed, n_components = ObservedCells.of(rows), rows.schema.n_classes
    n_steps = rows.n_rows * (n_components - 1) * (2 * len(observed.cells) + rows.n_rows * n_components)
    cost = Cost(SECONDS_PER_STEP * n_steps, 0.0)
    if not cost.is_feasible:
        raise refuse(f"the sum over all pairs of {rows.n_rows:,} distinct rows", cost)
    state = ClusteringState.pseudocounts(rows.schema, prior)
    # The kernel keeps counts apart from pseudocounts.
    none = ClusteringState(*(np.zeros_like(part) for part in state))
    labels, weights = rows.class_codes.astype(np.int64), np.asarray(rows.weights)
    return float(log_pairs_of_moves(observed, labels, weights, state, none))
