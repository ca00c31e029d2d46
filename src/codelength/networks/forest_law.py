r"""Priors for the parameters of one forest, with evidence and predictions from counts.

Given the class, each variable depends on at most one other, its parent. Parameters are those of a Bayesian
network: shares of the classes, of the values of each root within a class, and of the values of each other
variable within a class and a value of its parent. Each of these is Dirichlet, with the same pseudocounts in
all its cells, and independent of the others. This module has two such priors, both by the principle of
indifference; ``docs/theory/indifferent-trees.md`` derives them.

Order of reading: :class:`ForestCounts` (data), :class:`ForestLaw` (prior and evidence),
:class:`ForestTables` (predictions).
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
"""Largest number of variables; the time of a prediction by all forests grows with its cube."""

MOST_CELLS = 1 << 24
"""Largest number of counts of pairs: 134 MB."""

_ROWS_AT_ONCE = 1 << 12


@dataclass(frozen=True, eq=False)
class ForestCounts:
    """Counts of a table that forests need.

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
        """Count a table with classes; variables with less than two values are left out."""
        schema = coded.schema
        variables = takes_part(schema.n_values)
        n_values, n_classes = schema.n_values[variables].astype(np.int64), schema.n_classes
        check_size_of(n_values, n_classes)
        codes, labels = codes_of(coded, variables), np.asarray(coded.class_codes, dtype=np.int64)
        weights = np.ones(coded.n_rows) if coded.weights is None else coded.weights
        # Weights by class and value, one variable at a time, without an array of all rows and variables.
        values = []
        for j, size in enumerate(n_values.tolist()):
            # Cells without a value are left out, variable by variable.
            known = codes[:, j] >= 0
            places = labels[known] * size + codes[known, j]
            found = np.bincount(places, weights[known], n_classes * size).astype(np.float64)
            values.append(found.reshape(n_classes, size))
        pairs = count_pairs(codes, labels, n_values, n_classes, weights)
        class_counts = np.bincount(labels, weights, n_classes).astype(np.float64)
        return cls(class_counts, AugmentedCounts(variables, tuple(values), pairs))

    def codes(self, coded: Coded) -> IntArray:
        """Return codes of the variables that take part, -1 for cells without a value."""
        return codes_of(coded, self.augmented.variables)

    @property
    def variables(self) -> IntArray:
        """Positions in the schema of the variables that take part."""
        return self.augmented.variables

    @property
    def n_values(self) -> IntArray:
        """Number of values of each variable."""
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
    """Return the positions of variables with at least two values."""
    return np.flatnonzero(n_values >= 2).astype(np.int64)


def check_size_of(n_values: IntArray, n_classes: int) -> None:
    """Raise Infeasible for too many variables or too many pairs of values."""
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
    """Return codes of some variables, -1 for cells without a value."""
    codes = coded.codes[:, variables].astype(np.int64)
    return np.ascontiguousarray(np.where(codes < coded.schema.n_values[variables], codes, -1))


def rooted(edges: Iterable[tuple[int, int]], n_variables: int) -> IntArray:
    """Return the parent of each variable in a forest, -1 for the roots, which are the centres of the trees.

    A centre is a variable with the smallest distance to the farthest other one; the first if there are two.

    Parameters
    ----------
    edges : iterable of pairs of int
        Edges of the forest.
    n_variables : int
        Number of variables.

    Examples
    --------
    >>> rooted([(0, 1), (1, 2), (3, 4)], 6)
    array([ 1, -1,  1, -1,  3, -1])
    """
    near: list[list[int]] = [[] for _ in range(n_variables)]
    for one, other in edges:
        near[one].append(other)
        near[other].append(one)
    # -2 marks variables that were not reached yet.
    parents = np.full(n_variables, -2)
    for start in range(n_variables):
        if parents[start] != -2:
            continue
        tree = _reached(near, start)
        # Quadratic in the size of a tree, which is at most MOST_VARIABLES.
        centre = min(sorted(tree), key=lambda v: max(_reached(near, v).values()))
        parents[centre] = -1
        for v in _reached(near, centre):
            for w in near[v]:
                if parents[w] == -2:
                    parents[w] = v
    return parents


def _reached(near: Sequence[Sequence[int]], start: int) -> dict[int, int]:
    """Return the distance of each variable of a tree from a start, in edges, by breadth-first search."""
    found, waiting = {start: 0}, [start]
    for v in waiting:
        for w in near[v]:
            if w not in found:
                found[w] = found[v] + 1
                waiting.append(w)
    return found


@dataclass(frozen=True, eq=False)
class ForestLaw:
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
    def uniform(cls, n_values: IntArray, parents: IntArray) -> "ForestLaw":
        r"""Return the uniform distribution over the joint parameters of the forest; exact if trees are stars.

        The share of a class has :math:`1 + d` pseudocounts for d free parameters within a class. In other
        trees, the factor of a variable between a root and a leaf in the density is not a product over cells:
        it is the probability of rows in which only this variable and the class are known. Here these virtual
        rows are divided evenly among the values of the root and otherwise ignored; of the approximations
        that were tried, this is the nearest to the integral.

        Parameters
        ----------
        n_values : array of int of shape (n_variables,)
            Number of values of each variable.
        parents : array of int of shape (n_variables,)
            Parent of each variable, -1 for roots.
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
    def even(cls, n_values: IntArray, parents: IntArray, per_class: float) -> "ForestLaw":
        """Return the prior with ``per_class`` pseudocounts, divided evenly among pairs of values.

        The distribution does not depend on the choice of roots.
        """
        above = np.where(parents >= 0, n_values[parents], 1)
        return cls(parents, per_class, per_class / (above * n_values))

    @cached_property
    def is_shallow(self) -> bool:
        """True if no variable is more than one edge from its root: all trees are stars."""
        return bool((self.parents[self.parents[self.parents >= 0]] < 0).all())

    def log_evidence(self, counts: ForestCounts) -> float:
        """Return the log probability of the counted cells and classes, in nats."""
        total = float(dirichlet_log_evidence(counts.class_counts, np.array(self.of_class)))
        for v, of_cell in enumerate(self.of_cells.tolist()):
            total += float(
                dirichlet_log_evidence(_counts_of(counts, self.parents, v), np.array(of_cell)).sum()
            )
        return total


def top_down(parents: IntArray) -> list[int]:
    """Return the variables of a forest, each after its parent.

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
    def of(cls, counts: ForestCounts, law: ForestLaw) -> "ForestTables":
        """Compute the expected parameters from counts and a prior."""
        tables = (
            _shares(_counts_of(counts, law.parents, v) + of_cell)
            for v, of_cell in enumerate(law.of_cells.tolist())
        )
        return cls(law.parents, _shares(counts.class_counts + law.of_class), tuple(tables))

    def log_joint(self, codes: IntArray) -> FloatArray:
        """Return the joint log probability of rows and each class, in nats; missing cells are summed out.

        Parameters
        ----------
        codes : array of int of shape (n_rows, n_variables)
            Codes of the variables that take part, -1 for cells without a value.
        """
        found = np.empty((len(codes), len(self.class_probs)))
        for start in range(0, len(codes), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            found[rows] = self._log_joint(codes[rows])
        return found

    def _log_joint(self, codes: IntArray) -> FloatArray:
        """Return the same for a block of rows: look-ups for complete rows, messages for the others."""
        total = np.tile(np.log(self.class_probs), (len(codes), 1))
        missing = (codes < 0).any(axis=1)
        # Complete rows need one look-up per variable; messages are needed for incomplete rows only.
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
        """Return the log probability of rows given each class, by messages from the leaves to the roots."""
        n_classes = len(self.class_probs)
        total = np.zeros((len(codes), n_classes))
        below: dict[int, FloatArray] = {}
        for v in reversed(top_down(self.parents)):
            table = self.value_probs[v]
            # Evidence of a cell: 1 for the value it has, and for all values if it is missing.
            seen = np.where(codes[:, v, None] < 0, 1.0, codes[:, v, None] == np.arange(table.shape[-1]))
            weights = seen[:, None, :] * below.pop(v, np.ones((1, 1, 1)))
            if (p := int(self.parents[v])) < 0:
                sums = np.einsum("rcb,cb->rc", np.broadcast_to(weights, (len(codes), *table.shape)), table)
                total += np.log(sums)
                continue
            shape = len(codes), n_classes, table.shape[-1]
            message = np.einsum("rcb,cab->rca", np.broadcast_to(weights, shape), table)
            # Messages are scaled, because products over many leaves may underflow.
            scale = message.max(axis=2)
            total += np.log(scale)
            below[p] = below.get(p, 1.0) * (message / scale[:, :, None])
        return total


def _shares(weights: FloatArray) -> FloatArray:
    """Return weights divided by their sums along the last axis."""
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))
