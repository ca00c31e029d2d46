"""Distributions over clusterings that are easy to draw from, for importance sampling to start at."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import log_softmax

from ...rules import Pseudocounts, evidence_rule
from ...scores.leave_one_out import leave_one_out
from ...table import Schema
from ...typing import CodeArray, FloatArray, IntArray
from ..best_clustering import local_optima
from ..clusterings import clustering_counts, completed, exchangeable
from .neighbourhood import neighbourhood_code_length

N_CLIMBS = 20
"""Climbs in search of local optima."""

SPREAD = 0.02
"""Share of every distribution that is spread over all components evenly."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A mixture of independent draws of labels.

    Attributes
    ----------
    probs : array of shape (n_rows, n_parts, n_components)
        Probability of each label of each row, in each part of the mixture.
    log_shares : array of shape (n_parts,)
        Log weight of each part.
    """

    probs: FloatArray
    log_shares: FloatArray

    @classmethod
    def uniform(cls, n_rows: int, n_components: int) -> "Reference":
        """All labels alike."""
        return cls(np.full((n_rows, 1, n_components), 1 / n_components), np.zeros(1))

    @classmethod
    def at_optima(
        cls, schema: Schema, codes: CodeArray, prior: Pseudocounts, generator: np.random.Generator
    ) -> "Reference":
        """One part a local optimum, with labels as leave-one-out prediction has them there."""
        optima = local_optima(
            schema, codes, schema.n_classes, prior, n_starts=N_CLIMBS, random_state=generator
        )
        names = exchangeable(prior)
        # Optima that are alike get like names, so that a chain may wander between them.
        centres = [_renamed_like(optima[0].clustering, optimum.clustering, names) for optimum in optima]
        probs = [_predicted(schema, codes, centre, prior) for centre in centres]
        masses = np.array([-neighbourhood_code_length(schema, codes, centre, prior) for centre in centres])
        # Half the log: a wrong guess of what an optimum is worth must not leave it without chains.
        return cls(np.stack(probs, axis=1), log_softmax(masses / 2))


def _predicted(schema: Schema, codes: CodeArray, centre: IntArray, prior: Pseudocounts) -> FloatArray:
    counts = clustering_counts(schema, codes, centre)
    predictions = leave_one_out(counts, completed(schema, codes, centre), evidence_rule(counts, prior))
    return (1 - SPREAD) * np.exp(predictions.log_probs) + SPREAD / schema.n_classes


def _renamed_like(model: IntArray, clustering: IntArray, names: IntArray) -> IntArray:
    """The clustering, its exchangeable components renamed to agree with a model in the most rows."""
    agreeing = np.zeros((len(names), len(names)))
    np.add.at(agreeing, (clustering, model), 1.0)
    forbidden = names[:, None] != names
    _, renamed = linear_sum_assignment(np.where(forbidden, -1.0 - len(model), agreeing), maximize=True)
    return np.asarray(renamed[clustering], dtype=np.int64)
