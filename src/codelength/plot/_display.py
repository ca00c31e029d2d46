"""Base of all displays: one or several pairs of axes, drawn on request."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .style import Panel


class Display(ABC):
    """A plot in the form of scikit-learn's displays: numbers first, then :meth:`plot`.

    The class methods (``from_estimator``, ``from_predictions``) compute the numbers and draw them at once.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot; the first if there are several.
    figure_ : matplotlib Figure
        Figure of the axes.
    """

    size: ClassVar[tuple[float, float]] = (4.8, 3.8)
    """Width and height in inches if no axes are given."""

    ax_: "Axes"
    figure_: "Figure"

    def plot(self, ax: Any = None) -> Self:
        """Draw into given axes, or into a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw into, a list of them if the display has several panels. A new figure is shown by a
            notebook, has the style of codelength and is not registered with pyplot:
            ``display.figure_.savefig(...)`` writes it.

        Returns
        -------
        Display
            The display itself.
        """
        from ..errors import InvalidParameter
        from .drawing import figure_of

        panels, size = self.panels()
        if ax is None:
            self.figure_ = figure_of(panels, size)
            self.ax_ = self.figure_.axes[0]
            return self
        places = _axes(ax, len(panels))
        # The root, because axes may be in a subfigure, which cannot be saved by itself.
        figure = places[0].get_figure(root=True)
        if figure is None:
            raise InvalidParameter("ax: these axes were removed from their figure; give some that are in one")
        for place, panel in zip(places, panels, strict=True):
            panel(place)
        self.ax_, self.figure_ = places[0], figure
        return self

    @abstractmethod
    def panels(self) -> "tuple[list[Panel], tuple[float, float]]":
        """Return the functions that draw each pair of axes, and the size of one in inches."""

    def _repr_svg_(self) -> str | None:
        figure: Any = self.__dict__.get("figure_")
        return figure._repr_svg_() if hasattr(figure, "_repr_svg_") else None


def _axes(ax: Any, n_panels: int) -> "list[Axes]":
    """Return the axes given by the user as a list with one per panel."""
    from matplotlib.axes import Axes

    from ..errors import InvalidParameter
    from ..table._messages import shown

    given = [ax] if isinstance(ax, Axes) else list(ax) if isinstance(ax, Sequence) or _is_array(ax) else []
    if len(given) != n_panels or not all(isinstance(place, Axes) for place in given):
        wanted = "axes of matplotlib" if n_panels == 1 else f"a list of {n_panels} axes of matplotlib"
        raise InvalidParameter(f"ax={shown(ax)}: expected {wanted}, or None for a new figure")
    return given


def _is_array(ax: Any) -> bool:
    return getattr(ax, "ndim", 0) == 1
