"""Distributions over clusterings that are easy to draw from: references for importance sampling."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import log_softmax

from ...counts import count
from ...naive_bayes import Predictor, Pseudocounts
from ...table import Coded
from ...typing import FloatArray, IntArray
from ..best_clustering import local_optima
from ..clusterings import completed, exchangeable
from .neighbourhood import neighbourhood_code_length

N_CLIMBS = 20
"""Number of climbs in search of local optima."""

SPREAD = 0.02
"""Share of every distribution that is spread over all components evenly."""


class Reference(NamedTuple):
    """A mixture of independent draws of labels.

    Attributes
    ----------
    probs, log_probs : arrays of shape (n_rows, n_parts, n_components)
        Probability of each label of each row, in each part of the mixture, and its log.
    log_shares : array of shape (n_parts,)
        Log weight of each part.
    """

    probs: FloatArray
    log_probs: FloatArray
    log_shares: FloatArray

    @classmethod
    def uniform(cls, n_rows: int, n_components: int) -> "Reference":
        """Build the uniform distribution over labels."""
        probs = np.full((n_rows, 1, n_components), 1 / n_components)
        return cls(probs, np.log(probs), np.zeros(1))

    @classmethod
    def at_optima(cls, coded: Coded, prior: Pseudocounts, generator: np.random.Generator) -> "Reference":
        """Build one part per local optimum, with labels by leave-one-out prediction there."""
        optima = local_optima(coded, coded.schema.n_classes, prior, n_starts=N_CLIMBS, random_state=generator)
        names = exchangeable(prior)
        # Similar optima get similar names, so that a chain can move between them.
        centres = [_renamed_like(optima[0].clustering, optimum.clustering, names) for optimum in optima]
        probs = np.stack([_predicted(completed(coded, centre), prior) for centre in centres], axis=1)
        masses = np.array([-neighbourhood_code_length(coded, centre, prior) for centre in centres])
        # Half the log mass: an optimum whose mass is underestimated must not be left without chains.
        return cls(probs, np.log(probs), log_softmax(masses / 2))


def _predicted(table: Coded, prior: Pseudocounts) -> FloatArray:
    log_probs = Predictor.of(count(table), "evidence", prior).leave_one_out(table).log_probs
    # Every label keeps some probability: importance weights are finite, and chains can leave the optimum.
    return np.asarray((1 - SPREAD) * np.exp(log_probs) + SPREAD / table.schema.n_classes)


def _renamed_like(model: IntArray, clustering: IntArray, names: IntArray) -> IntArray:
    """Rename exchangeable components of a clustering to agree with a model in as many rows as possible."""
    agreeing = np.zeros((len(names), len(names)))
    np.add.at(agreeing, (clustering, model), 1.0)
    forbidden = names[:, None] != names
    _, renamed = linear_sum_assignment(np.where(forbidden, -1.0 - len(model), agreeing), maximize=True)
    return np.asarray(renamed[clustering], dtype=np.int64)
