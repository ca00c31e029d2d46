"""Criteria that choose among clusterings by how well they predict the class.

Each criterion is a code length in nats, smaller is better: of the classes given the other cells, predicted
row after row or each row from all the others, or of whole rows.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..mixture.fixed_clustering import FixedClustering
from ..prequential import ORDERINGS, OrderingSample, SequentialModel, sample_orderings
from ..table.checks import check_choice


class Trial(NamedTuple):
    """A clustering, as a model that predicts one class after the other, and its code lengths along orderings.

    Several criteria use each of them.
    """

    clustering: FixedClustering
    sequence: SequentialModel
    sample: OrderingSample


class SelectionCriterion(NamedTuple):
    """A code length that can choose among clusterings: from a :class:`Trial` to nats.

    Quick ones are computed for every clustering, for comparison with the one that chooses. The others take
    time quadratic in the number of rows.
    """

    score: Callable[[Trial], float]
    is_quick: bool = True


def _along(ordering: str, trial: Trial) -> float:
    return trial.sequence.code_length(ORDERINGS[ordering](trial.sequence))


SELECTION_CRITERIA: dict[str, SelectionCriterion] = {
    "prequential": SelectionCriterion(lambda trial: trial.sample.mean),
    "prequential_best": SelectionCriterion(lambda trial: trial.sample.best),
    "leave_one_out": SelectionCriterion(lambda trial: float(trial.sequence.leave_one_out().sum())),
    **{name: SelectionCriterion(partial(_along, name), is_quick=False) for name in ORDERINGS},
    "evidence": SelectionCriterion(lambda trial: trial.clustering.code_length()),
    "evidence_with_clustering": SelectionCriterion(
        lambda trial: trial.clustering.code_length(with_clustering=True)
    ),
}
"""Criteria by name. A criterion that is added here can choose everywhere."""


def selection_scores(
    clustering: FixedClustering, n_orderings: int, criterion: str, random_state: Any
) -> dict[str, float | None]:
    """Score one clustering under the quick criteria, and under a slow one if it is requested, in nats.

    Parameters
    ----------
    clustering : FixedClustering
        The clustering to score.
    n_orderings : int
        Random orderings to average over. An even number consists of orderings and their reverses, which
        reduces the variance.
    criterion : str
        The criterion that chooses, one of :data:`SELECTION_CRITERIA`.
    random_state : int, sequence of int, generator or None
        Seed of the orderings: with the same one, all clusterings are scored along the same orderings.

    Returns
    -------
    dict
        Code lengths by criterion, and ``prequential_se``, the standard error of the mean over orderings; None
        if there are too few.

    Examples
    --------
    >>> from codelength.table import Coded, Schema
    >>> coded = Coded.of(Schema.from_sizes([2, 2]), [[0, 0], [1, 1], [0, 0]])
    >>> scores = selection_scores(FixedClustering.of(coded, [0, 1, 0]), 4, "prequential", 0)
    >>> scores["prequential_best"] <= scores["prequential"], round(scores["evidence"], 3)
    (True, 3.584)
    """
    check_choice("criterion", criterion, SELECTION_CRITERIA)
    sequence = clustering.sequence()
    # Pairs of an ordering and its reverse need an even number.
    scheme = "plain" if n_orderings % 2 else "antithetic"
    sample = sample_orderings(sequence, n_orderings, scheme=scheme, random_state=random_state)
    trial = Trial(clustering, sequence, sample)
    scores: dict[str, float | None] = {
        name: one.score(trial)
        for name, one in SELECTION_CRITERIA.items()
        if one.is_quick or name == criterion
    }
    return scores | {"prequential_se": sample.standard_error if np.isfinite(sample.standard_error) else None}
