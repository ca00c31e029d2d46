"""Panels of criteria over the number of classes, with the choice marked."""

from collections.abc import Sequence

from ..selection._comparison_text import HEADINGS
from ..selection.comparison import LOWER_IS_BETTER, Comparison
from ..table.checks import check_choice
from .style import AMBER, BLACK, BLUE, GREEN, GREY, ORANGE, PINK, SKY, Axes, Panel, plain

COLOURS = (BLUE, ORANGE, GREEN, PINK, AMBER, SKY, BLACK, GREY)
MARKS = "osD^vP*X"

USUAL = ("aic", "bic", "adjusted_bic", "icl")
"""Information criteria that are drawn by default."""


def criterion_panels(comparison: Comparison, criteria: Sequence[str] = ()) -> list[Panel]:
    """Return panels of information criteria and of code lengths, which are on different scales.

    Parameters
    ----------
    comparison : Comparison
        Criteria by number of classes.
    criteria : sequence of str
        Columns to draw; by default those of :func:`usual_criteria`. Each is drawn as its difference from its
        best, so that all fit into one panel.
    """
    for name in criteria:
        check_choice("criteria", name, [name for name in comparison.columns if name in LOWER_IS_BETTER])
    shown = list(criteria) or usual_criteria(comparison)
    halves = [
        [name for name in shown if is_deviance(name)],
        [name for name in shown if not is_deviance(name)],
    ]
    titles = ("minus twice the log-likelihood, penalised", "code length in nats")
    return [_panel(comparison, names, title) for names, title in zip(halves, titles, strict=True) if names]


def usual_criteria(comparison: Comparison) -> list[str]:
    """Return the criteria drawn by default: the usual information criteria and all code lengths."""
    lengths = [name for name in comparison.columns if name in LOWER_IS_BETTER and not is_deviance(name)]
    return [*USUAL, *lengths]


def is_deviance(name: str) -> bool:
    """Return whether a criterion is on the scale of minus twice the log-likelihood."""
    return name in ("aic", "bic", "adjusted_bic", "caic", "icl")


def _panel(comparison: Comparison, names: Sequence[str], title: str) -> Panel:
    """Return a panel of some criteria, each as its difference from its best."""

    def panel(axes: Axes) -> None:
        sizes = comparison["components"]
        for name, colour, mark in zip(names, COLOURS, MARKS, strict=False):
            points = [(k, v) for k, v in zip(sizes, comparison[name], strict=True) if v is not None]
            if not points:
                continue
            best = min(value for _, value in points)
            label = HEADINGS.get(name, name.replace("_", " "))
            axes.plot(
                [size for size, _ in points],
                [value - best for _, value in points],
                color=colour,
                marker=mark,
                markersize=4,
                linewidth=1.2,
                label=f"{label} (best {best:.1f})",
            )
        axes.axvline(comparison.chosen, color=GREY, linewidth=0.9, linestyle="--")
        axes.set_xticks(sizes)
        axes.set_xlabel(f"classes (dashed: chosen by {comparison.criterion.replace('_', ' ')})")
        # The solution with one class is often far worse than all others, which would look alike beside it.
        axes.set_yscale("symlog", linthresh=10)
        axes.yaxis.set_major_formatter(plain)
        axes.set_ylim(bottom=-1)
        axes.set_ylabel("above the best")
        axes.set_title(title, fontsize=9)
        axes.legend(fontsize=7)

    return panel
