"""Protocols of prediction: leave-one-out, cross-validation and learning curves.

Results consist of JSON types and are stored unchanged. Leave-one-out and cross-validation return, for each
model, the scores of each unit: a unit is a row, or one whole cross-validation. Learning curves return, for
each model and each pair of models (the first minus the second), sums over partitions for every training size.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from codelength.counts import count
from codelength.evaluation.splits import Split, cross_validation, partition
from codelength.naive_bayes import Predictor, rule_of
from codelength.naive_bayes.log_tables import growth_lists
from codelength.scores import Predictions
from codelength.scores import leave_one_out as left_out
from codelength.table import Coded
from codelength.typing import FloatArray, IntArray

from .prepared import Prepared
from .spec import Model, Result

Predicted: TypeAlias = Callable[[Prepared, Sequence[Model], Split], Mapping[str, Predictions]]
"""Function that returns the predictions of models for the test rows of a split, by name."""

TRAIN_SHARE = 0.7
"""Share of the rows in the training reservoir of a learning curve."""


def leave_one_out(prepared: Prepared, models: Sequence[Model], cap: float | None = None) -> Result:
    """Predict every row from the others; in closed form if cut points do not depend on the row.

    Parameters
    ----------
    prepared : Prepared
        The table.
    models : sequence of Model
        Predictive rules.
    cap : float, optional
        Largest cost of a row, in nats.

    Returns
    -------
    dict
        Scores of each row, by model.
    """
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
    predicted: "Predicted | None" = None,
) -> Result:
    """Run one whole cross-validation for every random stream.

    Parameters
    ----------
    prepared : Prepared
        The table.
    models : sequence of Model
        Models by name.
    streams : iterable of int
        Seeds of the repetitions.
    folds : int
        Folds of each repetition.
    fraction : float
        Share of the training rows that is used.
    cap : float, optional
        Largest cost of a row, in nats.
    predicted : function, optional
        Makes the predictions; by default models are predictive rules on counts.
    """
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
    """Run one random partition for every random stream, with all curves on it.

    Parameters
    ----------
    prepared : Prepared
        The table.
    models : sequence of Model
        Predictive rules.
    streams : iterable of int
        Seeds of the partitions.
    cap : float, optional
        Largest cost of a row, in nats.
    """
    curves: dict[str, list[FloatArray]] = {model.name: [] for model in models}
    rows = CurveRows(prepared.coded)
    for stream in streams:
        split = partition(prepared.coded.n_rows, TRAIN_SHARE, random_state=stream)
        coded = prepared.learned_on(split.train)
        # Layouts depend on the codes; with fixed intervals they are made once for all partitions.
        rows = rows if coded is rows.coded else CurveRows(coded)
        for model in models:
            curves[model.name].append(rows.curve(split, model, cap))
    # Only sums over partitions are stored: whole curves of a hundred partitions would take megabytes per
    # task.
    stacked = {name: np.stack(parts) for name, parts in curves.items()}
    result = {name: _sums(values) for name, values in stacked.items()}
    for one, other in combinations(stacked, 2):
        with np.errstate(invalid="ignore"):
            result[f"{one} - {other}"] = _sums(stacked[one] - stacked[other])
    return result


class CurveRows:
    """A coded table in the layout of the kernel of learning curves.

    Parameters
    ----------
    coded : Coded
        Training and test rows.
    """

    def __init__(self, coded: Coded) -> None:
        self.coded = coded
        self._cells = np.ascontiguousarray(coded.codes.astype(np.int64) + coded.schema.offsets[:-1])
        self._classes = coded.class_codes.astype(np.int64)
        self._layouts: dict[Model, Any] = {}

    def curve(self, split: Split, model: Model, cap: float | None = None) -> FloatArray:
        """Return the scores on the test rows after each training row, shape (n_train, 4).

        The columns are the accuracy, the log score, and the numbers of test rows with probability zero and
        without a defined prediction.

        Parameters
        ----------
        split : Split
            Training rows, in the order in which they are added, and test rows.
        model : Model
            Predictive rule.
        cap : float, optional
            Largest cost of a row, in nats.
        """
        # Imported on use: other protocols need not load this kernel.
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
    """Return all logarithms that the rule of a model can need while it adds the rows one by one."""
    from ._kernels import CurveLayout

    schema, rule = coded.schema, rule_of(model.rule)
    offsets = rule.offsets_under(model.prior, schema)
    # The kernel does not check: a rule that is undefined for these offsets must raise here.
    rule.check(min(offsets.class_offsets.min(initial=0.0), offsets.value_offsets.min(initial=0.0)))
    of_totals = np.empty((schema.n_classes, schema.n_variables))
    for i in range(schema.n_variables):
        start, stop = schema.offsets[i], schema.offsets[i + 1] - 1
        of_totals[:, i] = offsets.value_offsets[:, start:stop].sum(axis=1)
    alike = (of_totals <= 0) & rule.normalises
    added = np.hstack((offsets.class_offsets[:, None], offsets.value_offsets, of_totals))
    first = added.copy()
    # Nothing seen and nothing added: all values are equally probable, so that the total is their number.
    first[:, 1 + schema.n_cells :][alike] = np.broadcast_to(schema.n_values, alike.shape)[alike]
    # No count of a class can exceed the rows of that class, which bounds the length of its lists.
    most = np.bincount(classes, minlength=schema.n_classes)[:, None]
    entries, starts = growth_lists(rule, added, np.broadcast_to(most, added.shape), first=first)
    places = np.split(starts, [1, 1 + schema.n_cells], axis=1)
    of_classes, of_values, of_all = (np.ascontiguousarray(part) for part in places)
    return CurveLayout(schema.offsets, entries, of_classes[:, 0].copy(), of_values, of_all, alike)


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
