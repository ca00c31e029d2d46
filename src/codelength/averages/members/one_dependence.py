r"""One-dependence estimators with back-off, averaged.

In a one-dependence estimator all variables depend on the class and on one variable, the parent. Here a child
with value b depends on a parent with value a by

.. math:: P(b \mid c, a) = \frac{n_{cab} + s\, \theta_{cb}}{n_{ca} + s},

which backs off to :math:`\theta_{cb}`, the share of the value in the class, if a and c were rarely seen
together. The share itself backs off to that in all classes. Strengths s in {1, 4, 16, 64}, and
:math:`s = \infty`, no dependence, are averaged by their evidence, for each parent and child; the prior
probability of no dependence is one half. The probabilities of a row are then averaged over all parents.

Cells without a value are left out: such a child has no factor, and such a parent leaves naive Bayes.

Held-out predictions are exact leave-one-out, given the shares :math:`\theta` in the evidence of strengths:
counts, evidence and back-off shares are computed without one copy of the row. If variables have to be
selected, they are selected and counted again without each of five folds instead.

References
----------
Webb, Boughton and Wang (2005). Not so naive Bayes: aggregating one-dependence estimators. Machine
Learning 58.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ...naive_bayes.partitions import PartitionAverage
from ...table import Coded
from ...typing import FloatArray, IntArray
from ..factors import average_of
from ..folds import refitted
from ..member import Learned, Member, normalised
from ..training import Training
from ..views import Views
from .augmented import AugmentedCounts, blocks, has_room

STRENGTHS = np.array([1.0, 4.0, 16.0, 64.0])
"""Pseudocounts of all values of a child, given the class and a value of its parent."""


@dataclass(frozen=True, eq=False)
class OneDependence(Member):
    """One-dependence estimators with back-off, averaged; see the module for the formulas.

    At most 40 variables take part, those with the most information about the class, in the coarse view.

    Attributes
    ----------
    views : Views
        Views of the table that the member uses.
    log_prior : array of shape (n_classes,)
        Log prior probability of each class.
    counts : AugmentedCounts
        Counts of values and pairs.
    """

    name: ClassVar[str] = "one_dependence"
    title: ClassVar[str] = "one-dependence estimators with back-off, averaged"

    views: Views
    log_prior: FloatArray
    counts: AugmentedCounts

    @classmethod
    def fit(cls, training: Training) -> Learned[Self]:
        """Count values and pairs of values; predict each training row by leave-one-out."""
        member = cls._of(training)
        held_out = member._left_out(training) if has_room(training) else refitted(training, cls._of)
        return Learned(member, held_out)

    @classmethod
    def _of(cls, training: Training, ranking: IntArray | None = None) -> Self:
        """Count training rows with a given ranking of variables."""
        return cls(training.views, training.log_prior, AugmentedCounts.of(training, ranking))

    def log_probs(self, coded: Coded) -> FloatArray:
        """Return the log probability of each class for each row, in nats, shape (n_rows, n_classes)."""
        codes = self.counts.codes(self.views, coded)
        found = np.empty((len(codes), len(self.log_prior)))
        for rows in blocks(len(codes)):
            nobody = np.full(len(codes[rows]), -1)
            ratios = np.empty((*codes[rows].shape, len(self.log_prior)))
            for j, table in enumerate(self._log_ratios):
                ratios[:, j] = table[codes[rows, j]]
            found[rows] = self.log_prior + self._averaged(codes[rows], ratios, nobody, np.zeros(len(nobody)))
        return normalised(found)

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON types."""
        return self.counts.to_json()

    @classmethod
    def from_json(cls, document: Mapping[str, Any], views: Views, log_prior: FloatArray) -> Self:
        """Restore the member that :meth:`to_json` wrote; raise DataError if the document is not valid."""
        return cls(views, log_prior, AugmentedCounts.from_json(document, views, len(log_prior)))

    @cached_property
    def _alone(self) -> tuple[PartitionAverage, ...]:
        """Distribution of each variable alone, averaged over strengths."""
        return tuple(average_of(counts, 0) for counts in self.counts.value_counts)

    @cached_property
    def _log_ratios(self) -> tuple[FloatArray, ...]:
        """Log share of each value in each class relative to that in all classes, and zeros for no value."""
        n_classes = self.counts.n_classes
        return tuple(np.vstack([alone.log_ratios(), np.zeros(n_classes)]) for alone in self._alone)

    @cached_property
    def _bases(self) -> tuple[FloatArray, ...]:
        """Share of each value in all classes, and 1 for no value."""
        return tuple(np.append(alone.base, 1.0) for alone in self._alone)

    @cached_property
    def _log_weights(self) -> FloatArray:
        """Log weight of each strength of each dependence, shape (n_variables, n_variables, n_strengths).

        The strengths share a prior probability of one half equally.
        """
        from ._one_dependence_kernels import weigh_dependences

        shares = [
            base[:-1, None] * np.exp(ratios[:-1])
            for base, ratios in zip(self._bases, self._log_ratios, strict=True)
        ]
        n_values = self.counts.pairs.n_values
        log_weights = np.zeros((len(n_values), len(n_values), len(STRENGTHS)))
        weigh_dependences(n_values, self.counts.pairs.with_margins, np.vstack(shares), STRENGTHS, log_weights)
        return np.asarray(log_weights - np.log(len(STRENGTHS)))

    def _averaged(
        self, codes: IntArray, log_ratios: FloatArray, labels: IntArray, removed: FloatArray
    ) -> FloatArray:
        """Return the log weight of each class: naive Bayes times the mean factor of dependences over parents.

        Parameters
        ----------
        codes : array of int of shape (n_rows, n_variables)
            Codes of the rows.
        log_ratios : array of shape (n_rows, n_variables, n_classes)
            Log ratios of their values, computed without the row if it is to be left out.
        labels, removed : array of shape (n_rows,)
            Class and weight of the copy to leave out; -1 and 0 for new rows.
        """
        from ._one_dependence_kernels import multiply_dependences

        bases, own_shares = np.empty(codes.shape), np.ones(codes.shape)
        for j, (base, ratios) in enumerate(zip(self._bases, self._log_ratios, strict=True)):
            bases[:, j] = base[codes[:, j]]
            own_shares[:, j] = bases[:, j] * np.exp(ratios[codes[:, j], labels])
        found = np.empty((*codes.shape, len(self.log_prior)))
        multiply_dependences(
            np.ascontiguousarray(codes),
            labels,
            removed,
            self.counts.pairs.n_values,
            self.counts.pairs.with_margins,
            bases[..., None] * np.exp(log_ratios),
            own_shares,
            STRENGTHS,
            self._log_weights,
            found,
        )
        # A sum over parents instead of a mean: a constant factor of all classes.
        return np.asarray(log_ratios.sum(axis=1) + np.logaddexp.reduce(found, axis=1))

    def _left_out(self, training: Training) -> FloatArray:
        """Return leave-one-out log probabilities of the training rows."""
        codes = np.ascontiguousarray(training.coarse[:, self.counts.variables])
        found = np.empty((training.n_rows, training.n_classes))
        for rows in blocks(training.n_rows):
            labels, removed = training.labels[rows], training.copy_weights[rows]
            ratios = np.zeros((*codes[rows].shape, training.n_classes))
            for j, alone in enumerate(self._alone):
                known = codes[rows, j] >= 0
                # Leave-one-out averages are expensive; compute them once per distinct value, class and
                # weight.
                keys = np.stack([codes[rows, j], labels, removed], axis=1)[known]
                cells, which = np.unique(keys, axis=0, return_inverse=True)
                values, classes = cells[:, :2].astype(np.int64).T
                ratios[known, j] = alone.log_ratios_without(values, classes, cells[:, 2])[which]
            found[rows] = self._averaged(codes[rows], ratios, labels, removed)
        return normalised(training.log_prior_left_out + found)
