"""Clusterings to choose among, and the criteria that choose."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from ..prequential import (
    Scheme,
    best_first,
    best_last,
    improve_ordering,
    sample_orderings,
    worst_first,
    worst_last,
)
from ..table import Schema
from ..typing import CodeArray, FloatArray, IntArray
from .em import fit_mixture
from .fixed_clustering import FixedClustering

MethodName: TypeAlias = Literal["kmeans", "em"]
SelectionName: TypeAlias = Literal[
    "prequential",
    "prequential_best",
    "leave_one_out",
    "best_first",
    "worst_last",
    "best_last",
    "worst_first",
    "best_ordering",
    "evidence",
    "evidence_with_clustering",
]

ORDERINGS = {
    "best_first": best_first,
    "worst_last": worst_last,
    "best_last": best_last,
    "worst_first": worst_first,
}
"""Greedy orderings by name: quadratic in the number of rows, so computed where asked for only."""

SELECTION: tuple[SelectionName, ...] = (
    "prequential",
    "prequential_best",
    "leave_one_out",
    "best_first",
    "worst_last",
    "best_last",
    "worst_first",
    "best_ordering",
    "evidence",
    "evidence_with_clustering",
)
"""The criteria, each a code length in nats: of the classes given the other cells, or of whole rows."""

EM_ITERATIONS = 100
"""A clustering needs the most probable component of each row, which settles long before EM does."""


@dataclass(frozen=True, eq=False, slots=True)
class Candidate:
    """A clustering, and how it came about.

    Attributes
    ----------
    number : int
        Its place in the sequence of runs.
    method : {"kmeans", "em"}
        What found it.
    labels : array of shape (n_rows,)
        The cluster of each row; clusters are numbered by their first rows, and none is empty.
    """

    number: int
    method: MethodName
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
    schema: Schema,
    codes: CodeArray,
    weights: FloatArray,
    plan: Sequence[tuple[MethodName, int]],
    random_state: Any,
) -> list[Candidate]:
    """Cluster distinct rows several times.

    Parameters
    ----------
    schema : Schema
        The schema of the codes.
    codes : array of shape (n_distinct, n_columns)
        Distinct rows; equal rows are always in one cluster.
    weights : array of shape (n_distinct,)
        How often each row occurs.
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
    >>> schema, codes = Schema.from_sizes([2, 2]), np.array([[0, 0], [1, 1]], dtype=np.uint8)
    >>> found = candidate_clusterings(schema, codes, np.ones(2), [("kmeans", 2), ("em", 1), ("em", 1)], 0)
    >>> [(candidate.method, candidate.labels.tolist()) for candidate in found]
    [('kmeans', [0, 1]), ('em', [0, 0])]
    """
    seeds = np.random.SeedSequence(random_state).spawn(len(plan))
    indicators = indicator_columns(schema, codes)
    distinct: dict[bytes, Candidate] = {}
    for number, ((method, size), seed) in enumerate(zip(plan, seeds, strict=True)):
        if method == "kmeans":
            labels = kmeans_clustering(indicators, weights, size, int(seed.generate_state(1)[0]))
        else:
            labels = _em_clustering(schema, codes, weights, size, seed)
        labels = numbered(labels)
        distinct.setdefault(labels.tobytes(), Candidate(number, method, labels))
    return list(distinct.values())


def indicator_columns(schema: Schema, codes: CodeArray) -> Any:
    """One column of zeros and ones for each value; a missing cell has ones nowhere.

    Sparse, because k-means leaves such columns as they are: sums of ones are exact, so that clusterings do
    not depend on the number of threads.
    """
    from scipy.sparse import csr_array

    rows, variables = np.nonzero(codes < schema.n_values)
    cells = (schema.offsets[:-1] + codes)[rows, variables]
    starts = np.searchsorted(rows, np.arange(len(codes) + 1))
    return csr_array(
        (np.ones(len(cells)), cells.astype(np.int32), starts.astype(np.int32)), (len(codes), schema.n_cells)
    )


def kmeans_clustering(indicators: Any, weights: FloatArray, n_clusters: int, seed: int) -> IntArray:
    """Clusters of k-means, started once from random rows."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    means = KMeans(min(n_clusters, len(weights)), init="random", n_init=1, random_state=seed)
    with warnings.catch_warnings():
        # Rows that look alike without the class fall together, and some clusters stay empty.
        warnings.simplefilter("ignore", ConvergenceWarning)
        means.fit(indicators, sample_weight=weights)
    return np.asarray(means.labels_, dtype=np.int64)


def selection_scores(
    clustering: FixedClustering, n_orderings: int, criterion: SelectionName, random_state: Any
) -> dict[str, float | None]:
    """One clustering under the quick criteria, and under a slow one where it is the one asked for, in nats.

    Examples
    --------
    >>> schema, codes = Schema.from_sizes([2, 2]), np.array([[0, 0], [1, 1], [0, 0]], dtype=np.uint8)
    >>> fixed = FixedClustering.of(schema, codes, [0, 1, 0])
    >>> scores = selection_scores(fixed, 4, "prequential", 0)
    >>> scores["prequential_best"] <= scores["prequential"], round(scores["evidence"], 3)
    (True, 3.584)
    """
    sequence = clustering.sequence()
    # An ordering and its reverse make up for each other's luck, where the number is even.
    scheme: Scheme = "plain" if n_orderings % 2 else "antithetic"
    sample = sample_orderings(sequence, n_orderings, scheme=scheme, random_state=random_state)
    scores: dict[str, float | None] = {
        "prequential": sample.mean,
        "prequential_se": sample.standard_error if np.isfinite(sample.standard_error) else None,
        "prequential_best": sample.best,
        "leave_one_out": float(sequence.leave_one_out().sum()),
        "evidence": clustering.code_length(),
        "evidence_with_clustering": clustering.code_length(with_clustering=True),
    }
    if criterion in ORDERINGS:
        scores[criterion] = sequence.code_length(ORDERINGS[criterion](sequence))
    elif criterion == "best_ordering":
        scores[criterion] = improve_ordering(sequence, random_state=random_state).code_length
    return scores


def _em_clustering(
    schema: Schema, codes: CodeArray, weights: FloatArray, n_components: int, seed: Any
) -> IntArray:
    # Without a tolerance EM runs its iterations and does not warn that it might go on.
    mixture, _ = fit_mixture(
        schema,
        codes,
        min(n_components, len(codes)),
        n_init=1,
        max_iter=EM_ITERATIONS,
        tol=0.0,
        sample_weight=weights,
        random_state=seed,
    )
    labels: IntArray = np.argmax(mixture.responsibilities(codes), axis=1).astype(np.int64)
    return labels


def numbered(labels: IntArray) -> IntArray:
    """The same clusters, numbered by their first rows."""
    _, firsts, which = np.unique(labels, return_index=True, return_inverse=True)
    ranks = np.empty(len(firsts), dtype=np.int64)
    ranks[np.argsort(firsts)] = np.arange(len(firsts))
    return ranks[which.ravel()]
