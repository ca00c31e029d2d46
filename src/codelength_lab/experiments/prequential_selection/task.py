"""One random split of one table: clusterings, all criteria, and the test scores of each choice."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from codelength import datasets
from codelength.decisions import first_best
from codelength.evaluation.splits import partition
from codelength.mixture.candidates import kmeans_clustering, numbered
from codelength.mixture.fixed_clustering import FixedClustering
from codelength.prequential import ORDERINGS, sample_orderings
from codelength.scores import Predictions
from codelength.table import Coded
from codelength.typing import FloatArray, IntArray

from ...prepared import prepare
from ...spec import Result, Source, stream_of

N_ORDERINGS = (1, 2, 5, 10, 20, 30, 50, 100)
"""Numbers of random orderings that PREQ-RAND and PREQ-MAX are tried with."""

SMALLEST, LARGEST = 3, 20
"""Numbers of clusters."""

MARGINAL, JOINT, LEAVE_ONE_OUT = "MARGINAL", "MARGINAL(D,Z)", "L-O-O"
GREEDY = {name.upper().replace("_", "-"): ordering for name, ordering in ORDERINGS.items()}
REFERENCES = ("ANY", "BEST")
"""Mean over all candidates, and the best possible choice, for each score by itself."""


def rand(n: int) -> str:
    """Return the name of the mean over random orderings."""
    return f"PREQ-RAND({n})"


def best_of(n: int) -> str:
    """Return the name of the minimum over random orderings."""
    return f"PREQ-MAX({n})"


@dataclass(frozen=True, slots=True)
class SelectionTask:
    """One random split of one table.

    Attributes
    ----------
    source : Source
        The table.
    split : int
        Number of the split.
    with_class : bool
        True if the class takes part in the clustering.
    n_candidates : int
        Clusterings to choose among.
    n_orderings : tuple of int
        Numbers of random orderings.
    seed : int
        Seed of the random streams.
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
    def n_items(self) -> int:
        """Number of candidates, each scored by every criterion."""
        return self.n_candidates

    @property
    def work(self) -> float:
        """Approximate cost of the task: orderings by rows and columns, and k-means."""
        entry = datasets.describe(self.source.name)
        return self.n_candidates * entry.rows * (entry.attributes + 10.0)

    def run(self) -> Result:
        """Return the test scores of the candidate that each criterion chooses."""
        clusterings, scores, orderings = self.candidates()
        found = [criteria(clustering, self.n_orderings, orderings) for clustering in clusterings]
        lengths = {name: [own[name] for own in found] for name in found[0]}
        # Ties go to the first.
        chosen = {name: scores[first_best(-np.array(own))].tolist() for name, own in lengths.items()}
        return chosen | {"ANY": scores.mean(axis=0).tolist(), "BEST": scores.max(axis=0).tolist()}

    def candidates(self) -> tuple[list[FixedClustering], FloatArray, int]:
        """Return the clusterings, the test log score, accuracy and size of each, and a seed of orderings."""
        prepared = prepare(self.source)
        # Independent of with_class, so that both ways of clustering have the same splits.
        stream = stream_of(f"{self.seed}/{self.source.name}/{self.split}")
        split = partition(prepared.coded.n_rows, 0.5, random_state=stream)
        rows = prepared.learned_on(split.train).with_class_as_column()
        train, test = rows.take(split.train), rows.take(split.test)
        rng = np.random.default_rng([stream, self.with_class])
        # Drawn before the clusterings: one seed for all candidates, which then share their orderings.
        orderings = int(rng.integers(2**31))
        clusterings = [FixedClustering.of(train, labels) for labels in self._clusterings(train, rng)]
        made = [Predictions(*each.predictor.log_probs(test), test.codes[:, -1]) for each in clusterings]
        scores = [
            (own.log_score, own.accuracy, float(each.schema.n_classes))
            for own, each in zip(made, clusterings, strict=True)
        ]
        return clusterings, np.array(scores), orderings

    def _clusterings(self, train: Coded, rng: np.random.Generator) -> list[IntArray]:
        """Return the candidates: k-means with random numbers of clusters and random starts."""
        seen = train if self.with_class else train.select(range(train.schema.n_variables - 1))
        cluster = partial(kmeans_clustering, seen)
        drawn = rng.integers((SMALLEST, 0), (LARGEST + 1, 2**31), (self.n_candidates, 2))
        return [numbered(cluster(int(size), int(seed))) for size, seed in drawn]


def criteria(
    clustering: FixedClustering, n_orderings: tuple[int, ...], random_state: int
) -> dict[str, float]:
    """Return a clustering under every criterion of the paper, in nats; smaller is better.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2, 2]), [[0, 0], [1, 1], [0, 1]])
    >>> found = criteria(FixedClustering.of(coded, [0, 1, 0]), (1,), 0)
    >>> list(found)[:4]
    ['MARGINAL', 'MARGINAL(D,Z)', 'L-O-O', 'BEST-FIRST']
    """
    sequence = clustering.sequence()
    sample = sample_orderings(
        sequence, n_orderings[-1], scheme="plain", random_state=random_state, n_threads=1
    )
    found = {
        MARGINAL: clustering.code_length(),
        JOINT: clustering.code_length(with_clustering=True),
        LEAVE_ONE_OUT: float(sequence.leave_one_out().sum()),
    }
    found |= {name: sequence.code_length(ordering(sequence)) for name, ordering in GREEDY.items()}
    for n in n_orderings:
        # Samples are nested: a sample of n orderings is the beginning of every larger one.
        found[rand(n)] = float(sample.code_lengths[:n].mean())
        found[best_of(n)] = float(sample.code_lengths[:n].min())
    return found
