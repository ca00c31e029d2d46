"""Where EM starts: rows shared out over the components at random, or by a quick clustering.

================  ====================================================================================
name              start
================  ====================================================================================
``"random"``      every row is shared out by a draw from the uniform Dirichlet distribution
``"kmeans"``      k-means on indicator columns, missing cells without an indicator; labels softened
``"kmodes"``      k-modes: clusters around whole rows, by the number of cells that differ; labels softened
================  ====================================================================================

Labels are softened because a probability of zero stays zero in EM: a tenth of each row is spread over all
components evenly.
"""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np

from ...table import Schema
from ...typing import CodeArray, FloatArray, IntArray
from ..clusterings import clustering_counts
from ._layout import fingerprints

StartName: TypeAlias = Literal["random", "kmeans", "kmodes"]

SPREAD = 0.1
"""Share of a labelled row that goes to all components evenly."""

MAX_SWEEPS = 100


def random_responsibilities(
    schema: Schema, codes: CodeArray, weights: FloatArray | None, generator: np.random.Generator
) -> FloatArray:
    """Uniform Dirichlet draws, one a row.

    Examples
    --------
    >>> schema, codes = Schema.from_sizes([2], n_classes=3), np.zeros((4, 1), dtype=np.uint8)
    >>> random_responsibilities(schema, codes, None, np.random.default_rng(0)).sum(axis=1)
    array([1., 1., 1., 1.])
    """
    shares = generator.standard_exponential((len(codes), schema.n_classes))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def kmeans_responsibilities(
    schema: Schema, codes: CodeArray, weights: FloatArray | None, generator: np.random.Generator
) -> FloatArray:
    """Softened labels of k-means, started once by k-means++."""
    from sklearn.cluster import KMeans

    indicators = np.concatenate(
        [codes[:, [i]] == np.arange(size) for i, size in enumerate(schema.n_values)], axis=1
    ).astype(np.float64)
    # Fewer distinct rows than components leave some of them empty, which EM is at ease with.
    counted = codes if weights is None else codes[weights > 0]
    n_clusters = min(schema.n_classes, len(np.unique(fingerprints(counted.T))))
    means = KMeans(n_clusters, n_init=1, random_state=int(generator.integers(2**31)))
    means.fit(indicators, sample_weight=weights)
    return _softened(means.labels_.astype(np.int64), schema.n_classes)


def kmodes_responsibilities(
    schema: Schema, codes: CodeArray, weights: FloatArray | None, generator: np.random.Generator
) -> FloatArray:
    """Softened labels of k-modes. A missing cell differs from nothing."""
    modes = _first_modes(schema, codes, weights, generator)
    labels = np.full(len(codes), -1, dtype=np.int64)
    for _ in range(MAX_SWEEPS):
        nearest = np.argmin([_differences(schema, codes, mode) for mode in modes], axis=0)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
        counts = clustering_counts(schema, codes, labels, weights)
        for i in range(schema.n_variables):
            seen = counts.of(i)[: len(modes)]
            modes[:, i] = np.where(seen.any(axis=1), seen.argmax(axis=1), modes[:, i])
    return _softened(labels, schema.n_classes)


Responsibilities: TypeAlias = Callable[
    [Schema, CodeArray, FloatArray | None, np.random.Generator], FloatArray
]

STARTS: dict[StartName, Responsibilities] = {
    "random": random_responsibilities,
    "kmeans": kmeans_responsibilities,
    "kmodes": kmodes_responsibilities,
}
"""The starts by name."""


def _first_modes(
    schema: Schema, codes: CodeArray, weights: FloatArray | None, generator: np.random.Generator
) -> CodeArray:
    """Rows to start from, each drawn in proportion to its distance from those before it."""
    chances: FloatArray = np.ones(len(codes)) if weights is None else weights
    distances: Any = np.inf
    chosen: list[int] = []
    while len(chosen) < schema.n_classes and chances.any():
        chosen.append(int(generator.choice(len(codes), p=chances / chances.sum())))
        distances = np.minimum(distances, _differences(schema, codes, codes[chosen[-1]]))
        chances = distances * (1.0 if weights is None else weights)
    return codes[chosen]


def _differences(schema: Schema, codes: CodeArray, mode: CodeArray) -> IntArray:
    """Cells of each row that differ from the mode, missing ones on either side left out."""
    differ = (codes != mode) & (codes < schema.n_values) & (mode < schema.n_values)
    return np.asarray(differ.sum(axis=1))


def _softened(labels: IntArray, n_components: int) -> FloatArray:
    shares = np.full((len(labels), n_components), SPREAD / n_components)
    shares[np.arange(len(labels)), labels] += 1 - SPREAD
    return shares
