"""Tasks of most experiments: some repetitions of one protocol of prediction on one table.

The task comes first, then the protocols: leave-one-out, cross-validation and learning curves. Results consist
of JSON types and are stored unchanged. Leave-one-out and cross-validation return, for each model, the scores
of each unit: a unit is a row, or one whole cross-validation. Learning curves return, for each model and each
pair of models (the first minus the second), sums over partitions for every training size.
"""

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from codelength import datasets
from codelength.counts import count
from codelength.errors import InvalidParameter
from codelength.evaluation.splits import Split, cross_validation, partition
from codelength.naive_bayes import Predictor, normalised, rule_of
from codelength.prequential.layout import SequenceLayout, checked_offsets, lay_out
from codelength.scores import Predictions
from codelength.scores import leave_one_out as left_out
from codelength.table import Coded
from codelength.typing import FloatArray

from .experiment import Model, Result, chunks
from .settings import Settings
from .tables import Prepared, Source, prepare, stream_of

Predicted: TypeAlias = Callable[[Prepared, Sequence[Model], Split], Mapping[str, Predictions]]
"""Function that returns the predictions of models for the test rows of a split, by name."""

TRAIN_SHARE = 0.7
"""Share of the rows in the training reservoir of a learning curve."""

ProtocolName: TypeAlias = Literal["leave-one-out", "cross-validation", "learning-curve"]

CHUNK = 10
"""Repetitions per task, if models are rules on counts."""


@dataclass(frozen=True, slots=True)
class Task:
    """Some repetitions of one protocol of prediction on one table.

    Attributes
    ----------
    protocol : {"leave-one-out", "cross-validation", "learning-curve"}
        Choice of training and test rows.
    models : tuple of Model
        Models, all fitted to the same rows and scored on the same others.
    cap : float, optional
        Largest cost of a row in the log score, in nats.
    first, last : int
        The repetitions ``first .. last - 1``.
    fraction : float
        Share of the training rows that is used.
    series : int
        Number of the independent run of the same experiment; all but the first are part of the key.
    experiment : str
        Module with a function ``predictions(prepared, models, split)``; empty if models are rules on counts.
    effort : float
        Approximate cost of one such prediction relative to naive Bayes.
    """

    protocol: ProtocolName
    source: Source
    models: tuple[Model, ...]
    seed: int = 0
    cap: float | None = None
    first: int = 0
    last: int = 1
    folds: int = 0
    fraction: float = 1.0
    series: int = 0
    experiment: str = ""
    effort: float = 1.0

    @property
    def group(self) -> str:
        """Name shared by the repetitions of one experiment."""
        again = f"/series {self.series}" if self.series else ""
        if self.protocol == "cross-validation":
            return f"{self.source.name}/{self.folds} folds/{self.fraction:.0%}{again}"
        return f"{self.source.name}/{self.protocol}{again}"

    @property
    def key(self) -> str:
        """Name of the task, unique within its specification.

        Examples
        --------
        >>> source = Source("glass", "kmeans", 5, "value", "whole")
        >>> Task("cross-validation", source, (), first=10, last=20, folds=7, fraction=0.1).key
        'glass/7 folds/10%/10-19'
        """
        return f"{self.group}/{self.first}-{self.last - 1}"

    def stream(self, repetition: int) -> int:
        """Return the seed of one repetition, whatever the division into tasks and the process."""
        return stream_of(f"{self.seed}/{self.group}/{repetition}")

    @property
    def work(self) -> float:
        """Approximate cost of the task."""
        entry, n_repeats = datasets.describe(self.source.name), self.last - self.first
        if self.protocol == "learning-curve":
            n_train = round(TRAIN_SHARE * entry.rows)
            return float(n_repeats * n_train * (entry.rows - n_train) * len(self.models))
        n_cells = n_repeats * entry.rows * len(self.models) * entry.attributes
        if self.experiment:
            return self.effort * n_cells * entry.classes
        # Every fold has a fixed cost besides that of its rows.
        return n_repeats * 3000.0 * max(self.folds, 1) + n_cells

    def run(self) -> Result:
        """Return the scores of the models."""
        prepared = prepare(self.source)
        streams = [self.stream(repetition) for repetition in range(self.first, self.last)]
        match self.protocol:
            case "leave-one-out":
                return leave_one_out(prepared, self.models, self.cap)
            case "learning-curve":
                return learning_curves(prepared, self.models, streams, self.cap)
        # By name, because tasks are hashed as JSON, which has no functions.
        own: Any = None
        if self.experiment:
            own = importlib.import_module(f".experiments.{self.experiment}", __package__).predictions
        return predict_folds(prepared, self.models, streams, self.folds, self.fraction, self.cap, own)


def cross_validations(
    table: Source,
    models: Iterable[Model],
    settings: Settings,
    folds: int,
    fraction: float,
    repeats: int,
    experiment: str = "",
    effort: float = 1.0,
) -> list[Task]:
    """Return tasks of repeated cross-validation; raise at once if there are more folds than rows.

    Folds and repetitions are those given, unless the settings name other numbers. See :class:`Task` for the
    other parameters.
    """
    if settings.folds is not None and settings.folds > table.n_rows:
        raise InvalidParameter(
            f"setting folds={settings.folds}: {table.name} has {table.n_rows:,} rows; use at most one fold "
            "per row"
        )
    usual = Task(
        "cross-validation",
        table,
        tuple(models),
        settings.seed,
        settings.cap,
        folds=settings.folds or folds,
        fraction=fraction,
        experiment=experiment,
        effort=effort,
    )
    ranges = chunks(settings.repeats or repeats, 1 if experiment else CHUNK)
    return [replace(usual, first=first, last=last) for first, last in ranges]


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


def predict_folds(
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
