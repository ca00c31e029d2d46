"""Weights of the classes at the leaves of decision trees, without zeros."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ..._codec import Savable, Saved
from ...typing import FloatArray, IntArray


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

    def split(self, n_leaves: IntArray) -> "Iterator[LeafCounts]":
        """Return the leaf counts of each tree; ``n_leaves`` has the number of leaves per tree."""
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
        """Concatenate the leaf counts of several trees."""
        listed = [*parts]
        names = ("sizes", "classes", "weights")
        return cls(*(np.concatenate([getattr(part, name) for part in listed]) for name in names))
