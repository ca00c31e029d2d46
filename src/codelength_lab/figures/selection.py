"""Comparing Prequential Model Selection Criteria (2001): gains over the marginal likelihood."""

from typing import Any

from codelength.plot.style import AMBER, BLUE, GREEN, ORANGE, PINK, Axes, Panel, plain

from ..findings import Findings

Row = dict[str, Any]

_NAMES = {"log": "log loss", "error": "0/1 loss (error)", "accuracy": "accuracy"}
_SHOWN = (1, 10, 30, 100)
"""Numbers of random orderings among the bars; the curves have all of them."""


def selection(findings: Findings) -> dict[str, list[Panel]]:
    """Return panels of Figures 1 and 2, and of both uses of random orderings by their number."""
    figures: dict[str, list[Panel]] = {}
    by_way = {word: findings.table(f"gains-{word}-class") for word in ("with", "without")}
    for name, score in (
        ("figure-1-log-loss", "log"),
        ("figure-2-01-loss", "error"),
        ("figure-2-accuracy", "accuracy"),
    ):
        figures[name] = [_bars(rows, score, f"clustered {word} the class") for word, rows in by_way.items()]
    for word, rows in by_way.items():
        figures[f"orderings-{word}-class"] = [
            _by_number(rows, score, f"clustered {word} the class") for score in ("log", "error")
        ]
    return figures


def _bars(rows: list[Row], score: str, title: str) -> Panel:
    """Return a panel of the gains of all criteria as bars."""
    # PREQ-MAX(1) is left out: the best of one ordering is its mean.
    shown = ["L-O-O", *(f"PREQ-RAND({n})" for n in _SHOWN), *(f"PREQ-MAX({n})" for n in _SHOWN[1:])]
    shown += ["BEST-FIRST", "WORST-LAST", "BEST-LAST", "WORST-FIRST"]
    by_name = {row["criterion"]: row for row in rows}

    def panel(axes: Axes) -> None:
        places = range(len(shown), 0, -1)
        axes.barh(
            places,
            [by_name[name][f"{score} gain, %"] for name in shown],
            xerr=[by_name[name][f"{score} s.e."] for name in shown],
            color=[_colour(name) for name in shown],
            error_kw={"elinewidth": 0.9, "ecolor": "#444444"},
            height=0.7,
            zorder=2,
        )
        axes.axvline(0, color="#444444", linewidth=0.8)
        axes.grid(visible=False, axis="y")
        axes.set_yticks(places, shown, fontsize=8)
        axes.set(title=f"{_NAMES[score]}, {title}", xlabel="gain over the marginal likelihood, % ± s.e.")

    return panel


def _colour(name: str) -> str:
    if name.startswith("PREQ"):
        return BLUE if "RAND" in name else ORANGE
    return GREEN if name == "L-O-O" else PINK if name in ("BEST-FIRST", "WORST-LAST") else "#BBBBBB"


def _by_number(rows: list[Row], score: str, title: str) -> Panel:
    """Return a panel of gains by the number of random orderings."""
    by_name = {row["criterion"]: row[f"{score} gain, %"] for row in rows}
    errors = {row["criterion"]: row[f"{score} s.e."] for row in rows}
    numbers = [int(name[10:-1]) for name in by_name if name.startswith("PREQ-RAND(")]
    levels = (("L-O-O", GREEN, "-."), ("BEST-FIRST", PINK, "--"), ("WORST-LAST", AMBER, ":"))

    def panel(axes: Axes) -> None:
        for kind, colour, marker in (("PREQ-RAND", BLUE, "o"), ("PREQ-MAX", ORANGE, "s")):
            ends = [
                [by_name[f"{kind}({n})"] + sign * errors[f"{kind}({n})"] for n in numbers] for sign in (-1, 1)
            ]
            axes.fill_between(numbers, *ends, color=colour, alpha=0.12, linewidth=0)
            axes.plot(
                numbers,
                [by_name[f"{kind}({n})"] for n in numbers],
                color=colour,
                marker=marker,
                markersize=4,
                label=f"{kind}(n)",
            )
        for name, colour, line in levels:
            axes.axhline(by_name[name], color=colour, linestyle=line, linewidth=1.2, label=name)
        axes.set_xscale("log")
        axes.set_xticks(numbers, [plain(n, 0) for n in numbers])
        axes.minorticks_off()
        axes.set(
            title=f"{_NAMES[score]}, {title}",
            xlabel="random orderings n (log scale)",
            ylabel="mean gain, % ± s.e. over tables",
        )
        axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.17), ncol=3)

    return panel
