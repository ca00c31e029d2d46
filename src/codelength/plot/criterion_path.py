"""Model selection criteria over the number of components."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from ._display import Display

if TYPE_CHECKING:
    from ..estimators import FiniteMixture
    from ..selection.comparison import Comparison
    from .style import Panel


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
    ax_, figure_
        Axes and figure of the plot; ``ax_`` is the first panel.

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
        from matplotlib.axes import Axes

        from ._criterion_panels import is_deviance, usual_criteria

        display = cls(estimator, criteria=criteria)
        if isinstance(ax, Axes) and not len(criteria):
            usual, chose = usual_criteria(display.comparison), display.comparison.criterion
            display.criteria = [name for name in usual if is_deviance(name) is is_deviance(chose)]
        return display.plot(ax)

    def panels(self) -> "tuple[list[Panel], tuple[float, float]]":
        """Return the functions that draw the panels, and the size of one in inches."""
        from ._criterion_panels import criterion_panels

        return criterion_panels(self.comparison, self.criteria), self.size


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
