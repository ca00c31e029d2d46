"""What greedy and searched orderings cost, in random orderings of the same rows: for equal computing time."""

import numpy as np

from codelength.mixture.candidates import kmeans_clustering, numbered
from codelength.mixture.fixed_clustering import FixedClustering
from codelength.prequential import SequentialModel, best_first, sample_orderings
from codelength_lab.experiments.clustering_choice import GREEDY_COST, MOVES, SEARCH_COSTS
from codelength_lab.registry import specify
from codelength_lab.row_orderings import improve_ordering
from codelength_lab.tables import prepare

from .measure import Ratio, cpu_seconds

SIZES = (4, 8, 12, 16, 20)
"""Clusters of the candidates."""

NEAR = 1.25
"""By what factor a cost may differ from the one that the experiment reckons with."""


def run() -> list[Ratio]:
    """Means over the tables of the experiment."""
    costs = np.array([_costs(models) for models in _models()])
    names = ["best-first", *(f"search that is reckoned as {n} orderings" for n in MOVES)]
    reckoned = [GREEDY_COST, *SEARCH_COSTS.values()]
    lines = []
    for name, mean, wanted in zip(names, costs.mean(axis=0).tolist(), reckoned, strict=True):
        met = wanted / NEAR <= mean <= wanted * NEAR
        goal = f"{wanted:g}, within a quarter"
        lines.append(Ratio(name, "a random ordering", 1.0, mean, "orderings", mean, goal, met))
    return lines


def _models() -> list[list[SequentialModel]]:
    found = []
    for source in dict.fromkeys(task.source for task in specify("orderings").tasks):
        coded = prepare(source).coded.with_class_as_column()
        rows = coded.take(np.random.default_rng(0).permutation(coded.n_rows)[: coded.n_rows // 2])
        labels = [numbered(kmeans_clustering(rows, size, 0)) for size in SIZES]
        found.append([FixedClustering.of(rows, own).sequence() for own in labels])
    return found


def _costs(models: list[SequentialModel]) -> list[float]:
    """Processor time of each way, over that of one random ordering."""

    def greedy() -> None:
        for model in models:
            best_first(model)

    def search(moves: int) -> None:
        for model in models:
            improve_ordering(model, max_moves=moves, random_state=0)

    def draw() -> None:
        for model in models:
            sample_orderings(model, 100, scheme="plain", random_state=0, n_threads=1)

    search(2)
    unit = min(cpu_seconds(draw) for _ in range(3)) / 100
    ways = [greedy, *(lambda moves=moves: search(moves) for moves in MOVES.values())]
    return [min(cpu_seconds(way) for _ in range(2)) / unit for way in ways]
