"""Protocols of prediction: leave-one-out, cross-validation and learning curves.

Results consist of JSON types and are stored unchanged. Leave-one-out and cross-validation return, for each
model, the scores of each unit: a unit is a row, or one whole cross-validation. Learning curves return, for
each model and each pair of models (the first minus the second), sums over partitions for every training size.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from codelength.counts import count
from codelength.evaluation.splits import Split, cross_validation, partition
from codelength.naive_bayes import Predictor, normalised, rule_of
from codelength.naive_bayes.log_tables import growth_lists
from codelength.scores import Predictions
from codelength.scores import leave_one_out as left_out
from codelength.table import Coded
from codelength.typing import BoolArray, FloatArray, IntArray

from .prepared import Prepared
from .spec import Model, Result

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
    predicted: "Predicted | None" = None,
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
    # Only sums over partitions are stored: whole curves of a hundred partitions would take megabytes per
    # task.
    stacked = {name: np.stack(parts) for name, parts in curves.items()}
    result = {name: _sums(values) for name, values in stacked.items()}
    for one, other in combinations(stacked, 2):
        with np.errstate(invalid="ignore"):
            result[f"{one} - {other}"] = _sums(stacked[one] - stacked[other])
    return result


class CurveRows:
    """A coded table, and the logarithms that models need while rows are added one by one.

    Parameters
    ----------
    coded : Coded
        Training and test rows.
    """

    def __init__(self, coded: Coded) -> None:
        self.coded = coded
        self._cells = coded.codes.astype(np.int64) + coded.schema.offsets[:-1]
        self._classes = coded.class_codes.astype(np.int64)
        self._layouts: dict[Model, _Layout] = {}

    def curve(self, split: Split, model: Model, cap: float | None = None) -> FloatArray:
        """Return the scores on the test rows after each training row, shape (n_train, 4).

        The columns are the accuracy, the log score, and the numbers of test rows with probability zero and
        without a defined prediction. A row costs at most the cap, in nats.
        """
        if model not in self._layouts:
            self._layouts[model] = _Layout.of(self.coded, self._classes, model)
        train, test = split
        weights = self._layouts[model].weights(self._cells[train], self._classes[train], self._cells[test])
        log_probs, undefined = normalised(model.power * weights.reshape(-1, weights.shape[2]))
        classes = np.tile(self._classes[test], len(train))
        of_class = log_probs[np.arange(len(classes)), classes]
        hits = (log_probs.argmax(axis=1) == classes).astype(np.float64)
        # An undefined prediction counts as a uniform guess, as in the score of a whole table.
        hits[undefined] = 1 / weights.shape[2]
        costs = np.maximum(of_class, -math.inf if cap is None else -cap)
        rows = np.array([hits, costs, np.isneginf(of_class), undefined]).reshape(4, len(train), len(test))
        # Added up row by row, so that the last digits do not depend on the number of rows.
        sums = np.cumsum(rows, axis=2)[:, :, -1]
        sums[:2] /= len(test)
        return sums.T


@dataclass(frozen=True, eq=False, slots=True)
class _Layout:
    """Positions in a list of logarithms, before the first row; every row advances some of them by one.

    Log tables of a rule are sums of functions of counts, g(n + offset). Their values for n = 0, 1, ... are
    tabulated once, so that no logarithm is computed while rows are added.

    Attributes
    ----------
    variable_of : array of shape (n_cells,)
        Variable of each cell.
    spare : array of shape (n_variables,)
        Cells for missing.
    entries : array
        ``g(n + offset)`` for n = 0, 1, ..., one list after the other.
    class_places, value_places, total_places : arrays
        Starts of the lists of each class, each of its values, and the total of each variable.
    alike : array of shape (n_classes, n_variables)
        True as long as no value was seen and nothing is added to the counts: all values are equally probable,
        and the rule normalises.
    """

    variable_of: IntArray
    spare: IntArray
    entries: FloatArray
    class_places: IntArray
    value_places: IntArray
    total_places: IntArray
    alike: BoolArray

    @classmethod
    def of(cls, coded: Coded, classes: IntArray, model: Model) -> "_Layout":
        """Return all logarithms that the rule of a model can need for some rows."""
        schema, rule = coded.schema, rule_of(model.rule)
        offsets = rule.offsets_under(model.prior, schema)
        # Nothing below checks: a rule that is undefined for these offsets must raise here.
        rule.check(min(offsets.class_offsets.min(initial=0.0), offsets.value_offsets.min(initial=0.0)))
        spare = schema.offsets[1:] - 1
        variable_of = np.repeat(np.arange(schema.n_variables), np.diff(schema.offsets))
        of_totals = np.zeros((schema.n_classes, schema.n_variables))
        for i, last in enumerate(spare):
            of_totals[:, i] = offsets.value_offsets[:, schema.offsets[i] : last].sum(axis=1)
        alike = (of_totals <= 0) & rule.normalises
        added = np.hstack((offsets.class_offsets[:, None], offsets.value_offsets, of_totals))
        first = added.copy()
        # Nothing seen and nothing added: all values are equally probable, so that the total is their number.
        first[:, 1 + schema.n_cells :][alike] = np.broadcast_to(schema.n_values, alike.shape)[alike]
        # No count of a class can exceed the rows of that class, which bounds the length of its lists.
        most = np.bincount(classes, minlength=schema.n_classes)[:, None]
        entries, starts = growth_lists(rule, added, np.broadcast_to(most, added.shape), first=first)
        of_classes, of_values, of_all = np.split(starts, [1, 1 + schema.n_cells], axis=1)
        return cls(variable_of, spare, entries, of_classes[:, 0], of_values, of_all, alike)

    def weights(self, train: IntArray, classes: IntArray, test: IntArray) -> FloatArray:
        """Return the log weights of all classes for all test rows after each training row.

        A new row changes the tables of its own class only, so that one column is computed again.
        """
        class_places, value_places = self.class_places.copy(), self.value_places.copy()
        total_places, alike = self.total_places.copy(), self.alike.copy()

        def of_class(k: int) -> FloatArray:
            values = np.where(alike[k][self.variable_of], 0.0, self.entries[value_places[k]])
            table = values - self.entries[total_places[k]][self.variable_of]
            # A missing value contributes nothing to the sum.
            table[self.spare] = 0.0
            total = np.full(len(test), self.entries[class_places[k]])
            for column in test.T:
                total += table[column]
            return total

        now = np.stack([of_class(k) for k in range(len(class_places))], axis=1)
        found = np.empty((len(train), *now.shape))
        for n, (cells, k) in enumerate(zip(train, classes.tolist(), strict=True)):
            # A missing cell adds nothing, neither to its value nor to the total of its variable.
            known = np.flatnonzero(cells != self.spare)
            class_places[k] += 1
            value_places[k, cells[known]] += 1
            total_places[k, known] += 1
            alike[k, known] = False
            now[:, k] = of_class(k)
            found[n] = now
        return found


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
