r"""Sums over all forests: determinants, and the average over forests under the principle of indifference.

Each class has s pseudocounts, divided evenly among the pairs of values of any two variables. It is the only
prior of this kind that does not depend on the choice of roots, and with :math:`s = n_u n_v` all joint
parameters of the variables u and v are equally probable. If pairs have different sizes, each requires another
s, and s is averaged over the pairs. For each s, the sum over all forests is a determinant, as in
:mod:`codelength.averages.members.forests`.

Order of reading: :class:`ForestSums` and :func:`balanced` (range of float64), then :class:`AllForests`, which
averages ``_AtSize`` over numbers of pseudocounts. Used by :class:`codelength.estimators.IndifferentTrees`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from .._pickling import WithoutCaches
from ..naive_bayes.dirichlet import dirichlet_log_evidence
from ..typing import FloatArray, IntArray
from .forest import Augmented, ForestCounts, best_forests, blocks, edges_of
from .one_forest import NEGLIGIBLE, sizes_under

RANGE = 1200.0
"""Largest range of log weights of edges, in nats; exp() of half of it leaves room for factors."""


@dataclass(frozen=True, eq=False)
class ForestSums:
    """Sums over all forests under one prior.

    Weights of edges, including edges from the root, are those of :func:`balanced`.
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
        from ._forest_kernels import sum_forests

        places = self.of.counts.pairs.places(codes)
        return sum_forests(places, weights, self.root_weight, self.of.factors, skipped)

    def log_sums_alone(self, weights: FloatArray) -> FloatArray:
        """Return log sums over forests of weights without factors, for each row of weights."""
        from ._forest_kernels import sum_forests

        places, nothing = np.zeros(weights.shape, dtype=np.int64), np.full(len(weights), -1)
        return sum_forests(places, weights, self.root_weight, np.ones((1, 1)), nothing)[:, 0]


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


@dataclass(frozen=True, eq=False)
class AllForests(WithoutCaches):
    """The average over all forests and their parameters under the law of pairs.

    Attributes
    ----------
    counts : ForestCounts
        Counts of the training rows.
    law : "pairs" or float
        As for one forest.
    """

    counts: ForestCounts
    law: Literal["pairs"] | float = "pairs"

    @property
    def is_exact(self) -> bool:
        """Always True: the average is exact."""
        return True

    @cached_property
    def log_evidence(self) -> float:
        """Log probability of the counted cells and classes, in nats."""
        return float(np.logaddexp.reduce([part.log_evidence for part in self._parts]))

    @cached_property
    def sizes(self) -> dict[float, float]:
        """Posterior probability of each number of pseudocounts per class that is not negligible."""
        return {part.size: float(np.exp(part.log_evidence - self.log_evidence)) for part in self._parts}

    def log_joint(self, codes: IntArray) -> FloatArray:
        """Return the joint log probability of rows and each class, in nats, shape (n_rows, n_classes)."""
        found = np.empty((len(codes), len(self.counts.class_counts)))
        for rows in blocks(len(codes)):
            logs = [part.log_evidence + part.log_joint(codes[rows]) for part in self._parts]
            found[rows] = np.logaddexp.reduce(logs, axis=0) - self.log_evidence
        return found

    @cached_property
    def edge_probs(self) -> FloatArray:
        """Posterior probability that two variables are joined, shape (n_variables, n_variables)."""
        n_variables = len(self.counts.n_values)
        found = np.zeros((n_variables, n_variables))
        later, earlier = self.counts.pairs.later, self.counts.pairs.earlier
        for part in self._parts:
            share = np.exp(part.log_evidence - self.log_evidence)
            found[later, earlier] += share * part.edge_probs()
        return found + found.T

    @cached_property
    def _parts(self) -> list["_AtSize"]:
        """Averages over forests for each number of pseudocounts, without negligible ones."""
        parts: list[_AtSize] = []
        for size, share in zip(*sizes_under(self.counts.n_values, self.law), strict=True):
            parts.append(_AtSize.of(self.counts, float(size), float(share)))
            best = max(part.log_evidence for part in parts)
            parts = [part for part in parts if part.log_evidence >= best - NEGLIGIBLE]
        return parts


@dataclass(frozen=True, eq=False)
class _AtSize:
    """The average over all forests with one number of pseudocounts in each class."""

    size: float
    log_evidence: float
    log_class_probs: FloatArray
    sums: ForestSums | None

    @classmethod
    def of(cls, counts: ForestCounts, size: float, share: float) -> "_AtSize":
        """Compute the average and its evidence."""
        raised = counts.class_counts + size
        log_evidence = np.log(share) + float(dirichlet_log_evidence(counts.class_counts, np.array(size)))
        sums = None
        if n_variables := len(counts.n_values):
            sums = ForestSums.of_model(counts.at(size * len(raised)))
            # There are (m + 1)^(m - 1) rooted forests, equally probable a priori.
            log_evidence += sums.log_evidence - (n_variables - 1) * np.log(n_variables + 1)
        return cls(size, float(log_evidence), np.log(raised / raised.sum()), sums)

    def log_joint(self, codes: IntArray) -> FloatArray:
        if self.sums is None:
            return np.tile(self.log_class_probs, (len(codes), 1))
        nothing = np.full(len(codes), -1)
        summed = self.sums.log_sums(codes, self.sums.weights[None, :], nothing) - self.sums.log_sum
        return self.log_class_probs + self.sums.of.naive_log_probs(codes) + summed

    def edge_probs(self) -> FloatArray:
        """Return the posterior probability of each edge: one minus the share of forests without it."""
        if self.sums is None:
            return np.empty(0)
        found = np.empty(len(self.sums.weights))
        for pairs in blocks(len(found)):
            # The share of forests without an edge is the sum with weight 0 for it; one row per edge.
            without = np.tile(self.sums.weights, (pairs.stop - pairs.start, 1))
            without[np.arange(len(without)), np.arange(pairs.start, pairs.stop)] = 0.0
            found[pairs] = -np.expm1(self.sums.log_sums_alone(without) - self.sums.log_sum)
        return np.clip(found, 0.0, 1.0)
