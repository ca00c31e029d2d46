"""The Indifferent Naive Bayes Classifier (2003): one model against another, table by table."""

import math
from collections.abc import Sequence

from ...experiments.findings import Findings
from ...experiments.summary import Score
from .style import Axes, Panel, plain


def scatters(findings: Findings) -> dict[str, list[Panel]]:
    """Figures 4 and 5."""
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
        word = "accuracy, %" if name == "accuracy" else "LogScore, nats per row"
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
        axis.set_major_formatter(FuncFormatter(plain))


def _named_points(axes: Axes, tables: list[str], across: list[float], up: list[float]) -> None:
    """Names beside the points, by turns on either side so that neighbours overlap less."""
    places = (((5, -3), "left"), ((-5, -3), "right"))
    for turn, (x, y, table) in enumerate(sorted(zip(across, up, tables, strict=True))):
        shift, side = places[turn % 2]
        axes.annotate(
            table, (x, y), shift, textcoords="offset points", ha=side, fontsize=6.5, color="#444444"
        )
