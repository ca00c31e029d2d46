"""Comparing Predictive Inference Methods for Discrete Domains (1997): scores by the number of rows."""

from functools import partial

import numpy as np

from codelength.plot.style import BLUE, GREEN, ORANGE, Axes, Panel, plain

from ..findings import Curve, Findings

_RULES = {"MAP": (ORANGE, "--"), "EV": (BLUE, "-"), "SC": (GREEN, "-.")}
_RULE_NAMES = {"MAP": "MAP", "EV": "evidence", "SC": "stochastic complexity"}
_SCORE_NAMES = {"log_score": "log score, nats (log scale)", "accuracy": "0/1 score (share of hits)"}

Curves = dict[tuple[str, str, str], Curve]


def learning_curves(findings: Findings) -> dict[str, list[Panel]]:
    """Return panels of Figures 1 to 3, and of worst cases on the other tables and for the 0/1 score."""
    curves: Curves = {(curve.dataset, curve.model, curve.score): curve for curve in findings.curves}
    names = {
        "figure-1-glass": "glass",
        "figure-2-australian": "australian",
        "figure-2-hepatitis": "hepatitis",
        "figure-2-heart": "heart-statlog",
    }
    figures: dict[str, list[Panel]] = {
        file: [
            partial(_averages, curves=curves, table=table, score=score) for score in ("log_score", "accuracy")
        ]
        for file, table in names.items()
    }
    both = [curves["glass", model, "log_score"] for model in ("EV", "SC")]
    # Both panels of Figure 3 have the same axis; scores are negative, so that 1.1 times the minimum is lower.
    limits = (
        1.1 * min(float(curve.lowest.min()) for curve in both),
        0.9 * max(float(curve.highest.max()) for curve in both),
    )
    figures["figure-3-glass"] = [partial(_band, curve=curve, limits=limits) for curve in both]
    worst = partial(partial, _worst, curves=curves)
    others = [name for name in names.values() if name != "glass"]
    figures["like-figure-3-others"] = [worst(table=table, score="log_score") for table in others]
    figures["like-figure-3-hits"] = [worst(table=table, score="accuracy") for table in names.values()]
    return figures


def _averages(axes: Axes, curves: Curves, table: str, score: str) -> None:
    """Draw mean curves with bands of two standard errors."""
    for model, (colour, line) in _RULES.items():
        curve = curves[table, model, score]
        reach = 2 * np.nan_to_num(curve.standard_error)
        axes.fill_between(
            curve.sizes, curve.mean - reach, curve.mean + reach, color=colour, alpha=0.2, linewidth=0
        )
        axes.plot(curve.sizes, curve.mean, line, color=colour, label=_RULE_NAMES[model], linewidth=1.4)
    partitions = curves[table, "EV", score].n_partitions
    _by_rows(axes, f"{table}, mean over {partitions} partitions ± 2 s.e.", score)


def _worst(axes: Axes, curves: Curves, table: str, score: str) -> None:
    """Draw the worst curves over training sets."""
    for model in ("EV", "SC"):
        curve, (colour, line) = curves[table, model, score], _RULES[model]
        axes.plot(curve.sizes, curve.lowest, line, color=colour, label=_RULE_NAMES[model], linewidth=1.4)
    n_sets = curves[table, "EV", score].n_partitions
    _by_rows(axes, f"{table}, the worst of {n_sets} training sets", score, fontsize=10)


def _band(axes: Axes, curve: Curve, limits: tuple[float, float]) -> None:
    """Draw the minimum, mean and maximum over training sets."""
    colour, _ = _RULES[curve.model]
    axes.fill_between(curve.sizes, curve.lowest, curve.highest, color=colour, alpha=0.15, linewidth=0)
    for values, line, label in (
        (curve.highest, ":", "maximum"),
        (curve.mean, "-", "average"),
        (curve.lowest, "--", "minimum"),
    ):
        axes.plot(curve.sizes, values, line, color=colour, label=label, linewidth=1.4)
    title = f"{curve.dataset}, {_RULE_NAMES[curve.model]}, {curve.n_partitions} training sets"
    _by_rows(axes, title, "log_score", limits)


def _by_rows(
    axes: Axes,
    title: str,
    score: str,
    limits: tuple[float, float] | None = None,
    fontsize: float | None = None,
) -> None:
    """Label axes of a score by training rows; log scores range from tenths to tens and get a log scale."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axes.set(title=title, xlabel="training rows", ylabel=_SCORE_NAMES[score])
    if fontsize is not None:
        axes.title.set_fontsize(fontsize)
    if score == "log_score":
        # The scores are negative.
        scale = (lambda y: -np.log(np.maximum(-y, 1e-9)), lambda u: -np.exp(-u))
        axes.set_yscale("function", functions=scale)
        ticks = [-50, -20, -10, -5, -3, -2, -1.5, -1, -0.7, -0.5, -0.3, -0.2]
        axes.yaxis.set_major_locator(FixedLocator(ticks))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(plain))
    if limits is not None:
        axes.set_ylim(*limits)
    axes.legend(loc="lower right")
