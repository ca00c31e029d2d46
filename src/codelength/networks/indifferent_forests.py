r"""Tree-augmented naive Bayes under the principle of indifference: one forest, or all of them averaged.

For one forest there are two priors, see :mod:`codelength.networks.forest_law`. Under the first, all joint
parameters of the forest are equally probable. A closed form of the sum over forests is not known for it.
Under the second, each class has s pseudocounts, divided evenly among the pairs of values of any two
variables. It is the only prior of this kind that does not depend on the choice of roots, and with
:math:`s = n_u n_v` all joint parameters of the variables u and v are equally probable. If pairs have
different sizes, each requires another s, and s is averaged over the pairs. For each s, the sum over all
forests is a determinant, as in :mod:`codelength.averages.members.forests`.

Order of reading: :class:`OneForest` and :func:`best_forest`, then :class:`AllForests`, which averages
``_AtSize`` over numbers of pseudocounts, then counts in files.

Depends on :mod:`codelength.networks.forest_law` (one forest) and :mod:`codelength.averages.members.forests`
(sums over forests). Used by :class:`codelength.estimators.IndifferentTrees`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from .._packing import packed, unpacked
from .._pickling import WithoutCaches
from ..averages.members.augmented import LARGEST_COUNT, AugmentedCounts, best_forests, blocks
from ..averages.members.forests import NEGLIGIBLE, ForestSums
from ..counts.pairs import PairCounts, n_pair_cells
from ..decisions import first_best
from ..naive_bayes.dirichlet import dirichlet_log_evidence
from ..table import Schema
from ..typing import FloatArray, IntArray
from .forest_law import ForestCounts, ForestLaw, ForestTables, check_size_of, rooted, takes_part

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


def _sizes(n_values: IntArray, law: Law | float) -> tuple[FloatArray, FloatArray]:
    """Return the numbers of pseudocounts per class to average over, and their prior probabilities."""
    return pair_sizes(n_values) if isinstance(law, str) else (np.array([float(law)]), np.ones(1))


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
    def _laws(self) -> list[tuple[float, ForestLaw]]:
        """Logs of the prior probabilities of the priors in the average, and these priors."""
        n_values = self.counts.n_values
        if self.law == "uniform":
            return [(0.0, ForestLaw.uniform(n_values, self.parents))]
        return [
            (float(np.log(share)), ForestLaw.even(n_values, self.parents, float(size)))
            for size, share in zip(*_sizes(n_values, self.law), strict=True)
        ]

    @cached_property
    def _log_evidences(self) -> FloatArray:
        return np.array([log_share + law.log_evidence(self.counts) for log_share, law in self._laws])

    @cached_property
    def _tables(self) -> list[ForestTables]:
        return [ForestTables.of(self.counts, law) for _, law in self._laws]

    @property
    def is_exact(self) -> bool:
        """True if the average is exact, False if it is an approximation; see :meth:`ForestLaw.uniform`."""
        return self.law != "uniform" or self._laws[0][1].is_shallow

    @cached_property
    def log_evidence(self) -> float:
        """Log probability of the counted cells and classes, in nats."""
        return float(np.logaddexp.reduce(self._log_evidences))

    @property
    def tables(self) -> ForestTables | None:
        """Expected parameters; None if predictions are averaged over several priors."""
        # Priors of negligible evidence do not prevent export as one network.
        near = np.flatnonzero(self._log_evidences >= self._log_evidences.max() - NEGLIGIBLE)
        return self._tables[near[0]] if len(near) == 1 else None

    def log_joint(self, codes: IntArray) -> FloatArray:
        """Return the joint log probability of rows and each class, in nats, shape (n_rows, n_classes)."""
        found = np.full((len(codes), len(self.counts.class_counts)), -np.inf)
        for log_evidence, tables in zip(self._log_evidences, self._tables, strict=True):
            if log_evidence >= self._log_evidences.max() - NEGLIGIBLE:
                found = np.logaddexp(found, log_evidence - self.log_evidence + tables.log_joint(codes))
        return found


def best_forest(counts: ForestCounts, law: Law | float) -> OneForest:
    """Return the forest with the highest evidence.

    Under the law of pairs with a single size, this is the most probable of all forests. With several sizes,
    it is the most probable of those that are best for one of the sizes. Under the uniform law, gains of edges
    are not quite additive. The candidates then also include the forest with the largest sum of gains of
    single edges, and the forest without edges.

    Parameters
    ----------
    counts : ForestCounts
        Counts of the training rows.
    law : {"pairs", "uniform"} or float
        Prior; see :class:`OneForest`.
    """
    n_variables, n_classes = len(counts.n_values), len(counts.class_counts)
    if n_variables < 2:
        return OneForest(counts, np.full(n_variables, -1), law)
    sizes = _sizes(counts.n_values, law)[0].tolist()
    # The evidence of a forest is that of no edges times the Bayes factors of its edges, so a maximum spanning
    # forest of log Bayes factors is the best one.
    gains = [counts.augmented.at(size * n_classes).log_weights for size in sizes]
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


def edges_in(parents: IntArray) -> list[tuple[int, int]]:
    """Return the edges of a forest, the parent first.

    Examples
    --------
    >>> edges_in(np.array([-1, 0, 1]))
    [(0, 1), (1, 2)]
    """
    return [(int(p), v) for v, p in enumerate(parents.tolist()) if p >= 0]


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
        for size, share in zip(*_sizes(self.counts.n_values, self.law), strict=True):
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
            sums = ForestSums.of_model(counts.augmented.at(size * len(raised)))
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
            # The share of forests without an edge is the sum with weight 0 for it; one row per edge, in
            # blocks.
            without = np.tile(self.sums.weights, (pairs.stop - pairs.start, 1))
            without[np.arange(len(without)), np.arange(pairs.start, pairs.stop)] = 0.0
            found[pairs] = -np.expm1(self.sums.log_sums_alone(without) - self.sums.log_sum)
        return np.clip(found, 0.0, 1.0)


def counts_to_json(counts: ForestCounts) -> dict[str, Any]:
    """Return counts as JSON types."""
    values = np.concatenate([np.empty(0), *(table.ravel() for table in counts.value_counts)])
    return {
        "class_counts": packed(counts.class_counts),
        "value_counts": packed(values),
        "pair_counts": packed(counts.pairs.cells),
    }


def counts_from_json(document: Mapping[str, Any], schema: Schema) -> ForestCounts:
    """Restore the counts that :func:`counts_to_json` wrote; raise DataError if the document is not valid."""
    variables = takes_part(schema.n_values)
    n_values, n_classes = schema.n_values[variables].astype(np.int64), schema.n_classes
    check_size_of(n_values, n_classes)

    def restored(name: str, *shape: int) -> FloatArray:
        found = unpacked(document[name], shape, low=0.0, high=LARGEST_COUNT)
        return np.ascontiguousarray(found, dtype=np.float64)

    flat = restored("value_counts", int(n_values.sum()) * n_classes)
    ends = np.cumsum(n_values * n_classes)
    values = tuple(part.reshape(n_classes, -1) for part in np.split(flat, ends)[:-1])
    cells = restored("pair_counts", n_pair_cells(n_values, n_classes) // n_classes, n_classes)
    augmented = AugmentedCounts(variables, values, PairCounts(n_values, cells))
    return ForestCounts(restored("class_counts", n_classes), augmented)
