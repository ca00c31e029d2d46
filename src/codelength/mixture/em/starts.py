"""Where EM starts: rows shared out over the components at random, or by a quick clustering.

================  ====================================================================================
name              start
================  ====================================================================================
``"random"``      every row is shared out by a draw from the uniform Dirichlet distribution
``"kmeans"``      k-means on indicator columns, missing cells without an indicator; labels softened
``"kmodes"``      k-modes: clusters around whole rows, by the number of cells that differ; labels softened
``"mixed"``       the three in turn: which of them is best depends on the table
================  ====================================================================================

Labels are softened because a probability of zero stays zero in EM: a tenth of each row is spread over all
components evenly.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ...table import Coded
from ...typing import CodeArray, FloatArray, IntArray
from ..candidates import indicator_columns
from ..clusterings import clustering_counts

SPREAD = 0.1
"""Share of a labelled row that goes to all components evenly."""

MAX_SWEEPS = 20
"""Sweeps of a quick clustering at most: EM does the rest."""


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
    """Softened labels of k-means on indicator columns, started as k-means++."""
    indicators, spare = indicator_columns(coded), coded.schema.offsets[1:] - 1
    labels = _nearest(coded, _first_modes(coded, generator))
    centres = np.zeros((coded.schema.n_cells, labels.max() + 1))
    for _ in range(MAX_SWEEPS):
        counts = clustering_counts(coded, labels)
        sizes = counts.class_counts[: centres.shape[1]]
        # A cluster that has lost all its rows stays where it was.
        np.divide(counts.value_counts.T[:, : len(sizes)], sizes, out=centres, where=sizes > 0)
        centres[spare] = 0.0
        nearest = np.argmin((centres**2).sum(axis=0) - 2 * (indicators @ centres), axis=1)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
    return _softened(labels, coded.schema.n_classes)


def kmodes_responsibilities(coded: Coded, generator: np.random.Generator) -> FloatArray:
    """Softened labels of k-modes. A missing cell differs from nothing."""
    modes = _first_modes(coded, generator)
    labels = _nearest(coded, modes)
    for _ in range(MAX_SWEEPS):
        counts = clustering_counts(coded, labels)
        for i in range(coded.schema.n_variables):
            seen = counts.of(i)[: len(modes)]
            modes[:, i] = np.where(seen.any(axis=1), seen.argmax(axis=1), modes[:, i])
        nearest = _nearest(coded, modes)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
    return _softened(labels, coded.schema.n_classes)


Start: TypeAlias = Callable[[Coded, np.random.Generator], FloatArray]
"""Shares of the components, which are the classes of the schema, in each row."""

STARTS: dict[str, tuple[Start, ...]] = {
    "random": (random_responsibilities,),
    "kmeans": (kmeans_responsibilities,),
    "kmodes": (kmodes_responsibilities,),
    "mixed": (random_responsibilities, kmodes_responsibilities, kmeans_responsibilities),
}
"""The starts by name; where there are several, runs take turns."""


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


def _nearest(coded: Coded, modes: CodeArray) -> IntArray:
    return np.asarray(np.argmin([_differences(coded, mode) for mode in modes], axis=0))


def _differences(coded: Coded, mode: CodeArray) -> IntArray:
    """Cells of each row that differ from the mode, missing ones on either side left out."""
    n_values, codes = coded.schema.n_values, coded.codes
    differ = (codes != mode) & (codes < n_values) & (mode < n_values)
    return np.asarray(differ.sum(axis=1))


def _softened(labels: IntArray, n_components: int) -> FloatArray:
    shares = np.full((len(labels), n_components), SPREAD / n_components)
    shares[np.arange(len(labels)), labels] += 1 - SPREAD
    return shares
