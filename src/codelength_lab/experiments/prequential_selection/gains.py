"""Relative gains over the marginal likelihood, from the scores of all splits."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from codelength.typing import FloatArray

from ...results import Results
from ...spec import Result, Spec
from .task import MARGINAL, SelectionTask

SCORES = ("log", "error", "accuracy")
"""Scores whose gains are compared."""

MEANS = ("mean log score", "mean accuracy", "mean number of clusters")
"""Scores that the gains are made of."""


def tables_of(spec: Spec[SelectionTask]) -> list[str]:
    """Return the tables of a specification."""
    return list(dict.fromkeys(task.source.name for task in spec.tasks))


def gains_of(spec: Spec[Any], results: Mapping[str, Result], *, with_class: bool = True) -> Results:
    """Return relative gains in per cent by criterion (``model``) and score; units are the tables.

    A table's gain is that of its mean score over splits over that of the marginal likelihood's choices,
    because the error of a single split may be zero: 100 % would be a perfect score in the log and in the
    error. The means over splits are there, too.

    Parameters
    ----------
    spec : Spec
        The tasks.
    results : mapping of str to result
        Log score, accuracy and number of clusters of each choice, by the key of the task and the criterion.
    with_class : bool
        True if the class takes part in the clustering.
    """
    own = [task for task in spec.tasks if task.with_class == with_class]
    by_table = [[task.key for task in own if task.source.name == table] for table in tables_of(spec)]
    means = {
        criterion: np.array([np.mean([results[key][criterion] for key in keys], axis=0) for keys in by_table])
        for criterion in results[own[0].key]
    }
    return Results(("model", "score"), _records(means))


def _records(means: Mapping[str, FloatArray]) -> Iterable[tuple[tuple[str, str], Sequence[float]]]:
    """Yield means and gains by criterion and score."""
    logs, hits, _ = means[MARGINAL].T
    # Each gain is relative to the score to beat, and 0 if that is perfect already.
    scales = {"log": -logs, "error": 1 - hits, "accuracy": hits}
    for criterion, columns in means.items():
        for name, column in zip(MEANS, columns.T, strict=True):
            yield (criterion, name), column
        for score, scale in scales.items():
            more = columns[:, 0] - logs if score == "log" else columns[:, 1] - hits
            yield (criterion, score), 100 * np.divide(more, scale, out=np.zeros_like(more), where=scale > 0)
