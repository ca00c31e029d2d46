"""Scores of tasks of prediction, and what experiments with such tasks make of them.

Results and scores of tasks (``task``) come first, then learning curves, predictions and gains of one model
over others, and last the findings of experiments that compare models.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from codelength.evaluation.splits import Split
from codelength.naive_bayes import Distributions, normalised
from codelength.scores import Predictions
from codelength.scores.means import Mean, mean_of
from codelength.table import Coded
from codelength.typing import FloatArray

from .claims import Claim, signed
from .experiment import Result, Spec
from .findings import SCORES, Curve, Findings, ResultTable, Row
from .results import Results
from .significance import p_value, tests_over_tables
from .tables import Prepared
from .task import Task

SHARES = (1.0, 0.1)
"""Shares of the training rows in comparisons of models."""


def results_of(spec: Spec[Any], results: Mapping[str, Result]) -> Results:
    """Return the scores of all predictions but learning curves."""
    return Results(
        ("table", "protocol", "fraction", "model", "score"),
        (
            (
                (task.source.name, task.protocol, task.fraction, model, score),
                # Numbers of special predictions are counted once per task.
                units if score in SCORES else [units],
            )
            for task in _tasks(spec, curves=False)
            for model, scores in results[task.key].items()
            for score, units in scores.items()
        ),
    )


def _tasks(spec: Spec[Any], *, curves: bool) -> list[Task]:
    """Return the tasks of prediction: learning curves, or all others."""
    found = [task for task in spec.tasks if isinstance(task, Task)]
    return [task for task in found if (task.protocol == "learning-curve") == curves]


def scores_of(spec: Spec[Any], results: Results) -> list[Row]:
    """Return one row for every model in every experiment.

    Units are rows under leave-one-out, and whole cross-validations otherwise; standard errors (``_se``) are
    those of a mean over units. ``n_zero`` and ``n_undefined`` are predictions with probability zero for the
    true class, and undefined ones.
    """
    first: dict[str, Task] = {}
    for task in _tasks(spec, curves=False):
        first.setdefault(task.group, task)
    found = []
    for task in first.values():
        place = {"protocol": task.protocol, "folds": task.folds, "fraction": task.fraction}
        for model in task.models:
            own = results.at(
                table=task.source.name, protocol=task.protocol, fraction=task.fraction, model=model.name
            )
            row: Row = {"dataset": task.source.name, **place, "model": model.name}
            row |= {"n_units": len(own.units(score="accuracy")), **own.row(SCORES)}
            row |= {name: int(own.units(score=name).sum()) for name in ("n_zero", "n_undefined")}
            found.append(row)
    return found


def curves_of(spec: Spec[Any], results: Mapping[str, Result], series: int = 0) -> list[Curve]:
    """Return the learning curves of every model and pair of models, in one series of partitions."""
    groups: dict[str, list[Task]] = {}
    for task in _tasks(spec, curves=True):
        if task.series == series:
            groups.setdefault(task.group, []).append(task)
    found = []
    for tasks in groups.values():
        n = sum(task.last - task.first for task in tasks)
        for model in results[tasks[0].key]:
            for score in SCORES:
                parts = [results[task.key][model][score] for task in tasks]
                found.append(Curve(tasks[0].source.name, model, score, n, *_statistics(parts, n)))
    return found


def _statistics(parts: list[dict[str, Any]], n: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return mean, standard error, minimum and maximum of a curve, from the sums that its tasks stored."""
    sums, squares, lowest, highest = (
        np.array([part[name] for part in parts], dtype=np.float64)
        for name in ("sum", "squares", "lowest", "highest")
    )
    mean = sums.sum(axis=0) / n
    with np.errstate(invalid="ignore"):
        # Rounding can make the variance of equal values slightly negative.
        variance = np.maximum(squares.sum(axis=0) / n - mean**2, 0.0) * n / max(n - 1, 1)
    return mean, np.sqrt(variance / n), lowest.min(axis=0), highest.max(axis=0)


def predictions_of(log_weights: FloatArray, test: Coded) -> Predictions:
    """Return predictions from log weights of the classes of test rows, each row up to a constant."""
    made: Distributions = normalised(log_weights)
    return Predictions(*made, test.class_codes)


def parts(prepared: Prepared, split: Split) -> tuple[Coded, Coded]:
    """Return the training and test rows of a split."""
    coded = prepared.learned_on(split.train)
    return coded.take(split.train), coded.take(split.test)


def versus(results: Results, names: Sequence[str], model: str, others: Sequence[str]) -> list[Row]:
    """Return the gains of one model over others, table by table; positive is better.

    ``probability`` is the two-sided p-value of a paired t test over repetitions. It is about the random
    splits of this table, not about other tables.
    """
    found = []
    for share in SHARES:
        for other in others:
            for score in SCORES:
                for name in names:
                    gains = results.gains(model, other, table=name, fraction=share, score=score)
                    row = {"dataset": name, "fraction": share, "score": score, "model": model, "other": other}
                    gain, error = mean = mean_of(gains)
                    row |= {"gain": gain, "standard_error": error, "probability": _t_test(mean, len(gains))}
                    found.append(row)
    return found


def _t_test(mean: Mean, n: int) -> float:
    """Return the two-sided p-value of a mean under the hypothesis that it is zero."""
    from scipy.stats import t

    value, standard_error = mean
    if math.isnan(standard_error):
        return math.nan
    if standard_error == 0:
        return 1.0 if value == 0 else 0.0
    return float(2 * t.sf(abs(value) / standard_error, n - 1))


def compared_models(
    opened: Findings,
    spec: Spec[Any],
    results: Mapping[str, Result],
    models: Sequence[str],
    pairs: Sequence[tuple[str, str]],
) -> tuple[Findings, Results]:
    """Return findings on pairs of models, the first of each expected to be ahead, and the scores behind them.

    There are claims on each pair with a tenth and with all of the training rows, and tables of all models.
    """
    everything = results_of(spec, results)
    scores = everything.at(protocol="cross-validation")
    found = replace(
        opened,
        claims=[_claim(scores, share, *pair) for share in SHARES[::-1] for pair in pairs],
        tables=[_overall(scores, models), _by_table(scores, models)],
        scores=scores_of(spec, everything),
    )
    return found, scores


def _overall(results: Results, models: Sequence[str]) -> ResultTable:
    """Return mean log loss and accuracy over tables, for each share of the training rows."""
    names, rows = results.levels("table"), []
    for model in models:
        row: Row = {"model": model}
        for share in SHARES:
            own = results.at(fraction=share, model=model)
            row[f"log loss {share:.0%}"] = -float(own.at(score="log_score").means(table=names).mean())
            row[f"accuracy {share:.0%}"] = float(own.at(score="accuracy").means(table=names).mean())
        rows.append(row)
    title = f"Means over {len(names)} tables, with a share of the training rows"
    return ResultTable("overall", title, rows, decimals=3, first=True)


def _by_table(results: Results, models: Sequence[str]) -> ResultTable:
    """Return the log loss of each model on each table, for each share of the training rows."""
    logs = results.at(score="log_score")
    rows: list[Row] = [
        {"table": name, "share": f"{share:.0%}"}
        | {model: -logs.mean(table=name, fraction=share, model=model).value for model in models}
        for name in results.levels("table")
        for share in SHARES
    ]
    return ResultTable("by_table", "Log loss table by table", rows, decimals=3)


def _claim(results: Results, share: float, model: str, other: str) -> Claim:
    """Return the claim that one model has a lower log loss than another, on average over tables."""
    leads = results.leads(model, other, "table", fraction=share, score="log_score")
    values = {name: lead.value for name, lead in leads.items()}
    tests = tests_over_tables(list(values.values()))
    rows = "all training rows" if share == 1 else f"{share:.0%} of the training rows"
    best, worst = max(values, key=values.__getitem__), min(values, key=values.__getitem__)
    return Claim(
        f"log loss with {rows}",
        f"{model} is ahead of {other}, on average over tables.",
        leads.on_average(),
        f"{signed(*leads.mean())} nats; ahead on {sum(v > 0 for v in values.values())} of {len(values)}, "
        f"p {p_value(tests.wilcoxon)} (Wilcoxon); most {signed(values[best])} ({best}), "
        f"least {signed(values[worst])} ({worst})",
        is_beyond=True,
    )
