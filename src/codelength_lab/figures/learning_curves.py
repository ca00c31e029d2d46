"""Comparing Predictive Inference Methods for Discrete Domains (1997): scores by the number of rows."""

import numpy as np

from codelength.plot.style import BLUE, GREEN, ORANGE, Axes, Panel, plain

from ..findings import Findings
from ..summary import Curve

_STYLES = {"MAP": (ORANGE, "--"), "EV": (BLUE, "-"), "SC": (GREEN, "-.")}
_LABELS = {"MAP": "MAP", "EV": "evidence", "SC": "stochastic complexity"}
_AXES = {
    "log_score": "log score, nats (log scale)",
    "accuracy": "0/1 score (share of hits)",
}

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
        file: [_averages(curves, table, score) for score in ("log_score", "accuracy")]
        for file, table in names.items()
    }
    both = [curves["glass", model, "log_score"] for model in ("EV", "SC")]
    # Both panels of Figure 3 have the same axis; scores are negative, so that 1.1 times the minimum is below
    # it.
    limits = (
        1.1 * min(float(curve.lowest.min()) for curve in both),
        0.9 * max(float(curve.highest.max()) for curve in both),
    )
    figures["figure-3-glass"] = [_band(curve, limits) for curve in both]
    others = [name for name in names.values() if name != "glass"]
    figures["like-figure-3-others"] = [_worst(curves, table, "log_score") for table in others]
    figures["like-figure-3-hits"] = [_worst(curves, table, "accuracy") for table in names.values()]
    return figures


def _averages(curves: Curves, table: str, score: str) -> Panel:
    """Return a panel of mean curves with bands of two standard errors."""

    def panel(axes: Axes) -> None:
        for model in ("MAP", "EV", "SC"):
            curve = curves[table, model, score]
            colour, line = _STYLES[model]
            reach = 2 * np.nan_to_num(curve.standard_error)
            axes.fill_between(
                curve.sizes, curve.mean - reach, curve.mean + reach, color=colour, alpha=0.2, linewidth=0
            )
            axes.plot(curve.sizes, curve.mean, line, color=colour, label=_LABELS[model], linewidth=1.4)
        partitions = curves[table, "EV", score].n_partitions
        axes.set(
            title=f"{table}, mean over {partitions} partitions ± 2 s.e.",
            xlabel="training rows",
            ylabel=_AXES[score],
        )
        if score == "log_score":
            _by_ratio(axes)
        axes.legend(loc="lower right")

    return panel


def _worst(curves: Curves, table: str, score: str) -> Panel:
    """Return a panel of the worst curves over training sets."""

    def panel(axes: Axes) -> None:
        for model in ("EV", "SC"):
            curve = curves[table, model, score]
            colour, line = _STYLES[model]
            axes.plot(curve.sizes, curve.lowest, line, color=colour, label=_LABELS[model], linewidth=1.4)
        n_sets = curves[table, "EV", score].n_partitions
        axes.set(
            title=f"{table}, the worst of {n_sets} training sets", xlabel="training rows", ylabel=_AXES[score]
        )
        axes.title.set_fontsize(10)
        if score == "log_score":
            _by_ratio(axes)
        axes.legend(loc="lower right")

    return panel


def _by_ratio(axes: Axes) -> None:
    """Scale an axis of negative scores logarithmically: they range from tenths to tens."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axes.set_yscale("function", functions=(lambda y: -np.log(np.maximum(-y, 1e-9)), lambda u: -np.exp(-u)))
    axes.yaxis.set_major_locator(FixedLocator([-50, -20, -10, -5, -3, -2, -1.5, -1, -0.7, -0.5, -0.3, -0.2]))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(plain))


def _band(curve: Curve, limits: tuple[float, float]) -> Panel:
    """Return a panel of the minimum, mean and maximum over training sets."""

    def panel(axes: Axes) -> None:
        colour, _ = _STYLES[curve.model]
        axes.fill_between(curve.sizes, curve.lowest, curve.highest, color=colour, alpha=0.15, linewidth=0)
        for values, line, label in (
            (curve.highest, ":", "maximum"),
            (curve.mean, "-", "average"),
            (curve.lowest, "--", "minimum"),
        ):
            axes.plot(curve.sizes, values, line, color=colour, label=label, linewidth=1.4)
        axes.set(
            title=f"{curve.dataset}, {_LABELS[curve.model]}, {curve.n_partitions} training sets",
            xlabel="training rows",
            ylabel=_AXES["log_score"],
        )
        _by_ratio(axes)
        axes.set_ylim(*limits)
        axes.legend(loc="lower right")

    return panel
