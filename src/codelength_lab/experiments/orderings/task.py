"""One random split of one table: choices by averages over orderings and by optimised orderings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from codelength import datasets
from codelength.decisions import first_best, first_best_of_rows
from codelength.mixture.fixed_clustering import FixedClustering
from codelength.prequential import (
    SequentialModel,
    best_first,
    compare_models,
    sample_orderings,
)
from codelength.prequential.sampling import SCHEMES
from codelength.typing import FloatArray, IntArray

from ...local_search import improve_ordering
from ...spec import Result
from ..prequential_selection.task import LEAVE_ONE_OUT, MARGINAL, SelectionTask, best_of, rand

PRINTED = (1, 2, 5, 10, 20, 30, 50, 100)
"""Numbers of random orderings in the paper."""

BEYOND = (200, 400)
"""Further numbers of orderings."""

MOVES = {100: 190, 400: 930}
"""Moves of the local search that take as long as a number of orderings, the greedy start included."""

LIMIT, RACE, GREEDY = "ALL ORDERINGS DRAWN", "RACE", "BEST-FIRST"
SHORT_NAMES = {"antithetic": "PREQ-ANTITHETIC", "rotated": "PREQ-ROTATED"}


def linked(scheme: str, n: int) -> str:
    """Return the name of the mean over linked random orderings."""
    return f"{SHORT_NAMES[scheme]}({n})"


def own(n: int) -> str:
    """Return the name of the mean over random orderings that differ between candidates."""
    return f"PREQ-RAND({n}), own orderings"


def searched(n: int) -> str:
    """Return the name of the local search that takes as long as ``n`` orderings."""
    return f"PREQ-SEARCH({n})"


LINKED = {"antithetic": (2, 10, 20, 30, 50, 100), "rotated": (8, 16, 32, 48, 96)}
"""Numbers of linked orderings."""

GREEDY_COST = 15.0
SEARCH_COSTS = {100: 100.0, 400: 400.0}

COSTS: dict[str, float] = {
    **{name(n): float(n) for n in (*PRINTED, *BEYOND) for name in (rand, own, best_of)},
    **{linked(scheme, n): float(n) for scheme, sizes in LINKED.items() for n in sizes},
    GREEDY: GREEDY_COST,
    **{searched(n): cost for n, cost in SEARCH_COSTS.items()},
}
"""Costs of the criteria, in random orderings of the same rows.

Ratios of processor times, means over the 14 tables, which ``python -m benchmarks orderings`` measures in one
run. They vary by about a third between tables: greedy orderings take relatively longer with more rows.
"""


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
        found = {
            MARGINAL: self._chosen(self.marginals[None]),
            LEAVE_ONE_OUT: self._chosen(self._each(lambda model: model.leave_one_out().sum())),
        }
        for n in self.task.sizes:
            # All disjoint groups of n orderings are used, so that the mean over choices has little noise of
            # sampling.
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
        race, n_run = self._race()
        return {
            "scores": found | {RACE: race},
            "race": n_run,
            "nested": self._nested(plain).tolist(),
            "efficiency": _efficiency(plain, pools),
        }

    def _drawn(self, scheme: str, n: int) -> FloatArray:
        """Return the criterion of each candidate along the same random orderings, shape (n_candidates, n)."""
        # A seed of its own for each scheme, so that their orderings are independent.
        seed = [self.seed, list(SCHEMES).index(scheme)]
        drawn = int(np.random.default_rng(seed).integers(2**31))
        return np.array(
            [
                # The same seed for all candidates: differences along common orderings have less variance.
                sample_orderings(model, n, scheme=scheme, random_state=drawn, n_threads=1).code_lengths
                for model in self.models
            ]
        )

    def _each(self, criterion: Callable[[SequentialModel], Any]) -> FloatArray:
        return np.array([[criterion(model) for model in self.models]], dtype=np.float64)

    def _chosen(self, lengths: FloatArray) -> list[float]:
        """Return mean scores of the candidates with the shortest code lengths, shape (n_groups, n_models)."""
        chosen = self.scores[first_best_of_rows(-lengths)].mean(axis=0)
        return [float(score) for score in chosen]

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
        found = {GREEDY: self._chosen(self._along(orders))}
        done = 0
        for n, moves in MOVES.items():
            for place, model in enumerate(self.models):
                # Continued from the end of the shorter search, so that code lengths can only get shorter.
                better = improve_ordering(
                    model,
                    orders[place],
                    max_moves=moves - done,
                    random_state=[self.seed, n, place],
                )
                orders[place] = better.order
            done = moves
            found[searched(n)] = self._chosen(self._along(orders))
        return found

    def _along(self, orders: Sequence[IntArray]) -> FloatArray:
        return np.array(
            [[model.code_length(order) for model, order in zip(self.models, orders, strict=True)]]
        )

    def _race(self) -> tuple[list[float], float]:
        """Return the choice of a race between the candidates, and the mean number of orderings of each."""
        race = compare_models(
            self.models,
            margin=0.1,
            max_orderings=self.task.n_linked,
            random_state=self.seed,
            n_threads=1,
        )
        return [float(score) for score in self.scores[race.best]], float(race.n_orderings.mean())

    def _nested(self, plain: FloatArray) -> FloatArray:
        """Return log scores of PREQ-RAND(n) in growing samples, as a study sees them: one row per sample."""
        sizes = [n for n in self.task.sizes if n <= PRINTED[-1]]
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
    means = plain.mean(axis=1)
    best = first_best(-means)
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
        found[scheme] = (
            float(np.exp(np.log(base[differs] / spread[differs]).mean())) if differs.any() else 1.0
        )
    return found
