r"""Two approximations of the predictive distribution of a mixture whose components are hidden.

The paper on predictive inference leaves approximations of the sum over clusterings to future work; these two
have no estimate of their errors. *Neighbourhoods* average over the clusterings near a few good ones, weighted
by P(Z, D). Those near a centre differ from it in one row, hence in two components: most of their components
are those of the centre, so a neighbourhood of N(K - 1) clusterings has only about NK different products. The
*Cheeseman-Stutz ratio* is

.. math:: P(d \mid D) \approx \frac{CS(D, d)}{CS(D)}

The numerator is that of the rows together with the new one: for each queried combination of values, EM is
continued with the new row, and every row is then assigned to its most probable component. The denominator
cancels.
"""

from typing import Any

import numpy as np
from scipy.special import logsumexp

from codelength.decisions import first_best_of_rows
from codelength.errors import DataError
from codelength.mixture.best_clustering import local_optima
from codelength.mixture.clusterings import (
    ClusteringState,
    ObservedCells,
    canonical,
    completed,
    exchangeable,
    single_rows,
)
from codelength.mixture.code_length import cheeseman_stutz_code_length
from codelength.mixture.code_length.neighbourhood import Nearby, distinct_positions, nearby_clusterings
from codelength.mixture.costs import check_memory
from codelength.mixture.parameters import MixtureParameters, mode_prior
from codelength.mixture.prediction import Learned
from codelength.mixture.prediction.climbing import Climber
from codelength.mixture.prediction.predict import summed
from codelength.mixture.prediction.products import ProductMixture, distinct_rows
from codelength.naive_bayes import PriorLike, Pseudocounts, pseudocounts
from codelength.naive_bayes.query import Answer, Question
from codelength.table import Coded
from codelength.table.coded import unchecked
from codelength.typing import CodeArray, FloatArray, IntArray

N_STARTS = 20
"""Number of climbs in search of centres."""

NEGLIGIBLE = 40.0
"""Clusterings whose log weight is below the highest by more than this are left out."""

MAX_ITER, TOLERANCE = 100, 1e-6
"""Options of EM: the most probable components settle long before the probabilities do."""


def neighbourhood_answer(learned: Learned, question: Question, new: Coded, random_state: Any = 0) -> Answer:
    """Predict by the clusterings near the fitted one and near local optima."""
    rows, places = distinct_rows(question, new)
    parts = neighbourhood_products(learned.rows, learned.mixture, learned.prior, random_state)
    return question.answer(summed(learned, question, rows, parts).sums, method="neighbourhood").take(places)


def cheeseman_stutz_answer(
    learned: Learned, question: Question, new: Coded, max_iter: int = MAX_ITER, tol: float = TOLERANCE
) -> Answer:
    """Predict by the ratio of two Cheeseman-Stutz approximations."""
    rows, places = distinct_rows(question, new)
    prior, mixture = learned.prior, learned.mixture
    climber = Climber.of(learned.rows, mixture, rows, mode_prior(prior, mixture.schema))
    coded, spread = climber.coded, pseudocounts(prior, climber.coded.schema)
    weights = np.append(np.ones(coded.n_rows) if coded.weights is None else coded.weights, 1.0)

    def log_weight(codes: CodeArray) -> float:
        _, state = climber.with_row(codes, max_iter, tol)
        schema, all_codes = coded.schema, np.asfortranarray(np.vstack((coded.codes, codes)))
        tables, cells = state.log_tables(), schema.offsets[:-1] + all_codes
        joint = tables.class_table + sum(tables.value_table.T[cells[:, i]] for i in range(schema.n_variables))
        # All rows are assigned anew, by the mixture that was fitted with the new row.
        labels = first_best_of_rows(np.broadcast_to(joint, (len(cells), schema.n_classes)), 1.0)
        whole = unchecked(schema, all_codes, np.zeros(len(cells), dtype=np.uint8), weights)
        return -cheeseman_stutz_code_length(whole, labels, spread)

    logs = climber.of_combinations(question, rows, log_weight)
    weights_of_rows = np.exp(logs - logs.max(axis=1, keepdims=True))
    return question.answer(weights_of_rows, method="cheeseman_stutz").take(places)


def neighbourhood_products(
    rows: Coded, mixture: MixtureParameters, prior: PriorLike, random_state: Any, n_starts: int = N_STARTS
) -> list[ProductMixture]:
    """Compute the products of all clusterings near the fitted one or a local optimum.

    Parameters
    ----------
    rows : Coded
        The rows that were learned from.
    mixture : MixtureParameters
        The mixture fitted to them.
    prior : prior or its name
        Dirichlet pseudocounts.
    random_state : int, sequence of int, generator or None
        Seed of the climbs.
    n_starts : int
        Number of climbs in search of centres.

    Returns
    -------
    list of ProductMixture
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


def _products(table: Coded, prior: Pseudocounts, near: Nearby, log_weights: FloatArray) -> ProductMixture:
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
) -> ProductMixture:
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
    made = ProductMixture.of_state(schema, ClusteringState(raised, totals, sizes))
    with np.errstate(divide="ignore"):
        return ProductMixture(np.log(shares) + np.log(sizes), made.log_values).worthwhile()


def _state(table: Coded, prior: Pseudocounts, labels: IntArray) -> ClusteringState:
    from codelength.mixture._kernels import fill

    state = ClusteringState.empty(table.schema, prior)
    fill(ObservedCells.of(table), labels, state)
    return state
