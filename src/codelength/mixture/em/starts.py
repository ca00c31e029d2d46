"""Starts of EM: rows shared out over the components at random, or by a quick clustering.

================  ====================================================================================
name              start
================  ====================================================================================
``"random"``      every row is shared out by a draw from the uniform Dirichlet distribution
``"kmeans"``      k-means on indicator columns, missing cells without an indicator; labels softened
``"kmodes"``      k-modes: clusters around whole rows, by the number of cells that differ; labels softened
``"mixed"``       the three in turn: which of them is best depends on the table
================  ====================================================================================

Labels are softened because a probability of zero stays zero in EM: a tenth of each row is spread over all
components evenly. Rows are processed block by block, so that shares are never held for all of them.

Order of reading: one function for each start, :func:`start_counts`, then distances and counts of clusters.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...counts import Counts, expected_counts
from ...decisions import first_best_of_rows
from ...table import Coded
from ...typing import CodeArray, FloatArray, IntArray
from ..cache import RowBlocks, Rows
from ..clusterings import clustering_counts
from ..parameters import with_components

SPREAD = 0.1
"""Share of a labelled row that is spread over all components evenly."""

MAX_SWEEPS = 20
"""Maximum number of sweeps of a quick clustering: EM does the rest."""

SUMS_AT_ONCE = 1 << 15
"""Sums that are computed together: they fit into the second-level cache."""

Shares: TypeAlias = Iterator[tuple[Coded, FloatArray]]
"""Blocks of rows, and the share of each component in each of their rows."""


def random_shares(rows: Rows, n_components: int, generator: np.random.Generator) -> Shares:
    """Draw shares from the uniform Dirichlet distribution, one per row.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2]), np.zeros((4, 1), dtype=np.uint8))
    >>> [shares.sum(axis=1) for _, shares in random_shares(coded, 3, np.random.default_rng(0))]
    [array([1., 1., 1., 1.])]
    """
    for block in RowBlocks(rows):
        # Normalised exponentials are uniform on the simplex.
        shares = generator.standard_exponential((block.n_rows, n_components))
        shares /= shares.sum(axis=1, keepdims=True)
        yield block, shares


def kmeans_shares(rows: Rows, n_components: int, generator: np.random.Generator) -> Shares:
    """Compute softened labels of k-means on indicator columns, started as k-means++."""
    modes = _first_modes(rows, n_components, generator)
    counts = _counts_of_nearest(rows, _to_modes(modes, rows), n_components)
    n_used = int(np.flatnonzero(counts.class_counts).max(initial=0)) + 1
    distances = centres = np.zeros((rows.schema.n_cells, n_used))
    for _ in range(MAX_SWEEPS):
        move_centres(counts, centres)
        distances = to_centres(centres)
        before, counts = counts, _counts_of_nearest(rows, distances, n_components)
        # Counts are compared instead of labels, which are never held for all rows.
        if counts == before:
            break
    return _softened(rows, distances, n_components)


def kmodes_shares(rows: Rows, n_components: int, generator: np.random.Generator) -> Shares:
    """Compute softened labels of k-modes. A missing cell does not differ from any value."""
    modes = _first_modes(rows, n_components, generator)
    counts = _counts_of_nearest(rows, _to_modes(modes, rows), n_components)
    for _ in range(MAX_SWEEPS):
        for i in range(rows.schema.n_variables):
            seen = counts.of(i)[: len(modes)]
            modes[:, i] = np.where(seen.any(axis=1), first_best_of_rows(seen), modes[:, i])
        before, counts = counts, _counts_of_nearest(rows, _to_modes(modes, rows), n_components)
        if counts == before:
            break
    return _softened(rows, _to_modes(modes, rows), n_components)


Start: TypeAlias = Callable[[Rows, int, np.random.Generator], Shares]
"""Function from rows, a number of components and a random stream to the shares of the components."""

STARTS: dict[str, tuple[Start, ...]] = {
    "random": (random_shares,),
    "kmeans": (kmeans_shares,),
    "kmodes": (kmodes_shares,),
    "mixed": (random_shares, kmodes_shares, kmeans_shares),
}
"""Starts by name; if there are several, runs alternate between them."""


def start_counts(start: Start, rows: Rows, n_components: int, generator: np.random.Generator) -> Counts:
    """Compute the expected counts of the rows, with components as classes, when a start shares them out."""
    counts = Counts.empty(with_components(rows.schema, n_components))
    for block, shares in start(rows, n_components, generator):
        counts = counts.merge(expected_counts(with_components(block, n_components), shares))
    return counts


def _first_modes(rows: Rows, n_components: int, generator: np.random.Generator) -> CodeArray:
    """Draw rows to start from, each in proportion to its distance from the nearest one before it."""
    blocks, modes = RowBlocks(rows), np.empty((0, rows.schema.n_variables), dtype=rows.schema.code_type)
    # Two bytes per row: its distance from the nearest mode. Before the first draw all are alike.
    distances = [np.ones(block.n_rows, dtype=np.uint16) for block in blocks]
    totals = [block.row_weights.sum() for block in blocks]
    while n_components:
        # Two stages, block and then row: the chances of all rows are never held at once.
        ends = np.cumsum(totals)
        if not len(ends) or not ends[-1] > 0:
            break
        place = generator.random() * ends[-1]
        number = min(int(np.searchsorted(ends, place, side="right")), len(ends) - 1)
        block = blocks[number]
        within = np.cumsum(distances[number] * block.row_weights)
        place -= ends[number - 1] if number else 0.0
        # Rounding must not select a row beyond the last one with a positive chance.
        row = min(int(np.searchsorted(within, place, side="right")), int(np.searchsorted(within, within[-1])))
        modes = np.vstack((modes, block.codes[row]))
        if len(modes) == n_components:
            break
        table = _to_modes(modes[-1:], rows)
        for number, block in enumerate(blocks):
            far = _sums(block, table)[:, 0].astype(np.uint16)
            distances[number] = far if len(modes) == 1 else np.minimum(distances[number], far)
            totals[number] = (distances[number] * block.row_weights).sum()
    return modes


def _to_modes(modes: CodeArray, rows: Rows) -> NDArray[Any]:
    """Return whether each cell differs from each mode, ignoring missing ones; and a row of zeros."""
    schema = rows.schema
    differs = np.zeros((schema.n_cells + 1, len(modes)), dtype=np.int32)
    for i, n_values in enumerate(schema.n_values.tolist()):
        own = modes[:, i].astype(np.int64)
        cells = np.arange(n_values)[:, None]
        differs[schema.cells(i)] = (cells != own) & (own < n_values)
    return differs


def _counts_of_nearest(rows: Rows, distances: NDArray[Any], n_components: int) -> Counts:
    """Assign rows to the nearest cluster, and count them."""
    counts = Counts.empty(with_components(rows.schema, n_components))
    for block in RowBlocks(rows):
        labels, _ = nearest(block, distances)
        counts = counts.merge(clustering_counts(with_components(block, n_components), labels))
    return counts


def move_centres(counts: Counts, centres: FloatArray) -> None:
    """Move the centres of clusters to the means of their rows; one without rows stays."""
    sizes = counts.class_counts[: centres.shape[1]]
    np.divide(counts.value_counts.T[:, : len(sizes)], sizes, out=centres, where=sizes > 0)
    # A missing cell has no indicator, so it adds nothing to a distance.
    centres[counts.schema.offsets[1:] - 1] = 0.0


def to_centres(centres: FloatArray) -> FloatArray:
    """Return the summands of squared distances per cell, up to a constant; lengths of the centres last."""
    # |x - c|^2 = |x|^2 - 2 x.c + |c|^2 with x made of ones at its cells: the first term is the same for all
    # centres and left out.
    return np.vstack((-2 * centres, (centres**2).sum(axis=0)))


def nearest(block: Coded, distances: NDArray[Any]) -> tuple[IntArray, NDArray[Any]]:
    """Return the nearest centre of each row, the first of those that tie, and its distance.

    Parameters
    ----------
    block : Coded
        The rows.
    distances : array of shape (n_cells + 1, n_centres)
        Summands of the distances, from :func:`to_centres` or for modes.

    Returns
    -------
    labels : array of shape (n_rows,)
        The nearest centres.
    distances : array of shape (n_rows,)
        Their distances, up to a constant per row.
    """
    sums = _sums(block, distances)
    # Counts of differing cells are whole numbers, for which argmin already takes the first of those that tie.
    is_exact = sums.dtype.kind == "i"
    labels = sums.argmin(axis=1) if is_exact else first_best_of_rows(-sums, float(block.schema.n_variables))
    return labels, np.take_along_axis(sums, labels[:, None], axis=1)[:, 0]


def _sums(block: Coded, table: NDArray[Any]) -> NDArray[Any]:
    """Sum, for each row, the rows of a table at its cells, plus the last row of the table."""
    sums = np.zeros((block.n_rows, table.shape[1]), dtype=table.dtype)
    offsets, n_at_once = block.schema.offsets, max(64, SUMS_AT_ONCE // table.shape[1])
    for start in range(0, block.n_rows, n_at_once):
        own, codes = sums[start : start + n_at_once], block.codes[start : start + n_at_once]
        for i in range(block.schema.n_variables):
            own += table[offsets[i] : offsets[i + 1]].take(codes[:, i], axis=0)
        own += table[-1]
    return sums


def _softened(rows: Rows, distances: NDArray[Any], n_components: int) -> Shares:
    for block in RowBlocks(rows):
        labels, _ = nearest(block, distances)
        shares = np.full((block.n_rows, n_components), SPREAD / n_components)
        shares[np.arange(block.n_rows), labels] += 1 - SPREAD
        yield block, shares
