"""Local neighbourhoods: the sum over the clusterings near a few good ones.

Moving one row to another component changes P(Z, D) by the ratio of two predictions of that row from all
the others, so that leave-one-out prediction gives a whole neighbourhood at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from ...counts import count
from ...errors import InvalidParameter
from ...rules import Predictor, PriorLike, Pseudocounts, pseudocounts
from ...table import Coded, as_coded
from ...table.checks import check_flag, check_sequence
from ...typing import BoolArray, FloatArray, IntArray
from ..clusterings import canonical, completed, exchangeable, log_renamings, single_rows


def neighbourhood_code_length(
    rows: Any,
    mixture: Any,
    prior: PriorLike = "uniform",
    *,
    random_state: Any = None,
    with_centre: bool = True,
) -> float:
    r"""Code length by a clustering and its one-change neighbours alone, in nats.

    .. math:: -\log \sum_{Z \in \mathcal{N}(\hat Z)} P(Z, D)

    Equation (7) of the 1997 paper, where the neighbours are the N(K - 1) clusterings that differ in one row.
    It is never below the exact code length.

    Parameters
    ----------
    rows, prior, random_state
        As in :data:`codelength.mixture.code_length.CRITERIA`; nothing is random.
    mixture : MixtureParameters or array of shape (n_rows,)
        A mixture, which puts each row into its most probable component, or the component of each row.
    with_centre : bool
        Whether the clustering itself is summed too. Without it a single component has no neighbours,
        and the code length is infinite.

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
    centre, moves = _log_moves(table, pseudocounts(prior, table.schema))
    away = moves[np.arange(table.schema.n_classes) != table.class_codes[:, None]]
    return -(centre + float(logsumexp(np.append(away, 0.0 if with_centre else -np.inf))))


def neighbourhoods_code_length(rows: Any, clusterings: Sequence[Any], prior: PriorLike = "uniform") -> float:
    """Code length by all clusterings near one of several, under any names of the components, in nats.

    A clustering that is near several centres counts once. Components with the same pseudocounts can swap
    their names without a change of P(Z, D), so each clustering stands for all its renamings. With all
    clusterings as centres the result is exact; with fewer it is never below the exact code length.

    Parameters
    ----------
    rows, prior
        As in :func:`neighbourhood_code_length`.
    clusterings : sequence of arrays of shape (n_rows,)
        The centres, such as the local optima that a search found.

    Examples
    --------
    Two rows in two components, apart or together: one neighbourhood holds both, and their renamings.

    >>> from codelength.mixture.parameters import with_components
    >>> from codelength.table import Schema
    >>> coded = Coded.of(with_components(Schema.from_sizes([2]), 2), [[0], [1]])
    >>> round(float(np.exp(-neighbourhoods_code_length(coded, [[0, 1]]))), 9)
    0.194444444
    """
    clusterings = check_sequence("clusterings", clusterings, of="clusterings")
    if not clusterings:
        raise InvalidParameter("clusterings: none given; name at least one centre")
    coded = as_coded(rows)
    tables = [single_rows(completed(coded, clustering)) for clustering in clusterings]
    if not tables[0].n_rows:
        return 0.0
    spread = pseudocounts(prior, tables[0].schema)
    names = exchangeable(spread)
    centres = np.unique([canonical(table.class_codes.astype(np.int64), names) for table in tables], axis=0)
    nearby = [nearby_clusterings(completed(tables[0], centre), spread, names) for centre in centres]
    kept = distinct_positions(nearby, names)
    return -float(logsumexp(np.concatenate([near.log_masses for near in nearby])[kept]))


def _log_moves(table: Coded, prior: Pseudocounts) -> tuple[float, FloatArray]:
    """Log P(Z, D), and what it gains when a row goes to a component, shape (n_rows, n_components)."""
    predictor = Predictor.of(count(table), "evidence", prior)
    log_probs = predictor.leave_one_out(table).log_probs
    own = np.take_along_axis(log_probs, table.class_codes.astype(np.int64)[:, None], axis=1)
    return -predictor.evidence_code_length(), log_probs - own


@dataclass(frozen=True, slots=True)
class Nearby:
    """A clustering and its neighbours: row ``rows[j]`` of the centre is put into ``targets[j]``.

    ``log_masses`` are log P(Z, D) of the neighbours, each together with all its renamings.
    """

    centre: IntArray
    rows: IntArray
    targets: IntArray
    sizes: IntArray
    log_masses: FloatArray

    def clustering(self, j: int) -> IntArray:
        labels = self.centre.copy()
        labels[self.rows[j]] = self.targets[j]
        return labels

    def fingerprints(self, marks: NDArray[np.uint64], names: IntArray) -> NDArray[np.uint64]:
        """Hashes that do not depend on how exchangeable components are named."""
        n_components = len(names)
        sums = np.zeros(n_components, dtype=np.uint64)
        np.add.at(sums, self.centre, marks)
        moved, places = marks[self.rows][:, None], np.arange(n_components)
        out = (places == self.centre[self.rows][:, None]).astype(np.uint64)
        into = (places == self.targets[:, None]).astype(np.uint64)
        mixed = _mixed(sums + moved * into - moved * out + names.astype(np.uint64))
        return np.asarray(np.where(self.sizes > 0, mixed, np.uint64(0)).sum(axis=1, dtype=np.uint64))


def nearby_clusterings(table: Coded, prior: Pseudocounts, names: IntArray) -> Nearby:
    """The clustering of a completed table, and those that differ from it in one row."""
    log_prob, moves = _log_moves(table, prior)
    centre = table.class_codes.astype(np.int64)
    sizes = np.bincount(centre, minlength=len(names))
    rows, targets = np.nonzero(_worthwhile(centre, sizes, names))
    places = np.arange(len(names))
    after = sizes + (places == targets[:, None]) - (places == centre[rows][:, None])
    masses = log_prob + moves[rows, targets] + log_renamings(after > 0, names)
    return Nearby(centre, rows, targets, after, masses)


def _worthwhile(centre: IntArray, sizes: IntArray, names: IntArray) -> BoolArray:
    """Moves that are not plainly the same as others, shape (n_rows, n_components).

    The centre is listed once, as the first row staying where it is, and of several empty exchangeable
    components a row needs to visit one only.
    """
    worthwhile = np.ones((len(centre), len(names)), dtype=np.bool_)
    for k in np.flatnonzero(sizes == 0):
        worthwhile[:, k] = not (sizes[:k][names[:k] == names[k]] == 0).any()
    worthwhile[np.arange(1, len(centre)), centre[1:]] = False
    return worthwhile


def distinct_positions(nearby: list[Nearby], names: IntArray) -> IntArray:
    """Positions, in all lists joined, of the first of each set of equal clusterings.

    Equal fingerprints are looked at, so the result is exact; should different clusterings ever share
    one, other fingerprints are tried.
    """
    lengths = np.cumsum([0, *(len(near.rows) for near in nearby)])

    def clustering(position: int) -> IntArray:
        part = int(np.searchsorted(lengths, position, side="right")) - 1
        return canonical(nearby[part].clustering(position - int(lengths[part])), names)

    seed = 0
    while True:
        marks = np.random.default_rng(seed).integers(1, 2**64, len(nearby[0].centre), dtype=np.uint64)
        prints = np.concatenate([near.fingerprints(marks, names) for near in nearby])
        _, firsts, places = np.unique(prints, return_index=True, return_inverse=True)
        again = np.flatnonzero(firsts[places] != np.arange(len(prints)))
        if all(np.array_equal(clustering(int(j)), clustering(int(firsts[places[j]]))) for j in again):
            return firsts.astype(np.int64)
        seed += 1


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scatter 64-bit numbers, so that their sums tell sets of numbers apart."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        numbers = (numbers ^ (numbers >> np.uint64(shift))) * np.uint64(factor)
    return numbers ^ (numbers >> np.uint64(31))
