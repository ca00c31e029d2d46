"""Rows to learn from, rows to predict, and how well each model did.

Results are made of JSON types, so that they can be stored as they are. Leave-one-out and cross-validation
give, for each model, the scores of each unit: a unit is a row, or one whole cross-validation. Learning curves
give, for each model and each pair of models (the first minus the second), sums over partitions for every
training size.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from codelength.counts import count
from codelength.evaluation.splits import Split, cross_validation, partition
from codelength.naive_bayes import Predictor, rule_of
from codelength.naive_bayes.entries import growth_lists
from codelength.scores import Predictions
from codelength.scores import leave_one_out as left_out
from codelength.table import Coded
from codelength.typing import FloatArray, IntArray

from .prepared import Prepared
from .spec import Model, Result

Predicted: TypeAlias = Callable[[Prepared, Sequence[Model], Split], Mapping[str, Predictions]]
"""What some models predict for the test rows of a split, by name."""

TRAIN_SHARE = 0.7
"""Share of the rows in the training reservoir of a learning curve."""


def leave_one_out(prepared: Prepared, models: Sequence[Model], cap: float | None = None) -> Result:
    """Every row predicted from the others; in closed form where cut points do not depend on the row."""
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
        order = np.argsort(np.concatenate([split.test for split in splits]))
    return {model.name: _units(made[model.name].tempered(model.power), cap, order) for model in models}


def cross_validations(
    prepared: Prepared,
    models: Sequence[Model],
    streams: Iterable[int],
    folds: int,
    fraction: float = 1.0,
    cap: float | None = None,
    predicted: "Predicted | None" = None,
) -> Result:
    """One whole cross-validation for every random stream.

    Models are predictive rules on counts, unless ``predicted`` tells what they predict.
    """
    result: Result = {
        model.name: {"accuracy": [], "log_score": [], "n_zero": 0, "n_undefined": 0} for model in models
    }
    n_rows = prepared.coded.n_rows
    for stream in streams:
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
    """One random partition for every random stream, and all curves on it."""
    curves: dict[str, list[FloatArray]] = {model.name: [] for model in models}
    rows = CurveRows(prepared.coded)
    for stream in streams:
        split = partition(prepared.coded.n_rows, TRAIN_SHARE, random_state=stream)
        coded = prepared.learned_on(split.train)
        rows = rows if coded is rows.coded else CurveRows(coded)
        for model in models:
            curves[model.name].append(rows.curve(split, model, cap))
    stacked = {name: np.stack(parts) for name, parts in curves.items()}
    result = {name: _sums(values) for name, values in stacked.items()}
    for one, other in combinations(stacked, 2):
        with np.errstate(invalid="ignore"):
            result[f"{one} - {other}"] = _sums(stacked[one] - stacked[other])
    return result


class CurveRows:
    """A coded table laid out for learning curves.

    Parameters
    ----------
    coded : Coded
        The rows to learn from and to predict.
    """

    def __init__(self, coded: Coded) -> None:
        self.coded = coded
        self._cells = np.ascontiguousarray(coded.codes.astype(np.int64) + coded.schema.offsets[:-1])
        self._classes = coded.class_codes.astype(np.int64)
        self._layouts: dict[Model, Any] = {}

    def curve(self, split: Split, model: Model, cap: float | None = None) -> FloatArray:
        """Scores on the test rows after each training row, shape (n_train, 4).

        The columns are the accuracy, the log score, and how many test rows were given probability zero or
        have no defined prediction.
        """
        from ._kernels import learning_curve

        if model not in self._layouts:
            self._layouts[model] = _layout(self.coded, self._classes, model)
        scores: FloatArray = learning_curve(
            self._cells[split.train],
            self._classes[split.train],
            self._cells[split.test],
            self._classes[split.test],
            self._layouts[model],
            model.power,
            math.inf if cap is None else cap,
        )
        return scores


def _layout(coded: Coded, classes: IntArray, model: Model) -> Any:
    """The entries that the rule of a model can come to need when it takes the rows in."""
    from ._kernels import CurveLayout

    schema, rule = coded.schema, rule_of(model.rule)
    offsets = rule.offsets_under(model.prior, schema)
    rule.check(min(offsets.class_offsets.min(initial=0.0), offsets.value_offsets.min(initial=0.0)))
    of_totals = np.empty((schema.n_classes, schema.n_variables))
    for i in range(schema.n_variables):
        start, stop = schema.offsets[i], schema.offsets[i + 1] - 1
        of_totals[:, i] = offsets.value_offsets[:, start:stop].sum(axis=1)
    alike = (of_totals <= 0) & rule.normalises
    added = np.hstack((offsets.class_offsets[:, None], offsets.value_offsets, of_totals))
    first = added.copy()
    # Nothing seen and nothing added: all values are alike, and there are so many.
    first[:, 1 + schema.n_cells :][alike] = np.broadcast_to(schema.n_values, alike.shape)[alike]
    most = np.bincount(classes, minlength=schema.n_classes)[:, None]
    entries, starts = growth_lists(rule, added, np.broadcast_to(most, added.shape), first=first)
    places = np.split(starts, [1, 1 + schema.n_cells], axis=1)
    of_classes, of_values, of_all = (np.ascontiguousarray(part) for part in places)
    return CurveLayout(schema.offsets, entries, of_classes[:, 0].copy(), of_values, of_all, alike)


def _predictions(prepared: Prepared, models: Sequence[Model], split: Split) -> dict[str, Predictions]:
    coded = prepared.learned_on(split.train)
    counts, test = count(coded.take(split.train)), coded.take(split.test)
    return {
        model.name: Predictions(
            *Predictor.of(counts, model.rule, model.prior).log_probs(test), test.class_codes
        )
        for model in models
    }


def _units(made: Predictions, cap: float | None, order: Any) -> Result:
    """Scores of one prediction per unit, in row order."""
    return {
        "accuracy": made.hits[order].tolist(),
        "log_score": made.capped_log_probs(cap)[order].tolist(),
        "n_zero": made.n_zero,
        "n_undefined": made.n_undefined,
    }


def _sums(values: FloatArray) -> Result:
    """Sums over the first axis, for accuracy and log score."""
    return {
        score: {
            "sum": values[:, :, column].sum(axis=0).tolist(),
            "squares": (values[:, :, column] ** 2).sum(axis=0).tolist(),
            "lowest": values[:, :, column].min(axis=0).tolist(),
            "highest": values[:, :, column].max(axis=0).tolist(),
        }
        for column, score in enumerate(("accuracy", "log_score"))
    }
