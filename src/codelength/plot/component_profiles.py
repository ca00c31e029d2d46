"""What the components of a mixture look like."""

from typing import TYPE_CHECKING, Any, Self

from ._display import Display

if TYPE_CHECKING:
    from ..estimators import FiniteMixture
    from .style import Panel


class ComponentProfilesDisplay(Display):
    """A heat map of the probability of each value in each component, in hundredths.

    Variables that tell the components apart best come first. Of a variable with two values one is shown.

    Parameters
    ----------
    estimator : FiniteMixture
        A fitted model.
    title : str
        A title.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.

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
        """Draw a fitted mixture; parameters as those of the class, ``ax`` as in :meth:`plot`."""
        return cls(estimator, title=title).plot(ax)

    def panels(self) -> "tuple[list[Panel], tuple[float, float]]":
        """What draws the picture, and its size in inches."""
        from ..estimators import FiniteMixture
        from ..table.checks import check_instance
        from ._profile_panel import profile_panel

        check_instance("estimator", self.estimator, FiniteMixture, "a fitted FiniteMixture")
        panel, size = profile_panel(self.estimator, self.title)
        return [panel], size
