"""On the Accuracy of Stochastic Complexity Approximations (1997): Figures 1 to 4, and larger tables.

A method has the same colour, line and marker in all panels; hollow markers are methods at the best
clustering. :func:`approximations` lists all figures; the functions below it follow the order of the paper.
Each draws rows of a result table into one pair of axes.
"""

from collections.abc import Iterable, Sequence
from functools import partial

from codelength.plot.drawing import AMBER, BLACK, BLUE, GREEN, GREY, ORANGE, PINK, SKY, Axes, Panel

from ..findings import Findings, Row
from .charts import fixed_ticks, label, plain_log

WINE = "#882255"
FOCUS = "hepatitis"

_EM = ("LN", "C-S", "BIC", "AIC")

_STYLES = {
    "LN": (BLUE, "-", "o"),
    "C-S": (GREEN, "--", "s"),
    "C-S soft": (SKY, ":", "v"),
    "BIC": (ORANGE, "-.", "^"),
    "AIC": (PINK, "-", "D"),
    "LN+": (AMBER, "-", "P"),
}
_TABLE_COLOURS = (BLUE, GREEN, ORANGE, BLACK, SKY, AMBER, PINK, GREY, WINE)
_TABLE_STYLES = list(zip(_TABLE_COLOURS, ["-", "--", "-.", "-", "-", "--", "-", ":", "-."], strict=True))

_ACROSS_ROWS = "rows, log scale (annealed reference from 30 on)"


def approximations(findings: Findings) -> dict[str, list[Panel]]:
    """Return the panels of each figure, by the name of the file."""
    cumulative, terms, solutions, sizes = (
        findings.table(name) for name in ("cumulative", "terms", "solutions", "classes")
    )
    # The largest exact sums are of two tables only; their mean is not comparable with the others.
    by_rows, bias = (
        [row for row in findings.table(name) if row["tables"] > 4]
        for name in ("errors-by-rows", "bias-by-rows")
    )
    at_ends, at_best = ("LN", "LN+", "C-S", "C-S soft", "BIC", "AIC"), ("LN*", "LN+*", "C-S*", "BIC*", "AIC*")
    near = ("LN", "LN+", "C-S", "LN*", "C-S*", "LN+*")
    return {
        "figure-1-terms": [partial(_cumulative, rows=cumulative, scale=scale) for scale in ("linear", "log")],
        "figure-2-growth": [partial(_levels, rows=terms), partial(_growth, rows=terms)],
        "figure-3-solutions": [
            partial(_solutions, rows=solutions, methods=methods) for methods in (_EM, ("LN", "C-S"))
        ],
        "figure-3-errors": [partial(_dots, rows=findings.table("errors-10-rows"))],
        "figure-4-classes": [
            *(partial(_classes, rows=sizes, methods=methods) for methods in (_EM, near)),
            partial(_agreement, rows=findings.table("selection")),
        ],
        "figure-5-rows": [
            partial(_by_rows, rows=by_rows, methods=at_ends, title="at the ends of EM"),
            partial(_by_rows, rows=by_rows, methods=at_best, title="at the best clustering"),
            partial(_bias, rows=bias),
        ],
    }


def _lines(
    axes: Axes, across: Iterable[float], rows: Sequence[Row], methods: Sequence[str], *, hollow: bool = True
) -> None:
    """Draw one line with markers per method."""
    places = list(across)
    for method in methods:
        colour, line, marker = _style(method)
        fill = {"markerfacecolor": "white" if method.endswith("*") else colour, "markersize": 5}
        looks = fill if hollow else {"markersize": 4}
        axes.plot(
            places, [row[method] for row in rows], line, color=colour, marker=marker, label=method, **looks
        )


def _style(method: str) -> tuple[str, str, str]:
    return _STYLES[method.removesuffix("*")]


def _cumulative(axes: Axes, rows: Sequence[Row], scale: str) -> None:
    """Draw Figure 1: share of the sum by share of the terms, on a linear or a log axis."""
    across = [100 * row["share_of_terms"] for row in rows]
    names = [name for name in rows[0] if name != "share_of_terms"]
    for name, (colour, line) in zip(names, _TABLE_STYLES, strict=False):
        axes.plot(across, [100 * row[name] for row in rows], line, color=colour, label=name, linewidth=1.5)
    # The claim of the paper is about 90 % of the sum.
    axes.axhline(90, color=GREY, linewidth=0.7)
    # One legend is enough for both scales of the same curves.
    word, legend = (
        ("", {"loc": "lower right", "fontsize": 8}) if scale == "linear" else (" (log scale)", None)
    )
    xlabel = f"largest terms, % of all{word}"
    label(axes, "7 rows, K = 3", xlabel, "share of the sum, %", legend=legend, xscale=scale, ylim=(0, 102))
    if scale == "log":
        plain_log(axes.xaxis)
        axes.set_xlim(across[0], 100)


def _levels(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw Figure 2: terms needed for several shares of the sum, on one table."""
    own = [row for row in rows if row["dataset"] == FOCUS]
    sizes = [row["n_rows"] for row in own]
    axes.plot(sizes, [row["n_clusterings"] for row in own], ":", color=GREY, label="all clusterings")
    for level, colour in {"99%": ORANGE, "98%": AMBER, "95%": GREEN, "90%": BLUE}.items():
        name = f"{level[:-1]} % of the sum"
        axes.plot(sizes, [row[level] for row in own], "o-", color=colour, label=name, markersize=3.5)
    title, legend = (
        f"{FOCUS}, K = 3, mean over {own[0]['n_samples']} samples",
        {"loc": "upper left", "fontsize": 8},
    )
    label(axes, title, "rows", "terms needed (log scale)", legend=legend, yscale="log")


def _growth(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw a panel like Figure 2 for all tables: terms needed for 90 % of the sum, as a share of all."""
    names = dict.fromkeys(row["dataset"] for row in rows)
    for name, (colour, line) in zip(names, _TABLE_STYLES, strict=False):
        own = [row for row in rows if row["dataset"] == name]
        shares = [100 * row["90%"] / row["n_clusterings"] for row in own]
        # In a quick run most tables have one size, and a line of one point is invisible without a marker.
        marker = "o" if len(own) == 1 else None
        axes.plot([row["n_rows"] for row in own], shares, line, color=colour, label=name, marker=marker)
    title, ylabel = "90 % of the sum, all tables, K = 3", "terms needed, % of all (log scale)"
    label(axes, title, "rows", ylabel, legend={"loc": "lower left", "fontsize": 8}, yscale="log")
    plain_log(axes.yaxis)


def _solutions(axes: Axes, rows: Sequence[Row], methods: Sequence[str]) -> None:
    """Draw Figure 3: code lengths at many clusterings, by their log posterior."""
    found = [row for row in rows if row["kind"] == "clustering"]
    ends = [row["log_posterior"] for row in rows if row["kind"] != "clustering"]
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
    label(
        axes,
        f"{FOCUS}, 10 rows, K = 3; stars: the best clustering",
        "log posterior of the clustering, nats",
        "code length, nats",
        legend={"fontsize": 8, "ncol": 3, "loc": "upper center", "bbox_to_anchor": (0.5, -0.14)},
    )


def _dots(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw mean absolute errors by table; hollow markers are at the best clustering."""
    places = range(len(rows))
    for method in _EM:
        colour, _, marker = _style(method)
        # Both errors of a method on one line: the effect of the clustering is the distance of two markers.
        for star, fill in (("", colour), ("*", "white")):
            name = f"{method}{star}"
            errors = [row[name] for row in rows]
            axes.plot(errors, places, marker, color=colour, markerfacecolor=fill, markersize=6, label=name)
    axes.set(xscale="log", yticks=places, yticklabels=[row["table"] for row in rows])
    axes.invert_yaxis()
    plain_log(axes.xaxis)
    title, xlabel = "10 rows, K = 3; hollow: best clustering", "mean absolute error, nats (log scale)"
    legend = {"fontsize": 8, "ncol": 4, "loc": "upper center", "bbox_to_anchor": (0.4, -0.16)}
    label(axes, title, xlabel, legend=legend)


def _classes(axes: Axes, rows: Sequence[Row], methods: Sequence[str]) -> None:
    """Draw Figure 4: code lengths by the number of components."""
    sizes = [row["n_components"] for row in rows]
    axes.plot(sizes, [row["exact"] for row in rows], "-", color=BLACK, linewidth=2.2, label="exact", zorder=4)
    _lines(axes, sizes, rows, methods)
    label(axes, f"{FOCUS}, 6 rows", "components K", "code length, nats", legend={"fontsize": 8})


def _agreement(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw the share of samples in which a method chooses the same K as the reference."""
    # Evenly spaced by index: sizes from 6 to 100 on a linear axis would crowd on the left.
    places = range(len(rows))
    _lines(axes, places, rows, ("LN", "LN+", "C-S", "BIC", "AIC", "LN*", "C-S*", "LN+*"))
    axes.set(xticks=places, xticklabels=[str(row["rows"]) for row in rows], ylim=(-4, 104))
    title, ylabel = "choice among K = 1 to 6, all tables", "same K as the reference, % of samples"
    label(axes, title, "rows", ylabel, legend={"fontsize": 8, "ncol": 2})


def _by_rows(axes: Axes, rows: Sequence[Row], methods: Sequence[str], title: str) -> None:
    """Draw mean absolute errors by the number of rows."""
    _lines(axes, [row["rows"] for row in rows], rows, methods, hollow=False)
    # The same limits in both panels, for comparison.
    axes.set(xscale="log", yscale="log", ylim=(0.03, 300))
    _row_ticks(axes, rows)
    plain_log(axes.yaxis)
    ylabel, legend = "mean absolute error, nats (log scale)", {"fontsize": 8, "ncol": 2, "loc": "lower right"}
    label(axes, f"{title}, K = 3, mean over tables", _ACROSS_ROWS, ylabel, legend=legend)


def _bias(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw mean signed errors by the number of rows."""
    _lines(axes, [row["rows"] for row in rows], rows, _EM, hollow=False)
    axes.axhline(0, color=BLACK, linewidth=1)
    axes.set_xscale("log")
    _row_ticks(axes, rows)
    title = "at the ends of EM: too long, or too short"
    label(axes, title, _ACROSS_ROWS, "mean error, nats", legend={"fontsize": 8})


def _row_ticks(axes: Axes, rows: Sequence[Row]) -> None:
    """Label the numbers of rows that were computed, instead of powers of ten."""
    shown = (6, 10, 14, 20, 30, 50, 100, 200)
    fixed_ticks(axes.xaxis, [row["rows"] for row in rows if row["rows"] in shown])
