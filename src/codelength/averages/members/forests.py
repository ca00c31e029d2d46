r"""Tree-augmented naive Bayes, averaged over all forests.

Each forest is a model: naive Bayes in which a variable may depend on one other variable too, its parent. The
sum over all forests of the evidence, or of the probability of a row, is a determinant (matrix-tree theorem).
With Bayes factors W and the factors h of a row, as in :mod:`codelength.averages.members.augmented`,

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

Order of reading: :meth:`Forests.fit` (one average per coarse view), :class:`ForestsAtGrain` (strengths),
:class:`ForestSums` (sums over forests), :func:`balanced` (range of float64).

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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ..._pickling import WithoutCaches
from ...table import Coded
from ...typing import FloatArray, IntArray
from ..factors import ranking_of
from ..folds import refitted
from ..member import Learned, Member, normalised
from ..training import Training
from ..views import GRAINS, Views
from .augmented import STRENGTHS, Augmented, AugmentedCounts, best_forests, blocks, edges_of, has_room

NEGLIGIBLE = 40.0
"""Strengths with a log evidence more than this below the best are left out."""

RANGE = 1200.0
"""Largest range of log weights of edges, in nats; exp() of half of it leaves room for factors."""


@dataclass(frozen=True, eq=False)
class Forests(Member):
    """Tree-augmented naive Bayes, averaged over all forests; see the module for the formulas.

    At most 40 variables take part, those with the most information about the class.

    Attributes
    ----------
    views : Views
        Views of the table that the member uses.
    log_prior : array of shape (n_classes,)
        Log prior probability of each class.
    grains : tuple of ForestsAtGrain
        Averages over forests, one per coarse view; a single one if no variable is ordered.
    """

    name: ClassVar[str] = "forests"
    title: ClassVar[str] = "tree-augmented naive Bayes, all forests averaged"

    views: Views
    log_prior: FloatArray
    grains: tuple["ForestsAtGrain", ...]

    @classmethod
    def fit(cls, training: Training) -> Learned[Self]:
        """Count values and pairs of values; predict each training row by leave-one-out."""
        seen = _at_grains(training)
        # With a selection of variables, the closed form of leave-one-out would ignore that the row took part
        # in it.
        if not all(map(has_room, seen)):
            member = cls._of(training, ranking_of(training))
            return Learned(member, refitted(training, cls._of))
        member = cls._of(training)
        held_out = [part.left_out(rows) for part, rows in zip(member.grains, seen, strict=True)]
        return Learned(member, normalised(np.mean(held_out, axis=0)))

    @classmethod
    def _of(cls, training: Training, ranking: IntArray | None = None) -> Self:
        """Count training rows in each coarse view, with a given ranking of variables."""
        made = (
            ForestsAtGrain(seen.views, seen.log_prior, AugmentedCounts.of(seen, ranking))
            for seen in _at_grains(training)
        )
        return cls(training.views, training.log_prior, tuple(made))

    def log_probs(self, coded: Coded) -> FloatArray:
        """Return the log probability of each class for each row, in nats, shape (n_rows, n_classes)."""
        return normalised(np.mean([part.log_probs(coded) for part in self.grains], axis=0))

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON types."""
        return {"grains": [part.counts.to_json() for part in self.grains]}

    @classmethod
    def from_json(cls, document: Mapping[str, Any], views: Views, log_prior: FloatArray) -> Self:
        """Restore the member that :meth:`to_json` wrote; raise DataError if the document is not valid."""
        made = []
        for grain, part in zip(_grains(views), document["grains"], strict=True):
            seen = views if grain is None else views.at_grain(grain)
            counts = AugmentedCounts.from_json(part, seen, len(log_prior))
            made.append(ForestsAtGrain(seen, log_prior, counts))
        return cls(views, log_prior, tuple(made))


def _at_grains(training: Training) -> list[Training]:
    """Return the training rows in each coarse view."""
    grains = _grains(training.views)
    return [training if grain is None else training.at_grain(grain) for grain in grains]


def _grains(views: Views) -> Sequence[int | None]:
    """Return the coarse views to average over; if no variable is ordered, all are the same."""
    return range(len(GRAINS)) if views.n_intervals.any() else [None]


@dataclass(frozen=True, eq=False)
class ForestsAtGrain(WithoutCaches):
    """The average over all forests in one coarse view.

    Attributes
    ----------
    views : Views
        Views of the table; the coarse view is used.
    log_prior : array of shape (n_classes,)
        Log prior probability of each class.
    counts : AugmentedCounts
        Counts of values and pairs.
    """

    views: Views
    log_prior: FloatArray
    counts: AugmentedCounts

    @cached_property
    def strengths(self) -> dict[float, float]:
        """Log evidence of all cells given the classes, for each strength that is not negligible."""
        return {part.of.strength: part.log_evidence for part in self._parts}

    def log_probs(self, coded: Coded) -> FloatArray:
        """Return the log probability of each class for each row, in nats, shape (n_rows, n_classes)."""
        return normalised(self.log_joint(coded))

    def log_joint(self, coded: Coded) -> FloatArray:
        """Return the joint log probability of each row, each class and all training cells, in nats.

        If a row has no value, the factors of its pairs are left out.
        """
        codes = self.counts.codes(self.views, coded)
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


@dataclass(frozen=True, eq=False)
class ForestSums:
    """Sums over all forests under one prior.

    Weights of edges, including edges from the root, are balanced; see :func:`balanced`.
    """

    of: Augmented
    weights: FloatArray
    root_weight: float
    shift: float

    @classmethod
    def of_model(cls, model: Augmented) -> "ForestSums":
        return cls(model, *balanced(model.log_weights))

    @cached_property
    def log_naive_evidence(self) -> float:
        """Log evidence of all cells without edges, plus the shift of the balanced weights."""
        return self.of.log_evidence + self.shift

    @cached_property
    def log_sum(self) -> float:
        """Log of the sum over all forests of balanced weights."""
        return float(self.log_sums_alone(self.weights[None, :])[0])

    @property
    def log_evidence(self) -> float:
        """Log of the sum over all forests of their evidence."""
        return self.log_naive_evidence + self.log_sum

    def log_sums(self, codes: IntArray, weights: FloatArray, skipped: IntArray) -> FloatArray:
        """Return log sums over forests of weights times factors, for each row and class but a skipped one."""
        places = self.of.counts.pairs.places(codes)
        return self._summed(places, weights, self.of.factors, skipped)

    def log_sums_alone(self, weights: FloatArray) -> FloatArray:
        """Return log sums over forests of weights without factors, for each row of weights."""
        places = np.zeros(weights.shape, dtype=np.int64)
        return self._summed(places, weights, np.ones((1, 1)), np.full(len(weights), -1))[:, 0]

    def _summed(
        self, places: IntArray, weights: FloatArray, factors: FloatArray, skipped: IntArray
    ) -> FloatArray:
        """Run the kernel for rows of weights and cells of factors."""
        from ._forest_kernels import sum_forests

        sums = np.zeros((len(places), factors.shape[1]))
        sum_forests(places, weights, self.root_weight, factors, skipped, sums)
        return sums


def balanced(log_weights: FloatArray) -> tuple[FloatArray, float, float]:
    """Return weights of edges for sums over forests, within the range of a float64 for any log weights.

    If the log weights of the maximum spanning tree (root included) span more than :data:`RANGE` nats, the
    largest gaps between them are shortened. Every forest of relevant weight has as many edges below a gap as
    the maximum spanning tree, and gains the same factor. A forest with more edges below the gap gains too
    much, but an edge across the gap is still at least 30 nats worse than one above it. The relative error of
    the sum is therefore about e^-30, or 1e-13, for each edge that can be exchanged, times the ratio of their
    factors.

    Returns
    -------
    weights : array of shape (n_pairs,)
        Balanced weights of the pairs.
    root_weight : float
        Balanced weight of the edge from the root to each variable, whose log weight is 0.
    shift : float
        Log of the sum over all forests less that of the balanced weights.
    """
    edges = edges_of(best_forests(log_weights[None, :])[0])
    tree = np.sort(np.append(log_weights, 0.0)[edges])[::-1]  # -1 is an edge from the root
    gaps = -np.diff(tree)
    shortened = np.minimum(gaps, _cap(gaps, RANGE))
    # Log weights of the tree edges after shortening, centred at 0 to use both halves of the range of a
    # float64.
    knots = -np.concatenate([[0.0], np.cumsum(shortened)])
    knots += -knots[-1] / 2

    def moved(logs: FloatArray) -> FloatArray:
        # Other edges keep their distance to the next tree edge above, but do not cross the one below.
        above = np.clip(np.searchsorted(-tree, -logs, side="right") - 1, 0, None)
        below = np.append(knots, -np.inf)[above + 1]
        return np.asarray(np.exp(np.maximum(knots[above] - (tree[above] - logs), below)))

    return moved(log_weights), float(moved(np.zeros(1))[0]), float((tree - knots).sum())


def _cap(gaps: FloatArray, total: float) -> float:
    """Return the length to which gaps are shortened so that they add up to at most a total."""
    ascending = np.sort(gaps)
    left = total
    for k, gap in enumerate(ascending.tolist()):
        if gap * (len(gaps) - k) > left:
            return left / (len(gaps) - k)
        left -= gap
    return np.inf
