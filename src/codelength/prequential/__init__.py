"""Prequential criteria: code lengths of the classes, each row predicted from the rows before it.

A :class:`SequentialModel` is made by :func:`naive_bayes_sequence`, or from a clustering by
:meth:`codelength.mixture.fixed_clustering.FixedClustering.sequence`. It gives the criterion along an
ordering, term by term, as log loss and as 0/1 loss, and leave-one-out. The ordering can be drawn
(:func:`sample_orderings`) or greedy (``best_first`` and its three counterparts), and models can race
along common orderings (:func:`compare_models`). All costs are in nats, smaller is better.
"""

from .orderings import (
    ORDERINGS,
    SCHEMES,
    OrderingSample,
    best_first,
    best_last,
    sample_orderings,
    worst_first,
    worst_last,
)
from .race import Race, compare_models
from .sequence import SequentialModel, naive_bayes_sequence

__all__ = [
    "ORDERINGS",
    "SCHEMES",
    "OrderingSample",
    "Race",
    "SequentialModel",
    "best_first",
    "best_last",
    "compare_models",
    "naive_bayes_sequence",
    "sample_orderings",
    "worst_first",
    "worst_last",
]
