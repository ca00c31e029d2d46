"""Scores of tasks of prediction, and what experiments with such tasks make of them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from codelength.evaluation.splits import Split
from codelength.naive_bayes import Distributions, normalised
from codelength.scores import Predictions
from codelength.scores.means import Mean, mean_of
from codelength.table import Coded
from codelength.typing import FloatArray

from .claims import Claim, signed
from .findings import SCORES, Curve, ResultTable, Score, ScoreName, Value, Versus
from .prepared import Prepared
from .results import Results
from .spec import Result, Spec
from .task import Task


def results_of(spec: Spec[Any], results: Mapping[str, Result]) -> Results:
    """Return the scores of all predictions but learning curves."""
    names = ("table", "protocol", "fraction", "model", "score")

    def records() -> Iterable[tuple[tuple[Any, ...], Sequence[float]]]:
        for task in _tasks(spec, curves=False):
            for model, scores in results[task.key].items():
                for score, units in scores.items():
                    place = (task.source.name, task.protocol, task.fraction, model, score)
                    # Numbers of special predictions are counted once per task.
                    yield place, units if score in SCORES else [units]

    return Results(names, records())


def _tasks(spec: Spec[Any], *, curves: bool) -> list[Task]:
    """Return the tasks of prediction: learning curves, or all others."""
    found = [task for task in spec.tasks if isinstance(task, Task)]
    return [task for task in found if (task.protocol == "learning-curve") == curves]


def scores_of(spec: Spec[Any], results: Results) -> list[Score]:
    """Return one row of the table of scores for every model in every experiment."""
    first = {task.group: task for task in reversed(_tasks(spec, curves=False))}
    found = []
    for group in dict.fromkeys(task.group for task in _tasks(spec, curves=False)):
        task = first[group]
        for model in task.models:
            own = results.at(
                table=task.source.name, protocol=task.protocol, fraction=task.fraction, model=model.name
            )
            found.append(
                Score(
                    task.source.name,
                    task.protocol,
                    task.folds,
                    task.fraction,
                    model.name,
                    len(own.units(score="accuracy")),
                    *own.mean(score="accuracy"),
                    *own.mean(score="log_score"),
                    int(own.units(score="n_zero").sum()),
                    int(own.units(score="n_undefined").sum()),
                )
            )
    return found


def curves_of(spec: Spec[Any], results: Mapping[str, Result], series: int = 0) -> list[Curve]:
    """Return the learning curves of every model and pair of models, in one series of partitions."""
    groups: dict[str, list[Task]] = {}
    for task in _tasks(spec, curves=True):
        if task.series == series:
            groups.setdefault(task.group, []).append(task)
    return [
        _curve(tasks, model, score, [results[task.key][model][score] for task in tasks])
        for tasks in groups.values()
        for model in results[tasks[0].key]
        for score in SCORES
    ]


def _curve(tasks: list[Task], model: str, score: ScoreName, parts: list[dict[str, Any]]) -> Curve:
    """Return one curve from the sums that its tasks have stored."""

    def stacked(name: str) -> FloatArray:
        return np.array([part[name] for part in parts], dtype=np.float64)

    n = sum(task.last - task.first for task in tasks)
    mean = stacked("sum").sum(axis=0) / n
    with np.errstate(invalid="ignore"):
        # Rounding can make the variance of equal values slightly negative.
        variance = np.maximum(stacked("squares").sum(axis=0) / n - mean**2, 0.0) * n / max(n - 1, 1)
    lowest, highest = stacked("lowest").min(axis=0), stacked("highest").max(axis=0)
    return Curve(tasks[0].source.name, model, score, n, mean, np.sqrt(variance / n), lowest, highest)


def predictions_of(log_weights: FloatArray, test: Coded) -> Predictions:
    """Return predictions from log weights of the classes of test rows, each row up to a constant."""
    made: Distributions = normalised(log_weights)
    return Predictions(*made, test.class_codes)


def parts(prepared: Prepared, split: Split) -> tuple[Coded, Coded]:
    """Return the training and test rows of a split."""
    coded = prepared.learned_on(split.train)
    return coded.take(split.train), coded.take(split.test)


def versus(
    results: Results, names: Iterable[str], shares: Iterable[float], model: str, others: Sequence[str]
) -> list[Versus]:
    """Return the gains of one model over others, table by table, with paired t tests over repetitions."""
    cells = (
        (share, other, score, name)
        for share in shares
        for other in others
        for score in SCORES
        for name in names
    )
    found = []
    for share, other, score, name in cells:
        gains = results.gains(model, other, table=name, fraction=share, score=score)
        mean = mean_of(gains)
        found.append(Versus(name, share, score, model, other, *mean, _t_test(mean, len(gains))))
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


class Tests(NamedTuple):
    """Paired tests over tables: two-sided p-values."""

    wilcoxon: float
    sign: float


def tests_over_tables(gains: Sequence[float]) -> Tests:
    """Return p-values of Wilcoxon's signed rank test and the sign test of mean gains, without ties.

    Examples
    --------
    >>> tests = tests_over_tables([0.1, 0.2, 0.3, 0.4, 0.5, 0.0])
    >>> tests.sign
    0.0625
    """
    from scipy.stats import binomtest, wilcoxon

    # Ties carry no information about a direction, and the exact test does not allow them.
    decided = np.array([gain for gain in gains if gain != 0])
    if not len(decided):
        return Tests(1.0, 1.0)
    sign = binomtest(int((decided > 0).sum()), len(decided)).pvalue
    return Tests(
        # The exact distribution is quick for few tables; beyond, the normal approximation is accurate.
        float(wilcoxon(decided, method="exact" if len(decided) <= 25 else "approx").pvalue),
        float(sign),
    )


def p_value(p: float) -> str:
    """Return a probability with its sign of relation.

    Examples
    --------
    >>> p_value(0.0123), p_value(1e-9)
    ('= 0.012', '< 0.001')
    """
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def overall(
    results: Results, names: Sequence[str], shares: Sequence[float], models: Sequence[str]
) -> ResultTable:
    """Return mean log loss and accuracy over tables, for each share of the training rows."""
    rows: list[dict[str, Value]] = []
    for model in models:
        row: dict[str, Value] = {"model": model}
        for share in shares:
            own = results.at(fraction=share, model=model)
            row[f"log loss {share:.0%}"] = -float(own.at(score="log_score").means(table=names).mean())
            row[f"accuracy {share:.0%}"] = float(own.at(score="accuracy").means(table=names).mean())
        rows.append(row)
    title = f"Means over {len(names)} tables, with a share of the training rows"
    return ResultTable("overall", title, rows, decimals=3, first=True)


def by_table(
    results: Results, names: Sequence[str], shares: Sequence[float], models: Sequence[str]
) -> ResultTable:
    """Return the log loss of each model on each table, for each share of the training rows."""
    rows: list[dict[str, Value]] = [
        {"table": name, "share": f"{share:.0%}"}
        | {
            model: -results.mean(table=name, fraction=share, model=model, score="log_score").value
            for model in models
        }
        for name in names
        for share in shares
    ]
    return ResultTable("by_table", "Log loss table by table", rows, decimals=3)


def claim(results: Results, names: Sequence[str], share: float, model: str, other: str) -> Claim:
    """Return the claim that one model has a lower log loss than another, on average over tables."""
    leads = results.leads(model, other, "table", names, fraction=share, score="log_score")
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
