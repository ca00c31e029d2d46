"""Comparing Prequential Model Selection Criteria (2001): gains over the marginal likelihood."""

from functools import partial

from codelength.plot.style import AMBER, BLUE, GREEN, ORANGE, PINK, Axes, Panel

from ..findings import Findings, Row
from .charts import DARK, at_numbers, band

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
    axes.set(
        title=f"{_NAMES[score]}, clustered {word} the class",
        xlabel="gain over the marginal likelihood, % ± s.e.",
    )


def _colour(name: str) -> str:
    if name.startswith("PREQ"):
        return BLUE if "RAND" in name else ORANGE
    return GREEN if name == "L-O-O" else PINK if name in ("BEST-FIRST", "WORST-LAST") else "#BBBBBB"


def _by_number(axes: Axes, rows: list[Row], score: str, word: str) -> None:
    """Draw gains by the number of random orderings."""
    gains = {row["criterion"]: row[f"{score} gain, %"] for row in rows}
    errors = {row["criterion"]: row[f"{score} s.e."] for row in rows}
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
    axes.set(
        title=f"{_NAMES[score]}, clustered {word} the class",
        xlabel="random orderings n (log scale)",
        ylabel="mean gain, % ± s.e. over tables",
    )
    axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.17), ncol=3)
