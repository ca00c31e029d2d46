"""Neighbourhoods: sums over the clusterings near a few good ones.

Moving one row to another component changes P(Z, D) by the ratio of two predictions of that row from all
the others, so that leave-one-out prediction gives a whole neighbourhood at once.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp

from ...counts import count
from ...errors import InvalidParameter
from ...naive_bayes import Predictor, PriorLike, Pseudocounts, pseudocounts
from ...table import Coded
from ...table.checks import check_flag, check_size
from ...table.content import Keys, mixed
from ...typing import FloatArray, IntArray
from ..best_clustering import local_optima
from ..clusterings import canonical, completed, exchangeable, log_renamings, single_rows

N_NEIGHBOURHOODS = 21
"""Number of neighbourhoods of the criterion ``"neighbourhoods"``."""


def neighbourhood_code_length(
    rows: Any,
    mixture: Any,
    prior: PriorLike = "uniform",
    *,
    n_neighbourhoods: int = 1,
    random_state: Any = 0,
    with_centre: bool = True,
) -> float:
    r"""Compute the code length by the clusterings near one or several good ones, in nats.

    .. math:: -\log \sum_{Z \in \mathcal{N}(\hat Z)} P(Z, D)

    Equation (7) of the 1997 paper: the neighbours are the N(K - 1) clusterings that differ in one row. The
    code length is never below the exact one.

    Further neighbourhoods are those of the local optima of climbs from random clusterings. A clustering that
    is in several neighbourhoods counts once, and together with all its renamings; see
    :func:`union_code_length`. With one neighbourhood, renamings do not count, as in the paper.

    Parameters
    ----------
    rows, prior
        As in :data:`codelength.mixture.code_length.CRITERIA`.
    mixture : MixtureParameters or array of shape (n_rows,)
        A mixture, which assigns each row to its most probable component, or the component of each row.
    n_neighbourhoods : int
        Number of neighbourhoods: the one of the clustering given, and one for each climb.
    random_state : int, sequence of int, generator or None
        Seed of the random clusterings. A single neighbourhood needs none.
    with_centre : bool
        Whether the sum includes the clustering itself. Without it a single component has no neighbours,
        and the code length is infinite. Several neighbourhoods include their centres.

    Returns
    -------
    float
        An upper bound on the exact code length, in nats.

    Examples
    --------
    With one row the neighbourhood is everything.

    >>> from codelength.mixture.parameters import with_components
    >>> from codelength.table import Schema
    >>> coded = Coded.of(with_components(Schema.from_sizes([2]), 3), [[1]])
    >>> round(float(np.exp(-neighbourhood_code_length(coded, [0]))), 9)
    0.5
    """
    check_flag("with_centre", with_centre)
    table = single_rows(completed(rows, mixture))
    if check_size("n_neighbourhoods", n_neighbourhoods) > 1:
        if not with_centre:
            raise InvalidParameter(
                f"n_neighbourhoods={n_neighbourhoods}: several neighbourhoods include their centres; leave "
                "with_centre out, or pass n_neighbourhoods=1"
            )
        climbs = {"n_starts": n_neighbourhoods - 1, "random_state": random_state}
        optima = local_optima(table, table.schema.n_classes, prior, **climbs)
        return union_code_length(table, [table.class_codes, *(found.clustering for found in optima)], prior)
    spread = pseudocounts(prior, table.schema)
    centre, moves = log_moves(table, spread)
    # All moves of single rows are relative to P(Z, D) of the centre, which is put back in the end.
    away = moves[np.arange(table.schema.n_classes) != table.class_codes[:, None]]
    return -(centre + float(logsumexp(np.append(away, 0.0 if with_centre else -np.inf))))


def union_code_length(rows: Any, clusterings: Sequence[Any], prior: PriorLike = "uniform") -> float:
    """Compute the code length by all clusterings near one of those given, under any names, in nats.

    A clustering that is near several centres counts once. Components with the same pseudocounts can swap
    their names without a change of P(Z, D), so each clustering stands for all its renamings. With all
    clusterings as centres the result is exact; with fewer it is never below the exact code length.

    Parameters
    ----------
    rows, prior
        As in :func:`neighbourhood_code_length`.
    clusterings : sequence of arrays of shape (n_rows,)
        The centres, such as the local optima that a search found.
    """
    if not len(clusterings):
        raise InvalidParameter("clusterings: none given; name at least one centre")
    tables = [single_rows(completed(rows, clustering)) for clustering in clusterings]
    if not tables[0].n_rows:
        return 0.0
    spread = pseudocounts(prior, tables[0].schema)
    names = exchangeable(spread)
    # Centres that differ in names only have the same neighbourhood.
    centres = np.unique([canonical(table.class_codes.astype(np.int64), names) for table in tables], axis=0)
    nearby = [nearby_clusterings(completed(tables[0], centre), spread, names) for centre in centres]
    kept = distinct_positions(nearby, names)
    return -float(logsumexp(np.concatenate([near.log_masses for near in nearby])[kept]))


def log_moves(table: Coded, prior: Pseudocounts) -> tuple[float, FloatArray]:
    """Compute log P(Z, D), and its gain if a row moves to a component, shape (n_rows, n_components)."""
    predictor = Predictor.of(count(table), "evidence", prior)
    log_probs = predictor.leave_one_out(table).log_probs
    own = np.take_along_axis(log_probs, table.class_codes.astype(np.int64)[:, None], axis=1)
    return -predictor.evidence_code_length(), log_probs - own


class Nearby(NamedTuple):
    """A clustering and its neighbours: row ``rows[j]`` of the centre is moved to ``targets[j]``.

    ``sizes`` are those of the components of the neighbours, shape (n_neighbours, n_components), and
    ``log_masses`` are log P(Z, D) of the neighbours, each together with all its renamings.
    """

    centre: IntArray
    rows: IntArray
    targets: IntArray
    sizes: IntArray
    log_masses: FloatArray


def nearby_clusterings(table: Coded, prior: Pseudocounts, names: IntArray) -> Nearby:
    """Return the clustering of a completed table of single rows, and those that differ from it in one row.

    ``names`` are from :func:`codelength.mixture.clusterings.exchangeable`.
    """
    log_prob, moves = log_moves(table, prior)
    centre, places = table.class_codes.astype(np.int64), np.arange(len(names))
    sizes = np.bincount(centre, minlength=len(names))
    # The centre is listed once, as the first row in its own component, and of several empty exchangeable
    # components a row visits one only.
    worthwhile = np.ones((len(centre), len(names)), dtype=np.bool_)
    for k in np.flatnonzero(sizes == 0):
        worthwhile[:, k] = not (sizes[:k][names[:k] == names[k]] == 0).any()
    worthwhile[np.arange(1, len(centre)), centre[1:]] = False
    rows, targets = np.nonzero(worthwhile)
    after = sizes + (places == targets[:, None]) - (places == centre[rows][:, None])
    # Each clustering stands for all its renamings, which have the same probability.
    masses = log_prob + moves[rows, targets] + log_renamings(after > 0, names)
    return Nearby(centre, rows, targets, after, masses)


def distinct_positions(nearby: list[Nearby], names: IntArray) -> IntArray:
    """Return the positions, in all lists joined, of one of each set of equal clusterings.

    Clusterings are compared by hashes of 64 bits that do not depend on the names of exchangeable components.
    """
    marks = np.random.default_rng(0).integers(1, 2**64, len(nearby[0].centre), dtype=np.uint64)
    prints = [_fingerprints(near, marks, names) for near in nearby]
    return np.unique(np.concatenate(prints), return_index=True)[1]


def _fingerprints(near: Nearby, marks: Keys, names: IntArray) -> Keys:
    """Return the hashes of some clusterings, given a random number for each row."""
    # A cluster is hashed by the sum of the marks of its rows, which a move updates in constant time; a
    # clustering by the sum over its clusters, which does not depend on their order. Arithmetic is modulo
    # 2 ** 64.
    sums = np.zeros(len(names), dtype=np.uint64)
    np.add.at(sums, near.centre, marks)
    moved, places = marks[near.rows][:, None], np.arange(len(names))
    out = (places == near.centre[near.rows][:, None]).astype(np.uint64)
    into = (places == near.targets[:, None]).astype(np.uint64)
    keys = mixed(sums + moved * into - moved * out + names.astype(np.uint64))
    return np.asarray(np.where(near.sizes > 0, keys, np.uint64(0)).sum(axis=1, dtype=np.uint64))
