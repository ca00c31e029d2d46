r"""One forest, averaged over its parameters under the principle of indifference.

Given the class, each variable depends on at most one other, its parent. Parameters are those of a Bayesian
network: shares of the classes, of the values of each root within a class, and of the values of each other
variable within a class and a value of its parent. Each of these is Dirichlet, with the same pseudocounts in
all its cells, and independent of the others. This module has two such priors, derived in
``docs/explanation/theory/indifferent-trees.md``. Under the first, all joint parameters of the forest are
equally probable. A closed form of the sum over forests is not known for it. The second divides pseudocounts
evenly among pairs of values; see :mod:`codelength.networks.all_forests`.

Order of reading: :class:`ForestPrior` (evidence), :class:`ForestTables` (predictions), then
:class:`OneForest` and :func:`best_forest`. Used by :class:`codelength.estimators.IndifferentTrees`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from .._pickling import WithoutCaches
from ..decisions import first_best
from ..naive_bayes.dirichlet import dirichlet_log_evidence
from ..typing import FloatArray, IntArray
from .forest import ForestCounts, best_forests, blocks, depths_of, edges_in, top_down

NEGLIGIBLE = 40.0
"""Priors with a log evidence more than this below the best are left out."""

Law: TypeAlias = Literal["pairs", "uniform"]
"""Parameters that are equally probable a priori: those of any two variables, or those of the forest."""


def pair_sizes(n_values: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the sizes of tables of two variables, and the share of the pairs with each size.

    Examples
    --------
    >>> pair_sizes(np.array([2, 2, 3]))
    (array([4., 6.]), array([0.33333333, 0.66666667]))
    """
    later, earlier = np.tril_indices(len(n_values), -1)
    # A single variable has no pairs; its own number of values takes their place.
    products = n_values[later] * n_values[earlier] if len(later) else np.append(n_values, 1)[:1]
    sizes, times = np.unique(products, return_counts=True)
    return sizes.astype(np.float64), times / times.sum()


def sizes_under(n_values: IntArray, law: Law | float) -> tuple[FloatArray, FloatArray]:
    """Return the numbers of pseudocounts per class to average over, and their prior probabilities."""
    return pair_sizes(n_values) if isinstance(law, str) else (np.array([float(law)]), np.ones(1))


@dataclass(frozen=True, eq=False)
class ForestPrior:
    """Dirichlet prior of the parameters of one forest.

    Attributes
    ----------
    parents : array of shape (n_variables,)
        The parent of each variable; -1 at roots.
    of_class : float
        Pseudocount of each class.
    of_cells : array of shape (n_variables,)
        Pseudocount of each value of a variable, in each class and for each value of its parent.
    """

    parents: IntArray
    of_class: float
    of_cells: FloatArray

    @classmethod
    def uniform(cls, n_values: IntArray, parents: IntArray) -> "ForestPrior":
        r"""Return the uniform distribution over the joint parameters of the forest; exact if trees are stars.

        The share of a class has :math:`1 + d` pseudocounts for d free parameters within a class. In other
        trees, the factor of a variable between a root and a leaf in the density is not a product over cells:
        it is the probability of rows in which only this variable and the class are known. Here these virtual
        rows are divided evenly among the values of the root and otherwise ignored; of the approximations
        that were tried, this is the nearest to the integral.
        """
        virtual = np.zeros(len(parents))
        order = top_down(parents)
        # Upwards: each variable passes n_v - 1 virtual rows per value of its parent, plus those from below.
        for v in reversed(order):
            if (p := parents[v]) >= 0:
                virtual[p] += n_values[v] - 1 + virtual[v] * n_values[v] / n_values[p]
        above = np.where(parents >= 0, n_values[parents], 1)
        free = float((above * (n_values - 1)).sum())
        return cls(parents, 1.0 + free, 1.0 + np.where(parents < 0, virtual, 0.0))

    @classmethod
    def even(cls, n_values: IntArray, parents: IntArray, per_class: float) -> "ForestPrior":
        """Return the prior with ``per_class`` pseudocounts, divided evenly among pairs of values.

        The distribution does not depend on the choice of roots.
        """
        above = np.where(parents >= 0, n_values[parents], 1)
        return cls(parents, per_class, per_class / (above * n_values))

    def log_evidence(self, counts: ForestCounts) -> float:
        """Return the log probability of the counted cells and classes, in nats."""
        total = float(dirichlet_log_evidence(counts.class_counts, np.array(self.of_class)))
        for v, of_cell in enumerate(self.of_cells.tolist()):
            total += float(
                dirichlet_log_evidence(_counts_of(counts, self.parents, v), np.array(of_cell)).sum()
            )
        return total


def _counts_of(counts: ForestCounts, parents: IntArray, v: int) -> FloatArray:
    """Return weights of the values of a variable in each class, and for each value of its parent, if any."""
    if parents[v] < 0:
        return counts.value_counts[v]
    return counts.pairs.of(int(parents[v]), v)


@dataclass(frozen=True, eq=False)
class ForestTables:
    """Expected parameters of a forest, which predict as the average over all parameters does.

    Attributes
    ----------
    parents : array of shape (n_variables,)
        The parent of each variable; -1 at roots.
    class_probs : array of shape (n_classes,)
        Probability of each class.
    value_probs : tuple of arrays
        Probability of each value of a variable: of shape (n_classes, n_values) at roots, and of shape
        (n_classes, n_values of the parent, n_values) elsewhere.
    """

    parents: IntArray
    class_probs: FloatArray
    value_probs: tuple[FloatArray, ...]

    @classmethod
    def of(cls, counts: ForestCounts, law: ForestPrior) -> "ForestTables":
        """Compute the expected parameters from counts and a prior."""
        tables = (
            _shares(_counts_of(counts, law.parents, v) + of_cell)
            for v, of_cell in enumerate(law.of_cells.tolist())
        )
        return cls(law.parents, _shares(counts.class_counts + law.of_class), tuple(tables))

    def log_joint(self, codes: IntArray) -> FloatArray:
        """Return the joint log probability of rows and each class, in nats; codes of -1 are summed out."""
        found = np.tile(np.log(self.class_probs), (len(codes), 1))
        missing = (codes < 0).any(axis=1)
        # Complete rows need one look-up per variable; messages are needed for incomplete rows only.
        whole, partly = np.flatnonzero(~missing), np.flatnonzero(missing)
        for v, table in enumerate(self.value_probs):
            above = (codes[whole, self.parents[v]],) if self.parents[v] >= 0 else ()
            found[whole] += np.log(np.moveaxis(table, 0, -1)[*above, codes[whole, v]])
        for rows in blocks(len(partly)):
            found[partly[rows]] += log_evidence_of(self.parents, self.value_probs, codes[partly[rows]])
        return found


def log_evidence_of(parents: IntArray, tables: Sequence[FloatArray], codes: IntArray) -> FloatArray:
    """Return the log probability of the known codes of rows given each class, shape (n_rows, n_classes).

    From the leaves to the roots, every unknown variable is summed out of its factor, which leaves a factor of
    its parent (belief propagation on trees).

    Parameters
    ----------
    parents : array of int of shape (n_variables,)
        The parent of each variable, -1 at roots.
    tables : sequence of arrays of shape (n_classes, [n_values of the parent,] n_values)
        Probability of each value of a variable in each class, and for each value of its parent, if any.
    codes : array of int of shape (n_rows, n_variables)
        Codes of the variables; below 0 for those to sum out.
    """
    n_classes = len(tables[0]) if len(tables) else 0
    total = np.zeros((len(codes), n_classes))
    below: dict[int, FloatArray] = {}
    for v in reversed(top_down(parents)):
        table = tables[v]
        # Evidence of a cell: 1 for the value it has, and for all values if it is missing.
        seen = np.where(codes[:, v, None] < 0, 1.0, codes[:, v, None] == np.arange(table.shape[-1]))
        weights = seen[:, None, :] * below.pop(v, np.ones((1, 1, 1)))
        weights = np.broadcast_to(weights, (len(codes), n_classes, table.shape[-1]))
        if (p := int(parents[v])) < 0:
            with np.errstate(divide="ignore"):
                total += np.log(np.einsum("rcb,cb->rc", weights, table))
            continue
        message = np.einsum("rcb,cab->rca", weights, table)
        # Messages are scaled, because products over many leaves may underflow; all may be zero.
        highest = message.max(axis=2)
        scale = np.where(highest > 0.0, highest, 1.0)
        total += np.log(scale)
        below[p] = below.get(p, 1.0) * (message / scale[:, :, None])
    return total


def _shares(weights: FloatArray) -> FloatArray:
    """Return weights divided by their sums along the last axis."""
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def rooted(edges: Iterable[tuple[int, int]], n_variables: int) -> IntArray:
    """Return the parent of each variable in a forest, -1 for the roots, which are the centres of the trees.

    A centre is a variable with the smallest distance to the farthest other one; the first if there are two.

    Examples
    --------
    >>> rooted([(0, 1), (1, 2), (3, 4)], 6)
    array([ 1, -1,  1, -1,  3, -1])
    """
    from scipy.sparse.csgraph import dijkstra

    if not n_variables:
        return np.zeros(0, dtype=np.int64)
    graph = np.zeros((n_variables, n_variables))
    for one, other in edges:
        graph[one, other] = 1.0
    steps, before = dijkstra(graph, directed=False, unweighted=True, return_predecessors=True)
    reach = np.where(np.isinf(steps), 0.0, steps).max(axis=1, initial=0.0)
    centres = np.where(np.isinf(steps), np.inf, reach).argmin(axis=1)
    # The variable before each one on the path from the centre of its tree; negative for the centre itself.
    return np.maximum(np.asarray(before[centres, np.arange(n_variables)], dtype=np.int64), -1)


@dataclass(frozen=True, eq=False)
class OneForest(WithoutCaches):
    """One forest, averaged over its parameters.

    Attributes
    ----------
    counts : ForestCounts
        Counts of the training rows.
    parents : array of shape (n_variables,)
        The parent of each variable; -1 at roots.
    law : {"pairs", "uniform"} or float
        Parameters that are equally probable a priori; or a number of pseudocounts per class, divided evenly.
    """

    counts: ForestCounts
    parents: IntArray
    law: Law | float

    @cached_property
    def _priors(self) -> list[tuple[float, ForestPrior]]:
        """Logs of the prior probabilities of the priors in the average, and these priors."""
        n_values = self.counts.n_values
        if self.law == "uniform":
            return [(0.0, ForestPrior.uniform(n_values, self.parents))]
        return [
            (float(np.log(share)), ForestPrior.even(n_values, self.parents, float(size)))
            for size, share in zip(*sizes_under(n_values, self.law), strict=True)
        ]

    @cached_property
    def _log_evidences(self) -> FloatArray:
        return np.array([log_share + law.log_evidence(self.counts) for log_share, law in self._priors])

    @cached_property
    def _near(self) -> list[tuple[float, ForestTables]]:
        """Log evidences under priors that are not negligible, and expected parameters."""
        least = self._log_evidences.max() - NEGLIGIBLE
        return [
            (float(log_evidence), ForestTables.of(self.counts, law))
            for log_evidence, (_, law) in zip(self._log_evidences, self._priors, strict=True)
            if log_evidence >= least
        ]

    @property
    def is_exact(self) -> bool:
        """True if the average is exact, False if it is an approximation; see :meth:`ForestPrior.uniform`."""
        # Under the uniform law if no variable is more than one edge from its root: all trees are stars.
        return self.law != "uniform" or bool((depths_of(self.parents) <= 1).all())

    @cached_property
    def log_evidence(self) -> float:
        """Log probability of the counted cells and classes, in nats."""
        return float(np.logaddexp.reduce(self._log_evidences))

    @property
    def tables(self) -> ForestTables | None:
        """Expected parameters; None if predictions are averaged over several priors."""
        return self._near[0][1] if len(self._near) == 1 else None

    def log_joint(self, codes: IntArray) -> FloatArray:
        """Return the joint log probability of rows and each class, in nats, shape (n_rows, n_classes)."""
        found = np.full((len(codes), len(self.counts.class_counts)), -np.inf)
        for log_evidence, tables in self._near:
            found = np.logaddexp(found, log_evidence - self.log_evidence + tables.log_joint(codes))
        return found


def best_forest(counts: ForestCounts, law: Law | float) -> OneForest:
    """Return the forest with the highest evidence.

    Under the law of pairs with a single size, this is the most probable of all forests. With several sizes,
    it is the most probable of those that are best for one of the sizes. Under the uniform law, gains of edges
    are not quite additive. The candidates then also include the forest with the largest sum of gains of
    single edges, and the forest without edges.
    """
    n_variables, n_classes = len(counts.n_values), len(counts.class_counts)
    if n_variables < 2:
        return OneForest(counts, np.full(n_variables, -1), law)
    sizes = sizes_under(counts.n_values, law)[0].tolist()
    # The evidence of a forest is that of no edges times the Bayes factors of its edges, so a maximum spanning
    # forest of log Bayes factors is the best one.
    gains = [counts.at(size * n_classes).log_weights for size in sizes]
    if law == "uniform":
        gains += [_gains_alone(counts), np.full(counts.pairs.n_pairs, -1.0)]
    found: dict[tuple[int, ...], OneForest] = {}
    total = float(counts.class_counts.sum())
    # Forests that differ in their roots only are compared once.
    for parents in best_forests(np.array(gains), total):
        centred = rooted(edges_in(parents), n_variables)
        found.setdefault(tuple(centred.tolist()), OneForest(counts, centred, law))
    forests = list(found.values())
    return forests[first_best([forest.log_evidence for forest in forests], total)]


def _gains_alone(counts: ForestCounts) -> FloatArray:
    """Return the gain in log evidence of each edge alone, compared with no edges, under the uniform law."""
    n_values, one = counts.n_values, np.array(1.0)
    alone = [dirichlet_log_evidence(values, one).sum() for values in counts.value_counts]
    free = float((n_values - 1).sum())
    gains = np.empty(counts.pairs.n_pairs)
    for pair, (u, v) in enumerate(zip(counts.pairs.later, counts.pairs.earlier, strict=True)):
        together = counts.pairs.of(u, v).reshape(len(counts.class_counts), -1)
        # An edge adds parameters to each class, and with them pseudocounts of the classes.
        raised = np.array([1.0 + free, 1.0 + free + (n_values[u] - 1) * (n_values[v] - 1)])[:, None]
        of_classes = dirichlet_log_evidence(np.tile(counts.class_counts, (2, 1)), raised)
        gains[pair] = dirichlet_log_evidence(together, one).sum() - alone[u] - alone[v]
        gains[pair] += of_classes[1] - of_classes[0]
    return gains
