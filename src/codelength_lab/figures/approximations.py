"""On the Accuracy of Stochastic Complexity Approximations (1997): Figures 1 to 4, and larger tables.

Every function below :func:`approximations` returns a panel: a function that draws into one pair of axes. A
method has the same colour, line and marker in all of them; hollow markers are methods at the best clustering.

Order of reading: :func:`approximations` (all figures by the name of the file), then one function per figure,
in the order of the paper, then what they share. Each takes rows of the result tables and draws panels.

Depends on :mod:`codelength_lab.findings` and :mod:`codelength.plot.style`.
"""

from collections.abc import Sequence
from typing import Any

from codelength.plot.style import AMBER, BLACK, BLUE, GREEN, GREY, ORANGE, PINK, SKY, Axes, Panel, plain

from ..findings import Findings

WINE = "#882255"
FOCUS = "hepatitis"

Row = dict[str, Any]

_STYLES = {
    "LN": (BLUE, "-", "o"),
    "C-S": (GREEN, "--", "s"),
    "C-S soft": (SKY, ":", "v"),
    "BIC": (ORANGE, "-.", "^"),
    "AIC": (PINK, "-", "D"),
    "LN+": (AMBER, "-", "P"),
}
_TABLE_STYLES = (
    (BLUE, "-"),
    (GREEN, "--"),
    (ORANGE, "-."),
    (BLACK, "-"),
    (SKY, "-"),
    (AMBER, "--"),
    (PINK, "-"),
    (GREY, ":"),
    (WINE, "-."),
)


def approximations(findings: Findings) -> dict[str, list[Panel]]:
    """Return the panels of each figure, by the name of the file."""
    # The largest exact sums are of two tables only; their mean is not comparable with the others.
    by_rows, bias = (
        [row for row in findings.table(name) if row["tables"] > 4]
        for name in ("errors-by-rows", "bias-by-rows")
    )
    return {
        "figure-1-terms": [_cumulative(findings, "linear"), _cumulative(findings, "log")],
        "figure-2-growth": [_levels(findings), _growth(findings)],
        "figure-3-solutions": [
            _solutions(findings.table("solutions"), ("LN", "C-S", "BIC", "AIC")),
            _solutions(findings.table("solutions"), ("LN", "C-S")),
        ],
        "figure-3-errors": [_dots(findings.table("errors-10-rows"))],
        "figure-4-classes": [
            _classes(findings.table("classes"), ("LN", "C-S", "BIC", "AIC")),
            _classes(findings.table("classes"), ("LN", "LN+", "C-S", "LN*", "C-S*", "LN+*")),
            _agreement(findings.table("selection")),
        ],
        "figure-5-rows": [
            _by_rows(by_rows, ("LN", "LN+", "C-S", "C-S soft", "BIC", "AIC"), "at the ends of EM"),
            _by_rows(by_rows, ("LN*", "LN+*", "C-S*", "BIC*", "AIC*"), "at the best clustering"),
            _bias(bias),
        ],
    }


def _style(method: str) -> tuple[str, str, str]:
    return _STYLES[method.removesuffix("*")]


def _names(rows: Sequence[Row]) -> list[str]:
    return [name for name in rows[0] if name != "share_of_terms"]


def _cumulative(findings: Findings, scale: str) -> Panel:
    """Return a panel of Figure 1: share of the sum by share of the terms, on a linear or a log axis."""
    rows = findings.table("cumulative")

    def panel(axes: Axes) -> None:
        across = [100 * row["share_of_terms"] for row in rows]
        for name, (colour, line) in zip(_names(rows), _TABLE_STYLES, strict=False):
            up = [100 * row[name] for row in rows]
            axes.plot(across, up, line, color=colour, label=name, linewidth=1.5)
        # The claim of the paper is about 90 % of the sum.
        axes.axhline(90, color=GREY, linewidth=0.7)
        word = "" if scale == "linear" else " (log scale)"
        axes.set(
            title="7 rows, K = 3",
            xscale=scale,
            xlabel=f"largest terms, % of all{word}",
            ylabel="share of the sum, %",
            ylim=(0, 102),
        )
        if scale == "log":
            _plain_log(axes.xaxis)
            axes.set_xlim(across[0], 100)
        else:
            # One legend is enough for both scales of the same curves.
            axes.legend(loc="lower right", fontsize=8)

    return panel


def _levels(findings: Findings) -> Panel:
    """Return a panel of Figure 2: terms needed for several shares of the sum, on one table."""
    rows = [row for row in findings.table("terms") if row["dataset"] == FOCUS]

    def panel(axes: Axes) -> None:
        sizes = [row["n_rows"] for row in rows]
        axes.plot(sizes, [row["n_clusterings"] for row in rows], ":", color=GREY, label="all clusterings")
        shown = {"99%": ORANGE, "98%": AMBER, "95%": GREEN, "90%": BLUE}
        for level, colour in shown.items():
            label = f"{level[:-1]} % of the sum"
            axes.plot(sizes, [row[level] for row in rows], "o-", color=colour, label=label, markersize=3.5)
        axes.set(
            title=f"{FOCUS}, K = 3, mean over {rows[0]['n_samples']} samples",
            yscale="log",
            xlabel="rows",
            ylabel="terms needed (log scale)",
        )
        axes.legend(loc="upper left", fontsize=8)

    return panel


def _growth(findings: Findings) -> Panel:
    """Return a panel like Figure 2 for all tables: terms needed for 90 % of the sum, as a share of all."""
    rows = findings.table("terms")

    def panel(axes: Axes) -> None:
        names = dict.fromkeys(row["dataset"] for row in rows)
        for name, (colour, line) in zip(names, _TABLE_STYLES, strict=False):
            own = [row for row in rows if row["dataset"] == name]
            shares = [100 * row["90%"] / row["n_clusterings"] for row in own]
            # In a quick run most tables have one size, and a line of one point is invisible without a marker.
            marker = "o" if len(own) == 1 else None
            axes.plot([row["n_rows"] for row in own], shares, line, color=colour, label=name, marker=marker)
        axes.set(
            title="90 % of the sum, all tables, K = 3",
            yscale="log",
            xlabel="rows",
            ylabel="terms needed, % of all (log scale)",
        )
        _plain_log(axes.yaxis)
        axes.legend(loc="lower left", fontsize=8)

    return panel


def _solutions(rows: Sequence[Row], methods: Sequence[str]) -> Panel:
    """Return a panel of Figure 3: code lengths at many clusterings, by their log posterior."""
    found = [row for row in rows if row["kind"] == "clustering"]
    ends = [row["log_posterior"] for row in rows if row["kind"] != "clustering"]

    def panel(axes: Axes) -> None:
        across = [row["log_posterior"] for row in found]
        for method in methods:
            colour, _, marker = _style(method)
            up = [row[method] for row in found]
            axes.scatter(across, up, s=9, color=colour, marker=marker, alpha=0.55, linewidth=0, label=method)
            # The last clustering is the most probable one.
            axes.scatter(across[-1], up[-1], s=70, color=colour, marker="*", edgecolor="white", linewidth=0.6)
        axes.axhline(found[0]["exact"], color=BLACK, linewidth=1.2, label="exact")
        # Below all points, because the ends of EM have a position on this axis only.
        low, high = axes.get_ylim()
        foot = low - 0.06 * (high - low)
        axes.plot(ends, [foot] * len(ends), "^", color=BLACK, markersize=5, label="ends of EM", clip_on=False)
        axes.set(
            title=f"{FOCUS}, 10 rows, K = 3; stars: the best clustering",
            xlabel="log posterior of the clustering, nats",
            ylabel="code length, nats",
        )
        axes.legend(fontsize=8, ncol=3, loc="upper center", bbox_to_anchor=(0.5, -0.14))

    return panel


def _dots(rows: Sequence[Row]) -> Panel:
    """Return a panel of mean absolute errors by table; hollow markers are at the best clustering."""
    methods = ("LN", "C-S", "BIC", "AIC")

    def panel(axes: Axes) -> None:
        names = [row["table"] for row in rows]
        for method in methods:
            colour, _, marker = _style(method)
            for star, fill in (("", colour), ("*", "white")):
                # Both errors of a method on one line, so that the effect of the clustering is the distance of
                # two markers.
                errors = [row[f"{method}{star}"] for row in rows]
                axes.plot(
                    errors,
                    range(len(rows)),
                    marker,
                    color=colour,
                    markerfacecolor=fill,
                    markersize=6,
                    label=f"{method}{star}",
                )
        axes.set(
            title="10 rows, K = 3; hollow: best clustering",
            xscale="log",
            xlabel="mean absolute error, nats (log scale)",
            yticks=range(len(rows)),
            yticklabels=names,
        )
        axes.invert_yaxis()
        _plain_log(axes.xaxis)
        axes.legend(fontsize=8, ncol=4, loc="upper center", bbox_to_anchor=(0.4, -0.16))

    return panel


def _classes(rows: Sequence[Row], methods: Sequence[str]) -> Panel:
    """Return a panel of Figure 4: code lengths by the number of components."""

    def panel(axes: Axes) -> None:
        sizes = [row["n_components"] for row in rows]
        exact = [row["exact"] for row in rows]
        axes.plot(sizes, exact, "-", color=BLACK, linewidth=2.2, label="exact", zorder=4)
        for method in methods:
            _marked(axes, sizes, rows, method)
        axes.set(title=f"{FOCUS}, 6 rows", xlabel="components K", ylabel="code length, nats")
        axes.legend(fontsize=8)

    return panel


def _agreement(rows: Sequence[Row]) -> Panel:
    """Return a panel of the share of samples in which a method chooses the same K as the reference."""
    methods = ("LN", "LN+", "C-S", "BIC", "AIC", "LN*", "C-S*", "LN+*")

    def panel(axes: Axes) -> None:
        # Evenly spaced by index: sizes from 6 to 100 on a linear axis would crowd on the left.
        places = range(len(rows))
        for method in methods:
            colour, line, marker = _style(method)
            fill = "white" if method.endswith("*") else colour
            up = [row[method] for row in rows]
            axes.plot(
                places,
                up,
                line,
                color=colour,
                marker=marker,
                markerfacecolor=fill,
                markersize=5,
                label=method,
            )
        axes.set(
            title="choice among K = 1 to 6, all tables",
            xlabel="rows",
            ylabel="same K as the reference, % of samples",
            xticks=places,
            xticklabels=[str(row["rows"]) for row in rows],
            ylim=(-4, 104),
        )
        axes.legend(fontsize=8, ncol=2)

    return panel


def _by_rows(rows: Sequence[Row], methods: Sequence[str], title: str) -> Panel:
    """Return a panel of mean absolute errors by the number of rows."""

    def panel(axes: Axes) -> None:
        _lines(axes, rows, methods)
        axes.set(
            title=f"{title}, K = 3, mean over tables",
            xscale="log",
            yscale="log",
            xlabel="rows, log scale (annealed reference from 30 on)",
            ylabel="mean absolute error, nats (log scale)",
            # The same limits in both panels, for comparison.
            ylim=(0.03, 300),
        )
        _row_ticks(axes, rows)
        _plain_log(axes.yaxis)
        axes.legend(fontsize=8, ncol=2, loc="lower right")

    return panel


def _bias(rows: Sequence[Row]) -> Panel:
    """Return a panel of mean signed errors by the number of rows."""

    def panel(axes: Axes) -> None:
        _lines(axes, rows, ("LN", "C-S", "BIC", "AIC"))
        axes.axhline(0, color=BLACK, linewidth=1)
        axes.set(
            title="at the ends of EM: too long, or too short",
            xscale="log",
            xlabel="rows, log scale (annealed reference from 30 on)",
            ylabel="mean error, nats",
        )
        _row_ticks(axes, rows)
        axes.legend(fontsize=8)

    return panel


def _marked(axes: Axes, across: Sequence[int], rows: Sequence[Row], method: str) -> None:
    """Draw a line with markers, hollow for a method at the best clustering."""
    colour, line, marker = _style(method)
    fill = "white" if method.endswith("*") else colour
    up = [row[method] for row in rows]
    axes.plot(across, up, line, color=colour, marker=marker, markerfacecolor=fill, markersize=5, label=method)


def _lines(axes: Axes, rows: Sequence[Row], methods: Sequence[str]) -> None:
    """Draw one line per method over the number of rows."""
    sizes = [row["rows"] for row in rows]
    for method in methods:
        colour, line, marker = _style(method)
        up = [row[method] for row in rows]
        axes.plot(sizes, up, line, color=colour, marker=marker, markersize=4, label=method)


def _row_ticks(axes: Axes, rows: Sequence[Row]) -> None:
    """Label the numbers of rows that were computed, instead of powers of ten."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    ticks = [row["rows"] for row in rows if row["rows"] in (6, 10, 14, 20, 30, 50, 100, 200)]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(plain))


def _plain_log(axis: Any) -> None:
    """Write the labels of a log axis without powers of ten, and none on minor ticks."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axis.set_major_formatter(FuncFormatter(plain))
    axis.set_minor_formatter(NullFormatter())
