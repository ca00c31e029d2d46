r"""Tree-augmented naive Bayes, averaged over all forests.

Each forest is a model: naive Bayes in which a variable may depend on one other variable too, its parent. The
sum over all forests of the evidence, or of the probability of a row, is a determinant (matrix-tree theorem).
With Bayes factors W and the factors h of a row, as in :mod:`codelength.networks.forest`,

.. math:: P(c, x \mid D) = P(c) \prod_v \frac{N^*_{vc}}{N^*_c}\, \frac{\det Q(W \circ h)}{\det Q(W)},

Q is the Laplacian matrix of the graph on the variables and a root that is joined to each of them with weight
1, without the row and the column of the root. The root turns trees into forests, so that naive Bayes, the
forest without edges, is one of the models.

All forests are equally probable a priori. Two forests are different if a variable has different parents:
there are :math:`(m + 1)^{m - 1}`, and a tree of k variables is counted k times, once for each variable that
can be its root. Otherwise the sum would be over acyclic sets of edges, for which no efficient method is
known (counting them is #P-hard).

The places of the cuts of ordered variables affect each forest, and affect an average less. Predictions are
therefore made in several coarse views, with at most 2, 3, 5 and 8 intervals, and their log probabilities are
averaged.

Strengths of the prior are averaged as well, weighted by the evidence of all cells given the classes;
strengths more than 40 nats below the best are left out.

Held-out predictions are exact leave-one-out in closed form: W, and the evidence of each strength, are divided
by the row's own factors without one copy of it. If variables have to be selected, they are selected and
counted again without each of five folds instead.

Order of reading: :meth:`Forests.fit` (one average per coarse view), :class:`ForestsAtGrain` (strengths), then
:func:`counts_of` and the functions below it, which :mod:`codelength.averages.members.best_tree` uses too.
Sums over forests are in :mod:`codelength.networks.all_forests`.

References
----------
Cerquides and López de Màntaras (2005). TAN classifiers based on decomposable distributions. Machine
Learning 59.
Meilă and Jaakkola (2006). Tractable Bayesian learning of tree belief networks. Statistics and Computing 16.
Grassmann, Taksar and Heyman (1985). Regenerative analysis and steady state distributions for Markov chains.
Operations Research 33.
Jaeger, Vertigan and Welsh (1990). On the computational complexity of the Jones and Tutte polynomials.
Mathematical Proceedings of the Cambridge Philosophical Society 108.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, ClassVar, Self

import numpy as np

from ..._codec import Saved
from ..._pickling import WithoutCaches
from ...counts.pairs import count_pairs, n_pair_cells
from ...errors import DataError
from ...networks.all_forests import ForestSums
from ...networks.forest import ForestCounts, blocks
from ...networks.one_forest import NEGLIGIBLE
from ...table import Coded
from ...typing import FloatArray, IntArray
from ..factors import ranking_of
from ..folds import refitted
from ..member import FittedMember, Member, normalised
from ..training import Training
from ..views import GRAINS, Views

STRENGTHS = (2.0, 8.0, 32.0, 128.0)
"""Pseudocounts of a whole table."""

MAX_VARIABLES = 40
"""Largest number of variables; the time of a prediction grows with its cube."""

MAX_CELLS = 1 << 22
"""Largest number of counts of pairs: 34 MB, and as much again for each strength."""

_ROWS_PER_COUNT = 1 << 17


@dataclass(frozen=True, eq=False)
class Forests(Member):
    """Tree-augmented naive Bayes, averaged over all forests; see the module for the formulas.

    At most 40 variables take part, those with the most information about the class.

    Attributes
    ----------
    counts : tuple of ForestCounts
        Counts in each coarse view; those of a single one if no variable is ordered.
    """

    name: ClassVar[str] = "forests"
    title: ClassVar[str] = "tree-augmented naive Bayes, all forests averaged"

    counts: Annotated[tuple[ForestCounts, ...], Saved()]

    @classmethod
    def fit(cls, training: Training) -> FittedMember[Self]:
        """Count values and pairs of values; predict each training row by leave-one-out."""
        seen = _at_grains(training)
        # With a selection of variables, the closed form of leave-one-out would ignore that the row took part
        # in it.
        if not all(map(has_room, seen)):
            member = cls._of(training, ranking_of(training))
            return FittedMember(member, refitted(training, cls._of))
        member = cls._of(training)
        held_out = [part.left_out(rows) for part, rows in zip(member.grains, seen, strict=True)]
        return FittedMember(member, normalised(np.mean(held_out, axis=0)))

    @classmethod
    def _of(cls, training: Training, ranking: IntArray | None = None) -> Self:
        """Count training rows in each coarse view, with a given ranking of variables."""
        counts = (counts_of(seen, ranking) for seen in _at_grains(training))
        return cls(training.views, training.log_prior, tuple(counts))

    def log_probs(self, coded: Coded) -> FloatArray:
        """Return the log probability of each class for each row, in nats, shape (n_rows, n_classes)."""
        return normalised(np.mean([normalised(part.log_joint(coded)) for part in self.grains], axis=0))

    def check_fields(self) -> None:
        """Raise DataError if the counts are not those of the coarse views."""
        if len(self.counts) != len(_grains(self.views)):
            raise DataError("an average over forests does not have the counts of its views")
        for part in self.grains:
            check_chosen(part.counts, part.views)

    @cached_property
    def grains(self) -> tuple["ForestsAtGrain", ...]:
        """Averages over forests, one per coarse view."""
        return tuple(
            ForestsAtGrain(views, self.log_prior, counts)
            for views, counts in zip(_grains(self.views), self.counts, strict=True)
        )


def _at_grains(training: Training) -> list[Training]:
    """Return the training rows in each coarse view."""
    return [replace(training, views=views) for views in _grains(training.views)]


def _grains(views: Views) -> list[Views]:
    """Return the coarse views to average over; if no variable is ordered, all are the same."""
    return [views.at_grain(grain) for grain in range(len(GRAINS) if views.n_intervals.any() else 1)]


@dataclass(frozen=True, eq=False)
class ForestsAtGrain(WithoutCaches):
    """The average over all forests in one coarse view.

    Attributes
    ----------
    views : Views
        Views of the table; the coarse view is used.
    log_prior : array of shape (n_classes,)
        Log prior probability of each class.
    counts : ForestCounts
        Counts of values and pairs.
    """

    views: Views
    log_prior: FloatArray
    counts: ForestCounts

    def log_joint(self, coded: Coded) -> FloatArray:
        """Return the joint log probability of each row, each class and all training cells, in nats.

        If a row has no value, the factors of its pairs are left out.
        """
        codes = chosen_codes(self.views, self.counts.variables, coded)
        found = np.empty((len(codes), len(self.log_prior)))
        nothing = np.full(len(codes), -1)
        for rows in blocks(len(codes)):
            logs = [
                part.log_naive_evidence
                + part.of.naive_log_probs(codes[rows])
                + part.log_sums(codes[rows], part.weights[None, :], nothing[rows])
                for part in self._parts
            ]
            found[rows] = self.log_prior + np.logaddexp.reduce(logs, axis=0)
        return found

    @cached_property
    def _parts(self) -> tuple["ForestSums", ...]:
        """Sums over forests for each strength, without negligible strengths."""
        parts: list[ForestSums] = []
        for strength in STRENGTHS:
            parts.append(ForestSums.of_model(self.counts.at(strength)))
            best = max(part.log_evidence for part in parts)
            parts = [part for part in parts if part.log_evidence >= best - NEGLIGIBLE]
        return tuple(parts)

    def left_out(self, training: Training) -> FloatArray:
        """Return the log probability of each class for each training row, without one copy of it."""
        codes = np.ascontiguousarray(training.coarse[:, self.counts.variables])
        found = np.empty((training.n_rows, training.n_classes))
        for rows in blocks(training.n_rows):
            labels, removed = training.labels[rows], training.copy_weights[rows]
            own = np.arange(len(labels)), labels
            logs = np.empty((len(self._parts), len(labels), training.n_classes))
            for part, log in zip(self._parts, logs, strict=True):
                # The evidence of the table in which one copy of the row has another class: its own factors
                # divide the weights, and those of the other class multiply them.
                left_out = part.of.leave_out(codes[rows], labels, removed)
                weights = part.weights / left_out.lost
                log[:] = part.of.naive_log_probs(codes[rows]) + part.log_sums(codes[rows], weights, labels)
                log[own] = left_out.log_probs + part.log_sum
                if (other := removed != 1.0).any():  # with weight 1 the sum is that of all rows
                    sums = part.log_sums_alone(weights[other] * left_out.factors[other])
                    log[other, labels[other]] = left_out.log_probs[other] + sums
                log += part.log_naive_evidence - left_out.log_lost[:, None]
            found[rows] = normalised(training.log_prior_left_out[rows] + np.logaddexp.reduce(logs, axis=0))
        return found


def counts_of(training: Training, ranking: IntArray | None = None) -> ForestCounts:
    """Count all training rows, in all variables or in those with the most information about the class.

    The ranking, of all variables with the most informative first, is by default that in these rows.
    """
    variables = _chosen(training, ranking)
    seen = replace(training, views=_chosen_views(training.views, variables))
    coded, n_values = seen.coded, seen.views.n_coarse
    pairs = None
    # In blocks, because coarse codes of all rows at once take 8 bytes per cell.
    for start in range(0, coded.n_rows, _ROWS_PER_COUNT):
        part = coded.take(np.arange(start, min(start + _ROWS_PER_COUNT, coded.n_rows)))
        codes = seen.views.coarse(part)
        labels = np.asarray(part.class_codes, dtype=np.int64)
        counts = count_pairs(codes, labels, n_values, training.n_classes, part.weights)
        pairs = counts if pairs is None else pairs.merge(counts)
    assert pairs is not None
    return ForestCounts(variables, training.class_counts, tuple(seen.coarse_counts), pairs.cells)


def check_chosen(counts: ForestCounts, views: Views) -> None:
    """Raise DataError if counts from a file are not those of some of the variables of views."""
    chosen = counts.variables
    is_known = 1 <= len(chosen) <= MAX_VARIABLES and chosen[-1] < views.n_variables
    if not is_known or counts.cells.size > MAX_CELLS or (counts.n_values != views.n_coarse[chosen]).any():
        raise DataError("the counts of a forest do not fit the variables of its table")


def chosen_codes(views: Views, variables: IntArray, coded: Coded) -> IntArray:
    """Return coarse codes of some of the variables."""
    return _chosen_views(views, variables).coarse(coded)


def _chosen_views(views: Views, variables: IntArray) -> Views:
    """Return the views of some of the variables."""
    return Views(views.schema, tuple(views.columns[j] for j in variables.tolist()))


def has_room(training: Training) -> bool:
    """Return True if all variables take part, so that none is selected by its information about the class."""
    sizes = training.views.n_coarse
    return len(sizes) <= MAX_VARIABLES and n_pair_cells(sizes, training.n_classes) <= MAX_CELLS


def _chosen(training: Training, ranking: IntArray | None) -> IntArray:
    """Return the variables that take part, in the order of the views: as many as there is room for."""
    sizes = training.views.n_coarse
    if has_room(training):
        return np.arange(len(sizes))
    chosen = (ranking_of(training) if ranking is None else ranking)[:MAX_VARIABLES]
    # Drop the least informative variables until the tables of pairs fit in memory.
    while n_pair_cells(sizes[np.sort(chosen)], training.n_classes) > MAX_CELLS:
        chosen = chosen[:-1]
    return np.sort(chosen)
