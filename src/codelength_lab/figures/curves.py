"""Scores by the number or the share of training rows, by computing time, and by the number of orderings.

The figures of one experiment are in one function: ``learning_curves`` (1997), ``iris`` (1998),
``hidden_classes`` and ``orderings``.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from codelength.plot.drawing import AMBER, BLUE, GREEN, GREY, ORANGE, PINK, SKY, Axes, Panel, plain

from ..experiments.interval_averages import AVERAGE, FIXED, WHOLE
from ..findings import SCORES, Curve, Findings, Row
from .charts import at_numbers, band, fixed_ticks, label

_RULES = {"MAP": (ORANGE, "--", "o"), "EV": (BLUE, "-", "s"), "SC": (GREEN, "-.", "^")}
_RULE_NAMES = {"MAP": "MAP", "EV": "evidence", "SC": "stochastic complexity"}
_SCORE_NAMES = {"log_score": "log score, nats (log scale)", "accuracy": "0/1 score (share of hits)"}
_TABLES = {
    "figure-1-glass": "glass",
    "figure-2-australian": "australian",
    "figure-2-hepatitis": "hepatitis",
    "figure-2-heart": "heart-statlog",
}

_OBSERVED = ", class observed"
_BY_NUMBER = {
    "PREQ-RAND": (BLUE, "o"),
    "PREQ-ANTITHETIC": (SKY, "v"),
    "PREQ-MAX": (ORANGE, "s"),
    "PREQ-SEARCH": (PINK, "D"),
}
"""Criteria with a variable computing time."""

Curves = dict[tuple[str, str, str], Curve]


def learning_curves(findings: Findings) -> dict[str, list[Panel]]:
    """Return panels of Figures 1 to 3, and of worst cases on the other tables and for the 0/1 score."""
    curves: Curves = {(curve.dataset, curve.model, curve.score): curve for curve in findings.curves}
    both = [curves["glass", model, "log_score"] for model in ("EV", "SC")]
    # Both panels of Figure 3 have the same axis; scores are negative, so that 1.1 times the minimum is lower.
    limits = (
        1.1 * min(float(curve.lowest.min()) for curve in both),
        0.9 * max(float(curve.highest.max()) for curve in both),
    )
    averages: dict[str, list[Panel]] = {
        file: [
            partial(_averages, curves=curves, table=table, score=score) for score in ("log_score", "accuracy")
        ]
        for file, table in _TABLES.items()
    }
    others = [("log_score", table) for table in _TABLES.values() if table != "glass"]
    hits = [("accuracy", table) for table in _TABLES.values()]
    return averages | {
        "figure-3-glass": [partial(_extremes, curve=curve, limits=limits) for curve in both],
        "like-figure-3-others": [partial(_worst, curves=curves, table=t, score=score) for score, t in others],
        "like-figure-3-hits": [partial(_worst, curves=curves, table=t, score=score) for score, t in hits],
    }


def _averages(axes: Axes, curves: Curves, table: str, score: str) -> None:
    """Draw mean curves with bands of two standard errors."""
    for model, (colour, line, _) in _RULES.items():
        curve = curves[table, model, score]
        reach = 2 * np.nan_to_num(curve.standard_error)
        ends = curve.mean - reach, curve.mean + reach
        axes.fill_between(curve.sizes, *ends, color=colour, alpha=0.2, linewidth=0)
        axes.plot(curve.sizes, curve.mean, line, color=colour, label=_RULE_NAMES[model], linewidth=1.4)
    partitions = curves[table, "EV", score].n_partitions
    _by_rows(axes, f"{table}, mean over {partitions} partitions ± 2 s.e.", score)


def _worst(axes: Axes, curves: Curves, table: str, score: str) -> None:
    """Draw the worst curves over training sets."""
    for model in ("EV", "SC"):
        curve, (colour, line, _) = curves[table, model, score], _RULES[model]
        axes.plot(curve.sizes, curve.lowest, line, color=colour, label=_RULE_NAMES[model], linewidth=1.4)
    n_sets = curves[table, "EV", score].n_partitions
    _by_rows(axes, f"{table}, the worst of {n_sets} training sets", score, size=10)


def _extremes(axes: Axes, curve: Curve, limits: tuple[float, float]) -> None:
    """Draw the minimum, mean and maximum over training sets."""
    colour, *_ = _RULES[curve.model]
    axes.fill_between(curve.sizes, curve.lowest, curve.highest, color=colour, alpha=0.15, linewidth=0)
    for values, line, name in (
        (curve.highest, ":", "maximum"),
        (curve.mean, "-", "average"),
        (curve.lowest, "--", "minimum"),
    ):
        axes.plot(curve.sizes, values, line, color=colour, label=name, linewidth=1.4)
    title = f"{curve.dataset}, {_RULE_NAMES[curve.model]}, {curve.n_partitions} training sets"
    _by_rows(axes, title, "log_score", limits)


def _by_rows(
    axes: Axes, title: str, score: str, limits: tuple[float, float] | None = None, size: float | None = None
) -> None:
    """Label axes of a score by training rows; log scores range from tenths to tens and get a log scale."""
    if score == "log_score":
        # The scores are negative.
        scale = (lambda y: -np.log(np.maximum(-y, 1e-9)), lambda u: -np.exp(-u))
        axes.set_yscale("function", functions=scale)
        fixed_ticks(axes.yaxis, [-50, -20, -10, -5, -3, -2, -1.5, -1, -0.7, -0.5, -0.3, -0.2])
    if limits is not None:
        axes.set_ylim(*limits)
    label(axes, title, "training rows", _SCORE_NAMES[score], legend={"loc": "lower right"}, size=size)


def iris(
    findings: Findings, name: str = "figure-1-iris", styles: dict[str, tuple[str, str]] | None = None
) -> dict[str, list[Panel]]:
    """Return the panels of Figure 1 of the 1998 paper, with colours and lines of some models."""
    looks = styles or {"MLNB": (ORANGE, "--"), "BIBL": (BLUE, "-")}
    rows = [row for row in findings.scores if row["dataset"] == "iris"]
    return {name: [partial(_by_share, rows=rows, score=score, styles=looks) for score in SCORES]}


def iris_averages(findings: Findings) -> dict[str, list[Panel]]:
    """Return the same panels with averages over cut points."""
    styles = {WHOLE: (GREY, "--"), FIXED: (ORANGE, "-."), AVERAGE: (BLUE, "-")}
    return iris(findings, "like-figure-1-iris", styles)


def _by_share(axes: Axes, rows: Sequence[Row], score: str, styles: dict[str, tuple[str, str]]) -> None:
    """Draw one score by the share of the training rows."""
    # The paper plots the negative log score, so that lower is better.
    scale, ylabel, place = (
        (100, "0/1 score, %", "lower right")
        if score == "accuracy"
        else (-1, "log score, nats (lower is better)", "upper right")
    )
    for model, (colour, line) in styles.items():
        own = sorted((row for row in rows if row["model"] == model), key=lambda row: row["fraction"])
        axes.errorbar(
            [100 * row["fraction"] for row in own],
            [scale * row[score] for row in own],
            [2 * abs(scale) * row[f"{score}_se"] for row in own],
            fmt=line,
            color=colour,
            label=model,
            marker="o",
            markersize=3.5,
            linewidth=1.6,
            capsize=2,
        )
    title = f"iris, {rows[0]['n_units']} cross-validations, ± 2 s.e."
    label(axes, title, "share of the training rows used, %", ylabel, legend={"loc": place})


def hidden_classes(findings: Findings) -> dict[str, list[Panel]]:
    """Return panels of the log score of the three rules by training rows, by table and components."""
    rows = findings.table("learning-curves")
    counts = sorted({row["components"] for row in rows})
    ways = [*((n, "") for n in counts), (counts[0], _OBSERVED)]
    return {
        f"log-score-{table}": [
            partial(_losses, rows=rows, table=table, n_components=n, suffix=suffix) for n, suffix in ways
        ]
        for table in dict.fromkeys(row["table"] for row in rows)
    }


def _losses(axes: Axes, rows: list[Row], table: str, n_components: int, suffix: str) -> None:
    """Draw log loss by training rows under the three rules."""
    for rule, (colour, _, marker) in _RULES.items():
        wanted = (table, n_components, rule + suffix)
        own = [row for row in rows if (row["table"], row["components"], row["model"]) == wanted]
        _line(axes, own, ("rows", "log_score", "log_score_se"), (colour, marker, rule), sign=-1)
    axes.set(xscale="log", yscale="log")
    axes.xaxis.set_major_formatter(plain)
    axes.yaxis.set_major_formatter(plain)
    axes.yaxis.set_minor_formatter(plain)
    title = f"{table}, {'class observed' if suffix else f'hidden, {n_components} components'}"
    ylabel = "log loss, nats ± s.e. (log scale)"
    label(axes, title, "training rows (log scale)", ylabel, legend={"loc": "upper right"})


def _line(
    axes: Axes, rows: list[Row], names: tuple[str, str, str], look: tuple[str, str, str], sign: int = 1
) -> None:
    """Draw a line with error bars from three columns of a table; its look is colour, marker and label."""
    across, up, error = ([row[name] for row in rows] for name in names)
    colour, marker, name = look
    up = [sign * value for value in up]
    axes.errorbar(
        across, up, yerr=error, color=colour, marker=marker, markersize=4, linewidth=1.2, label=name
    )


def orderings(findings: Findings) -> dict[str, list[Panel]]:
    """Return panels of gains by computing time, and of studies of the paper's size."""
    return {
        "time": [partial(_by_time, rows=findings.table("gains"))],
        "studies": [partial(_studies, rows=findings.table("studies"))],
    }


def _by_time(axes: Axes, rows: list[Row]) -> None:
    """Draw gains by computing time; criteria of a fixed cost are single points."""
    names = ("time in orderings", "log gain, %", "s.e. on these tables")
    for kind, (colour, marker) in _BY_NUMBER.items():
        # Means over own orderings are not part of this curve, although their names begin alike.
        own = [
            row for row in rows if row["criterion"].startswith(f"{kind}(") and "own" not in row["criterion"]
        ]
        _line(axes, own, names, (colour, marker, f"{kind}(n)"))
    for row in rows:
        time, gain, name = row["time in orderings"], row["log gain, %"], row["criterion"]
        if name in ("BEST-FIRST", "RACE"):
            axes.plot(time, gain, "*", markersize=9, label=name)
        if name == "L-O-O":
            axes.axhline(gain, color=AMBER, linestyle="--", linewidth=1.2, label=name)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(plain)
    xlabel, ylabel = "time, in random orderings (log scale)", "mean log gain, % ± s.e. on these tables"
    label(axes, "gain by computing time", xlabel, ylabel, legend=BELOW)


BELOW: dict[str, Any] = {"fontsize": 8, "loc": "upper center", "bbox_to_anchor": (0.5, -0.17), "ncol": 3}
"""Place of a legend below the axes."""


def _studies(axes: Axes, rows: list[Row]) -> None:
    """Draw the mean gain and its spread between studies."""
    numbers = [int(row["orderings"]) for row in rows]
    means, spreads = ([row[name] for row in rows] for name in ("mean gain, %", "standard deviation"))
    band(axes, numbers, means, spreads, BLUE, 0.15)
    axes.plot(numbers, means, color=BLUE, marker="o", markersize=4)
    at_numbers(axes, numbers)
    ylabel = "log gain of PREQ-RAND(n), % ± s.d."
    label(axes, "studies of the paper's size", "random orderings n (log scale)", ylabel)
