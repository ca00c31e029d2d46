"""Candidate clusterings from several runs of k-means and EM."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..decisions import is_better, ranked
from ..table import Coded
from ..table.checks import check_choice
from ..typing import IntArray
from .cache import RowBlocks
from .clusterings import canonical, clustering_counts
from .em import Layout, fit_mixture
from .em.starts import move_centres, nearest, to_centres
from .parameters import with_components

MAX_SWEEPS = 300
"""Maximum number of sweeps of k-means."""

EM_ITERATIONS = 100
"""A clustering needs the most probable component of each row, which settles long before EM does."""


@dataclass(frozen=True, eq=False, slots=True)
class Candidate:
    """A clustering, and the run that found it.

    Attributes
    ----------
    number : int
        Its place in the sequence of runs, from 1.
    method : str
        The method that found it, one of :data:`METHODS`.
    labels : array of shape (n_rows,)
        The cluster of each row; clusters are numbered by their first rows, and none is empty.
    """

    number: int
    method: str
    labels: IntArray

    @property
    def n_components(self) -> int:
        """Number of clusters."""
        return int(self.labels.max(initial=-1)) + 1


def spread_sizes(n_candidates: int, smallest: int, largest: int) -> IntArray:
    """Return numbers of components spread evenly over a range, both ends included.

    Examples
    --------
    >>> spread_sizes(4, 3, 20)
    array([ 3,  9, 14, 20])
    """
    if n_candidates == 1:
        return np.array([round((smallest + largest) / 2)])
    return np.rint(np.linspace(smallest, largest, n_candidates)).astype(np.int64)


def candidate_clusterings(
    coded: Coded, plan: Sequence[tuple[str, int]], random_state: Any
) -> list[Candidate]:
    """Cluster rows several times.

    Parameters
    ----------
    coded : Coded
        Distinct rows with their weights, so that equal rows are always in one cluster.
    plan : sequence of (method, number of components)
        The runs. There may be fewer clusters than requested if there are fewer distinct rows or EM leaves
        some empty.
    random_state : int, sequence of int or None
        Seed; each run has its own random stream.

    Returns
    -------
    list of Candidate
        The clusterings in the order of the plan, without duplicates.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2, 2]), [[0, 0], [1, 1]])
    >>> found = candidate_clusterings(coded, [("kmeans", 2), ("em", 1), ("em", 1)], 0)
    >>> [(candidate.number, candidate.method, candidate.labels.tolist()) for candidate in found]
    [(1, 'kmeans', [0, 1]), (2, 'em', [0, 0])]
    """
    for method, _ in plan:
        check_choice("method", method, METHODS)
    clusterers = {method: METHODS[method](coded) for method in dict(plan)}
    # A seed per run: a longer plan does not change the runs before.
    seeds = np.random.SeedSequence(random_state).spawn(len(plan))
    distinct: dict[bytes, Candidate] = {}
    for number, ((method, size), seed) in enumerate(zip(plan, seeds, strict=True), start=1):
        # Canonical numbers, so that equal clusterings are recognised by their bytes.
        labels = numbered(clusterers[method](min(size, coded.n_rows), seed))
        distinct.setdefault(labels.tobytes(), Candidate(number, method, labels))
    return list(distinct.values())


def kmeans_clustering(coded: Coded, n_clusters: int, seed: int) -> IntArray:
    """Cluster rows by k-means on indicator columns, started once from random rows.

    Lloyd's algorithm. A row that is equally far from several centres is assigned to the first of them.
    A cluster without rows is given the row that is farthest from its centre, the first of several.

    Parameters
    ----------
    coded : Coded
        The rows, with their weights; a missing cell has no indicator.
    n_clusters : int
        Number of clusters; at most one per row, and fewer if fewer rows differ.
    seed : int
        Seed of the rows to start from.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2, 2]), [[0, 0], [1, 1], [0, 1], [0, 0]])
    >>> numbered(kmeans_clustering(coded, 3, 0))
    array([0, 1, 2, 0])
    """
    # Starts are drawn without replacement.
    n_clusters = min(n_clusters, coded.n_rows)
    rows, shares = with_components(coded, n_clusters), coded.row_weights / coded.row_weights.sum()
    firsts = np.random.RandomState(seed).choice(coded.n_rows, n_clusters, replace=False, p=shares)
    centres = np.zeros((coded.schema.n_cells, n_clusters))
    move_centres(clustering_counts(rows.take(firsts), np.arange(n_clusters)), centres)
    labels, scale = np.full(coded.n_rows, -1), float(coded.schema.n_variables)
    for _ in range(MAX_SWEEPS):
        before, parts = labels, [nearest(block, to_centres(centres)) for block in RowBlocks(rows)]
        labels, distances = (np.concatenate(part) for part in zip(*parts, strict=True))
        # The distance leaves out the length of the row itself: its number of cells that are not missing.
        distances += (coded.codes < coded.schema.n_values).sum(axis=1)
        empty = np.flatnonzero(np.bincount(labels, minlength=n_clusters) == 0)
        farthest = ranked(distances, scale)[: len(empty)] if len(empty) else ()
        for k, row in zip(empty, farthest, strict=True):
            # A row at distance zero would make a second cluster of the same rows; its cluster stays empty
            # instead.
            if is_better(float(distances[row]), 0.0, scale):
                labels[row] = k
        if np.array_equal(labels, before):
            break
        move_centres(clustering_counts(rows, labels), centres)
    return labels


def numbered(labels: IntArray) -> IntArray:
    """Renumber clusters by their first rows.

    Examples
    --------
    >>> numbered(np.array([7, 2, 2, 7, 0]))
    array([0, 1, 1, 0, 2])
    """
    return canonical(labels, np.zeros(int(labels.max(initial=0)) + 1, dtype=np.int64))


Clusterer: TypeAlias = Callable[[int, np.random.SeedSequence], IntArray]
"""Function from a number of clusters and a random stream to the cluster of each row."""


def _kmeans(coded: Coded) -> Clusterer:
    return lambda n_clusters, seed: kmeans_clustering(coded, n_clusters, int(seed.generate_state(1)[0]))


def _em(coded: Coded) -> Clusterer:
    layout = Layout.of(coded)

    def cluster(n_clusters: int, seed: np.random.SeedSequence) -> IntArray:
        # With a tolerance of 0 EM makes all iterations and does not warn that it has not converged.
        mixture, _ = fit_mixture(
            layout, n_clusters, n_init=1, init="random", max_iter=EM_ITERATIONS, tol=0.0, random_state=seed
        )
        return mixture.labels(coded)

    return cluster


METHODS: dict[str, Callable[[Coded], Clusterer]] = {"kmeans": _kmeans, "em": _em}
"""Methods of clustering by name: each prepares a table once for all its runs."""
