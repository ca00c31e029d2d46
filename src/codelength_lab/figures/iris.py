"""Bayes Optimal Instance-Based Learning (1998): Iris, by the share of the training rows used."""

from collections.abc import Sequence

from codelength.plot.style import BLUE, GREY, ORANGE, Axes, Panel

from ..experiments.interval_averages import AVERAGE, FIXED, WHOLE
from ..findings import Findings
from ..summary import Score
from .further import further

Styles = dict[str, tuple[str, str]]

_STYLES: Styles = {"MLNB": (ORANGE, "--"), "BIBL": (BLUE, "-")}
_AVERAGES: Styles = {WHOLE: (GREY, "--"), FIXED: (ORANGE, "-."), AVERAGE: (BLUE, "-")}


def iris(findings: Findings) -> dict[str, list[Panel]]:
    """Return the panels of Figure 1."""
    scores = [score for score in findings.scores if score.dataset == "iris"]
    return {"figure-1-iris": [_by_share(scores, name, _STYLES) for name in ("accuracy", "log_score")]}


def interval_averages(findings: Findings) -> dict[str, list[Panel]]:
    """Return the panels of Figure 1 with averages over cut points, and those of all tables."""
    scores = [score for score in findings.scores if score.dataset == "iris"]
    by_share = [_by_share(scores, name, _AVERAGES) for name in ("accuracy", "log_score")]
    return further(findings) | {"like-figure-1-iris": by_share}


def _by_share(scores: Sequence[Score], name: str, styles: Styles) -> Panel:
    """Return a panel of one score by the share of the training rows."""

    def panel(axes: Axes) -> None:
        for model, (colour, line) in styles.items():
            own = sorted(
                (score for score in scores if score.model == model), key=lambda score: score.fraction
            )
            # The paper plots the negative log score, so that lower is better.
            scale = 100 if name == "accuracy" else -1
            axes.errorbar(
                [100 * score.fraction for score in own],
                [scale * getattr(score, name) for score in own],
                [2 * abs(scale) * getattr(score, f"{name}_se") for score in own],
                fmt=line,
                color=colour,
                label=model,
                marker="o",
                markersize=3.5,
                linewidth=1.6,
                capsize=2,
            )
        word = "0/1 score, %" if name == "accuracy" else "log score, nats (lower is better)"
        repeats = scores[0].n_units
        axes.set(
            title=f"iris, {repeats} cross-validations, ± 2 s.e.",
            xlabel="share of the training rows used, %",
            ylabel=word,
        )
        axes.legend(loc="lower right" if name == "accuracy" else "upper right")

    return panel
