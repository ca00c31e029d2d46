"""Predictions of training rows that an average made without them, and their scores."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._display import counted
from ..blocks import Block, Grid
from ..errors import DataError
from ..scores import Predictions
from ..table import Coded, Schema
from ..typing import FloatArray, IntArray
from .pool import Pool
from .training import Training

SCORES = {
    "log_score": "log score",
    "accuracy": "accuracy",
    "brier_score": "Brier",
    "calibration_error": "calibration error",
}
"""Scores of predictions, and their names in tables."""

TOGETHER = "all together"
"""Name of the whole average among its members."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class HeldOut(Predictions):
    """Honest predictions of training rows, and those of others for the same rows.

    Attributes
    ----------
    against : mapping of str to Predictions
        The class prior, and each member alone, without the same rows.
    rows : array of shape (n_rows,)
        Places of these rows among the training rows of positive weight.
    """

    against: Mapping[str, Predictions] = field(default_factory=dict)
    rows: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def _blocks(self) -> list[Block]:
        named = {TOGETHER: self, **self.against} if self.against else {}
        rows = [[name, *(f"{getattr(made, score):.4f}" for score in SCORES)] for name, made in named.items()]
        title = f"{counted(self.n_rows, 'row')}, each predicted without itself"
        return [Grid(title, ["predicted by", *SCORES.values()], rows)] if rows else []


def seen_in(class_counts: FloatArray) -> IntArray:
    """Return codes of the classes that have rows; all classes if there are no rows."""
    seen = np.flatnonzero(class_counts > 0)
    return seen if len(seen) else np.arange(len(class_counts))


def seen_classes(coded: Coded, seen: IntArray) -> Coded:
    """Return rows under a schema that has the classes seen, and no others."""
    if len(seen) == coded.schema.n_classes:
        return coded
    numbers = np.zeros(coded.schema.n_classes, dtype=np.int64)
    numbers[seen] = np.arange(len(seen))
    return coded.relabelled(schema_of_seen(coded.schema, seen), numbers[coded.class_codes])


def completed(log_probs: FloatArray, seen: IntArray, n_classes: int, total_weight: float) -> FloatArray:
    """Extend distributions over the classes seen to all classes: the unseen get 1/2 / (n + C/2) each.

    Examples
    --------
    >>> np.exp(completed(np.log([[0.25, 0.75]]), np.array([0, 2]), 3, 8.5)).round(4)
    array([[0.2375, 0.05  , 0.7125]])
    """
    if len(seen) == n_classes:
        return log_probs
    share = 0.5 / (total_weight + n_classes / 2)
    whole = np.full((len(log_probs), n_classes), np.log(share))
    whole[:, seen] = log_probs + np.log1p(-share * (n_classes - len(seen)))
    return whole


def held_out_of(
    rows: Coded,
    training: Training,
    seen: IntArray,
    together: FloatArray,
    others: Mapping[str, FloatArray],
) -> HeldOut:
    """Return predictions of the rows of the table that were looked at one by one, in their order."""
    numbers = np.full(training.coded.n_rows, -1, dtype=np.int64)
    numbers[training.sample] = np.arange(training.n_rows)
    places = np.where(training.places < 0, -1, numbers[training.places])
    looked_at = np.flatnonzero(places >= 0)
    labels = rows.class_codes[looked_at]
    weights = None if rows.weights is None else rows.weights[looked_at]
    total = float(training.class_counts.sum())

    def of(log_probs: FloatArray) -> FloatArray:
        return completed(log_probs[places[looked_at]], seen, rows.schema.n_classes, total)

    none = np.zeros(len(looked_at), dtype=bool)
    against = {name: Predictions(of(made), none, labels, weights) for name, made in others.items()}
    return HeldOut(of(together), none, labels, weights, against=against, rows=looked_at)


def scores_of(held_out: HeldOut, weights: Mapping[str, float], pool: Pool) -> list[dict[str, Any]]:
    """Return one row per member, then the class prior, then all together."""
    temperatures = dict(zip(weights, pool.temperatures, strict=True))
    named: dict[str, Predictions] = {**held_out.against, TOGETHER: held_out}
    rows = []
    for name in (*weights, "class prior", TOGETHER):
        made = named[name]
        row: dict[str, Any] = {"name": name}
        if name in weights:
            row |= {"weight": float(weights[name]), "temperature": float(temperatures[name])}
        if made.n_rows and (made.weights is None or made.weights.any()):
            row |= {score: getattr(made, score) for score in SCORES}
        rows.append(row)
    rows[-2]["weight"] = float(pool.share)
    return rows


def checked_scores(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of scores; raise DataError if no fit leaves it behind."""
    numbers = {name: value for name, value in row.items() if name != "name"}
    if not isinstance(row["name"], str) or not all(
        type(value) is float and np.isfinite(value) for value in numbers.values()
    ):
        raise DataError("the scores are not what a fit leaves behind")
    return {"name": row["name"], **numbers}


def schema_of_seen(schema: Schema, seen: IntArray) -> Schema:
    """Return a schema with the classes seen, and no others."""
    assert schema.target is not None
    if len(seen) == schema.n_classes:
        return schema
    values = tuple(schema.target.values[code] for code in seen)
    return replace(schema, target=replace(schema.target, values=values))
