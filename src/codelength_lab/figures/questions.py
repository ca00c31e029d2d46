"""Open questions of the papers: rules for mixtures by training rows, and gains by computing time."""

from typing import Any

from codelength.plot.style import AMBER, BLUE, GREEN, ORANGE, PINK, SKY, Axes, Panel, plain

from ..findings import Findings

Row = dict[str, Any]

_STYLES = {"MAP": (ORANGE, "o"), "EV": (BLUE, "s"), "SC": (GREEN, "^")}
_OBSERVED = ", class observed"
_BY_NUMBER = {
    "PREQ-RAND": (BLUE, "o"),
    "PREQ-ANTITHETIC": (SKY, "v"),
    "PREQ-MAX": (ORANGE, "s"),
    "PREQ-SEARCH": (PINK, "D"),
}
"""Criteria with a variable computing time."""


def hidden_classes(findings: Findings) -> dict[str, list[Panel]]:
    """Return panels of the log score of the three rules by training rows, by table and components."""
    rows = findings.table("learning-curves")
    counts = sorted({row["components"] for row in rows})
    return {
        f"log-score-{table}": [
            *(_curves(rows, table, n, "") for n in counts),
            _curves(rows, table, counts[0], _OBSERVED),
        ]
        for table in dict.fromkeys(row["table"] for row in rows)
    }


def _curves(rows: list[Row], table: str, n_components: int, suffix: str) -> Panel:
    """Return a panel of log loss by training rows under the three rules."""

    def panel(axes: Axes) -> None:
        for rule, (colour, marker) in _STYLES.items():
            own = [
                row
                for row in rows
                if (row["table"], row["components"], row["model"]) == (table, n_components, rule + suffix)
            ]
            axes.errorbar(
                [row["rows"] for row in own],
                [-row["log_score"] for row in own],
                yerr=[row["log_score_se"] for row in own],
                color=colour,
                marker=marker,
                markersize=4,
                linewidth=1.2,
                label=rule,
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.xaxis.set_major_formatter(plain)
        axes.yaxis.set_major_formatter(plain)
        axes.yaxis.set_minor_formatter(plain)
        way = "class observed" if suffix else f"hidden, {n_components} components"
        axes.set(
            title=f"{table}, {way}",
            xlabel="training rows (log scale)",
            ylabel="log loss, nats ± s.e. (log scale)",
        )
        axes.legend(loc="upper right")

    return panel


def orderings(findings: Findings) -> dict[str, list[Panel]]:
    """Return panels of gains by computing time, and of studies of the paper's size."""
    return {
        "time": [_by_time(findings.table("gains"))],
        "studies": [_studies(findings.table("studies"))],
    }


def _by_time(rows: list[Row]) -> Panel:
    """Return a panel of gains by computing time; criteria of a fixed cost are single points."""

    def panel(axes: Axes) -> None:
        for kind, (colour, marker) in _BY_NUMBER.items():
            own = [
                row
                for row in rows
                # Means over own orderings are not part of this curve, although their names begin alike.
                if row["criterion"].startswith(f"{kind}(") and "own" not in row["criterion"]
            ]
            axes.errorbar(
                [row["time in orderings"] for row in own],
                [row["log gain, %"] for row in own],
                yerr=[row["s.e. on these tables"] for row in own],
                color=colour,
                marker=marker,
                markersize=4,
                linewidth=1.2,
                label=f"{kind}(n)",
            )
        for row in rows:
            if row["criterion"] in ("BEST-FIRST", "RACE"):
                axes.plot(
                    row["time in orderings"], row["log gain, %"], "*", markersize=9, label=row["criterion"]
                )
            if row["criterion"] == "L-O-O":
                axes.axhline(row["log gain, %"], color=AMBER, linestyle="--", linewidth=1.2, label="L-O-O")
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(plain)
        axes.set(
            title="gain by computing time",
            xlabel="time, in random orderings (log scale)",
            ylabel="mean log gain, % ± s.e. on these tables",
        )
        axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.17), ncol=3)

    return panel


def _studies(rows: list[Row]) -> Panel:
    """Return a panel of the mean gain and its spread between studies."""
    numbers = [int(row["orderings"]) for row in rows]

    def panel(axes: Axes) -> None:
        means, spreads = ([row[name] for row in rows] for name in ("mean gain, %", "standard deviation"))
        ends = [
            [mean + sign * spread for mean, spread in zip(means, spreads, strict=True)] for sign in (-1, 1)
        ]
        axes.fill_between(numbers, *ends, color=BLUE, alpha=0.15, linewidth=0)
        axes.plot(numbers, means, color=BLUE, marker="o", markersize=4)
        axes.set_xscale("log")
        axes.set_xticks(numbers, [plain(n, 0) for n in numbers])
        axes.minorticks_off()
        axes.set(
            title="studies of the paper's size",
            xlabel="random orderings n (log scale)",
            ylabel="log gain of PREQ-RAND(n), % ± s.d.",
        )

    return panel
