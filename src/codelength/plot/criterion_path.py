"""Model selection criteria over the number of components."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from ._display import Display
from .drawing import AMBER, BLACK, BLUE, GREEN, GREY, ORANGE, PINK, SKY, Axes, Panel, plain

if TYPE_CHECKING:
    from ..estimators import FiniteMixture
    from ..selection.comparison import Comparison

COLOURS = (BLUE, ORANGE, GREEN, PINK, AMBER, SKY, BLACK, GREY)
MARKS = "osD^vP*X"

USUAL = ("aic", "bic", "adjusted_bic", "icl")
"""Information criteria that are drawn by default."""


class CriterionPathDisplay(Display):
    """Criteria over the number of components, as differences from their best; the choice is marked.

    Information criteria (minus twice the log-likelihood, penalised) and code lengths (in nats) are on
    different scales and have a panel each.

    Parameters
    ----------
    estimator : FiniteMixture or Comparison
        A fitted model, or its comparison with further criteria (``model.compare("all")``).
    criteria : sequence of str
        Columns of the comparison to draw; by default AIC, BIC, adjusted BIC, ICL and all code lengths.

    Attributes
    ----------
    comparison : Comparison
        The criteria drawn.

    Examples
    --------
    >>> from codelength import FiniteMixture
    >>> from codelength.plot import CriterionPathDisplay
    >>> table = {name: ["yes", "no"] * 9 for name in ("eggs", "wings", "beak")}
    >>> model = FiniteMixture(max_components=2, random_state=0).fit(table)
    >>> display = CriterionPathDisplay.from_estimator(model, criteria=["bic"])
    >>> display.ax_.lines[0].get_xdata().tolist()
    [1, 2]
    """

    def __init__(self, estimator: "FiniteMixture | Comparison", *, criteria: Sequence[str] = ()) -> None:
        self.comparison = _comparison(estimator)
        self.criteria = criteria

    @classmethod
    def from_estimator(
        cls, estimator: "FiniteMixture | Comparison", *, criteria: Sequence[str] = (), ax: Any = None
    ) -> Self:
        """Draw the comparison of a fitted mixture.

        Parameters
        ----------
        estimator, criteria
            As those of the class.
        ax : matplotlib Axes or sequence of Axes, optional
            Axes to draw into, one pair per panel. A single pair, if no criteria are named, is used for the
            panel of the criterion that chose the model.
        """
        import matplotlib.axes

        display = cls(estimator, criteria=criteria)
        if isinstance(ax, matplotlib.axes.Axes) and not len(criteria):
            usual, chose = _usual_criteria(display.comparison), display.comparison.criterion
            display.criteria = [name for name in usual if _is_deviance(name) is _is_deviance(chose)]
        return display.plot(ax)

    def panels(self) -> tuple[list[Panel], tuple[float, float]]:
        """Return panels of information criteria and of code lengths, each as its difference from its best."""
        from ..table.checks import check_choice

        for name in self.criteria:
            check_choice("criteria", name, _drawable(self.comparison))
        shown = list(self.criteria) or _usual_criteria(self.comparison)
        halves = [
            [name for name in shown if _is_deviance(name)],
            [name for name in shown if not _is_deviance(name)],
        ]
        titles = ("minus twice the log-likelihood, penalised", "code length in nats")
        pairs = zip(halves, titles, strict=True)
        return [partial(_path, self.comparison, names, title) for names, title in pairs if names], self.size


def _comparison(model: Any) -> "Comparison":
    """Return the comparison of a fitted mixture, or the comparison itself."""
    from ..estimators import FiniteMixture
    from ..selection.comparison import Comparison
    from ..table.checks import check_instance

    check_instance(
        "estimator", model, (FiniteMixture, Comparison), "a fitted FiniteMixture or its comparison"
    )
    found: Comparison = model if isinstance(model, Comparison) else model.comparison_
    return found


def _usual_criteria(comparison: "Comparison") -> list[str]:
    """Return the criteria drawn by default: the usual information criteria and all code lengths."""
    return [*USUAL, *(name for name in _drawable(comparison) if not _is_deviance(name))]


def _drawable(comparison: "Comparison") -> list[str]:
    from ..selection.comparison import LOWER_IS_BETTER

    return [name for name in comparison.columns if name in LOWER_IS_BETTER]


def _is_deviance(name: str) -> bool:
    """Return whether a criterion is on the scale of minus twice the log-likelihood."""
    from ..selection.comparison import OF_LIKELIHOOD

    return name in OF_LIKELIHOOD


def _path(comparison: "Comparison", names: Sequence[str], title: str, axes: Axes) -> None:
    """Draw some criteria, each as its difference from its best."""
    from ..selection.comparison import HEADINGS

    sizes = comparison["components"]
    for name, colour, mark in zip(names, COLOURS, MARKS, strict=False):
        points = [(k, v) for k, v in zip(sizes, comparison[name], strict=True) if v is not None]
        if not points:
            continue
        best = min(value for _, value in points)
        label = f"{HEADINGS.get(name, name.replace('_', ' '))} (best {best:.1f})"
        known, above = [size for size, _ in points], [value - best for _, value in points]
        axes.plot(known, above, color=colour, marker=mark, markersize=4, linewidth=1.2, label=label)
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
