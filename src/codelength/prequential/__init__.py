"""Prequential criteria: code lengths of the classes, each row predicted from the rows before it.

A :class:`SequentialModel` is made by :func:`naive_bayes_sequence`, or from a clustering by
:meth:`codelength.mixture.fixed_clustering.FixedClustering.sequence`. It gives the criterion along an
ordering, term by term, as log loss and as 0/1 loss, and leave-one-out. The ordering can be drawn
(:func:`sample_orderings`), averaged over exactly for few rows (:func:`all_orderings`), greedy
(:func:`best_first` and its three counterparts) or searched for (:func:`improve_ordering`), and models can
race along common orderings (:func:`compare_models`). All costs are in nats, smaller is better.
"""

from .all_orderings import AllOrderings, all_orderings
from .local_search import ImprovedOrdering, improve_ordering
from .naive_bayes import naive_bayes_sequence
from .orderings import ORDERINGS, best_first, best_last, worst_first, worst_last
from .race import Race, compare_models
from .sampling import SCHEMES, OrderingSample, sample_orderings
from .sequence import SequentialModel

__all__ = [
    "ORDERINGS",
    "SCHEMES",
    "AllOrderings",
    "ImprovedOrdering",
    "OrderingSample",
    "Race",
    "SequentialModel",
    "all_orderings",
    "best_first",
    "best_last",
    "compare_models",
    "improve_ordering",
    "naive_bayes_sequence",
    "sample_orderings",
    "worst_first",
    "worst_last",
]
