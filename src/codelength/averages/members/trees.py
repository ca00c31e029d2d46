r"""A forest of decision trees, each of them an exact average over all its prunings.

A tree is grown on four fifths of the rows until every leaf has one class. Every pruning of it is another
model, and there are astronomically many; but their average has a closed form [1]_ [2]_. With D the evidence
of the classes at a node, were it a leaf, and l, r its children, the evidence of all prunings is

.. math:: E = (1 - s)\, D + s\, E_l E_r ,

and a leaf of the grown tree predicts what the prunings predict there, each weighed by its posterior
probability. The evidence is Dirichlet-multinomial. Its pseudocounts are proportional to the class prior of
the rows in the tree, and add up to a sixth of the square root of the effective number of classes. The
predictions of all trees are averaged [3]_ [4]_.

Order of reading: :meth:`Trees.fit`, ``_Growth`` (rows arranged for growing; a round of trees), ``_leaves``
(what one tree predicts), :meth:`Trees.log_probs`, then files. All loops are in ``_tree_kernels`` and
the modules that it names.

References
----------
.. [1] Buntine (1992). Learning classification trees. Statistics and Computing 2, 63-73.
.. [2] Willems, Shtarkov and Tjalkens (1995). The context-tree weighting method: basic properties. IEEE
   Transactions on Information Theory 41, 653-664.
.. [3] Breiman (2001). Random forests. Machine Learning 45, 5-32.
.. [4] Geurts, Ernst and Wehenkel (2006). Extremely randomized trees. Machine Learning 63, 3-42.
"""

from dataclasses import dataclass
from functools import cached_property
from math import ceil, sqrt
from typing import Annotated, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..._codec import Savable, Saved
from ..._threads import check_interrupted
from ...errors import DataError
from ...table import Coded
from ...typing import FloatArray, IntArray
from ..content import Arrangement, canonical_order
from ..folds import copies_per_fold
from ..member import FittedMember, Member, normalised
from ..training import Training
from ._tree_kernels import Columns, grow
from ._tree_pruning_kernels import average_prunings, send_down
from ._tree_split_kernels import MAX_CODES, log_table

N_TREES, MIN_TREES = 300, 100

MAX_CELLS = 10**8
"""If rows times classes times trees exceed this, fewer trees are grown, but at least ``MIN_TREES``."""

STRENGTH = 1 / 6
"""Sum of the pseudocounts of the classes, relative to the square root of their effective number."""

SPLIT_PROB = 0.5
"""Prior probability that a node which is split in the grown tree is split in a pruning."""

MAX_DEPTH = 30

MAX_NODES = 10**8
"""Largest number of nodes of a tree in a file."""

LEAST_PROB = np.finfo(np.float32).tiny
"""Smallest probability of a class at a leaf, so that its logarithm is finite."""

BLOCK = 20_000
"""Rows predicted at once."""


@dataclass(frozen=True, eq=False, slots=True)
class LeafCounts(Savable):
    """Weights of the classes at leaves, without those that are zero: most leaves have one class.

    Attributes
    ----------
    sizes : array of shape (n_leaves,)
        Number of classes at each leaf.
    classes, weights : array
        The classes, leaf by leaf, and their weights.
    """

    sizes: Annotated[
        IntArray,
        Saved(lambda known: (int((known.features < 0).sum()),), low=1, high=lambda known: known.n_classes),
    ]
    classes: Annotated[
        IntArray,
        Saved(lambda known: (known.sizes.sum(),), low=0, high=lambda known: known.n_classes - 1),
    ]
    weights: Annotated[FloatArray, Saved(lambda known: (known.sizes.sum(),), low=1e-100, high=1e100)]

    @classmethod
    def of(cls, counts: FloatArray) -> "LeafCounts":
        """Compress a table with one row per leaf."""
        leaves, classes = np.nonzero(counts)
        return cls(np.bincount(leaves, minlength=len(counts)), classes, counts[leaves, classes])

    def table(self, n_classes: int) -> FloatArray:
        """Return the weights as a table with one row per leaf and one column per class."""
        n_leaves = len(self.sizes)
        places = np.repeat(np.arange(n_leaves) * n_classes, self.sizes) + self.classes
        counts = np.bincount(places, self.weights, n_leaves * n_classes).astype(np.float64)
        return counts.reshape(n_leaves, n_classes)


class Tree(NamedTuple):
    """One tree; see :class:`Trees`."""

    features: NDArray[np.int32]
    masks: IntArray
    leaf_counts: LeafCounts


@dataclass(frozen=True, eq=False)
class Trees(Member):
    """A forest of decision trees, each of them an exact average over all its prunings.

    A split is a set of fine values of a variable. Of ordered values, the set has the values up to a cut, with
    missing cells on either side. Of others, it has one value, or the values with the smallest shares of some
    class. Variables are drawn until as many as the square root of their number vary at the node. Every other
    tree tries one random split of each, the others try all. Unknown cells go to the heavier child.

    Held-out predictions are averages over the trees that were grown without the copy of the row. The
    predictions of such a tree, including its pseudocounts, do not depend on the copy. Copies of rows are
    dealt into five parts, and each of five trees leaves out one of them; then they are dealt anew. Every copy
    is thus held out from one tree in five. It is predicted by fewer trees on fewer rows than a new row is, so
    held-out scores are a little pessimistic.

    The draws depend on the content of the table, not on the order of its rows or the names of its values: see
    :func:`~codelength.averages.content.canonical_order`. With other draws a probability changes by 0.01 on
    average.

    Attributes
    ----------
    strength, split_prob : float
        Strength of the pseudocounts, and prior probability that a pruning continues at a node; see
        :data:`STRENGTH` and :data:`SPLIT_PROB`.
    sizes : array of shape (n_trees,)
        Number of nodes of each tree.
    features : array of shape (n_nodes,)
        The variable that each node is split on, -1 at leaves. Nodes are numbered level by level, one tree
        after the other.
    masks : array of shape (n_nodes,)
        Fine values of the left child, as bits; bit 0 is for unknown cells.
    leaf_counts : LeafCounts
        Weights of the classes at the leaves.
    """

    name: ClassVar[str] = "trees"
    title: ClassVar[str] = "decision trees, all prunings averaged"

    strength: Annotated[float, Saved(low=1e-6, high=1e6)]
    split_prob: Annotated[float, Saved(low=1e-6, high=1.0 - 1e-6)]
    sizes: Annotated[IntArray, Saved(lambda known: (None,), low=1, high=MAX_NODES)]
    features: Annotated[
        NDArray[np.int32],
        Saved(lambda known: (known.sizes.sum(),), low=-1, high=lambda known: known.views.n_variables - 1),
    ]
    masks: Annotated[IntArray, Saved(lambda known: (len(known.features),), low=0)]
    leaf_counts: Annotated[LeafCounts, Saved()]

    @classmethod
    def fit(cls, training: Training) -> FittedMember[Self]:
        """Fit the member to training rows; see :class:`~codelength.averages.member.Member`."""
        growth = _Growth.of(training)
        n_trees = int(np.clip(MAX_CELLS // (training.n_rows * training.n_classes), MIN_TREES, N_TREES))
        # Whole rounds of folds only, so that every copy of a row is held out equally often.
        n_rounds = -(-n_trees // len(copies_per_fold(training, growth.arranged.rows)))
        seeds = training.generator(cls.name).integers(1, 2**63, size=n_rounds)
        trees: list[Tree] = []
        held_out = np.zeros((training.n_rows, training.n_classes))
        for number, seed in enumerate(seeds.tolist()):
            check_interrupted()
            some_trees, part = growth.round(number, seed)
            trees += some_trees
            held_out += part
        features, masks, leaf_counts = zip(*trees, strict=True)
        leaf_parts = ((part.sizes, part.classes, part.weights) for part in leaf_counts)
        member = cls(
            training.views,
            training.log_prior,
            STRENGTH,
            SPLIT_PROB,
            np.array([len(part) for part in features]),
            np.concatenate(features),
            np.concatenate(masks),
            LeafCounts(*map(np.concatenate, zip(*leaf_parts, strict=True))),
        )
        return FittedMember(member, normalised(np.log(held_out)))

    def log_probs(self, coded: Coded) -> FloatArray:
        """Return the log probability of each class for each row, in nats, shape (n_rows, n_classes)."""
        totals = np.zeros((coded.n_rows, len(self.log_prior)))
        nodes = self.features, self.masks, _lefts(self.features, self.sizes), self.leaves
        roots = np.cumsum(self.sizes) - self.sizes
        for start in range(0, coded.n_rows, BLOCK):
            # Views of a block at a time, because fine codes of all rows take 8 bytes per cell.
            rows = np.arange(start, min(start + BLOCK, coded.n_rows))
            block = coded if len(rows) == coded.n_rows else coded.take(rows)
            codes = _codes(self.views.fine(block))
            send_down(codes, np.ones(len(rows)), roots, *nodes, totals[start : start + BLOCK])
        return normalised(np.log(totals))

    def check_fields(self) -> None:
        """Raise DataError unless every node but the root is the child of a node before it."""
        if not len(self.sizes):
            raise DataError("a forest without trees")
        is_split = self.features >= 0
        n_splits = np.add.reduceat(is_split, np.cumsum(self.sizes) - self.sizes, dtype=np.int64)
        is_before = np.flatnonzero(is_split) < _lefts(self.features, self.sizes)[is_split]
        if (self.sizes != 2 * n_splits + 1).any() or not is_before.all():
            raise DataError("the nodes of a forest do not make up trees")

    @cached_property
    def leaves(self) -> NDArray[np.float32]:
        """Class distribution of the average over prunings at each leaf, shape (n_leaves, n_classes)."""
        # Files have no leaves, because they follow from the counts.
        counts = self.leaf_counts.table(len(self.log_prior))
        trees = np.split(self.features, np.cumsum(self.sizes)[:-1])
        of_trees = np.split(counts, np.cumsum((self.sizes + 1) // 2)[:-1])
        return np.concatenate(
            [_leaves(*tree, self.strength, self.split_prob) for tree in zip(trees, of_trees, strict=True)]
        )


@dataclass(frozen=True, eq=False)
class _Growth:
    """Training rows, arranged for growing trees."""

    training: Training
    arranged: Arrangement
    columns: Columns
    labels: IntArray

    @classmethod
    def of(cls, training: Training) -> "_Growth":
        """Arrange training rows by their content, and code them as the kernels need them."""
        arranged = canonical_order(training)
        views = training.views
        n_values = np.minimum(views.n_fine, MAX_CODES - 1)
        scans = np.zeros((views.n_variables, MAX_CODES), dtype=np.int64)
        # Values beyond the bits of a mask become unknown cells; see _codes.
        for scan, values in zip(scans, arranged.values, strict=True):
            known = values[values < MAX_CODES - 1]
            scan[: len(known)] = known + 1
        columns = Columns(
            np.ascontiguousarray(_codes(training.fine)[:, arranged.rows]),
            arranged.variables,
            scans,
            n_values,
            np.minimum(views.n_intervals, n_values),
        )
        # Classes too are in the order of their content: draws of classes and ties between them depend on it.
        places = np.argsort(arranged.classes)
        return cls(training, arranged, columns, places[training.labels[arranged.rows]])

    def round(self, number: int, seed: int) -> tuple[list[Tree], FloatArray]:
        """Grow one tree per fold, each on the rows outside the fold.

        Return the trees and held-out predictions, summed over the copies of each row.
        """
        training, rows = self.training, self.arranged.rows
        generator = np.random.default_rng(seed)
        out = copies_per_fold(training, rows[generator.permutation(len(rows))])[:, rows]
        seeds = generator.integers(1, 2**63, size=len(out))
        n_tried = ceil(sqrt(len(self.columns.draws)))
        by_class = np.argsort(self.arranged.classes)
        trees = []
        totals = np.zeros((len(rows), training.n_classes))
        for fold, n_out in enumerate(out):
            weights = (training.n_copies[rows] - n_out) * training.copy_weights[rows]
            class_counts = np.bincount(self.labels, weights, training.n_classes).astype(np.float64)
            logs = _log_table(class_counts, STRENGTH)
            # Counted over all rounds: with an odd number of folds, each fold alternates between both kinds of
            # trees.
            one_cut = (number * len(out) + fold) % 2 == 1
            features, masks, by_node = grow(
                self.columns, self.labels, weights, logs, n_tried, one_cut, MAX_DEPTH, seeds[fold]
            )
            # Leaves are saved, and computed, with classes in the order of the schema.
            counts = by_node[features < 0][:, by_class]
            leaves = _leaves(features, counts, STRENGTH, SPLIT_PROB)
            lefts = _lefts(features, np.array([len(features)]))
            nodes = np.zeros(1, dtype=np.int64), features, masks, lefts, leaves
            send_down(self.columns.codes, n_out.astype(np.float64), *nodes, totals)
            trees.append(Tree(features, masks, LeafCounts.of(counts)))
        return trees, totals[np.argsort(rows)]


def _pseudocounts(class_counts: FloatArray, strength: float) -> FloatArray:
    """Return the pseudocounts of a tree on rows with these class weights."""
    prior = (class_counts + 0.5) / (class_counts.sum() + len(class_counts) / 2)
    # Effective number of classes: the exponential of the entropy of their prior.
    n_effective = np.exp(-(prior * np.log(prior)).sum())
    return np.asarray(strength * np.sqrt(n_effective) * prior)


def _log_table(class_counts: FloatArray, strength: float) -> FloatArray:
    """Return the log rising factorials of the pseudocounts of a tree on rows with these class weights."""
    pseudocounts = _pseudocounts(class_counts, strength)
    # The sums here, because those of numpy and of compiled loops differ by rounding.
    return log_table(np.append(class_counts, class_counts.sum()), np.append(pseudocounts, pseudocounts.sum()))


def _leaves(
    features: NDArray[np.int32], leaf_counts: FloatArray, strength: float, split_prob: float
) -> NDArray[np.float32]:
    """Return the class distributions that one tree predicts at its leaves."""
    logs = _log_table(leaf_counts.sum(axis=0), strength)
    _, distributions = average_prunings(features, leaf_counts, logs, split_prob)
    return np.maximum(distributions[features < 0].astype(np.float32), LEAST_PROB)


def _codes(fine: IntArray) -> NDArray[np.uint8]:
    """Return fine codes in the layout of the kernels, shape (n_variables, n_rows); 0 is an unknown cell."""
    codes = np.where(fine < MAX_CODES - 1, fine + 1, 0).astype(np.uint8)
    return np.ascontiguousarray(codes.T)


def _lefts(features: NDArray[np.int32], sizes: IntArray) -> NDArray[np.int32]:
    """Return the left child of each split node, and the number of the leaf for each leaf."""
    is_split = features >= 0
    roots = np.repeat(np.cumsum(sizes) - sizes, sizes)
    before: IntArray = np.cumsum(is_split) - is_split
    # The k-th split node of a tree has children 2k + 1 and 2k + 2, counted from the root of the tree.
    lefts = roots + 2 * (before - before[roots]) + 1
    return np.where(is_split, lefts, np.cumsum(~is_split) - 1).astype(np.int32)
