"""The Indifferent Naive Bayes Classifier (2003): gains of one model over another, table by table."""

import math
from collections.abc import Sequence

from codelength.plot.style import BLUE, GREY, ORANGE, Axes, Panel, symmetric

from ..findings import Findings, Versus

_UNITS = {"accuracy": ("points of accuracy", 100, 0.1), "log_score": ("nats of LogScore per row", 1, 0.01)}
"""Unit of a gain, its scale, and the size below which the axis is linear."""


def versus(findings: Findings) -> dict[str, list[Panel]]:
    """Return the panels of Figures 4 and 5."""
    counted = [
        entry for entry in findings.versus if entry.fraction < 1 and not entry.dataset.endswith("-with-id")
    ]
    return {
        f"figure-{number}-{other.lower()}": [
            _gains([entry for entry in counted if (entry.other, entry.score) == (other, score)])
            for score in _UNITS
        ]
        for number, other in ((4, "BIBL"), (5, "MAPNB"))
    }


def _gains(entries: Sequence[Versus]) -> Panel:
    """Return a panel of gains by table, sorted, without infinite ones."""
    finite = sorted((e for e in entries if math.isfinite(e.gain)), key=lambda entry: entry.gain)
    n_infinite = len(entries) - len(finite)
    first = entries[0]
    unit, scale, linear = _UNITS[first.score]

    def panel(axes: Axes) -> None:
        for place, entry in enumerate(finite):
            gain, reach = scale * entry.gain, 2 * scale * entry.standard_error
            # Grey, if the gain is within two standard errors of zero.
            is_settled = abs(gain) >= reach and gain != 0
            colour = (BLUE if gain > 0 else ORANGE) if is_settled else GREY
            axes.plot([0, gain], [place, place], color=colour, linewidth=1.2, alpha=0.5)
            axes.errorbar(
                gain, place, xerr=0 if math.isnan(reach) else reach, fmt="o", color=colour, markersize=4.5,
                capsize=2.5, linewidth=1.4,
            )  # fmt: skip
        axes.axvline(0, color="#444444", linewidth=0.9)
        symmetric(axes, linear)
        axes.set_yticks(range(len(finite)), [entry.dataset for entry in finite], fontsize=8)
        axes.grid(visible=False, axis="y")
        left_out = f"; {n_infinite} infinite" if n_infinite else ""
        axes.set(
            title=f"{first.model} against {first.other}, {first.fraction:.0%} of the training rows",
            xlabel=f"gain in {unit}, ± 2 s.e.\n(linear within ± {linear:g}, log scale beyond{left_out})",
        )
        axes.title.set_fontsize(9)

    return panel
