"""Models compared: by share of the training rows (1998), and table by table (2003 and beyond the papers)."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from codelength.plot.style import AMBER, BLACK, BLUE, GREEN, GREY, ORANGE, PINK, SKY, Axes, Panel, symmetric

from ..experiments.interval_averages import AVERAGE, FIXED, WHOLE
from ..findings import SCORES, Findings, Row
from .charts import DARK, by_table

Styles = dict[str, tuple[str, str]]

_MODELS: Styles = {"MLNB": (ORANGE, "--"), "BIBL": (BLUE, "-")}
_AVERAGES: Styles = {WHOLE: (GREY, "--"), FIXED: (ORANGE, "-."), AVERAGE: (BLUE, "-")}


def iris(findings: Findings) -> dict[str, list[Panel]]:
    """Return the panels of Figure 1."""
    return {"figure-1-iris": _on_iris(findings, _MODELS)}


def interval_averages(findings: Findings) -> dict[str, list[Panel]]:
    """Return the panels of Figure 1 with averages over cut points, and those of all tables."""
    return further(findings) | {"like-figure-1-iris": _on_iris(findings, _AVERAGES)}


def _on_iris(findings: Findings, styles: Styles) -> list[Panel]:
    scores = [row for row in findings.scores if row["dataset"] == "iris"]
    return [partial(_by_share, scores=scores, name=name, styles=styles) for name in SCORES]


def _by_share(axes: Axes, scores: Sequence[Row], name: str, styles: Styles) -> None:
    """Draw one score by the share of the training rows."""
    # The paper plots the negative log score, so that lower is better.
    scale = 100 if name == "accuracy" else -1
    for model, (colour, line) in styles.items():
        own = sorted((row for row in scores if row["model"] == model), key=lambda row: row["fraction"])
        axes.errorbar(
            [100 * row["fraction"] for row in own],
            [scale * row[name] for row in own],
            [2 * abs(scale) * row[f"{name}_se"] for row in own],
            fmt=line,
            color=colour,
            label=model,
            marker="o",
            markersize=3.5,
            linewidth=1.6,
            capsize=2,
        )
    axes.set(
        title=f"iris, {scores[0]['n_units']} cross-validations, ± 2 s.e.",
        xlabel="share of the training rows used, %",
        ylabel="0/1 score, %" if name == "accuracy" else "log score, nats (lower is better)",
    )
    axes.legend(loc="lower right" if name == "accuracy" else "upper right")


_UNITS = {"accuracy": ("points of accuracy", 100, 0.1), "log_score": ("nats of LogScore per row", 1, 0.01)}
"""Unit of a gain, its scale, and the size below which the axis is linear."""


def versus(findings: Findings) -> dict[str, list[Panel]]:
    """Return the panels of Figures 4 and 5."""
    counted = [
        row for row in findings.versus if row["fraction"] < 1 and not row["dataset"].endswith("-with-id")
    ]
    by_pair = {
        (other, score): [row for row in counted if (row["other"], row["score"]) == (other, score)]
        for other in ("BIBL", "MAPNB")
        for score in _UNITS
    }
    return {
        f"figure-{number}-{other.lower()}": [partial(_versus, rows=by_pair[other, score]) for score in _UNITS]
        for number, other in ((4, "BIBL"), (5, "MAPNB"))
    }


def _versus(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw gains by table, sorted, without infinite ones."""
    finite = sorted((row for row in rows if math.isfinite(row["gain"])), key=lambda row: row["gain"])
    first, n_infinite = rows[0], len(rows) - len(finite)
    unit, scale, linear = _UNITS[first["score"]]
    for place, row in enumerate(finite):
        gain, reach = scale * row["gain"], 2 * scale * row["standard_error"]
        # Grey, if the gain is within two standard errors of zero.
        is_settled = abs(gain) >= reach and gain != 0
        colour = (BLUE if gain > 0 else ORANGE) if is_settled else GREY
        axes.plot([0, gain], [place, place], color=colour, linewidth=1.2, alpha=0.5)
        axes.errorbar(
            gain, place, xerr=0 if math.isnan(reach) else reach, fmt="o", color=colour, markersize=4.5,
            capsize=2.5, linewidth=1.4,
        )  # fmt: skip
    by_table(axes, [row["dataset"] for row in finite], linear)
    left_out = f"; {n_infinite} infinite" if n_infinite else ""
    axes.set(
        title=f"{first['model']} against {first['other']}, {first['fraction']:.0%} of the training rows",
        xlabel=f"gain in {unit}, ± 2 s.e.\n(linear within ± {linear:g}, log scale beyond{left_out})",
    )
    axes.title.set_fontsize(9)


_LOOKS = list(zip((BLUE, ORANGE, GREEN, PINK, AMBER, SKY, BLACK, GREY), "os^vDPX*", strict=True))
"""Colours and marks of models, in their order."""

_LINEAR = 0.01
"""Nats around zero within which the axis is linear."""


def further(findings: Findings) -> dict[str, list[Panel]]:
    """Return panels of log losses relative to the first model, one per share of the training rows."""
    rows = findings.table("by_table")
    shares = dict.fromkeys(row["share"] for row in rows)
    return {
        "log-loss": [partial(_gains, rows=[row for row in rows if row["share"] == share]) for share in shares]
    }


def _gains(axes: Axes, rows: Sequence[dict[str, Any]]) -> None:
    """Draw the gains of all models over the first, by table."""
    first, *others = [name for name in rows[0] if name not in ("table", "share")]
    share = rows[0]["share"]
    for model, (colour, mark) in zip(others, _LOOKS, strict=False):
        gains = [row[first] - row[model] for row in rows]
        axes.plot(gains, range(len(rows)), mark, color=colour, markersize=5, alpha=0.8, label=model)
    axes.axvline(0, color=DARK, linewidth=0.9)
    symmetric(axes, _LINEAR)
    axes.set_yticks(range(len(rows)), [row["table"] for row in rows], fontsize=8)
    axes.invert_yaxis()
    axes.set(
        title="all training rows" if share == "100%" else f"{share} of the training rows",
        xlabel=f"nats per row less than {first}\n(linear within ± {_LINEAR:g}, log scale beyond)",
    )
    axes.xaxis.label.set_fontsize(9)
    axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.24), ncol=2)
