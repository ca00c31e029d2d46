"""The most probable clustering: by branch and bound where that is feasible, else by climbing."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..errors import Infeasible, InvalidParameter
from ..rules import Pseudocounts
from ..scores.evidence import evidence_code_length
from ..table import Schema
from ..typing import CodeArray, IntArray
from .clusterings import ObservedCells, canonical, clustering_counts, empty_state, exchangeable
from .parameters import with_components

MAX_STEPS = 20_000_000
"""Steps of the exhaustive search before it gives up: a few seconds."""

MAX_SWEEPS = 1000


@dataclass(frozen=True, eq=False, slots=True)
class BestClustering:
    """The best clustering that was found.

    Attributes
    ----------
    clustering : array of shape (n_rows,)
        The component of each row. Names that can be swapped are given out in order of appearance.
    code_length : float
        Minus log P(Z, D), in nats.
    exact : bool
        Whether no clustering is more probable, rather than none in reach of a single move.
    """

    clustering: IntArray
    code_length: float
    exact: bool


def local_optima(
    schema: Schema,
    codes: CodeArray,
    n_components: int,
    prior: PriorLike = "uniform",
    *,
    n_starts: int = 20,
    random_state: Any = 0,
) -> list[BestClustering]:
    """Clusterings that no move of a single row improves, the best first.

    From each random clustering rows move, one at a time, to their most probable component until none
    wants to. Clusterings that differ in exchangeable names only are listed once.

    Parameters
    ----------
    schema, codes, n_components, prior, random_state
        As in :func:`best_clustering`.
    n_starts : int
        Random clusterings to climb from, which is also how many optima there are at most.

    Examples
    --------
    >>> schema, codes = Schema.from_sizes([2, 2]), np.array([[0, 0], [1, 1]] * 4, dtype=np.uint8)
    >>> [round(optimum.code_length, 3) for optimum in local_optima(schema, codes, 2)]
    [12.883, 15.089]
    """
    from ._kernels import climb

    if n_starts < 1:
        raise InvalidParameter(f"n_starts={n_starts}: expected at least 1")
    full = with_components(schema, n_components)
    spread = pseudocounts(prior, full)
    observed, names = ObservedCells.of(full, codes), exchangeable(spread)
    generator = np.random.default_rng(random_state)
    found = {}
    for _ in range(n_starts):
        labels = generator.integers(n_components, size=len(codes))
        climb(*observed.arrays, *empty_state(full, spread), labels, MAX_SWEEPS)
        renamed = canonical(labels, names)
        found[renamed.tobytes()] = renamed
    optima = [_at(full, codes, labels, spread, exact=False) for labels in found.values()]
    return sorted(optima, key=lambda optimum: optimum.code_length)


def best_clustering(
    schema: Schema,
    codes: CodeArray,
    n_components: int,
    prior: PriorLike = "uniform",
    *,
    method: Literal["auto", "exact", "climb"] = "auto",
    n_starts: int = 20,
    random_state: Any = 0,
) -> BestClustering:
    """The clustering that maximises P(Z, D), where the starred scores are taken.

    Climbing moves one row at a time to its best component, from several random clusterings. The
    exhaustive search then goes through all clusterings that could be better, up to the names of
    components; of equally probable ones the lexicographically first is returned.

    Parameters
    ----------
    schema : Schema
        The schema of the codes.
    codes : array of shape (n_rows, n_variables)
        The coded rows.
    n_components : int
        How many components there are; some may stay empty.
    prior : prior or its name
        Pseudocounts of the components and values.
    method : {"auto", "exact", "climb"}
        ``"auto"`` searches exhaustively and falls back on the climb where that takes too many steps,
        which ``"exact"`` refuses to do.
    n_starts : int
        Random clusterings to climb from.
    random_state : int, generator or None
        Where the random clusterings come from.

    Examples
    --------
    >>> schema = Schema.from_sizes([2, 2, 2])
    >>> codes = np.array([[0, 0, 0], [1, 1, 1], [0, 0, 0]], dtype=np.uint8)
    >>> best = best_clustering(schema, codes, 2)
    >>> best.clustering, best.exact
    (array([0, 1, 0]), True)
    """
    if method not in ("auto", "exact", "climb"):
        raise InvalidParameter(f'method={method!r}: expected "auto", "exact" or "climb"')
    full = with_components(schema, n_components)
    spread = pseudocounts(prior, full)
    found = local_optima(full, codes, n_components, spread, n_starts=n_starts, random_state=random_state)[0]
    if method == "climb":
        return found
    if not len(codes):
        return replace(found, exact=True)
    searched = _searched(full, codes, spread, found.code_length)
    if searched is None and method == "exact":
        raise Infeasible(
            f"{len(codes)} rows in {n_components} components: the exhaustive search takes more than "
            f'{MAX_STEPS:,} steps; use fewer rows, or method="climb"'
        )
    return found if searched is None else searched


def _searched(schema: Schema, codes: CodeArray, prior: Pseudocounts, known: float) -> BestClustering | None:
    """The best clustering by exhaustive search, or None where that takes too long."""
    from ._kernels import search_all

    labels = np.empty(len(codes), dtype=np.int64)
    n_steps = search_all(
        *ObservedCells.of(schema, codes).arrays,
        *empty_state(schema, prior),
        exchangeable(prior),
        -known,
        MAX_STEPS,
        labels,
    )
    return None if n_steps < 0 else _at(schema, codes, labels, prior, exact=True)


def _at(
    schema: Schema, codes: CodeArray, labels: IntArray, prior: Pseudocounts, *, exact: bool
) -> BestClustering:
    counts = clustering_counts(schema, codes, labels)
    return BestClustering(labels, evidence_code_length(counts, prior), exact)
