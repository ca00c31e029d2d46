"""Open questions of the papers: rules for mixtures by training rows, and gains by computing time."""

from functools import partial

from codelength.plot.style import AMBER, BLUE, GREEN, ORANGE, PINK, SKY, Axes, Panel, plain

from ..findings import Findings, Row
from .charts import at_numbers, band

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
            *(partial(_curves, rows=rows, table=table, n_components=n, suffix="") for n in counts),
            partial(_curves, rows=rows, table=table, n_components=counts[0], suffix=_OBSERVED),
        ]
        for table in dict.fromkeys(row["table"] for row in rows)
    }


def _curves(axes: Axes, rows: list[Row], table: str, n_components: int, suffix: str) -> None:
    """Draw log loss by training rows under the three rules."""
    for rule, (colour, marker) in _STYLES.items():
        wanted = (table, n_components, rule + suffix)
        own = [row for row in rows if (row["table"], row["components"], row["model"]) == wanted]
        _line(axes, own, ("rows", "log_score", "log_score_se"), colour, marker, rule, sign=-1)
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


def _line(
    axes: Axes,
    rows: list[Row],
    names: tuple[str, str, str],
    colour: str,
    marker: str,
    label: str,
    sign: int = 1,
) -> None:
    """Draw a line with error bars from three columns of a table."""
    across, up, error = names
    axes.errorbar(
        [row[across] for row in rows],
        [sign * row[up] for row in rows],
        yerr=[row[error] for row in rows],
        color=colour,
        marker=marker,
        markersize=4,
        linewidth=1.2,
        label=label,
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
        _line(axes, own, names, colour, marker, f"{kind}(n)")
    for row in rows:
        time, gain, name = row["time in orderings"], row["log gain, %"], row["criterion"]
        if name in ("BEST-FIRST", "RACE"):
            axes.plot(time, gain, "*", markersize=9, label=name)
        if name == "L-O-O":
            axes.axhline(gain, color=AMBER, linestyle="--", linewidth=1.2, label=name)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(plain)
    axes.set(
        title="gain by computing time",
        xlabel="time, in random orderings (log scale)",
        ylabel="mean log gain, % ± s.e. on these tables",
    )
    axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.17), ncol=3)


def _studies(axes: Axes, rows: list[Row]) -> None:
    """Draw the mean gain and its spread between studies."""
    numbers = [int(row["orderings"]) for row in rows]
    means, spreads = ([row[name] for row in rows] for name in ("mean gain, %", "standard deviation"))
    band(axes, numbers, means, spreads, BLUE, 0.15)
    axes.plot(numbers, means, color=BLUE, marker="o", markersize=4)
    at_numbers(axes, numbers)
    axes.set(
        title="studies of the paper's size",
        xlabel="random orderings n (log scale)",
        ylabel="log gain of PREQ-RAND(n), % ± s.d.",
    )
