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
from typing import Any, TypeAlias

import numpy as np

from ...table import Coded
from ...typing import CodeArray, FloatArray, IntArray
from ..clusterings import clustering_counts

SPREAD = 0.1
"""Share of a labelled row that goes to all components evenly."""

MAX_SWEEPS = 100


def random_responsibilities(coded: Coded, generator: np.random.Generator) -> FloatArray:
    """Uniform Dirichlet draws, one per row.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2], n_classes=3), np.zeros((4, 1), dtype=np.uint8))
    >>> random_responsibilities(coded, np.random.default_rng(0)).sum(axis=1)
    array([1., 1., 1., 1.])
    """
    shares = generator.standard_exponential((coded.n_rows, coded.schema.n_classes))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def kmeans_responsibilities(coded: Coded, generator: np.random.Generator) -> FloatArray:
    """Softened labels of k-means, started once by k-means++."""
    from sklearn.cluster import KMeans

    schema, codes = coded.schema, coded.codes
    indicators = np.concatenate(
        [codes[:, [i]] == np.arange(size) for i, size in enumerate(schema.n_values)], axis=1
    ).astype(np.float64)
    # Fewer distinct rows than components leave some of them empty, which EM is at ease with.
    n_clusters = min(schema.n_classes, coded.distinct().n_rows)
    means = KMeans(n_clusters, n_init=1, random_state=int(generator.integers(2**31)))
    means.fit(indicators, sample_weight=coded.weights)
    return _softened(means.labels_.astype(np.int64), schema.n_classes)


def kmodes_responsibilities(coded: Coded, generator: np.random.Generator) -> FloatArray:
    """Softened labels of k-modes. A missing cell differs from nothing."""
    modes = _first_modes(coded, generator)
    labels = np.full(coded.n_rows, -1, dtype=np.int64)
    for _ in range(MAX_SWEEPS):
        nearest = np.argmin([_differences(coded, mode) for mode in modes], axis=0)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
        counts = clustering_counts(coded, labels)
        for i in range(coded.schema.n_variables):
            seen = counts.of(i)[: len(modes)]
            modes[:, i] = np.where(seen.any(axis=1), seen.argmax(axis=1), modes[:, i])
    return _softened(labels, coded.schema.n_classes)


Start: TypeAlias = Callable[[Coded, np.random.Generator], FloatArray]
"""Shares of the components, which are the classes of the schema, in each row."""

STARTS: dict[str, Start] = {
    "random": random_responsibilities,
    "kmeans": kmeans_responsibilities,
    "kmodes": kmodes_responsibilities,
}
"""The starts by name."""


def _first_modes(coded: Coded, generator: np.random.Generator) -> CodeArray:
    """Rows to start from, each drawn in proportion to its distance from those before it."""
    chances: FloatArray = np.ones(coded.n_rows) if coded.weights is None else coded.weights
    distances: Any = np.inf
    chosen: list[int] = []
    while len(chosen) < coded.schema.n_classes and chances.any():
        chosen.append(int(generator.choice(coded.n_rows, p=chances / chances.sum())))
        distances = np.minimum(distances, _differences(coded, coded.codes[chosen[-1]]))
        chances = distances * (1.0 if coded.weights is None else coded.weights)
    return coded.codes[chosen]


def _differences(coded: Coded, mode: CodeArray) -> IntArray:
    """Cells of each row that differ from the mode, missing ones on either side left out."""
    n_values, codes = coded.schema.n_values, coded.codes
    differ = (codes != mode) & (codes < n_values) & (mode < n_values)
    return np.asarray(differ.sum(axis=1))


def _softened(labels: IntArray, n_components: int) -> FloatArray:
    shares = np.full((len(labels), n_components), SPREAD / n_components)
    shares[np.arange(len(labels)), labels] += 1 - SPREAD
    return shares
