r"""Two approximations of the predictive distribution of a mixture whose components are hidden.

The paper on predictive inference leaves approximations of the sum over clusterings to future work; these two
have no estimate of their errors. *Neighbourhoods* average over the clusterings near a few good ones, weighted
by P(Z, D). The *Cheeseman-Stutz ratio* is

.. math:: P(d \mid D) \approx \frac{CS(D, d)}{CS(D)}

The numerator is that of the rows together with the new one: for each queried combination of values, EM is
continued with the new row, and every row is then assigned to its most probable component. The denominator
cancels.
"""

from collections.abc import Iterator
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
from codelength.mixture.code_length.neighbourhood import distinct_positions, nearby_clusterings
from codelength.mixture.parameters import MixtureParameters, mode_prior
from codelength.mixture.prediction import Learned
from codelength.mixture.prediction.climbing import Climber
from codelength.mixture.prediction.predict import summed
from codelength.mixture.prediction.products import ProductMixture, distinct_rows
from codelength.naive_bayes import PriorLike, pseudocounts
from codelength.naive_bayes.query import Answer, Question
from codelength.table import Coded
from codelength.table.coded import unchecked
from codelength.typing import CodeArray

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
    weights = np.append(coded.row_weights, 1.0)

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
) -> Iterator[ProductMixture]:
    """Yield the products of all clusterings near the fitted one or a local optimum; each counts once."""
    from codelength.mixture._kernels import fill

    table = single_rows(mixture.coded(rows))
    if not table.n_rows:
        raise DataError("there are no rows to make clusterings of; give the rows that were learned from")
    spread = pseudocounts(prior, table.schema)
    names = exchangeable(spread)
    optima = local_optima(table, mixture.n_components, spread, n_starts=n_starts, random_state=random_state)
    found = [mixture.labels(table), *(optimum.clustering for optimum in optima)]
    centres = np.unique([canonical(labels, names) for labels in found], axis=0)
    nearby = [nearby_clusterings(completed(table, centre), spread, names) for centre in centres]
    masses = np.concatenate([near.log_masses for near in nearby])
    labels = np.concatenate([np.tile(near.centre, (len(near.rows), 1)) for near in nearby])
    moved = np.concatenate([near.rows for near in nearby])
    labels[np.arange(len(labels)), moved] = np.concatenate([near.targets for near in nearby])
    # A clustering near several centres must count once.
    kept = distinct_positions(nearby, names)
    kept = kept[masses[kept] >= masses[kept].max() - NEGLIGIBLE]
    log_weights = masses[kept] - logsumexp(masses[kept])
    for own, log_weight in zip(labels[kept], log_weights.tolist(), strict=True):
        state = ClusteringState.empty(table.schema, spread)
        fill(ObservedCells.of(table), own, state)
        yield ProductMixture.of_state(table.schema, state, log_weight)
