"""Tables and claims of our own experiments: models on average and table by table."""

from collections.abc import Mapping, Sequence

import numpy as np

from codelength.typing import FloatArray

from .findings import Claim, ResultTable, Value, signed
from .model_task import mean_losses
from .pairs import gains_of, tests_over_tables
from .summary import ScoreName, Summary, mean_of
from .verdicts import by_sample


def overall(
    summary: Summary, names: Sequence[str], shares: Sequence[float], models: Sequence[str]
) -> ResultTable:
    """Return mean log loss and accuracy over tables, for each share of the training rows.

    Parameters
    ----------
    summary : Summary
        Results.
    names : sequence of str
        Tables.
    shares : sequence of float
        Shares of the training rows.
    models : sequence of str
        Models.
    """
    rows: list[dict[str, Value]] = []
    losses = -mean_losses(summary, names, shares, models, "log_score").mean(axis=0)
    hits = mean_losses(summary, names, shares, models, "accuracy").mean(axis=0)
    for place, model in enumerate(models):
        row: dict[str, Value] = {"model": model}
        for number, share in enumerate(shares):
            row[f"log loss {share:.0%}"] = float(losses[number, place])
            row[f"accuracy {share:.0%}"] = float(hits[number, place])
        rows.append(row)
    title = f"Means over {len(names)} tables, with a share of the training rows"
    return ResultTable("overall", title, rows, decimals=3, first=True)


def by_table(
    summary: Summary, names: Sequence[str], shares: Sequence[float], models: Sequence[str]
) -> ResultTable:
    """Return the log loss of each model on each table.

    Parameters
    ----------
    summary : Summary
        Results.
    names : sequence of str
        Tables.
    shares : sequence of float
        Shares of the training rows.
    models : sequence of str
        Models.
    """
    rows: list[dict[str, Value]] = []
    losses = -mean_losses(summary, names, shares, models, "log_score")
    for place, name in enumerate(names):
        for number, share in enumerate(shares):
            row: dict[str, Value] = {"table": name, "share": f"{share:.0%}"}
            rows.append(row | dict(zip(models, losses[place, number].tolist(), strict=True)))
    return ResultTable("by_table", "Log loss table by table", rows, decimals=3)


def claim(
    summary: Summary,
    names: Sequence[str],
    share: float,
    model: str,
    other: str,
    score: ScoreName = "log_score",
) -> Claim:
    """Return the claim that one model is ahead of another on average over tables.

    Parameters
    ----------
    summary : Summary
        Results.
    names : sequence of str
        Tables.
    share : float
        Share of the training rows.
    model, other : str
        The model that should be ahead, and the other.
    score : {"log_score", "accuracy"}
        Score.
    """
    gains = {name: float(gains_of(summary, name, share, model, other, score).mean()) for name in names}
    values = list(gains.values())
    tests = tests_over_tables(values)
    word, unit = ("accuracy", "") if score == "accuracy" else ("log loss", " nats")
    means = mean_of(_array(values))
    rows = "all training rows" if share == 1 else f"{share:.0%} of the training rows"
    return Claim(
        f"{word} with {rows}",
        f"{model} is ahead of {other}, on average over tables.",
        by_sample(values),
        f"{signed(*means)}{unit}; ahead on {sum(v > 0 for v in values)} of {len(values)}, "
        f"{_shown_p(tests.wilcoxon)} (Wilcoxon); {_extremes(gains)}",
        is_beyond=True,
    )


def _shown_p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def _extremes(gains: Mapping[str, float]) -> str:
    best, worst = max(gains, key=gains.__getitem__), min(gains, key=gains.__getitem__)
    return f"most {signed(gains[best])} ({best}), least {signed(gains[worst])} ({worst})"


def _array(values: Sequence[float]) -> FloatArray:
    return np.array(values, dtype=np.float64)
