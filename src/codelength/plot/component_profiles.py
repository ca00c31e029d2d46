"""Profiles of the components of a mixture."""

from typing import TYPE_CHECKING, Any, Self

from ._display import Display

if TYPE_CHECKING:
    from ..estimators import FiniteMixture
    from .style import Panel


class ComponentProfilesDisplay(Display):
    """Heat map of the probability of each value in each component, in per cent.

    Variables with most information about the component are first. A variable with two values has one row.

    Parameters
    ----------
    estimator : FiniteMixture
        A fitted model.
    title : str
        Title of the plot.

    Attributes
    ----------
    ax_, figure_
        Axes and figure of the plot.

    Examples
    --------
    >>> from codelength import FiniteMixture
    >>> from codelength.plot import ComponentProfilesDisplay
    >>> table = {name: ["yes", "no"] * 9 for name in ("eggs", "wings", "beak")}
    >>> model = FiniteMixture(2, random_state=0).fit(table)
    >>> display = ComponentProfilesDisplay.from_estimator(model)
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['eggs = yes', 'wings = yes', 'beak = yes']
    """

    def __init__(self, estimator: "FiniteMixture", *, title: str = "") -> None:
        self.estimator = estimator
        self.title = title

    @classmethod
    def from_estimator(cls, estimator: "FiniteMixture", *, title: str = "", ax: Any = None) -> Self:
        """Draw the profiles of a fitted mixture.

        Parameters
        ----------
        estimator : FiniteMixture
            A fitted model.
        title : str
            Title of the plot.
        ax : matplotlib Axes, optional
            Axes to draw into.

        Returns
        -------
        ComponentProfilesDisplay
            The display, drawn.
        """
        return cls(estimator, title=title).plot(ax)

    def panels(self) -> "tuple[list[Panel], tuple[float, float]]":
        """Return the function that draws the plot, and its size in inches."""
        from ..estimators import FiniteMixture
        from ..table.checks import check_instance
        from ._profile_panel import profile_panel

        check_instance("estimator", self.estimator, FiniteMixture, "a fitted FiniteMixture")
        panel, size = profile_panel(self.estimator, self.title)
        return [panel], size
