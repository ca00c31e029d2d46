"""The figures of the papers, drawn from our results as SVG whose bytes depend on the results alone."""

import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._files import atomic_write
from ..errors import InvalidParameter
from ..experiments.findings import Findings
from ..experiments.summary import Curve, Score

# Okabe and Ito's colours, which stay apart for every kind of colour vision; line styles differ as well.
_STYLES = {
    "MAP": ("#D55E00", "--"),
    "EV": ("#0072B2", "-"),
    "SC": ("#009E73", "-."),
    "MLNB": ("#D55E00", "--"),
    "BIBL": ("#0072B2", "-"),
}
_LABELS = {"MAP": "MAP", "EV": "evidence", "SC": "stochastic complexity"}
_AXES = {"log_score": "mean log score, nats (higher is better)", "accuracy": "0/1 score (share of hits)"}
_PLOT_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "codelength",
    "svg.fonttype": "none",
    "font.size": 10,
    "font.family": "DejaVu Sans",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
}

Axes = Any
Curves = dict[tuple[str, str, str], Curve]


def draw(findings: Findings, directory: str | os.PathLike[str]) -> list[Path]:
    """Draw the figures of a paper; needs matplotlib.

    Returns
    -------
    list of Path
        The files written.
    """
    try:
        import matplotlib.figure
    except ImportError:
        raise InvalidParameter(
            'figures need matplotlib; install it with pip install "codelength[plot]"'
        ) from None
    paths = []
    for name, panels in _FIGURES[findings.paper](findings).items():
        with matplotlib.rc_context(_PLOT_STYLE):
            figure = matplotlib.figure.Figure(figsize=(4.8 * len(panels), 3.8), layout="constrained")
            for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
                panel(axes)
            path = Path(directory) / f"{name}.svg"
            with atomic_write(path) as temporary:
                figure.savefig(temporary, format="svg", metadata={"Date": None, "Creator": "codelength"})
        paths.append(path)
    return paths


Panel = Callable[[Axes], None]


def _learning_curves(findings: Findings) -> dict[str, list[Panel]]:
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
    limits = (
        1.1 * min(float(curve.lowest.min()) for curve in both),
        0.9 * max(float(curve.highest.max()) for curve in both),
    )
    figures["figure-3-glass"] = [_band(curve, limits) for curve in both]
    return figures


def _averages(curves: Curves, table: str, score: str) -> Panel:
    def panel(axes: Axes) -> None:
        for model in ("MAP", "EV", "SC"):
            curve = curves[table, model, score]
            colour, line = _STYLES[model]
            axes.plot(curve.sizes, curve.mean, line, color=colour, label=_LABELS[model], linewidth=1.6)
        partitions = curves[table, "EV", score].n_partitions
        axes.set(
            title=f"{table}, mean over {partitions} partitions", xlabel="training rows", ylabel=_AXES[score]
        )
        if score == "log_score":
            _by_ratio(axes)
        axes.legend(loc="lower right")

    return panel


def _by_ratio(axes: Axes) -> None:
    """Stretch negative scores by the ratio of their sizes: they differ by tenths here and by tens there."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axes.set_yscale("function", functions=(lambda y: -np.log(np.maximum(-y, 1e-9)), lambda u: -np.exp(-u)))
    axes.yaxis.set_major_locator(FixedLocator([-50, -20, -10, -5, -3, -2, -1.5, -1, -0.7, -0.5, -0.3, -0.2]))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(_plain))


def _plain(value: float, _: int) -> str:
    return f"{value:g}"


def _band(curve: Curve, limits: tuple[float, float]) -> Panel:
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


def _iris(findings: Findings) -> dict[str, list[Panel]]:
    scores = [score for score in findings.scores if score.dataset == "iris"]
    return {"figure-1-iris": [_by_share(scores, "accuracy"), _by_share(scores, "log_score")]}


def _by_share(scores: Sequence[Score], name: str) -> Panel:
    def panel(axes: Axes) -> None:
        for model in ("MLNB", "BIBL"):
            own = sorted(
                (score for score in scores if score.model == model), key=lambda score: score.fraction
            )
            colour, line = _STYLES[model]
            # The paper turns the sign of the log score, so that lower is better there.
            scale = 100 if name == "accuracy" else -1
            axes.errorbar(
                [100 * score.fraction for score in own],
                [scale * getattr(score, name) for score in own],
                [2 * abs(scale) * getattr(score, f"{name}_se") for score in own],
                fmt=line,
                color=colour,
                label=model,
                marker="o",
                markersize=3.5,
                linewidth=1.6,
                capsize=2,
            )
        word = "0/1 score, %" if name == "accuracy" else "log score, nats (lower is better)"
        repeats = scores[0].n_units
        axes.set(
            title=f"iris, {repeats} cross-validations, ± 2 s.e.",
            xlabel="share of the training rows used, %",
            ylabel=word,
        )
        axes.legend(loc="lower right" if name == "accuracy" else "upper right")

    return panel


def _scatters(findings: Findings) -> dict[str, list[Panel]]:
    counted = [
        score for score in findings.scores if score.fraction < 1 and not score.dataset.endswith("-with-id")
    ]
    return {
        f"figure-{number}-{other.lower()}": [
            _scatter(counted, other, name) for name in ("accuracy", "log_score")
        ]
        for number, other in ((4, "BIBL"), (5, "MAPNB"))
    }


def _scatter(scores: Sequence[Score], other: str, name: str) -> Panel:
    by_model = {(score.dataset, score.model): score for score in scores}
    infinite = {score.dataset for score in scores if not math.isfinite(getattr(score, name))}
    tables = [table for table in dict.fromkeys(score.dataset for score in scores) if table not in infinite]
    scale = 100 if name == "accuracy" else -1

    def panel(axes: Axes) -> None:
        across = [scale * getattr(by_model[table, other], name) for table in tables]
        up = [scale * getattr(by_model[table, "IndifferentNB"], name) for table in tables]
        ends = [min(across + up, default=1.0), max(across + up, default=1.0)]
        axes.plot(ends, ends, color="#888888", linewidth=0.8)
        axes.scatter(across, up, color="#0072B2", s=18, zorder=3)
        _named_points(axes, tables, across, up)
        if name == "log_score":
            _log_axes(axes)
        word = "accuracy, %" if name == "accuracy" else "LogScore, nats a row"
        left_out = f"; {len(infinite)} infinite" if infinite else ""
        better = "above the line" if name == "accuracy" else "below the line"
        axes.set(
            title=f"10 % of the training rows; better {better}{left_out}",
            xlabel=f"{other}: {word}",
            ylabel=f"IndifferentNB: {word}",
        )

    return panel


def _log_axes(axes: Axes) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set(xscale="log", yscale="log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(_plain))


def _named_points(axes: Axes, tables: list[str], across: list[float], up: list[float]) -> None:
    """Names beside the points, by turns on either side so that neighbours overlap less."""
    places = (((5, -3), "left"), ((-5, -3), "right"))
    for turn, (x, y, table) in enumerate(sorted(zip(across, up, tables, strict=True))):
        shift, side = places[turn % 2]
        axes.annotate(
            table, (x, y), shift, textcoords="offset points", ha=side, fontsize=6.5, color="#444444"
        )


_FIGURES: dict[str, Callable[[Findings], dict[str, list[Panel]]]] = {
    "predictive-inference": _learning_curves,
    "bayes-optimal-ibl": _iris,
    "indifferent-naive-bayes": _scatters,
}
