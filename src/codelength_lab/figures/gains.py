"""Gains of models and criteria: table by table, as bars, and as ranks.

``versus`` draws Figures 4 and 5 of the 2003 paper, ``log_losses`` comparisons of models of our own,
``averages`` ModelAverage and other classifiers, and ``selection`` Figures 1 and 2 of the 2001 paper.
"""

import math
from collections.abc import Sequence
from functools import partial

from codelength.plot.drawing import AMBER, BLACK, BLUE, GREEN, GREY, ORANGE, PINK, SKY, Axes, Panel, plain

from ..experiments.averages import MUCH
from ..experiments.model_comparison import AVERAGE, title_of
from ..findings import Findings, Row
from .charts import DARK, at_numbers, band, label
from .curves import BELOW

_UNITS = {"accuracy": ("points of accuracy", 100, 0.1), "log_score": ("nats of LogScore per row", 1, 0.01)}
"""Unit of a gain, its scale, and the size below which the axis is linear."""


def versus(findings: Findings) -> dict[str, list[Panel]]:
    """Return the panels of Figures 4 and 5."""
    counted = [
        row for row in findings.versus if row["fraction"] < 1 and not row["dataset"].endswith("-with-id")
    ]

    def panel(*pair: str) -> Panel:
        return partial(_versus, rows=[row for row in counted if (row["other"], row["score"]) == pair])

    return {
        f"figure-{number}-{other.lower()}": [panel(other, score) for score in _UNITS]
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
        error = 0 if math.isnan(reach) else reach
        looks = {"fmt": "o", "color": colour, "markersize": 4.5, "capsize": 2.5, "linewidth": 1.4}
        axes.errorbar(gain, place, xerr=error, **looks)
    _by_table(axes, [row["dataset"] for row in finite], linear)
    left_out = f"; {n_infinite} infinite" if n_infinite else ""
    title = f"{first['model']} against {first['other']}, {first['fraction']:.0%} of the training rows"
    xlabel = f"gain in {unit}, ± 2 s.e.\n(linear within ± {linear:g}, log scale beyond{left_out})"
    label(axes, title, xlabel, size=9)


def _by_table(axes: Axes, names: Sequence[str], linear: float | None = None, fontsize: float = 8) -> None:
    """Draw a line at zero and name the tables, one below the other."""
    axes.axvline(0, color=DARK, linewidth=0.9)
    if linear is not None:
        _symmetric(axes, linear)
    axes.set_yticks(range(len(names)), names, fontsize=fontsize)
    axes.grid(visible=False, axis="y")


def _symmetric(axes: Axes, linear: float) -> None:
    """Set a symmetric logarithmic axis for gains of either sign, linear up to some size."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axes.set_xscale("symlog", linthresh=linear)
    # Before the limits are taken, the scale must be set: it changes them.
    low, high = (1.3 * end for end in axes.get_xlim())
    sizes = [linear * 10**step for step in range(7)]
    ticks = [-size for size in sizes[::-1]] + [0.0] + sizes
    axes.xaxis.set_major_locator(FixedLocator([tick for tick in ticks if low <= tick <= high]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.set_xlim(low, high)


_LOOKS = list(zip((BLUE, ORANGE, GREEN, PINK, AMBER, SKY, BLACK, GREY), "os^vDPX*", strict=True))
"""Colours and marks of models, in their order."""

_LINEAR = 0.01
"""Nats around zero within which the axis is linear."""


def log_losses(findings: Findings) -> dict[str, list[Panel]]:
    """Return panels of log losses relative to the first model, one per share of the training rows."""
    rows = findings.table("by_table")
    shares = dict.fromkeys(row["share"] for row in rows)
    return {
        "log-loss": [
            partial(_losses, rows=[row for row in rows if row["share"] == share]) for share in shares
        ]
    }


def _losses(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw the gains of all models over the first, by table."""
    first, *others = [name for name in rows[0] if name not in ("table", "share")]
    share = rows[0]["share"]
    for model, (colour, mark) in zip(others, _LOOKS, strict=False):
        gains = [row[first] - row[model] for row in rows]
        axes.plot(gains, range(len(rows)), mark, color=colour, markersize=5, alpha=0.8, label=model)
    axes.axvline(0, color=DARK, linewidth=0.9)
    _symmetric(axes, _LINEAR)
    axes.set_yticks(range(len(rows)), [row["table"] for row in rows], fontsize=8)
    axes.invert_yaxis()
    axes.xaxis.label.set_fontsize(9)
    title = "all training rows" if share == "100%" else f"{share} of the training rows"
    xlabel = f"nats per row less than {first}\n(linear within ± {_LINEAR:g}, log scale beyond)"
    legend = {"fontsize": 7, "loc": "upper center", "bbox_to_anchor": (0.5, -0.24), "ncol": 2}
    label(axes, title, xlabel, legend=legend)


def averages(findings: Findings) -> dict[str, list[Panel]]:
    """Return panels of ranks with the groups that do not differ, and of gains over the best opponent."""
    ranks = findings.table("ranks")
    panels = {
        share: partial(_ranks, rows=[row for row in ranks if row["share"] == share])
        for share in dict.fromkeys(row["share"] for row in ranks)
    }
    return {
        "critical-difference": [panels.pop("all")],
        "critical-difference-by-share": list(panels.values()),
        "gains": _over_best(findings),
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
    axes.set(xlim=(-0.45 * n, 1.45 * n + 1), ylim=(-(first_label + 0.5 * half), 0.7))
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


def _over_best(findings: Findings) -> list[Panel]:
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
    _by_table(axes, tables, fontsize=6.5)
    title, xlabel = f"gain over the best opponent, {share:.0%} of the rows", "nats of log loss per row"
    label(axes, title, f"{xlabel} (grey within ± {MUCH:g})", size=9)


_NAMES = {"log": "log loss", "error": "0/1 loss (error)", "accuracy": "accuracy"}
_SHOWN = (1, 10, 30, 100)
"""Numbers of random orderings among the bars; the curves have all of them."""


def selection(findings: Findings) -> dict[str, list[Panel]]:
    """Return panels of Figures 1 and 2, and of both uses of random orderings by their number."""
    by_way = {word: findings.table(f"gains-{word}-class") for word in ("with", "without")}
    files = {"figure-1-log-loss": "log", "figure-2-01-loss": "error", "figure-2-accuracy": "accuracy"}
    figures: dict[str, list[Panel]] = {
        name: [partial(_bars, rows=rows, score=score, word=word) for word, rows in by_way.items()]
        for name, score in files.items()
    }
    return figures | {
        f"orderings-{word}-class": [
            partial(_by_number, rows=rows, score=score, word=word) for score in ("log", "error")
        ]
        for word, rows in by_way.items()
    }


def _bars(axes: Axes, rows: list[Row], score: str, word: str) -> None:
    """Draw the gains of all criteria as bars."""
    # PREQ-MAX(1) is left out: the best of one ordering is its mean.
    shown = ["L-O-O", *(f"PREQ-RAND({n})" for n in _SHOWN), *(f"PREQ-MAX({n})" for n in _SHOWN[1:])]
    shown += ["BEST-FIRST", "WORST-LAST", "BEST-LAST", "WORST-FIRST"]
    by_name = {row["criterion"]: row for row in rows}
    places = range(len(shown), 0, -1)
    axes.barh(
        places,
        [by_name[name][f"{score} gain, %"] for name in shown],
        xerr=[by_name[name][f"{score} s.e."] for name in shown],
        color=[_colour(name) for name in shown],
        error_kw={"elinewidth": 0.9, "ecolor": DARK},
        height=0.7,
        zorder=2,
    )
    axes.axvline(0, color=DARK, linewidth=0.8)
    axes.grid(visible=False, axis="y")
    axes.set_yticks(places, shown, fontsize=8)
    label(axes, f"{_NAMES[score]}, clustered {word} the class", "gain over the marginal likelihood, % ± s.e.")


def _colour(name: str) -> str:
    if name.startswith("PREQ"):
        return BLUE if "RAND" in name else ORANGE
    return GREEN if name == "L-O-O" else PINK if name in ("BEST-FIRST", "WORST-LAST") else "#BBBBBB"


def _by_number(axes: Axes, rows: list[Row], score: str, word: str) -> None:
    """Draw gains by the number of random orderings."""
    gains, errors = (
        {row["criterion"]: row[f"{score} {column}"] for row in rows} for column in ("gain, %", "s.e.")
    )
    numbers = [int(name[10:-1]) for name in gains if name.startswith("PREQ-RAND(")]
    for kind, colour, marker in (("PREQ-RAND", BLUE, "o"), ("PREQ-MAX", ORANGE, "s")):
        names = [f"{kind}({n})" for n in numbers]
        means = [gains[name] for name in names]
        band(axes, numbers, means, [errors[name] for name in names], colour, 0.12)
        axes.plot(numbers, means, color=colour, marker=marker, markersize=4, label=f"{kind}(n)")
    for name, colour, line in (
        ("L-O-O", GREEN, "-."),
        ("BEST-FIRST", PINK, "--"),
        ("WORST-LAST", AMBER, ":"),
    ):
        axes.axhline(gains[name], color=colour, linestyle=line, linewidth=1.2, label=name)
    at_numbers(axes, numbers)
    title, ylabel = f"{_NAMES[score]}, clustered {word} the class", "mean gain, % ± s.e. over tables"
    label(axes, title, "random orderings n (log scale)", ylabel, legend=BELOW)
