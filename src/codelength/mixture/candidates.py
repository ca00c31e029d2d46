"""Clusterings to choose among: k-means and EM, each run several times."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..table import Coded
from ..table.checks import check_choice
from ..typing import FloatArray, IntArray

EM_ITERATIONS = 100
"""A clustering needs the most probable component of each row, which settles long before EM does."""


@dataclass(frozen=True, eq=False, slots=True)
class Candidate:
    """A clustering, and how it came about.

    Attributes
    ----------
    number : int
        Its place in the sequence of runs, from 1.
    method : str
        What found it, one of :data:`METHODS`.
    labels : array of shape (n_rows,)
        The cluster of each row; clusters are numbered by their first rows, and none is empty.
    """

    number: int
    method: str
    labels: IntArray

    @property
    def n_components(self) -> int:
        """How many clusters there are."""
        return int(self.labels.max(initial=-1)) + 1


def spread_sizes(n_candidates: int, smallest: int, largest: int) -> IntArray:
    """Numbers of components spread evenly over a range.

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
        What to run. Fewer clusters come out where there are fewer distinct rows or EM leaves some empty.
    random_state : int, sequence of int or None
        Where the randomness comes from; each run has a stream of its own.

    Returns
    -------
    list of Candidate
        The clusterings in the order of the plan, each once: those found again are left out.

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
    seeds = np.random.SeedSequence(random_state).spawn(len(plan))
    distinct: dict[bytes, Candidate] = {}
    for number, ((method, size), seed) in enumerate(zip(plan, seeds, strict=True), start=1):
        labels = numbered(clusterers[method](min(size, coded.n_rows), seed))
        distinct.setdefault(labels.tobytes(), Candidate(number, method, labels))
    return list(distinct.values())


def indicator_columns(coded: Coded) -> Any:
    """One column of zeros and ones for each cell of the schema; a missing cell has ones nowhere.

    Sparse, because k-means leaves such columns as they are: sums of ones are exact, so that clusterings do
    not depend on the number of threads.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> indicator_columns(Coded.of(Schema.from_sizes([2, 1]), [[1, 0], [0, 1]])).toarray()
    array([[0., 1., 0., 1., 0.],
           [1., 0., 0., 0., 0.]])
    """
    from scipy.sparse import csr_array

    schema, codes = coded.schema, coded.codes
    rows, variables = np.nonzero(codes < schema.n_values)
    cells = (schema.offsets[:-1] + codes)[rows, variables]
    starts = np.searchsorted(rows, np.arange(len(codes) + 1))
    return csr_array(
        (np.ones(len(cells)), cells.astype(np.int32), starts.astype(np.int32)), (len(codes), schema.n_cells)
    )


def kmeans_clustering(indicators: Any, weights: FloatArray | None, n_clusters: int, seed: int) -> IntArray:
    """Clusters of k-means, started once from random rows.

    Parameters
    ----------
    indicators : array of shape (n_rows, n_cells)
        The rows, as :func:`indicator_columns` gives them.
    weights : array of shape (n_rows,), optional
        Weights of the rows.
    n_clusters : int
        How many clusters; at most one per row.
    seed : int
        Seed of the rows to start from.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    means = KMeans(min(n_clusters, indicators.shape[0]), init="random", n_init=1, random_state=seed)
    with warnings.catch_warnings():
        # Rows that look alike without the class fall together, and some clusters stay empty.
        warnings.simplefilter("ignore", ConvergenceWarning)
        means.fit(indicators, sample_weight=weights)
    return np.asarray(means.labels_, dtype=np.int64)


def numbered(labels: IntArray) -> IntArray:
    """The same clusters, numbered by their first rows.

    Examples
    --------
    >>> numbered(np.array([7, 2, 2, 7, 0]))
    array([0, 1, 1, 0, 2])
    """
    _, firsts, which = np.unique(labels, return_index=True, return_inverse=True)
    ranks = np.empty(len(firsts), dtype=np.int64)
    ranks[np.argsort(firsts)] = np.arange(len(firsts))
    return ranks[which.ravel()]


Clusterer: TypeAlias = Callable[[int, np.random.SeedSequence], IntArray]
"""From a number of clusters and a random stream to the cluster of each row."""


def _kmeans(coded: Coded) -> Clusterer:
    indicators = indicator_columns(coded)

    def cluster(n_clusters: int, seed: np.random.SeedSequence) -> IntArray:
        return kmeans_clustering(indicators, coded.weights, n_clusters, int(seed.generate_state(1)[0]))

    return cluster


def _em(coded: Coded) -> Clusterer:
    # Not at the top: the starts of EM may use the indicator columns of this module.
    from .em import EMLayout, fit_mixture

    layout = EMLayout.of(coded)

    def cluster(n_clusters: int, seed: np.random.SeedSequence) -> IntArray:
        # Without a tolerance EM runs its iterations and does not warn that it might go on.
        mixture, _ = fit_mixture(
            layout, n_clusters, n_init=1, init="random", max_iter=EM_ITERATIONS, tol=0.0, random_state=seed
        )
        return mixture.labels(coded)

    return cluster


METHODS: dict[str, Callable[[Coded], Clusterer]] = {"kmeans": _kmeans, "em": _em}
"""What clusters rows, by name. What the runs on one table have in common is made once."""
