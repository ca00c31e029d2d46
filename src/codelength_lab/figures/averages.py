"""ModelAverage and other classifiers: critical differences, and gains table by table."""

from collections.abc import Sequence
from functools import partial

from codelength.plot.style import BLACK, BLUE, GREY, ORANGE, Axes, Panel

from ..experiments.averages.models import AVERAGE, title_of
from ..experiments.averages.rows import MUCH
from ..findings import Findings, Row
from .charts import by_table


def averages(findings: Findings) -> dict[str, list[Panel]]:
    """Return panels of ranks with the groups that do not differ, and of gains over the best opponent."""
    ranks = findings.table("ranks")
    shares = list(dict.fromkeys(row["share"] for row in ranks))
    panels = {
        share: partial(_ranks, rows=[row for row in ranks if row["share"] == share]) for share in shares
    }
    return {
        "critical-difference": [panels["all"]],
        "critical-difference-by-share": [panels[share] for share in shares if share != "all"],
        "gains": _gains(findings),
    }


def _ranks(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw models along an axis of ranks; bars join those that do not differ."""
    by_rank = sorted(rows, key=lambda row: row["mean rank"])
    n = len(by_rank)
    letters = sorted({letter for row in rows for letter in row["group"]})
    groups = [[row["mean rank"] for row in by_rank if letter in row["group"]] for letter in letters]
    bars = [group for group in groups if len(group) > 1]
    # Labels start below the bars, whose number varies.
    first_label = 0.6 + 0.35 * len(bars)
    axes.hlines(0, 1, n, color=BLACK, linewidth=1)
    for rank in range(1, n + 1):
        axes.vlines(rank, 0, 0.15, color=BLACK, linewidth=1)
        axes.text(rank, 0.25, str(rank), ha="center", va="bottom", fontsize=8)
    # The better half is labelled on the left and the worse half on the right, so that no two lines cross.
    half = (n + 1) // 2
    for place, row in enumerate(by_rank):
        left = place < half
        depth = -(first_label + 0.5 * (place if left else n - 1 - place))
        _label(axes, row, 0.7 if left else n + 0.3, depth, left=left)
    for number, group in enumerate(bars, 1):
        level = -0.35 * number
        axes.plot([min(group) - 0.05, max(group) + 0.05], [level] * 2, color=GREY, linewidth=3.5)
    axes.set_xlim(-0.45 * n, 1.45 * n + 1)
    axes.set_ylim(-(first_label + 0.5 * half), 0.7)
    axes.axis("off")
    share = rows[0]["share"]
    words = "all shares of the rows" if share == "all" else f"{share} of the rows"
    axes.set_title(f"mean rank by log loss, {words}\n(bars join models that do not differ)", fontsize=9)


def _label(axes: Axes, row: Row, end: float, depth: float, *, left: bool) -> None:
    """Draw a line from the rank of a model down and out to its name; ours stands out."""
    is_ours = row["model"] == title_of(AVERAGE)
    colour = BLUE if is_ours else BLACK
    axes.plot([row["mean rank"]] * 2 + [end], [0, depth, depth], color=colour, linewidth=1)
    axes.text(
        end + (-0.1 if left else 0.1),
        depth,
        f"{row['model']}  {row['mean rank']:.2f}",
        ha="right" if left else "left",
        va="center",
        fontsize=8,
        color=colour,
        weight="bold" if is_ours else "normal",
    )


def _gains(findings: Findings) -> list[Panel]:
    """Return panels of gains over the best opponent, one per share, with the same axis."""
    cells = findings.table("cells")
    losses = {(row["table"], row["share"], row["model"]): row["log loss"] for row in cells}
    field = dict.fromkeys(row["model"] for row in findings.table("ranks"))
    opponents = [model for model in field if model != title_of(AVERAGE)]
    shares, tables = (list(dict.fromkeys(row[name] for row in cells)) for name in ("share", "table"))

    def gain(table: str, share: float) -> float:
        best = min(losses[table, share, model] for model in opponents)
        return float(best - losses[table, share, title_of(AVERAGE)])

    order = sorted(tables, key=lambda table: sum(gain(table, share) for share in shares))
    by_share = {share: [gain(table, share) for table in order] for share in shares}
    reach = 1.1 * max(abs(value) for gains in by_share.values() for value in gains)
    return [
        partial(_gains_at, tables=order, gains=gains, share=share, reach=reach)
        for share, gains in by_share.items()
    ]


def _gains_at(axes: Axes, tables: Sequence[str], gains: Sequence[float], share: float, reach: float) -> None:
    """Draw gains with one share of the rows; small ones are grey."""
    for place, gain in enumerate(gains):
        colour = GREY if abs(gain) <= MUCH else BLUE if gain > 0 else ORANGE
        axes.plot([0, gain], [place, place], color=colour, linewidth=1.2, alpha=0.5)
        axes.plot(gain, place, "o", color=colour, markersize=4)
    axes.set_xlim(-reach, reach)
    by_table(axes, tables, fontsize=6.5)
    axes.set(
        title=f"gain over the best opponent, {share:.0%} of the rows",
        xlabel=f"nats of log loss per row (grey within ± {MUCH:g})",
    )
    axes.title.set_fontsize(9)
