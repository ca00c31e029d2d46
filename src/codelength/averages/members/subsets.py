r"""Naive Bayes averaged over all subsets of variables.

A variable in the subset has a distribution that depends on the class; a variable outside has one distribution
for all classes. The evidence of a subset is a product over variables, so the sum over all :math:`2^m` subsets
is a product of sums of two terms (Dash and Cooper 2002):

.. math:: P(c, x) \propto P(c) \prod_i \bigl[\pi_i\, P_i(x_i \mid c) + (1 - \pi_i)\, P_i(x_i)\bigr]

Here :math:`\pi_i` is the posterior probability that variable i is in the subset; its prior probability is one
half. Both distributions are themselves averages over strengths of a Dirichlet prior and, for an ordered
variable, over all partitions of its fine values into intervals (:mod:`codelength.naive_bayes.partitions`).
The average remains exact, and so does leave-one-out: the factors of a row and all :math:`\pi_i` are those of
the other rows.

References
----------
Dash and Cooper (2002). Exact model averaging with naive Bayesian classifiers. ICML.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar, Self

import numpy as np

from ..._codec import Saved
from ...typing import FloatArray
from ..factors import average_of, distinct_cells, with_zeros
from ..member import AdditiveMember, FittedMember, normalised
from ..training import Training

MAX_LOG_RATIO = 1e6
"""Largest absolute log ratio in a file."""


@dataclass(frozen=True, eq=False)
class Subsets(AdditiveMember):
    """Naive Bayes, all subsets of variables averaged.

    Attributes
    ----------
    inclusion : array of shape (n_variables,)
        Posterior probability that each variable is in the subset. The average includes strong priors, under
        which classes hardly differ, so a variable without information has about one half, not zero.
    tables : tuple of arrays of shape (n_fine, n_classes)
        For each variable, the log of its averaged share in each class relative to that in all classes.
    """

    name: ClassVar[str] = "subsets"
    title: ClassVar[str] = "naive Bayes, all subsets of variables averaged"

    inclusion: Annotated[FloatArray, Saved(lambda known: (known.views.n_variables,), low=0.0, high=1.0)]
    tables: Annotated[
        tuple[FloatArray, ...],
        Saved(
            lambda known: [(n_fine, known.n_classes) for n_fine in known.views.n_fine.tolist()],
            low=-MAX_LOG_RATIO,
            high=MAX_LOG_RATIO,
        ),
    ]

    @classmethod
    def fit(cls, training: Training) -> FittedMember[Self]:
        """Compare the evidence of each variable given the class with its evidence without the class."""
        held_out = training.log_prior_left_out.copy()
        inclusion, tables = [], []
        for j, (counts, cells) in enumerate(zip(training.fine_counts, distinct_cells(training), strict=True)):
            n_ordered = training.views.columns[j].n_intervals
            # The same counts with and without the class: their evidences differ in the dependence only.
            dependent = average_of(counts, n_ordered, is_even=True)
            common = average_of(counts.sum(axis=0, keepdims=True), n_ordered, is_even=True)
            log_odds = dependent.log_evidence - common.log_evidence
            # The logistic function of the log odds, without overflow; prior odds are 1.
            inclusion.append(np.exp(-np.logaddexp(0.0, -log_odds)))
            tables.append(_mixed(dependent.log_ratios() - common.log_ratios(), np.array(log_odds)))
            given, given_evidence = dependent.without(cells.values, cells.labels, cells.removed)
            # Without the row, both evidences change, and with them the odds of inclusion.
            alone, alone_evidence = common.without(cells.values, np.zeros_like(cells.labels), cells.removed)
            left_out = _mixed(given - alone, given_evidence - alone_evidence)
            held_out += with_zeros(left_out)[cells.places]
        member = cls(training.views, training.log_prior, np.array(inclusion), tuple(tables))
        return FittedMember(member, normalised(held_out))

    @cached_property
    def value_tables(self) -> dict[int, FloatArray]:
        """Terms of the values of variables, by position in the schema."""
        return {
            view.position: with_zeros(table)[view.fine]
            for view, table in zip(self.views.columns, self.tables, strict=True)
        }


def _mixed(log_ratios: FloatArray, log_odds: FloatArray) -> FloatArray:
    """Return the log of p r + (1 - p) for log ratios log r and log odds of p."""
    taking, not_taking = -np.logaddexp(0.0, -log_odds), -np.logaddexp(0.0, log_odds)
    return np.asarray(np.logaddexp(taking[..., None] + log_ratios, not_taking[..., None]))
