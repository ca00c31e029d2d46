"""Protocols of prediction: leave-one-out, cross-validation and learning curves.

Results consist of JSON types and are stored unchanged. Leave-one-out and cross-validation return, for each
model, the scores of each unit: a unit is a row, or one whole cross-validation. Learning curves return, for
each model and each pair of models (the first minus the second), sums over partitions for every training size.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from codelength.counts import count
from codelength.evaluation.splits import Split, cross_validation, partition
from codelength.naive_bayes import Predictor, normalised, rule_of
from codelength.prequential.layout import SequenceLayout, checked_offsets, lay_out
from codelength.scores import Predictions
from codelength.scores import leave_one_out as left_out
from codelength.table import Coded
from codelength.typing import FloatArray

from .experiment import Model, Result
from .tables import Prepared

Predicted: TypeAlias = Callable[[Prepared, Sequence[Model], Split], Mapping[str, Predictions]]
"""Function that returns the predictions of models for the test rows of a split, by name."""

TRAIN_SHARE = 0.7
"""Share of the rows in the training reservoir of a learning curve."""


def leave_one_out(prepared: Prepared, models: Sequence[Model], cap: float | None = None) -> Result:
    """Predict every row from the others; in closed form if cut points do not depend on the row."""
    n_rows = prepared.coded.n_rows
    if prepared.is_fixed:
        counts = count(prepared.coded)
        made = {
            model.name: left_out(Predictor.of(counts, model.rule, model.prior), prepared.coded)
            for model in models
        }
        order: Any = np.arange(n_rows)
    else:
        splits = list(cross_validation(n_rows, n_rows))
        parts = [_predictions(prepared, models, split) for split in splits]
        made = {model.name: Predictions.joined([part[model.name] for part in parts]) for model in models}
        # Splits are in random order; scores are stored in row order, so that models can be paired.
        order = np.argsort(np.concatenate([split.test for split in splits]))
    return {model.name: _units(made[model.name].tempered(model.power), cap, order) for model in models}


def cross_validations(
    prepared: Prepared,
    models: Sequence[Model],
    streams: Iterable[int],
    folds: int,
    fraction: float = 1.0,
    cap: float | None = None,
    predicted: Predicted | None = None,
) -> Result:
    """Run one whole cross-validation for every random stream."""
    result: Result = {
        model.name: {"accuracy": [], "log_score": [], "n_zero": 0, "n_undefined": 0} for model in models
    }
    n_rows = prepared.coded.n_rows
    for stream in streams:
        # Summed over folds: one cross-validation is one unit, because its folds share their training rows.
        sums = {model.name: np.zeros(2) for model in models}
        for split in cross_validation(n_rows, folds, train_fraction=fraction, random_state=stream):
            predictions = (predicted or _predictions)(prepared, models, split)
            for model in models:
                made = predictions[model.name].tempered(model.power)
                sums[model.name] += made.hits.sum(), made.capped_log_probs(cap).sum()
                result[model.name]["n_zero"] += made.n_zero
                result[model.name]["n_undefined"] += made.n_undefined
        for name, (hits, log_probs) in sums.items():
            result[name]["accuracy"].append(float(hits) / n_rows)
            result[name]["log_score"].append(float(log_probs) / n_rows)
    return result


def learning_curves(
    prepared: Prepared, models: Sequence[Model], streams: Iterable[int], cap: float | None = None
) -> Result:
    """Run one random partition for every random stream, with all curves on it."""
    curves: dict[str, list[FloatArray]] = {model.name: [] for model in models}
    rows = CurveRows(prepared.coded)
    for stream in streams:
        split = partition(prepared.coded.n_rows, TRAIN_SHARE, random_state=stream)
        coded = prepared.learned_on(split.train)
        # Layouts depend on the codes; with fixed intervals they are made once for all partitions.
        rows = rows if coded is rows.coded else CurveRows(coded)
        for model in models:
            curves[model.name].append(rows.curve(split, model, cap))
    # Only sums over partitions are stored: whole curves would take megabytes per task.
    stacked = {name: np.stack(parts) for name, parts in curves.items()}
    result = {name: _sums(values) for name, values in stacked.items()}
    for one, other in combinations(stacked, 2):
        with np.errstate(invalid="ignore"):
            result[f"{one} - {other}"] = _sums(stacked[one] - stacked[other])
    return result


class CurveRows:
    """A coded table, laid out under each model for adding rows one by one.

    Parameters
    ----------
    coded : Coded
        Training and test rows.
    """

    def __init__(self, coded: Coded) -> None:
        self.coded = coded
        self._layouts: dict[Model, SequenceLayout] = {}

    def curve(self, split: Split, model: Model, cap: float | None = None) -> FloatArray:
        """Return accuracy and log score on the test rows after each training row, shape (n_train, 2)."""
        from ._kernels import curve_weights

        if model not in self._layouts:
            rule = rule_of(model.rule)
            offsets = checked_offsets(rule, model.prior, self.coded.schema)
            self._layouts[model] = lay_out(self.coded, rule, offsets)
        train, test = split
        weights = np.empty((len(train), len(test), self.coded.schema.n_classes))
        curve_weights(self._layouts[model], train, test, weights)
        classes = np.tile(self.coded.class_codes[test], len(train))
        made = Predictions(*normalised(model.power * weights.reshape(-1, weights.shape[2])), classes)
        rows = np.array([made.hits, made.capped_log_probs(cap)]).reshape(2, len(train), len(test))
        # Added up row by row, so that the last digits do not depend on the number of rows.
        return np.cumsum(rows, axis=2)[:, :, -1].T / len(test)


def _predictions(prepared: Prepared, models: Sequence[Model], split: Split) -> dict[str, Predictions]:
    """Return the predictions of rules on counts for the test rows of a split."""
    coded = prepared.learned_on(split.train)
    counts, test = count(coded.take(split.train)), coded.take(split.test)
    return {
        model.name: Predictions(
            *Predictor.of(counts, model.rule, model.prior).log_probs(test), test.class_codes
        )
        for model in models
    }


def _units(made: Predictions, cap: float | None, order: Any) -> Result:
    """Return the scores of one prediction per unit, in row order."""
    return {
        "accuracy": made.hits[order].tolist(),
        "log_score": made.capped_log_probs(cap)[order].tolist(),
        "n_zero": made.n_zero,
        "n_undefined": made.n_undefined,
    }


def _sums(values: FloatArray) -> Result:
    """Return sums over the first axis, for accuracy and log score."""
    return {
        score: {
            "sum": values[:, :, column].sum(axis=0).tolist(),
            "squares": (values[:, :, column] ** 2).sum(axis=0).tolist(),
            "lowest": values[:, :, column].min(axis=0).tolist(),
            "highest": values[:, :, column].max(axis=0).tolist(),
        }
        for column, score in enumerate(("accuracy", "log_score"))
    }
