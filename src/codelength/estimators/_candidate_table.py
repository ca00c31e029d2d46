"""The table of the candidates of a mixture classifier: their weights, and its check when it is read."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import DataError
from ..mixture.candidates import METHODS
from ..table._messages import shown
from ..typing import FloatArray

LEAST_WEIGHT = 1e-12
"""Candidates that weigh less than this are left out of an average."""


def candidate_weights(lengths: FloatArray, average: bool) -> FloatArray:
    """Weights of candidates sorted by their code lengths: those of the criterion, or all on the first."""
    if not average:
        return np.asarray(np.eye(1, len(lengths))[0])
    weights = np.exp(lengths[0] - lengths)
    weights[weights < LEAST_WEIGHT * weights.sum()] = 0.0
    return np.asarray(weights / weights.sum())


def check_candidates(table: list[dict[str, Any]], counts: Sequence[Any], scores: Sequence[str]) -> None:
    """Refuse a table that no fit leaves behind: its figures, its weights and the counts that go with them."""
    for row in table:
        numbers = [row[name] for name in ("candidate", "n_components", *scores)]
        of_criteria = (value for name, value in row.items() if name not in ("method", "prequential_se"))
        if not all(_is_number(value) for value in (*numbers, *of_criteria)) or row["method"] not in METHODS:
            raise DataError(f"candidate {shown(row['candidate'])}: is not what a fit leaves behind")
    weights = np.array([row["weight"] for row in table], dtype=np.float64)
    if not len(table) or not (np.isfinite(weights).all() and (weights >= 0).all() and weights[0] > 0):
        raise DataError("the weights of the candidates are not what a fit leaves behind")
    if not np.isclose(weights.sum(), 1.0):
        raise DataError("the weights of the candidates do not add up to 1")
    if np.count_nonzero(weights) != len(counts) or not (weights[: len(counts)] > 0).all():
        raise DataError("the counts are not those of the candidates that have a weight")
    for row, of_candidate in zip(table, counts, strict=False):
        if row["n_components"] != len(of_candidate["class_counts"]):
            raise DataError(f"candidate {row['candidate']}: its counts are not those of its clusters")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and bool(np.isfinite(float(value)))
