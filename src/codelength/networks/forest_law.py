r"""A prior for the parameters of one forest, and what it makes of counts.

Given the class, each variable depends on at most one other, its parent. Parameters are those of a Bayesian
network: shares of the classes, of the values of each root within a class, and of the values of each other
variable within a class and a value of its parent. Each of these is Dirichlet, with the same pseudocounts in
all its cells, and independent of the others. Two such priors are made here, both by the principle of
indifference; ``docs/theory/indifferent-trees.md`` derives them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..averages.members.augmented import AugmentedCounts
from ..counts.pairs import PairCounts, count_pairs, n_pair_cells
from ..errors import Infeasible
from ..naive_bayes.dirichlet import dirichlet_log_evidence
from ..table import Coded
from ..typing import FloatArray, IntArray

MOST_VARIABLES = 128
"""More variables do not take part: the time of a prediction by all forests grows with their cube."""

MOST_CELLS = 1 << 24
"""Counts of pairs that are kept: 134 MB."""

_ROWS_AT_ONCE = 1 << 12


@dataclass(frozen=True, eq=False)
class ForestCounts:
    """All that forests know of a table.

    Attributes
    ----------
    class_counts : array of shape (n_classes,)
        Weight of each class.
    augmented : AugmentedCounts
        Weights of values, and of pairs of values, in each class.
    """

    class_counts: FloatArray
    augmented: AugmentedCounts

    @classmethod
    def of(cls, coded: Coded) -> "ForestCounts":
        """The counts of a table with classes; variables with less than two values say nothing."""
        schema = coded.schema
        variables = takes_part(schema.n_values)
        n_values, n_classes = schema.n_values[variables].astype(np.int64), schema.n_classes
        check_size_of(n_values, n_classes)
        codes, labels = codes_of(coded, variables), np.asarray(coded.class_codes, dtype=np.int64)
        weights = np.ones(coded.n_rows) if coded.weights is None else coded.weights
        values = []
        for j, size in enumerate(n_values.tolist()):
            known = codes[:, j] >= 0
            places = labels[known] * size + codes[known, j]
            found = np.bincount(places, weights[known], n_classes * size).astype(np.float64)
            values.append(found.reshape(n_classes, size))
        pairs = count_pairs(codes, labels, n_values, n_classes, weights)
        class_counts = np.bincount(labels, weights, n_classes).astype(np.float64)
        return cls(class_counts, AugmentedCounts(variables, tuple(values), pairs))

    def codes(self, coded: Coded) -> IntArray:
        """Codes of the cells of the variables that take part, -1 where one has no value."""
        return codes_of(coded, self.augmented.variables)

    @property
    def variables(self) -> IntArray:
        """Places in the schema of the variables that take part."""
        return self.augmented.variables

    @property
    def n_values(self) -> IntArray:
        """How many values each variable has."""
        return self.augmented.pairs.n_values

    @property
    def value_counts(self) -> tuple[FloatArray, ...]:
        """Weight of each value in each class, for each variable."""
        return self.augmented.value_counts

    @property
    def pairs(self) -> PairCounts:
        """Weight of each pair of values in each class."""
        return self.augmented.pairs


def takes_part(n_values: IntArray) -> IntArray:
    """Places of the variables that have at least two values."""
    return np.flatnonzero(n_values >= 2).astype(np.int64)


def check_size_of(n_values: IntArray, n_classes: int) -> None:
    """Refuse tables with too many variables, or too many pairs of values."""
    if len(n_values) > MOST_VARIABLES:
        raise Infeasible(
            f"{len(n_values)} variables are more than the {MOST_VARIABLES} that forests are made from; leave "
            "some out"
        )
    if (n_cells := n_pair_cells(n_values, n_classes)) > MOST_CELLS:
        raise Infeasible(
            f"{len(n_values)} variables have {n_cells:,} pairs of values within classes, more than the "
            f"{MOST_CELLS:,} that forests are made from; leave variables out, or merge rare values"
        )


def codes_of(coded: Coded, variables: IntArray) -> IntArray:
    """Codes of the cells of some variables, -1 where one has no value."""
    codes = coded.codes[:, variables].astype(np.int64)
    return np.ascontiguousarray(np.where(codes < coded.schema.n_values[variables], codes, -1))


def rooted(edges: Iterable[tuple[int, int]], n_variables: int) -> IntArray:
    """The parent of each variable in a forest, -1 at the roots, which are the centres of the trees.

    A centre is a variable from which the farthest other one is as near as can be; the first of two.

    Examples
    --------
    >>> rooted([(0, 1), (1, 2), (3, 4)], 6)
    array([ 1, -1,  1, -1,  3, -1])
    """
    near: list[list[int]] = [[] for _ in range(n_variables)]
    for one, other in edges:
        near[one].append(other)
        near[other].append(one)
    parents = np.full(n_variables, -2)
    for start in range(n_variables):
        if parents[start] != -2:
            continue
        tree = _reached(near, start)
        centre = min(sorted(tree), key=lambda v: max(_reached(near, v).values()))
        parents[centre] = -1
        for v in _reached(near, centre):
            for w in near[v]:
                if parents[w] == -2:
                    parents[w] = v
    return parents


def _reached(near: Sequence[Sequence[int]], start: int) -> dict[int, int]:
    """How many edges away each variable of a tree is, the nearest first."""
    found, waiting = {start: 0}, [start]
    for v in waiting:
        for w in near[v]:
            if w not in found:
                found[w] = found[v] + 1
                waiting.append(w)
    return found


@dataclass(frozen=True, eq=False)
class ForestLaw:
    """Pseudocounts of the parameters of one forest.

    Attributes
    ----------
    parents : array of shape (n_variables,)
        The parent of each variable; -1 at roots.
    of_class : float
        Pseudocounts of each class.
    of_cells : array of shape (n_variables,)
        Pseudocounts of each value of a variable, in each class and for each value of its parent.
    """

    parents: IntArray
    of_class: float
    of_cells: FloatArray

    @classmethod
    def uniform(cls, n_values: IntArray, parents: IntArray) -> "ForestLaw":
        r"""The uniform distribution over the joint parameters of the forest, if all its trees are stars.

        The share of a class has :math:`1 + d` pseudocounts, where d parameters are free within a class. In
        other trees, what variables between a root and a leaf add to the density is no product over cells. It
        is the probability of rows that show such a variable and the class alone. Here these rows are shared
        out evenly over the values of the root, and otherwise passed over: of the ways that were tried, this
        comes nearest to the integral.
        """
        virtual = np.zeros(len(parents))
        order = top_down(parents)
        for v in reversed(order):
            if (p := parents[v]) >= 0:
                virtual[p] += n_values[v] - 1 + virtual[v] * n_values[v] / n_values[p]
        above = np.where(parents >= 0, n_values[parents], 1)
        free = float((above * (n_values - 1)).sum())
        return cls(parents, 1.0 + free, 1.0 + np.where(parents < 0, virtual, 0.0))

    @classmethod
    def even(cls, n_values: IntArray, parents: IntArray, per_class: float) -> "ForestLaw":
        """So many pseudocounts in each class, shared evenly by the pairs of values of any two variables.

        This is the same distribution whatever variables of the forest are its roots.
        """
        above = np.where(parents >= 0, n_values[parents], 1)
        return cls(parents, per_class, per_class / (above * n_values))

    @cached_property
    def is_shallow(self) -> bool:
        """Whether no variable is more than one edge from its root: all trees are stars."""
        return bool((self.parents[self.parents[self.parents >= 0]] < 0).all())

    def log_evidence(self, counts: ForestCounts) -> float:
        """Log probability of the counted cells and classes, in nats."""
        total = float(dirichlet_log_evidence(counts.class_counts, np.array(self.of_class)))
        for v, of_cell in enumerate(self.of_cells.tolist()):
            total += float(
                dirichlet_log_evidence(_counts_of(counts, self.parents, v), np.array(of_cell)).sum()
            )
        return total


def top_down(parents: IntArray) -> list[int]:
    """The variables of a forest, each after its parent.

    Examples
    --------
    >>> top_down(np.array([1, -1, 0]))
    [1, 0, 2]
    """
    depths = []
    for v in range(len(parents)):
        depth, above = 0, int(parents[v])
        while above >= 0:
            depth, above = depth + 1, int(parents[above])
        depths.append(depth)
    return sorted(range(len(parents)), key=lambda v: (depths[v], v))


def _counts_of(counts: ForestCounts, parents: IntArray, v: int) -> FloatArray:
    """Weights of the values of a variable in each class, and for each value of its parent if it has one."""
    if parents[v] < 0:
        return counts.value_counts[v]
    return counts.pairs.of(int(parents[v]), v)


@dataclass(frozen=True, eq=False)
class ForestTables:
    """The average over the parameters of a forest: the parameters at their expected values.

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
    def of(cls, counts: ForestCounts, law: ForestLaw) -> "ForestTables":
        """What counts say under a prior."""
        tables = (
            _shares(_counts_of(counts, law.parents, v) + of_cell)
            for v, of_cell in enumerate(law.of_cells.tolist())
        )
        return cls(law.parents, _shares(counts.class_counts + law.of_class), tuple(tables))

    def log_joint(self, codes: IntArray) -> FloatArray:
        """Log probability of rows together with each class, in nats; cells without a value are summed out."""
        found = np.empty((len(codes), len(self.class_probs)))
        for start in range(0, len(codes), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            found[rows] = self._log_joint(codes[rows])
        return found

    def _log_joint(self, codes: IntArray) -> FloatArray:
        total = np.tile(np.log(self.class_probs), (len(codes), 1))
        missing = (codes < 0).any(axis=1)
        whole, partly = np.flatnonzero(~missing), np.flatnonzero(missing)
        for v, table in enumerate(self.value_probs):
            of_value = np.moveaxis(table, 0, -1)
            if (p := self.parents[v]) >= 0:
                total[whole] += np.log(of_value[codes[whole, p], codes[whole, v]])
            else:
                total[whole] += np.log(of_value[codes[whole, v]])
        if len(partly):
            total[partly] += self._summed_out(codes[partly])
        return total

    def _summed_out(self, codes: IntArray) -> FloatArray:
        """Log probability of rows given each class, by passing messages from the leaves to the roots."""
        n_classes = len(self.class_probs)
        total = np.zeros((len(codes), n_classes))
        below: dict[int, FloatArray] = {}
        for v in reversed(top_down(self.parents)):
            table = self.value_probs[v]
            seen = np.where(codes[:, v, None] < 0, 1.0, codes[:, v, None] == np.arange(table.shape[-1]))
            weights = seen[:, None, :] * below.pop(v, np.ones((1, 1, 1)))
            if (p := int(self.parents[v])) < 0:
                sums = np.einsum("rcb,cb->rc", np.broadcast_to(weights, (len(codes), *table.shape)), table)
                total += np.log(sums)
                continue
            shape = len(codes), n_classes, table.shape[-1]
            message = np.einsum("rcb,cab->rca", np.broadcast_to(weights, shape), table)
            # Products over many leaves may leave the range of a float64.
            scale = message.max(axis=2)
            total += np.log(scale)
            below[p] = below.get(p, 1.0) * (message / scale[:, :, None])
        return total


def _shares(weights: FloatArray) -> FloatArray:
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))
