"""Experiments beyond the papers: log losses of several models, table by table."""

from collections.abc import Sequence
from typing import Any

from codelength.plot.style import AMBER, BLACK, BLUE, GREEN, GREY, ORANGE, PINK, SKY, Axes, Panel, symmetric

from ..findings import Findings

_LOOKS = list(zip((BLUE, ORANGE, GREEN, PINK, AMBER, SKY, BLACK, GREY), "os^vDPX*", strict=True))
"""Colours and marks of models, in their order."""

_LINEAR = 0.01
"""Nats around zero within which the axis is linear."""


def further(findings: Findings) -> dict[str, list[Panel]]:
    """Return panels of log losses relative to the first model, one per share of the training rows."""
    rows = findings.table("by_table")
    shares = dict.fromkeys(row["share"] for row in rows)
    return {"log-loss": [_gains([row for row in rows if row["share"] == share]) for share in shares]}


def _gains(rows: Sequence[dict[str, Any]]) -> Panel:
    """Return a panel of the gains of all models over the first, by table."""
    first, *others = [name for name in rows[0] if name not in ("table", "share")]
    share = rows[0]["share"]

    def panel(axes: Axes) -> None:
        for model, (colour, mark) in zip(others, _LOOKS, strict=False):
            gains = [row[first] - row[model] for row in rows]
            axes.plot(
                gains,
                range(len(rows)),
                mark,
                color=colour,
                markersize=5,
                alpha=0.8,
                label=model,
            )
        axes.axvline(0, color="#444444", linewidth=0.9)
        symmetric(axes, _LINEAR)
        axes.set_yticks(range(len(rows)), [row["table"] for row in rows], fontsize=8)
        axes.invert_yaxis()
        trained = "all training rows" if share == "100%" else f"{share} of the training rows"
        axes.set(
            title=trained,
            xlabel=f"nats per row less than {first}\n(linear within ± {_LINEAR:g}, log scale beyond)",
        )
        axes.xaxis.label.set_fontsize(9)
        axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.24), ncol=2)

    return panel
