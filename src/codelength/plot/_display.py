"""Base of all displays, and the checks of their arguments."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..errors import DataError, InvalidParameter
from ..typing import FloatArray
from .drawing import Axes, Panel, figure_of, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Display:
    """A plot in the form of scikit-learn's displays: numbers first, then :meth:`plot`.

    The class methods (``from_estimator``, ``from_predictions``) compute the numbers and draw them at once.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot; the first if there are several.
    figure_ : matplotlib Figure
        Figure of the axes.
    """

    size: tuple[float, float] = (4.8, 3.8)
    """Width and height of a panel in inches if no axes are given."""

    ax_: Axes
    figure_: "Figure"

    def plot(self, ax: Any = None) -> Self:
        """Draw into given axes, or into a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw into, a list of them if the display has several panels. A new figure is shown by a
            notebook, has the style of codelength and is not registered with pyplot.

        Returns
        -------
        Display
            The display itself.
        """
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

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the figure, in the format that the name of the file ends in.

        Parameters
        ----------
        path : path
            An ``.svg``, ``.png`` or ``.pdf`` file.
        """
        save_figure(self.figure_, path)

    def panels(self) -> tuple[list[Panel], tuple[float, float]]:
        """Return the functions that draw each pair of axes, and the size of one in inches.

        By default one pair of axes, which :meth:`draw` draws into.
        """
        return [self.draw], self.size

    def draw(self, axes: Axes) -> None:
        """Draw into one pair of axes."""
        raise NotImplementedError(f"{type(self).__name__}: a display has draw, or panels if it has several")

    def _repr_svg_(self) -> str | None:
        figure: Any = self.__dict__.get("figure_")
        return figure._repr_svg_() if hasattr(figure, "_repr_svg_") else None


def _axes(ax: Any, n_panels: int) -> list[Axes]:
    """Return the axes given by the user as a list with one per panel."""
    import matplotlib.axes

    from ..table._messages import shown

    several = isinstance(ax, Sequence) or getattr(ax, "ndim", 0) == 1
    given = list(ax) if several else [ax]
    if len(given) != n_panels or not all(isinstance(place, matplotlib.axes.Axes) for place in given):
        wanted = "axes of matplotlib" if n_panels == 1 else f"a list of {n_panels} axes of matplotlib"
        raise InvalidParameter(f"ax={shown(ax)}: expected {wanted}, or None for a new figure")
    return given


def check_classifier(estimator: Any, able_to: str = "classes") -> None:
    """Raise ``InvalidParameter`` unless the estimator is a classifier of codelength with a capability."""
    from ..estimators import TableClassifier, capabilities_of
    from ..table.checks import check_instance

    check_instance("estimator", estimator, TableClassifier, "a classifier of codelength")
    if able_to not in capabilities_of(estimator):
        what = {"explain": "does not explain its predictions", "leave_one_out": "has no leave-one-out"}
        raise InvalidParameter(
            f"estimator: {type(estimator).__name__} {what[able_to]}; use NaiveBayes or ModelAverage"
        )


def columns(**given: Sequence[float] | FloatArray | None) -> list[FloatArray]:
    """Return arrays of one length from lists of numbers; arrays of NaN for those that are None."""
    arrays = {
        name: None if numbers is None else np.asarray(numbers, float) for name, numbers in given.items()
    }
    # Compared by shape, which also rejects matrices.
    first, *others = {array.shape for array in arrays.values() if array is not None}
    if others or len(first) != 1:
        raise DataError(f"{', '.join(arrays)}: expected lists of numbers of the same length")
    return [np.full(first, np.nan) if array is None else array for array in arrays.values()]
