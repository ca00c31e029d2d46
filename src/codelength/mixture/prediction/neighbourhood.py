"""Predictions averaged over the clusterings near a few good ones, weighted by P(Z, D).

The clusterings near a centre differ from it in one row, hence in two components. Most of their components are
those of the centre, so a neighbourhood of N(K - 1) clusterings has only about NK different products.
"""

from typing import Any

import numpy as np
from scipy.special import logsumexp

from ...errors import DataError
from ...naive_bayes import PriorLike, Pseudocounts, pseudocounts
from ...table import Coded
from ...typing import FloatArray, IntArray
from ..best_clustering import local_optima
from ..clusterings import ClusteringState, canonical, completed, exchangeable, single_rows
from ..code_length.neighbourhood import Nearby, distinct_positions, nearby_clusterings
from ..costs import check_memory
from ..parameters import MixtureParameters
from .products import Products

N_STARTS = 20
"""Number of climbs in search of centres."""

NEGLIGIBLE = 40.0
"""Clusterings whose log weight is below the highest by more than this are left out."""


def neighbourhood_products(
    rows: Coded, mixture: MixtureParameters, prior: PriorLike, random_state: Any, n_starts: int = N_STARTS
) -> list[Products]:
    """Compute the products of all clusterings near the fitted one or a local optimum.

    Parameters
    ----------
    rows, mixture, prior, random_state
        As in :func:`codelength.mixture.prediction.chains.gibbs_products`.
    n_starts : int
        Number of climbs in search of centres.

    Returns
    -------
    list of Products
        One per centre; each clustering counts once.
    """
    table = single_rows(mixture.coded(rows))
    if not table.n_rows:
        raise DataError("there are no rows to make clusterings of; give the rows that were learned from")
    spread = pseudocounts(prior, table.schema)
    names = exchangeable(spread)
    optima = local_optima(table, mixture.n_components, spread, n_starts=n_starts, random_state=random_state)
    found = [mixture.labels(table), *(optimum.clustering for optimum in optima)]
    centres = np.unique([canonical(labels, names) for labels in found], axis=0)
    nearby = [nearby_clusterings(completed(table, centre), spread, names) for centre in centres]
    # A clustering near several centres must count once.
    kept = distinct_positions(nearby, names)
    masses = np.concatenate([near.log_masses for near in nearby])
    chosen = np.full(len(masses), -np.inf)
    chosen[kept] = masses[kept]
    chosen[chosen < chosen.max() - NEGLIGIBLE] = -np.inf
    ends = np.cumsum([len(near.rows) for near in nearby])
    by_centre = np.split(chosen - logsumexp(chosen), ends[:-1])
    return [
        _products(table, spread, near, log_weights)
        for near, log_weights in zip(nearby, by_centre, strict=True)
        if np.isfinite(log_weights).any()
    ]


def _products(table: Coded, prior: Pseudocounts, near: Nearby, log_weights: FloatArray) -> Products:
    """Compute the products of one neighbourhood."""
    kept = np.flatnonzero(np.isfinite(log_weights))
    rows, targets, weights = near.rows[kept], near.targets[kept], np.exp(log_weights[kept])
    n_components, centre = table.schema.n_classes, near.centre
    sources = centre[rows]
    moved = sources != targets
    # A move changes its source and its target; every other component appears unchanged with its weight.
    untouched = np.full(n_components, weights.sum())
    np.subtract.at(untouched, sources[moved], weights[moved])
    np.subtract.at(untouched, targets[moved], weights[moved])
    # The component that a row leaves is the same for all its targets.
    leaving = np.bincount(rows[moved], weights[moved], len(centre))
    leavers = np.flatnonzero(leaving)
    components = np.concatenate((np.arange(n_components), centre[leavers], targets[moved]))
    who = np.concatenate((np.full(n_components, -1), leavers, rows[moved]))
    steps = np.concatenate((np.zeros(n_components), -np.ones(len(leavers)), np.ones(moved.sum())))
    # Differences of nearly equal sums may fall below zero by rounding.
    shares = np.concatenate((np.maximum(untouched, 0.0), leaving[leavers], weights[moved]))
    n_bytes = 24.0 * len(components) * table.schema.n_cells
    check_memory(f"{len(components):,} products", n_bytes, "take a sample of the rows")
    return _changed(table, _state(table, prior, centre), components, who, steps, shares)


def _changed(
    table: Coded,
    state: ClusteringState,
    components: IntArray,
    rows: IntArray,
    steps: FloatArray,
    shares: FloatArray,
) -> Products:
    """Compute the products of components with one row more or less each; -1 for no change."""
    schema = table.schema
    raised, totals = state.raised[:, components], state.totals[:, components]
    changed = np.flatnonzero(rows >= 0)
    codes = np.asarray(table.codes, dtype=np.int64)
    for i in range(schema.n_variables):
        own = codes[rows[changed], i]
        known = changed[own < schema.n_values[i]]
        raised[schema.offsets[i] + codes[rows[known], i], known] += steps[known]
        totals[i, known] += steps[known]
    sizes = state.sizes[components] + steps
    made = Products.of_state(schema, ClusteringState(raised, totals, sizes))
    with np.errstate(divide="ignore"):
        return Products(np.log(shares) + np.log(sizes), made.log_values).worthwhile()


def _state(table: Coded, prior: Pseudocounts, labels: IntArray) -> ClusteringState:
    from .._gibbs_kernels import fill
    from ..clusterings import ObservedCells

    state = ClusteringState.empty(table.schema, prior)
    fill(ObservedCells.of(table), labels, state)
    return state
