"""Sums over clusterings that differ from a good one in up to two rows: "some distance" in equation (7)."""

from typing import Any

import numpy as np
from scipy.special import logsumexp

from codelength.mixture.clusterings import completed, single_rows
from codelength.mixture.code_length import neighbourhood_code_length
from codelength.mixture.code_length.neighbourhood import log_moves
from codelength.mixture.costs import Cost, refuse
from codelength.naive_bayes import PriorLike, pseudocounts

SECONDS_PER_STEP = 3e-8
"""Time for one cell of one row after one move."""


def wider_neighbourhood_code_length(
    rows: Any, mixture: Any, prior: PriorLike = "uniform", *, with_centre: bool = True
) -> float:
    """Compute the code length by the clusterings that differ from a good one in up to two rows, in nats.

    Pairs of rows take time that grows with the square of the number of rows.

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
    places, labels = np.arange(table.schema.n_classes), table.class_codes.astype(np.int64)
    cost = Cost(SECONDS_PER_STEP * table.n_rows**2 * len(places) ** 2 * table.schema.n_variables, 0.0)
    if not cost.is_feasible:
        raise refuse(f"the sum over all pairs of {table.n_rows:,} rows", cost)
    spread = pseudocounts(prior, table.schema)
    log_prob, moves = log_moves(table, spread)
    pairs = [-np.inf]
    # Each pair is met once: a row moves after one that stands behind it.
    for row in range(1, table.n_rows):
        for place in places[places != labels[row]]:
            moved = labels.copy()
            moved[row] = place
            after = log_moves(completed(table, moved), spread)[1][:row]
            pairs.append(moves[row, place] + logsumexp(after[places != labels[:row, None]]))
    return -float(np.logaddexp(-near, log_prob + logsumexp(pairs)))
