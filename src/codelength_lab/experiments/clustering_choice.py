"""Choices among clusterings of one random split of one table, by all criteria, and their test scores.

Order of reading: :class:`SelectionTask` has the criteria of the 2001 paper, computed by :func:`criteria`.
:class:`OrderingsTask` chooses among the same clusterings by averages over many orderings and by optimised
orderings (:class:`Choices`). Depends on :mod:`codelength.prequential`, on :mod:`codelength.mixture` (the
clusterings) and on ``row_orderings`` (the search for an ordering).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from codelength import datasets
from codelength.decisions import first_best, first_best_of_rows
from codelength.evaluation.splits import partition
from codelength.mixture.candidates import kmeans_clustering, numbered
from codelength.mixture.fixed_clustering import FixedClustering
from codelength.prequential import (
    ORDERINGS,
    SequentialModel,
    best_first,
    compare_models,
    sample_orderings,
)
from codelength.prequential.orderings import SCHEMES
from codelength.scores import Predictions
from codelength.typing import FloatArray, IntArray

from ..experiment import Result
from ..row_orderings import improve_ordering
from ..tables import Source, prepare, stream_of

N_ORDERINGS = (1, 2, 5, 10, 20, 30, 50, 100)
"""Numbers of random orderings that PREQ-RAND and PREQ-MAX are tried with."""

BEYOND = (200, 400)
"""Numbers of orderings that the paper does not have."""

MIN_CLUSTERS, MAX_CLUSTERS = 3, 20

MARGINAL, JOINT, LEAVE_ONE_OUT = "MARGINAL", "MARGINAL(D,Z)", "L-O-O"
GREEDY = {name.upper().replace("_", "-"): ordering for name, ordering in ORDERINGS.items()}
LIMIT, RACE, BEST_FIRST = "ALL ORDERINGS DRAWN", "RACE", "BEST-FIRST"
REFERENCES = ("ANY", "BEST")
"""Mean over all candidates, and the best possible choice, for each score by itself."""

MOVES = {100: 190, 400: 930}
"""Moves of the local search that take as long as a number of orderings, the greedy start included."""

SHORT_NAMES = {"antithetic": "PREQ-ANTITHETIC", "rotated": "PREQ-ROTATED"}

LINKED = {"antithetic": (2, 10, 20, 30, 50, 100), "rotated": (8, 16, 32, 48, 96)}
"""Numbers of linked orderings."""


def rand(n: int) -> str:
    """Return the name of the mean over random orderings."""
    return f"PREQ-RAND({n})"


def best_of(n: int) -> str:
    """Return the name of the minimum over random orderings."""
    return f"PREQ-MAX({n})"


def linked(scheme: str, n: int) -> str:
    """Return the name of the mean over linked random orderings."""
    return f"{SHORT_NAMES[scheme]}({n})"


def own(n: int) -> str:
    """Return the name of the mean over random orderings that differ between candidates."""
    return f"{rand(n)}, own orderings"


def searched(n: int) -> str:
    """Return the name of the local search that takes as long as ``n`` orderings."""
    return f"PREQ-SEARCH({n})"


GREEDY_COST = 15.0
SEARCH_COSTS = {100: 100.0, 400: 400.0}

COSTS: dict[str, float] = {
    **{name(n): float(n) for n in (*N_ORDERINGS, *BEYOND) for name in (rand, own, best_of)},
    **{linked(scheme, n): float(n) for scheme, sizes in LINKED.items() for n in sizes},
    BEST_FIRST: GREEDY_COST,
    **{searched(n): cost for n, cost in SEARCH_COSTS.items()},
}
"""Costs of the criteria, in random orderings of the same rows.

Ratios of processor times, means over the 14 tables, which ``python -m benchmarks orderings`` measures in one
run. They vary by about a third between tables: greedy orderings take relatively longer with more rows.
"""


@dataclass(frozen=True, slots=True)
class SelectionTask:
    """One random split of one table.

    Attributes
    ----------
    split : int
        Number of the split.
    with_class : bool
        True if the class takes part in the clustering.
    n_candidates : int
        Clusterings to choose among.
    n_orderings : tuple of int
        Numbers of random orderings.
    """

    source: Source
    split: int
    with_class: bool
    n_candidates: int
    n_orderings: tuple[int, ...]
    seed: int

    @property
    def key(self) -> str:
        """Name of the task.

        Examples
        --------
        >>> SelectionTask(Source("iris", "kmeans", 5, "value", "train"), 3, True, 40, (1, 10), 0).key
        'iris/with class/3'
        """
        return f"{self.source.name}/{'with' if self.with_class else 'without'} class/{self.split}"

    @property
    def work(self) -> float:
        """Approximate cost of the task: orderings by rows and columns, and k-means."""
        entry = datasets.describe(self.source.name)
        return self.n_candidates * entry.rows * (entry.attributes + 10.0)

    def run(self) -> Result:
        """Return the test scores of the candidate that each criterion chooses."""
        clusterings, scores, orderings = self.candidates()
        found = [criteria(clustering, self.n_orderings, orderings) for clustering in clusterings]
        lengths = {name: np.array([own[name] for own in found]) for name in found[0]}
        # Ties go to the first.
        chosen = {name: scores[first_best(-own)].tolist() for name, own in lengths.items()}
        return chosen | {"ANY": scores.mean(axis=0).tolist(), "BEST": scores.max(axis=0).tolist()}

    def candidates(self) -> tuple[list[FixedClustering], FloatArray, int]:
        """Return the clusterings, the test log score, accuracy and size of each, and a seed of orderings.

        Clusterings are by k-means with random numbers of clusters and random starts.
        """
        prepared = prepare(self.source)
        # Independent of with_class, so that both ways of clustering have the same splits.
        stream = stream_of(f"{self.seed}/{self.source.name}/{self.split}")
        split = partition(prepared.coded.n_rows, 0.5, random_state=stream)
        rows = prepared.learned_on(split.train).with_class_as_column()
        train, test = rows.take(split.train), rows.take(split.test)
        seen = train if self.with_class else train.select(range(train.schema.n_variables - 1))
        rng = np.random.default_rng([stream, self.with_class])
        # Drawn before the clusterings: one seed for all candidates, which then share their orderings.
        orderings = int(rng.integers(2**31))
        drawn = rng.integers((MIN_CLUSTERS, 0), (MAX_CLUSTERS + 1, 2**31), (self.n_candidates, 2))
        labels = [numbered(kmeans_clustering(seen, int(size), int(seed))) for size, seed in drawn]
        clusterings = [FixedClustering.of(train, each) for each in labels]
        made = [Predictions(*each.predictor.log_probs(test), test.codes[:, -1]) for each in clusterings]
        scores = [
            (own.log_score, own.accuracy, float(each.rows.schema.n_classes))
            for own, each in zip(made, clusterings, strict=True)
        ]
        return clusterings, np.array(scores), orderings


def criteria(
    clustering: FixedClustering, n_orderings: tuple[int, ...], random_state: int
) -> dict[str, float]:
    """Return a clustering under every criterion of the paper, in nats; smaller is better.

    Examples
    --------
    >>> from codelength.table import Coded, Schema
    >>> coded = Coded.of(Schema.from_sizes([2, 2]), [[0, 0], [1, 1], [0, 1]])
    >>> found = criteria(FixedClustering.of(coded, [0, 1, 0]), (1,), 0)
    >>> list(found)[:4]
    ['MARGINAL', 'MARGINAL(D,Z)', 'L-O-O', 'BEST-FIRST']
    """
    sequence = clustering.sequence()
    drawn: dict[str, Any] = {"scheme": "plain", "random_state": random_state, "n_threads": 1}
    lengths = sample_orderings(sequence, n_orderings[-1], **drawn).code_lengths
    found = {
        MARGINAL: clustering.code_length(),
        JOINT: clustering.code_length(with_clustering=True),
        LEAVE_ONE_OUT: float(sequence.leave_one_out().sum()),
    }
    found |= {name: sequence.code_length(ordering(sequence)) for name, ordering in GREEDY.items()}
    for n in n_orderings:
        # Samples are nested: a sample of n orderings is the beginning of every larger one.
        found |= {rand(n): float(lengths[:n].mean()), best_of(n): float(lengths[:n].min())}
    return found


@dataclass(frozen=True, slots=True)
class OrderingsTask(SelectionTask):
    """One random split of one table, its candidates those of the paper's own experiment.

    Attributes
    ----------
    n_plain, n_linked : int
        Independent random orderings, and linked ones of each scheme.
    """

    n_plain: int = 800
    n_linked: int = 240

    @property
    def work(self) -> float:
        """Approximate cost of the task: orderings by rows and columns, and k-means."""
        entry = datasets.describe(self.source.name)
        n_orderings = self.n_plain + 2 * self.n_linked + 500.0
        return self.n_candidates * n_orderings * entry.rows * (entry.attributes + 10.0)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of orderings for which there are enough independent ones."""
        return tuple(n for n in self.n_orderings if n <= self.n_plain)

    def run(self) -> Result:
        """Return the mean test scores of the choices of each criterion, over all groups of orderings."""
        clusterings, scores, orderings = self.candidates()
        return Choices(self, clusterings, scores, orderings).result()


class Choices:
    """Choices of each criterion, and their test scores.

    Parameters
    ----------
    task : OrderingsTask
        Numbers of orderings of each kind.
    clusterings : sequence of FixedClustering
        The candidates.
    scores : array of shape (n_candidates, 3)
        Log score, accuracy and number of clusters of each.
    seed : int
        Seed of all orderings.
    """

    def __init__(
        self, task: OrderingsTask, clusterings: Sequence[FixedClustering], scores: FloatArray, seed: int
    ) -> None:
        self.task, self.scores, self.seed = task, scores, seed
        self.models = [clustering.sequence() for clustering in clusterings]
        self.marginals = np.array([clustering.code_length() for clustering in clusterings])

    def result(self) -> Result:
        """Return the scores of all criteria, those of nested samples, and the efficiency of the samplers."""
        plain = self._drawn("plain", self.task.n_plain)
        pools = {scheme: self._drawn(scheme, self.task.n_linked) for scheme in SHORT_NAMES}
        left_out = self._each(lambda model, _: model.leave_one_out().sum())
        found = {MARGINAL: self._chosen(self.marginals[None]), LEAVE_ONE_OUT: self._chosen(left_out)}
        for n in self.task.sizes:
            # All disjoint groups of n orderings are used: the mean over choices has little sampling noise.
            groups = _groups(plain, n)
            found[rand(n)] = self._chosen(groups.mean(axis=2))
            found[own(n)] = self._chosen(self._own_means(plain, n))
            found[best_of(n)] = self._chosen(groups.min(axis=2))
        for scheme, pool in pools.items():
            for n in LINKED[scheme]:
                if n <= self.task.n_linked:
                    found[linked(scheme, n)] = self._chosen(_groups(pool, n).mean(axis=2))
        # The best estimate of the limit: linked orderings are uniform one by one, so that their mean has the
        # same limit.
        everything = np.hstack((plain, *pools.values()))
        found[LIMIT] = self._chosen(everything.mean(axis=1)[None])
        found |= self._optimised()
        race = compare_models(
            self.models,
            margin=0.1,
            max_orderings=self.task.n_linked,
            random_state=self.seed,
            n_threads=1,
        )
        return {
            "scores": found | {RACE: self.scores[race.best].tolist()},
            "race": float(race.n_orderings.mean()),
            "nested": self._nested(plain).tolist(),
            "efficiency": _efficiency(plain, pools),
        }

    def _drawn(self, scheme: str, n: int) -> FloatArray:
        """Return the criterion of each candidate along the same random orderings, shape (n_candidates, n)."""
        # A seed of its own for each scheme, so that their orderings are independent. It is the same for all
        # candidates: differences along common orderings have less variance.
        seed = [self.seed, list(SCHEMES).index(scheme)]
        drawn: dict[str, Any] = {
            "random_state": int(np.random.default_rng(seed).integers(2**31)),
            "n_threads": 1,
        }
        samples = [sample_orderings(model, n, scheme=scheme, **drawn) for model in self.models]
        return np.array([sample.code_lengths for sample in samples])

    def _each(self, criterion: Callable[[SequentialModel, int], Any]) -> FloatArray:
        """Return a criterion of every candidate, from its model and its position."""
        return np.array([[criterion(model, place) for place, model in enumerate(self.models)]], np.float64)

    def _chosen(self, lengths: FloatArray) -> list[float]:
        """Return mean scores of the candidates with the shortest code lengths, shape (n_groups, n_models)."""
        chosen: list[float] = self.scores[first_best_of_rows(-lengths)].mean(axis=0).tolist()
        return chosen

    def _own_means(self, plain: FloatArray, n: int) -> FloatArray:
        """Return means over orderings that no two candidates share, except by chance."""
        rng, n_groups = np.random.default_rng([self.seed, n]), min(50, plain.shape[1] // n * 10)
        picked = [[rng.permutation(plain.shape[1])[:n] for _ in self.models] for _ in range(n_groups)]
        return np.array(
            [[lengths[rows].mean() for lengths, rows in zip(plain, group, strict=True)] for group in picked]
        )

    def _optimised(self) -> dict[str, list[float]]:
        """Return the scores of one ordering per candidate: greedy, and improved by local search."""
        orders: list[IntArray] = [best_first(model) for model in self.models]

        def chosen() -> list[float]:
            return self._chosen(self._each(lambda model, place: model.code_length(orders[place])))

        found, done = {BEST_FIRST: chosen()}, 0
        for n, moves in MOVES.items():
            # Continued from the end of the shorter search, so that code lengths can only get shorter.
            for place, model in enumerate(self.models):
                seed = [self.seed, n, place]
                better = improve_ordering(model, orders[place], max_moves=moves - done, random_state=seed)
                orders[place] = better.order
            done, found[searched(n)] = moves, chosen()
        return found

    def _nested(self, plain: FloatArray) -> FloatArray:
        """Return log scores of PREQ-RAND(n) in growing samples, as a study sees them: one row per sample."""
        sizes = [n for n in self.task.sizes if n <= N_ORDERINGS[-1]]
        samples = _groups(plain, sizes[-1])
        choices = [first_best_of_rows(-samples[:, :, :n].mean(axis=2)) for n in sizes]
        return np.stack([self.scores[choice, 0] for choice in choices], axis=1)


def _groups(pool: FloatArray, n: int) -> FloatArray:
    """Return consecutive orderings in groups, shape (n_groups, n_candidates, n), without the remainder."""
    n_groups = pool.shape[1] // n
    return pool[:, : n_groups * n].reshape(len(pool), n_groups, n).transpose(1, 0, 2)


def _efficiency(plain: FloatArray, pools: dict[str, FloatArray]) -> dict[str, float]:
    """Return the variance of the mean of plain orderings over that of as many linked ones.

    For differences from the best candidate along the same orderings, because these decide a choice.
    """
    best = first_best(-plain.mean(axis=1))
    others = np.arange(len(plain)) != best
    base = (plain[others] - plain[best]).var(axis=1, ddof=1)
    found = {}
    for scheme, pool in pools.items():
        size = SCHEMES[scheme].n_linked
        differences = _groups(pool[others] - pool[best], size).mean(axis=2)
        # A group of linked orderings costs as much as ``size`` plain ones, so that its variance is scaled up.
        spread = size * differences.var(axis=0, ddof=1)
        # Candidates that are the same clustering do not differ along any ordering, and have no ratio.
        differs = (base > 0) & (spread > 0)
        logs = np.log(base[differs] / spread[differs])
        found[scheme] = float(np.exp(logs.mean())) if len(logs) else 1.0
    return found
