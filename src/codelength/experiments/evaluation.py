"""How well the predictive rules do on one table."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..counts import Counts, count
from ..rules import RULES, PriorLike, RuleName, Scorer, log_tables, pseudocounts
from ..scores import Predictions, leave_one_out
from ..table import Coded, Schema, encode, infer_schema
from ..table.infer import Missing, Numeric, relearn_intervals
from ..table.target import target_column
from .splits import Split, cross_validation


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Scores of one rule, over all predictions made.

    ``log_score`` is the mean log probability of the class that occurred, in nats; minus infinity where
    some class that occurred was given probability zero (``n_zero`` such predictions).
    """

    rule: RuleName
    n_predictions: int
    accuracy: float
    log_score: float
    brier_score: float
    n_zero: int
    n_undefined: int

    @property
    def log_score_bits(self) -> float:
        """The log score in bits."""
        return self.log_score / math.log(2)

    @classmethod
    def of(cls, rule: RuleName, predictions: Predictions) -> "Evaluation":
        """The scores of some predictions."""
        return cls(
            rule,
            len(predictions.classes),
            predictions.accuracy,
            predictions.log_score,
            predictions.brier_score,
            predictions.n_zero,
            predictions.n_undefined,
        )


def evaluate(
    table: Any,
    target: Any,
    *,
    rules: Sequence[RuleName] = tuple(RULES),
    prior: PriorLike = "uniform",
    missing: Missing = "ignore",
    numeric: Numeric = "auto",
    n_folds: int | None = None,
    repeats: int = 1,
    train_fraction: float = 1.0,
    random_state: int = 0,
) -> list[Evaluation]:
    """Score each rule by leave-one-out, or by repeated cross-validation when ``n_folds`` is given.

    The values of categorical variables are those of the whole table, so that every fold predicts over
    the same alphabet. Intervals of numeric variables are learned from the training rows of each fold;
    leave-one-out, being closed form, keeps the intervals of the whole table.

    Examples
    --------
    >>> table = {"size": ["s", "m", "l", "s", "l", "l"]}
    >>> [round(result.accuracy, 2) for result in evaluate(table, [0, 0, 1, 0, 1, 1], rules=["evidence"])]
    [0.83]
    """
    columns, classes = as_columns(table), target_column(target)
    schema = infer_schema(columns, classes, missing=missing, numeric=numeric)
    if n_folds is None:
        coded = encode(schema, columns, classes)
        counts = count(schema, coded)
        prior_counts = pseudocounts(prior, schema)
        return [
            Evaluation.of(rule, leave_one_out(counts, coded, RULES[rule](counts, prior_counts)))
            for rule in rules
        ]
    splits = cross_validation(
        columns.n_rows, n_folds, repeats=repeats, train_fraction=train_fraction, random_state=random_state
    )
    return _cross_validated(columns, classes, schema, splits, rules, prior)


def _cross_validated(
    columns: Columns,
    classes: Any,
    schema: Schema,
    splits: Iterable[Split],
    rules: Sequence[RuleName],
    prior: PriorLike,
) -> list[Evaluation]:
    parts: dict[RuleName, list[Predictions]] = {rule: [] for rule in rules}
    whole = encode(schema, columns, classes)
    for split in splits:
        learned = relearn_intervals(schema, columns, split.train)
        coded = whole if learned is schema else encode(learned, columns, classes)
        counts = count(learned, coded.take(split.train))
        for rule in rules:
            parts[rule].append(predict(counts, rule, prior, coded.take(split.test)))
    return [Evaluation.of(rule, _joined(parts[rule])) for rule in rules]


def predict(counts: Counts, rule: RuleName, prior: PriorLike, coded: Coded) -> Predictions:
    """Class distributions of some rows under a rule, beside the classes that occurred."""
    tables = log_tables(counts, RULES[rule](counts, pseudocounts(prior, counts.schema)))
    log_probs, undefined = Scorer.of(counts.schema, tables).log_probs(coded.codes)
    return Predictions(log_probs, coded.classes, undefined)


def _joined(parts: list[Predictions]) -> Predictions:
    return Predictions(
        np.concatenate([part.log_probs for part in parts]),
        np.concatenate([part.classes for part in parts]),
        np.concatenate([part.undefined for part in parts]),
    )
