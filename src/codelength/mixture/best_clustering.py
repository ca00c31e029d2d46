"""The most probable clustering: by branch and bound if that is feasible, else by climbing."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._display import Shown, counted, nats_and_bits
from ..blocks import Block, Grid
from ..decisions import ranked
from ..errors import Infeasible
from ..naive_bayes import PriorLike, Pseudocounts, pseudocounts
from ..scores import evidence_code_length
from ..table import Coded
from ..table.checks import check_choice, check_random_state, check_size
from ..typing import IntArray
from .clusterings import (
    ClusteringState,
    ObservedCells,
    canonical,
    clustering_counts,
    exchangeable,
    single_rows,
)
from .parameters import with_components

MAX_STEPS = 20_000_000
"""Maximum number of steps of the exhaustive search: a few seconds."""

MAX_SWEEPS = 1000

METHODS = ("auto", "exact", "climb")


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class BestClustering(Shown):
    """The best clustering found.

    Attributes
    ----------
    clustering : array of shape (n_rows,)
        The component of each row. Exchangeable components are numbered in order of appearance.
    code_length : float
        Minus log P(Z, D), in nats.
    exact : bool
        Whether it is the global optimum, rather than a local optimum under moves of single rows.
    """

    clustering: IntArray
    code_length: float
    exact: bool

    def _title(self) -> str:
        best = "best" if self.exact else "best found"
        return (
            f"{best} clustering of {counted(len(self.clustering), 'row')}: {nats_and_bits(self.code_length)}"
        )

    def _blocks(self) -> list[Block]:
        sizes = [[f"{k}", f"{n:,}"] for k, n in enumerate(np.bincount(self.clustering))]
        return [Grid("", ["component", "rows"], sizes)]


def local_optima(
    rows: Any,
    n_components: int,
    prior: PriorLike = "uniform",
    *,
    n_starts: int = 20,
    random_state: Any = 0,
) -> list[BestClustering]:
    """Find clusterings that no move of a single row improves, the best first, ties in lexicographic order.

    From each random clustering rows are moved, one at a time, to their most probable component until no
    move gains. Clusterings that differ in exchangeable names only are listed once. Parameters are those of
    :func:`best_clustering`.

    Returns
    -------
    list of BestClustering
        At most ``n_starts`` optima.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2, 2]), [[0, 0], [1, 1]] * 4)
    >>> [round(optimum.code_length, 3) for optimum in local_optima(coded, 2)]
    [12.883, 15.089]
    """
    from ._kernels import climb

    check_size("n_starts", n_starts)
    coded = with_components(single_rows(rows), n_components)
    spread = pseudocounts(prior, coded.schema)
    observed, names = ObservedCells.of(coded), exchangeable(spread)
    generator = np.random.default_rng(check_random_state(random_state))
    found = {}
    for _ in range(n_starts):
        labels = generator.integers(n_components, size=coded.n_rows)
        climb(observed, ClusteringState.empty(coded.schema, spread), labels, MAX_SWEEPS)
        # Optima that differ in exchangeable names are the same clustering.
        renamed = canonical(labels, names)
        found[renamed.tobytes()] = renamed
    # Sorted by labels before they are ranked: the ranking is stable, so ties are in lexicographic order.
    in_order = sorted(found.values(), key=lambda labels: labels.tolist())
    optima = [_at(coded, labels, spread, exact=False) for labels in in_order]
    return [optima[i] for i in ranked([-optimum.code_length for optimum in optima])]


def best_clustering(
    rows: Any,
    n_components: int,
    prior: PriorLike = "uniform",
    *,
    method: str = "auto",
    n_starts: int = 20,
    random_state: Any = 0,
) -> BestClustering:
    """Find the clustering that maximises P(Z, D).

    Climbing moves one row at a time to its best component, from several random clusterings. The
    exhaustive search then visits all clusterings that could be better, up to the names of
    components; of equally probable ones the lexicographically first is returned.

    Parameters
    ----------
    rows : Coded, or a table of any kind
        The rows; a row of weight w counts as w rows, each with its own label.
    n_components : int
        Number of components; some may stay empty.
    prior : prior or its name
        Dirichlet pseudocounts of the components and values.
    method : {"auto", "exact", "climb"}
        ``"auto"`` searches exhaustively and falls back on the climb if that takes too many steps;
        ``"exact"`` raises instead.
    n_starts : int
        Random clusterings to climb from.
    random_state : int, generator or None
        Seed of the random clusterings.

    Raises
    ------
    Infeasible
        If ``method="exact"`` takes more than ``MAX_STEPS`` steps.

    Examples
    --------
    >>> best = best_clustering([["a", "x"], ["b", "y"], ["a", "x"], ["b", "y"]], 2)
    >>> best.clustering, best.exact
    (array([0, 1, 0, 1]), True)
    """
    from ._kernels import search_all

    check_choice("method", method, METHODS)
    coded = with_components(single_rows(rows), n_components)
    spread = pseudocounts(prior, coded.schema)
    found = local_optima(coded, n_components, spread, n_starts=n_starts, random_state=random_state)[0]
    if method == "climb":
        return found
    if not coded.n_rows:
        return replace(found, exact=True)
    labels, state = np.empty(coded.n_rows, dtype=np.int64), ClusteringState.empty(coded.schema, spread)
    # The climb bounds the search: branches below its probability are never opened.
    known, names = -found.code_length, exchangeable(spread)
    if search_all(ObservedCells.of(coded), state, names, known, MAX_STEPS, labels):
        return _at(coded, labels, spread, exact=True)
    if method == "exact":
        raise Infeasible(
            f"{coded.n_rows} rows in {n_components} components: the exhaustive search takes more than "
            f'{MAX_STEPS:,} steps; use fewer rows, or method="climb"'
        )
    return found


def _at(coded: Coded, labels: IntArray, prior: Pseudocounts, *, exact: bool) -> BestClustering:
    counts = clustering_counts(coded, labels)
    return BestClustering(labels, evidence_code_length(counts, prior), exact)
