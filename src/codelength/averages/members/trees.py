r"""A forest of decision trees, each of them an exact average over all its prunings.

A tree is grown on four fifths of the rows until every leaf has one class. Every pruning of it is another
model, and there are astronomically many; but their average has a closed form [1]_ [2]_. With D the evidence
of the classes at a node, were it a leaf, and l, r its children, the evidence of all prunings is

.. math:: E = (1 - s)\, D + s\, E_l E_r ,

and a leaf of the grown tree predicts what the prunings predict there, each weighed by its posterior
probability. The evidence is Dirichlet-multinomial. Its pseudocounts are proportional to the class prior of
the rows in the tree, and add up to a sixth of the square root of the effective number of classes. The
predictions of all trees are averaged [3]_ [4]_.

References
----------
.. [1] Buntine (1992). Learning classification trees. Statistics and Computing 2, 63-73.
.. [2] Willems, Shtarkov and Tjalkens (1995). The context-tree weighting method: basic properties. IEEE
   Transactions on Information Theory 41, 653-664.
.. [3] Breiman (2001). Random forests. Machine Learning 45, 5-32.
.. [4] Geurts, Ernst and Wehenkel (2006). Extremely randomized trees. Machine Learning 63, 3-42.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil, sqrt
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..._packing import packed, unpacked
from ..._threads import check_interrupted
from ...errors import DataError
from ...table import Coded
from ...typing import FloatArray, IntArray
from ..content import Arrangement, arrange
from ..folds import dealt
from ..member import Learned, Member, normalised
from ..training import Training
from ..views import Views
from ._tree_kernels import MOST_CODES, Columns, average_prunings, grow, send_down, send_down_all

N_TREES, FEWEST_TREES = 300, 100

MOST_CELLS = 10**8
"""Where rows times classes times trees would be more, fewer trees are grown, but never fewer than that."""

STRENGTH = 1 / 6
"""Sum of the pseudocounts of the classes, relative to the square root of their effective number."""

SPLIT_PROB = 0.5
"""Prior probability that a node which is split in the grown tree is split in a pruning."""

MOST_DEPTH = 30

MOST_TREES, MOST_NODES = 10_000, 10**8
"""No file has more trees, and no tree in a file more nodes."""

LEAST_PROB = np.finfo(np.float32).tiny
"""No class is impossible, however small its pseudocount is beside the weights of others."""

BLOCK = 20_000
"""Rows that are predicted at once."""


class LeafCounts(NamedTuple):
    """Weights of the classes at leaves, without those that are zero: most leaves have one class.

    Attributes
    ----------
    sizes : array of shape (n_leaves,)
        How many classes there are at each leaf.
    classes, weights : array
        The classes, leaf by leaf, and their weights.
    """

    sizes: IntArray
    classes: IntArray
    weights: FloatArray

    @classmethod
    def of(cls, counts: FloatArray) -> "LeafCounts":
        """Those of a table with one row per leaf."""
        leaves, classes = np.nonzero(counts)
        return cls(np.bincount(leaves, minlength=len(counts)), classes, counts[leaves, classes])

    def table(self, n_classes: int) -> FloatArray:
        """One row per leaf, one column per class."""
        n_leaves = len(self.sizes)
        places = np.repeat(np.arange(n_leaves) * n_classes, self.sizes) + self.classes
        counts = np.bincount(places, self.weights, n_leaves * n_classes).astype(np.float64)
        return counts.reshape(n_leaves, n_classes)

    def split(self, n_leaves: IntArray) -> "Iterator[LeafCounts]":
        """Those of several trees with so many leaves each."""
        leaf_ends = np.cumsum(n_leaves)
        ends = np.append(0, np.cumsum(self.sizes))[leaf_ends][:-1]
        parts = (
            np.split(self.sizes, leaf_ends[:-1]),
            np.split(self.classes, ends),
            np.split(self.weights, ends),
        )
        return map(LeafCounts, *parts)

    @classmethod
    def joined(cls, parts: "Iterable[LeafCounts]") -> "LeafCounts":
        """Those of several trees one after the other."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))


class Tree(NamedTuple):
    """One tree; see :class:`Trees`."""

    features: NDArray[np.int32]
    masks: IntArray
    leaf_counts: LeafCounts
    leaves: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Trees(Member):
    """A forest of decision trees, each of them an exact average over all its prunings.

    A split sends some fine values of a variable to the left. If they are ordered, these are the values up to
    a cut, with missing cells on either side. Otherwise it is one value, or those where some class has its
    smallest shares. Variables are drawn until as many as the square root of their number vary at the node.
    Every other tree tries one random split of each, the others try all. A cell that says nothing goes to the
    heavier child.

    Held-out predictions are averages over the trees that were grown without the copy of the row. Nothing that
    such a tree predicts depends on the copy, not even its pseudocounts. Copies of rows are dealt into five
    parts, and each of five trees does without one of them; then they are dealt anew. So every copy is held
    out from one tree in five. It is predicted by fewer trees on fewer rows than a new row is, so held-out
    scores are a little pessimistic.

    The draws depend on what is in the table, and not on how it is ordered or what its values are called: see
    :func:`~codelength.averages.content.arrange`. With other draws a probability moves by 0.01 on average.

    Attributes
    ----------
    views : Views
        What the member looks at.
    log_prior : array of shape (n_classes,)
        Log class prior.
    strength, split_prob : float
        How large the pseudocounts are, and the prior probability that a pruning goes on at a node; see
        :data:`STRENGTH` and :data:`SPLIT_PROB`.
    sizes : array of shape (n_trees,)
        How many nodes each tree has.
    features : array of shape (n_nodes,)
        The variable that each node is split on, -1 at leaves. Nodes are numbered level by level, one tree
        after the other.
    masks : array of shape (n_nodes,)
        The fine values that go left, as bits; bit 0 is for cells that say nothing.
    leaf_counts : LeafCounts
        Weights of the classes at the leaves.
    leaves : array of shape (n_leaves, n_classes)
        What the average over prunings predicts at each leaf.
    """

    name: ClassVar[str] = "trees"
    title: ClassVar[str] = "decision trees, all prunings averaged"

    views: Views
    log_prior: FloatArray
    strength: float
    split_prob: float
    sizes: IntArray
    features: NDArray[np.int32]
    masks: IntArray
    leaf_counts: LeafCounts
    leaves: NDArray[np.float32]

    @classmethod
    def fit(cls, training: Training) -> Learned[Self]:
        """Learn from training rows; see :class:`~codelength.averages.member.Member`."""
        growth = _Growth.of(training)
        n_trees = int(np.clip(MOST_CELLS // (training.n_rows * training.n_classes), FEWEST_TREES, N_TREES))
        n_rounds = -(-n_trees // growth.n_folds)
        seeds = training.generator(cls.name).integers(1, 2**63, size=n_rounds)
        trees: list[Tree] = []
        held_out = np.zeros((training.n_rows, training.n_classes))
        for number, seed in enumerate(seeds.tolist()):
            check_interrupted()
            some_trees, part = growth.round(number, seed)
            trees += some_trees
            held_out += part
        features, masks, leaf_counts, leaves = zip(*trees, strict=True)
        member = cls(
            training.views,
            training.log_prior,
            STRENGTH,
            SPLIT_PROB,
            np.array([len(part) for part in features]),
            np.concatenate(features),
            np.concatenate(masks),
            LeafCounts.joined(leaf_counts),
            np.concatenate(leaves),
        )
        return Learned(member, normalised(np.log(held_out)))

    def log_probs(self, coded: Coded) -> FloatArray:
        """Log probability of each class for each row, in nats, shape (n_rows, n_classes)."""
        totals = np.zeros((coded.n_rows, len(self.log_prior)))
        roots = np.cumsum(self.sizes) - self.sizes
        for start in range(0, coded.n_rows, BLOCK):
            rows = np.arange(start, min(start + BLOCK, coded.n_rows))
            block = coded if len(rows) == coded.n_rows else coded.take(rows)
            send_down_all(
                _codes(self.views.fine(block)),
                roots,
                self.features,
                self.masks,
                self._lefts,
                self.leaves,
                totals[start : start + BLOCK],
            )
        return normalised(np.log(totals))

    def to_json(self) -> dict[str, Any]:
        """What a file keeps of the member beside the views, as JSON types."""
        return {
            "strength": self.strength,
            "split_prob": self.split_prob,
            "sizes": _compact(self.sizes),
            "features": _compact(self.features),
            "masks": packed(self.masks[self.features >= 0]),
            "leaf_sizes": _compact(self.leaf_counts.sizes),
            "leaf_classes": _compact(self.leaf_counts.classes),
            "leaf_weights": _compact(self.leaf_counts.weights),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any], views: Views, log_prior: FloatArray) -> Self:
        """The member that :meth:`to_json` wrote, checked."""
        strength = _between(document["strength"], 1e-6, 1e6)
        split_prob = _between(document["split_prob"], 1e-6, 1.0 - 1e-6)
        sizes = _whole(document["sizes"], None, 1, MOST_NODES)
        if not 0 < len(sizes) <= MOST_TREES:
            raise DataError(f"a forest of {len(sizes):,} trees is not one that was written")
        n_nodes, n_classes = int(sizes.sum()), len(log_prior)
        features = _whole(document["features"], n_nodes, -1, views.n_variables - 1).astype(np.int32)
        _check_nodes(features, sizes)
        is_split = features >= 0
        masks = np.zeros(n_nodes, dtype=np.int64)
        masks[is_split] = _whole(document["masks"], int(is_split.sum()), 0, 2**63 - 1)
        leaf_sizes = _whole(document["leaf_sizes"], int((~is_split).sum()), 1, n_classes)
        n_weights = int(leaf_sizes.sum())
        leaf_counts = LeafCounts(
            leaf_sizes,
            _whole(document["leaf_classes"], n_weights, 0, n_classes - 1),
            unpacked(document["leaf_weights"], (n_weights,), low=1e-100, high=1e100).astype(np.float64),
        )
        trees = zip(
            np.split(features, np.cumsum(sizes)[:-1]), leaf_counts.split((sizes + 1) // 2), strict=True
        )
        leaves = [_leaves(tree, counts.table(n_classes), strength, split_prob) for tree, counts in trees]
        return cls(
            views,
            log_prior,
            strength,
            split_prob,
            sizes,
            features,
            masks,
            leaf_counts,
            np.concatenate(leaves),
        )

    @cached_property
    def _lefts(self) -> NDArray[np.int32]:
        return _lefts(self.features, self.sizes)


@dataclass(frozen=True, eq=False)
class _Growth:
    """Training rows, arranged for growing trees."""

    training: Training
    arranged: Arrangement
    columns: Columns
    labels: IntArray
    n_folds: int

    @classmethod
    def of(cls, training: Training) -> "_Growth":
        arranged = arrange(training)
        views = training.views
        n_values = np.minimum(views.n_fine, MOST_CODES - 1)
        scans = np.zeros((views.n_variables, MOST_CODES), dtype=np.int64)
        for scan, values in zip(scans, arranged.values, strict=True):
            known = values[values < MOST_CODES - 1]
            scan[: len(known)] = known + 1
        columns = Columns(
            np.ascontiguousarray(_codes(training.fine)[:, arranged.rows]),
            arranged.variables,
            scans,
            n_values,
            np.minimum(views.n_intervals, n_values),
        )
        places = np.argsort(arranged.classes)
        n_folds = len(dealt(training, arranged.rows))
        return cls(training, arranged, columns, places[training.labels[arranged.rows]], n_folds)

    def round(self, number: int, seed: int) -> tuple[list[Tree], FloatArray]:
        """Trees that each do without a part of the rows, and what they say about the rows they did without.

        The latter are sums over the copies of each row.
        """
        training, rows = self.training, self.arranged.rows
        generator = np.random.default_rng(seed)
        out = dealt(training, rows[generator.permutation(len(rows))])[:, rows]
        seeds = generator.integers(1, 2**63, size=self.n_folds)
        n_tried = ceil(sqrt(len(self.columns.draws)))
        by_class = np.argsort(self.arranged.classes)
        trees = []
        totals = np.zeros((len(rows), training.n_classes))
        for fold, n_out in enumerate(out):
            weights = (training.n_copies[rows] - n_out) * training.copy_weights[rows]
            class_counts = np.bincount(self.labels, weights, training.n_classes).astype(np.float64)
            pseudocounts = _pseudocounts(class_counts, STRENGTH)
            one_cut = (number * self.n_folds + fold) % 2 == 1
            grown = grow(
                self.columns,
                self.labels,
                weights,
                pseudocounts,
                n_tried,
                one_cut,
                MOST_DEPTH,
                int(seeds[fold]),
            )
            counts = grown.counts[grown.features < 0][:, by_class]
            leaves = _leaves(grown.features, counts, STRENGTH, SPLIT_PROB)
            lefts = _lefts(grown.features, np.array([len(grown.features)]))
            shares = n_out.astype(np.float64)
            send_down(self.columns.codes, shares, grown.features, grown.masks, lefts, leaves, totals)
            trees.append(Tree(grown.features, grown.masks, LeafCounts.of(counts), leaves))
        return trees, totals[np.argsort(rows)]


def _pseudocounts(class_counts: FloatArray, strength: float) -> FloatArray:
    """Pseudocounts for a tree on so many rows of each class."""
    prior = (class_counts + 0.5) / (class_counts.sum() + len(class_counts) / 2)
    n_effective = np.exp(-(prior * np.log(prior)).sum())
    return np.asarray(strength * np.sqrt(n_effective) * prior)


def _leaves(
    features: NDArray[np.int32], leaf_counts: FloatArray, strength: float, split_prob: float
) -> NDArray[np.float32]:
    """What one tree predicts at its leaves."""
    pseudocounts = _pseudocounts(leaf_counts.sum(axis=0), strength)
    averaged = average_prunings(features, leaf_counts, pseudocounts, split_prob)
    probs = averaged.distributions[features < 0].astype(np.float32)
    return np.maximum(probs, LEAST_PROB)


def _codes(fine: IntArray) -> NDArray[np.uint8]:
    """Fine codes as the kernels take them, one variable after the other: 0 says nothing."""
    codes = np.where(fine < MOST_CODES - 1, fine + 1, 0).astype(np.uint8)
    return np.ascontiguousarray(codes.T)


def _lefts(features: NDArray[np.int32], sizes: IntArray) -> NDArray[np.int32]:
    """For each node its left child, or the number of the leaf that it is."""
    is_split = features >= 0
    roots = np.repeat(np.cumsum(sizes) - sizes, sizes)
    before: IntArray = np.cumsum(is_split) - is_split
    lefts = roots + 2 * (before - before[roots]) + 1
    return np.where(is_split, lefts, np.cumsum(~is_split) - 1).astype(np.int32)


def _check_nodes(features: NDArray[np.int32], sizes: IntArray) -> None:
    """Refuse what is not trees: every node but the root is the child of one before it."""
    is_split = features >= 0
    n_splits = np.add.reduceat(is_split, np.cumsum(sizes) - sizes, dtype=np.int64)
    is_before = np.flatnonzero(is_split) < _lefts(features, sizes)[is_split]
    if (sizes != 2 * n_splits + 1).any() or not is_before.all():
        raise DataError("the nodes of a forest do not make up trees")


def _between(number: Any, low: float, high: float) -> float:
    if type(number) is not float or not low <= number <= high:
        raise DataError("a forest holds a number that it cannot have")
    return number


def _whole(document: Any, length: int | None, low: int, high: int) -> IntArray:
    array = unpacked(document, (length,), low=low, high=high)
    if array.dtype.kind == "f":
        raise DataError("a forest holds fractions where it cannot have any")
    return array.astype(np.int64)


def _compact(array: NDArray[Any]) -> dict[str, Any]:
    """An array as JSON types, in the smallest type that holds whole numbers exactly."""
    if array.dtype.kind == "f" and not (array == np.floor(array)).all():
        return packed(array)
    for kind in (np.uint8, np.int16, np.int32):
        limits = np.iinfo(kind)
        if array.size == 0 or (array.min() >= limits.min and array.max() <= limits.max):
            return packed(array.astype(kind))
    return packed(array)
