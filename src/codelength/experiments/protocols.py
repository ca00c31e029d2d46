"""One cell of an experiment: rows to learn from, rows to predict, and how well each model did.

The result of a cell is made of JSON types, so that it can be stored as it is. Leave-one-out and
cross-validation give, for each model, the scores of each unit: a unit is a row, or one whole
cross-validation. Learning curves give, for each model and each pair of models (the first minus the
second), sums over partitions for every training size.
"""

import math
from itertools import combinations
from typing import Any

import numpy as np

from ..counts import Counts, count
from ..rules import RULES, normalised, pseudocounts
from ..scores import Predictions, leave_one_out
from ..typing import FloatArray
from .evaluation import predict
from .prepared import Table, prepare, rows_of
from .spec import TRAIN_SHARE, Cell, Model, Result
from .splits import Split, cross_validation, partition


def run_cell(cell: Cell) -> Result:
    """Run one cell; the result depends on the cell alone."""
    table = prepare(cell.source)
    if cell.protocol == "learning-curve":
        return _learning_curves(cell, table)
    if cell.protocol == "cross-validation":
        return _cross_validations(cell, table)
    return _leave_one_out(cell, table)


def _leave_one_out(cell: Cell, table: Table) -> Result:
    """Every row predicted from the others; in closed form where cut points do not depend on the row."""
    if cell.source.learned == "train" and table.numbers:
        splits = list(cross_validation(table.coded.n_rows, table.coded.n_rows))
        order = np.argsort(np.concatenate([split.test for split in splits]))
        parts = [_predictions(cell, table, split) for split in splits]
        together = {model.name: _joined([part[model.name] for part in parts]) for model in cell.models}
        return {name: _units(cell, made, order) for name, made in together.items()}
    counts = count(table.schema, table.coded)
    result = {}
    for model in cell.models:
        rule = RULES[model.rule](counts, pseudocounts(model.prior, table.schema))
        made = _tempered(model, leave_one_out(counts, table.coded, rule))
        result[model.name] = _units(cell, made, np.arange(table.coded.n_rows))
    return result


def _units(cell: Cell, made: Predictions, order: Any) -> Result:
    """Scores of one prediction a unit, in row order."""
    return {
        "accuracy": _hits(made)[order].tolist(),
        "log_score": _costs(cell, made)[order].tolist(),
        "n_zero": made.n_zero,
        "n_undefined": made.n_undefined,
    }


def _cross_validations(cell: Cell, table: Table) -> Result:
    result: Result = {
        model.name: {"accuracy": [], "log_score": [], "n_zero": 0, "n_undefined": 0} for model in cell.models
    }
    n_rows = table.coded.n_rows
    for repetition in range(cell.first, cell.last):
        sums = {model.name: np.zeros(2) for model in cell.models}
        stream = cell.stream(repetition)
        for split in cross_validation(n_rows, cell.folds, train_fraction=cell.fraction, random_state=stream):
            for name, made in _predictions(cell, table, split).items():
                sums[name] += _hits(made).sum(), _costs(cell, made).sum()
                result[name]["n_zero"] += made.n_zero
                result[name]["n_undefined"] += made.n_undefined
        for name, (hits, log_probs) in sums.items():
            result[name]["accuracy"].append(float(hits) / n_rows)
            result[name]["log_score"].append(float(log_probs) / n_rows)
    return result


def _predictions(cell: Cell, table: Table, split: Split) -> dict[str, Predictions]:
    learned = table.learned_on(split.train)
    counts = count(learned.schema, rows_of(learned.coded, split.train))
    test = rows_of(learned.coded, split.test)
    return {
        model.name: _tempered(model, predict(counts, model.rule, model.prior, test)) for model in cell.models
    }


def _learning_curves(cell: Cell, table: Table) -> Result:
    curves: dict[str, list[FloatArray]] = {model.name: [] for model in cell.models}
    for repetition in range(cell.first, cell.last):
        split = partition(table.coded.n_rows, TRAIN_SHARE, random_state=cell.stream(repetition))
        learned = table.learned_on(split.train)
        for model in cell.models:
            curves[model.name].append(curve(learned, split, model, cell.floor))
    stacked = {name: np.stack(parts) for name, parts in curves.items()}
    result = {name: _sums(values) for name, values in stacked.items()}
    for one, other in combinations(stacked, 2):
        with np.errstate(invalid="ignore"):
            result[f"{one} - {other}"] = _sums(stacked[one] - stacked[other])
    return result


def curve(table: Table, split: Split, model: Model, floor: float | None = None) -> FloatArray:
    """Scores on the test rows after each training row, shape (n_train, 4).

    The columns are the accuracy, the log score, and how many test rows were given probability zero or
    have no defined prediction.
    """
    from ._kernels import learning_curve

    schema = table.schema
    empty = Counts.empty(schema)
    rule = RULES[model.rule](empty, pseudocounts(model.prior, schema))
    cells = np.ascontiguousarray(table.coded.codes.astype(np.int64) + schema.offsets[:-1])
    classes = table.coded.classes.astype(np.int64)
    scores: FloatArray = learning_curve(
        cells[split.train],
        classes[split.train],
        cells[split.test],
        classes[split.test],
        schema.offsets,
        rule.class_offsets,
        rule.value_offsets,
        rule.is_complexity,
        model.power,
        math.inf if floor is None else floor,
    )
    return scores


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


def _tempered(model: Model, made: Predictions) -> Predictions:
    if model.power == 1:
        return made
    log_probs, _ = normalised(model.power * made.log_probs)
    return Predictions(log_probs, made.classes, made.undefined)


def _hits(made: Predictions) -> FloatArray:
    hits: FloatArray = (np.argmax(made.log_probs, axis=1) == made.classes).astype(np.float64)
    hits[made.undefined] = 1 / made.log_probs.shape[1]
    return hits


def _costs(cell: Cell, made: Predictions) -> FloatArray:
    floor = -math.inf if cell.floor is None else -cell.floor
    return np.asarray(np.maximum(made.true_log_probs, floor))


def _joined(parts: list[Predictions]) -> Predictions:
    return Predictions(
        np.concatenate([part.log_probs for part in parts]),
        np.concatenate([part.classes for part in parts]),
        np.concatenate([part.undefined for part in parts]),
    )
